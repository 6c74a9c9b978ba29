//! Machine code for x86-64: compiles functions of the kernel language, and runs them.
//!
//! A [`Function`] becomes [`Code`] by [`compile`], which takes about a hundred nanoseconds an instruction; on another system
//! or processor it gives nothing, and the interpreter of the kernel language has to do. What the code computes is the
//! same to the bit, whichever [`Features`] are used (but for the bits of NaN).
//!
//! ```
//! use wengert_kernel::{Address, Binary, Builder, Inst, Kind};
//! use wengert_x86::{Features, compile};
//!
//! // y[i] = x[i] + x[i]
//! let mut b = Builder::new(2);
//! let index = b.value(Kind::I64);
//! b.begin();
//! let x = b.load(Kind::F32, Address { base: b.param(0), index: Some((index, 4)), offset: 0 });
//! let y = b.binary(Binary::Add, x, x);
//! b.store(y, Address { base: b.param(1), index: Some((index, 4)), offset: 0 });
//! let body = b.end(vec![]);
//! b.push(Inst::Lanes { index, count: 3, body });
//! let function = b.finish("twice");
//!
//! let (mut x, mut y) = ([1f32, 2.0, 3.0], [0f32; 3]);
//! if let Some(code) = compile(&function, Features::Avx512) {
//!     // SAFETY: both arrays have the three numbers that are read and written.
//!     assert!(unsafe { code.run(&[x.as_mut_ptr().cast(), y.as_mut_ptr().cast()]) });
//!     assert_eq!(y, [2.0, 4.0, 6.0]);
//! }
//! ```
//!
//! Values get registers by a linear scan (`allocate`), instructions become bytes (`emit`, `encode`), and the bytes go to
//! memory that is never writable (`arena`).

#![cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), allow(dead_code, unused))]

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod allocate;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod arena;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod emit;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod encode;
pub mod faults;
mod features;

pub use features::Features;
use wengert_kernel::Function;
use wengert_kernel::profile::Counter;

/// A function that can be run, by any thread and by several at once.
pub struct Code {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    block: arena::Block,
    params: usize,
    length: usize,
    listing: Vec<(u32, u32)>,
    marks: Vec<(u32, u32)>,
    profiled: bool,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Code").field("bytes", &self.length).finish_non_exhaustive()
    }
}

/// Compiles a function with some of what this machine has; none if it cannot be compiled here.
pub fn compile(f: &Function, features: Features) -> Option<Code> {
    compile_as(f, features, false)
}

/// The same, for [`Code::run_profiled`]: at each mark the code reads the clock. None if the function has six parameters.
pub fn compile_profiled(f: &Function, features: Features) -> Option<Code> {
    compile_as(f, features, true)
}

/// Code that is compiled from now on lies in pages of its own, where no file is mapped: `perf` looks for names of code
/// only there. It takes more memory, and some microseconds more for each function.
pub fn lay_code_out_for_perf() {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    arena::without_files();
}

fn compile_as(f: &Function, features: Features, profiled: bool) -> Option<Code> {
    let features = features.min(Features::detect()?);
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    {
        let emitted = emit::emit(f, features, profiled)?;
        let block = arena::place(&emitted.bytes)?;
        let emit::Emitted { length, listing, marks, .. } = emitted;
        Some(Code { block, params: f.params.len(), length, listing, marks, profiled })
    }
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    None
}

impl Code {
    /// Runs the function on its pointers; gives whether it ran to its end.
    ///
    /// # Safety
    /// There are as many pointers as the function has parameters. What it reads is there to be read and what it writes to
    /// be written, and nobody else writes the one or touches the other meanwhile.
    pub unsafe fn run(&self, args: &[*mut u8]) -> bool {
        assert_eq!(args.len(), self.params, "as many arguments as parameters");
        assert!(!self.profiled, "profiled code counts");
        // SAFETY: the caller's word.
        unsafe { self.enter(args) }
    }

    /// Runs a function that was compiled for it, and counts for each mark, from 1 on, how often it was come by, and the
    /// ticks of the core's clock until the next one: in the counter of its number. The first is that of no mark.
    ///
    /// # Safety
    /// As [`Code::run`].
    pub unsafe fn run_profiled(&self, args: &[*mut u8], counters: &mut [Counter]) -> bool {
        assert!(self.profiled && args.len() == self.params, "as many arguments as parameters of profiled code");
        let last = self.marks.iter().map(|m| m.1 as usize).max().unwrap_or(0);
        assert!(last < counters.len(), "a counter for each mark");
        let mut all = [std::ptr::null_mut(); 6];
        all[..args.len()].copy_from_slice(args);
        all[args.len()] = counters.as_mut_ptr().cast();
        // SAFETY: the code takes the counters after its parameters, and there is one for each mark. The rest is the
        // caller's word.
        unsafe { self.enter(&all[..args.len() + 1]) }
    }

    /// # Safety
    /// As [`Code::run`], and with counters for each mark where the code is profiled.
    unsafe fn enter(&self, args: &[*mut u8]) -> bool {
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        {
            type Entry = unsafe extern "C" fn(*mut u8, *mut u8, *mut u8, *mut u8, *mut u8, *mut u8) -> bool;
            let mut all = [std::ptr::null_mut(); 6];
            all[..args.len()].copy_from_slice(args);
            let [a, b, c, d, e, f] = all;
            // SAFETY: the block starts with code of this type; more arguments than it takes are left where they are. The
            // rest is the caller's word.
            unsafe {
                let entry: Entry = std::mem::transmute(self.block.start());
                entry(a, b, c, d, e, f)
            }
        }
        #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
        false
    }

    /// The machine code.
    pub fn bytes(&self) -> &[u8] {
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        // SAFETY: the block has at least as many bytes, and nobody writes them.
        return unsafe { std::slice::from_raw_parts(self.block.start(), self.length) };
        #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
        &[]
    }

    /// Which machine code came from which instruction: offsets into [`bytes`](Code::bytes), each with the number of the
    /// instruction that the code from there on belongs to. Instructions are numbered in the order they stand in, each
    /// before those of its blocks.
    pub fn listing(&self) -> &[(u32, u32)] {
        &self.listing
    }

    /// Which machine code came from instructions with which [mark](wengert_kernel::Block::marks): offsets into
    /// [`bytes`](Code::bytes), ascending, each with the mark of the code from there on.
    pub fn marks(&self) -> &[(u32, u32)] {
        &self.marks
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn code_is_for_all_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<super::Code>();
    }
}
