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
mod features;

pub use features::Features;
use wengert_kernel::Function;

/// A function that can be run, by any thread and by several at once.
pub struct Code {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    block: arena::Block,
    params: usize,
    length: usize,
    listing: Vec<(u32, u32)>,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Code").field("bytes", &self.length).finish_non_exhaustive()
    }
}

/// Compiles a function with some of what this machine has; none if it cannot be compiled here.
pub fn compile(f: &Function, features: Features) -> Option<Code> {
    let features = features.min(Features::detect()?);
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    {
        let emitted = emit::emit(f, features)?;
        let block = arena::place(&emitted.bytes)?;
        Some(Code { block, params: f.params.len(), length: emitted.length, listing: emitted.listing })
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
}

#[cfg(test)]
mod tests {
    #[test]
    fn code_is_for_all_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<super::Code>();
    }
}
