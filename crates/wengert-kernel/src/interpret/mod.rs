//! Runs functions without generating code, on every processor.
//!
//! A function is prepared once: values become registers, constants registers that hold them from the start, blocks a row
//! of steps with jumps. A step is a pointer to a small function (`codes.rs`, `memory.rs`) and the numbers of registers. In
//! [`Lanes`](crate::Inst::Lanes) a step works on buffers of up to 256 elements (`lanes.rs`).

mod codes;
mod lanes;
mod memory;
mod number;
mod prepare;

use crate::ir::Function;
use crate::profile::Counter;
use codes::{LINE, Places, ScalarCode};
use std::cell::Cell;
use std::time::Instant;

/// A function that is ready to be run.
///
/// ```
/// use wengert_kernel::{Address, Binary, Builder, Interpreter, Kind};
///
/// let mut b = Builder::new(1);
/// let x = b.load(Kind::F32, Address::at(b.param(0), 0));
/// let y = b.binary(Binary::Mul, x, x);
/// b.store(y, Address::at(b.param(0), 4));
/// let square = Interpreter::new(&b.finish("square")).unwrap();
///
/// let mut memory = [3.0f32, 0.0];
/// // SAFETY: the function reads and writes eight bytes.
/// assert!(unsafe { square.run(&[memory.as_mut_ptr().cast()]) });
/// assert_eq!(memory[1], 9.0);
/// ```
#[derive(Debug)]
pub struct Interpreter {
    steps: Vec<Step>,
    kernels: Vec<Kernel>,
    lanes: Vec<lanes::Loop>,
    /// What registers hold at first.
    registers: Vec<u64>,
    /// The registers of the parameters.
    params: Vec<u32>,
    /// How many lines the buffers of lanes take.
    lines: usize,
}

/// A step of a prepared function.
#[derive(Debug)]
enum Step {
    /// Computes something.
    Do(ScalarCode, Places),
    /// Goes on elsewhere.
    Jump(u32),
    /// Goes on elsewhere if a boolean does not hold.
    Unless { condition: u32, to: u32 },
    /// Counts down to zero, and as long as it is not there adds the step to the index and goes on elsewhere.
    Again { count: u32, index: u32, step: u32, to: u32 },
    /// Calls a kernel.
    Kernel(u32),
    /// Runs a loop of lanes.
    Lanes(u32),
    /// Comes by a mark; in functions that are profiled.
    Mark(u32),
    /// Ends the function.
    End,
}

/// A call of a kernel.
#[derive(Debug)]
struct Kernel {
    address: usize,
    /// The registers of the arguments.
    x: Vec<u32>,
}

/// Bytes of registers and buffers.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[allow(dead_code)] [u64; LINE / 8]);

thread_local! {
    /// Registers and buffers of the last run on this thread, to be used again.
    static MEMORY: Cell<Vec<Line>> = const { Cell::new(Vec::new()) };
}

impl Interpreter {
    /// Prepares a function, unless it is not well-formed: then it gives what [`verify`](crate::verify()) says.
    pub fn new(function: &Function) -> Result<Interpreter, String> {
        crate::verify(function)?;
        Ok(prepare::prepare(function, false))
    }

    /// The same, for [`run_profiled`](Interpreter::run_profiled).
    pub fn profiled(function: &Function) -> Result<Interpreter, String> {
        crate::verify(function)?;
        Ok(prepare::prepare(function, true))
    }

    /// Runs the function, and gives whether it ran to its end.
    ///
    /// # Safety
    /// The function may read and write whatever it reads and writes with these arguments, and call what it calls.
    pub unsafe fn run(&self, args: &[*mut u8]) -> bool {
        // SAFETY: the caller's word.
        unsafe { self.run_profiled(args, &mut []) }
    }

    /// Runs the function, and counts for each mark, from 1 on, how often it was come by, and the nanoseconds until the
    /// next one: in the counter of its number, if there is one. The first is that of no mark.
    ///
    /// # Safety
    /// As [`Interpreter::run`].
    pub unsafe fn run_profiled(&self, args: &[*mut u8], counters: &mut [Counter]) -> bool {
        assert_eq!(args.len(), self.params.len(), "one argument for each parameter");
        let held = (self.registers.len() * 8).div_ceil(LINE);
        // A thread that ends has none any more.
        let mut memory = MEMORY.try_with(Cell::take).unwrap_or_default();
        if memory.len() < held + self.lines {
            memory.resize(held + self.lines, Line([0; LINE / 8]));
        }
        let registers: *mut u64 = memory.as_mut_ptr().cast();
        // SAFETY: the memory holds the registers, and after them the buffers, as many as were counted; whoever calls
        // answers for what the function does.
        let done = unsafe {
            std::ptr::copy_nonoverlapping(self.registers.as_ptr(), registers, self.registers.len());
            for (&at, &x) in self.params.iter().zip(args) {
                *registers.add(at as usize) = x as u64;
            }
            self.execute(registers, registers.cast::<u8>().add(held * LINE), counters)
        };
        _ = MEMORY.try_with(|m| m.set(memory));
        done
    }

    /// Runs the steps.
    ///
    /// # Safety
    /// There are registers and buffers, as many as were counted, the first registers hold what they hold at first and the
    /// arguments; and as [`Interpreter::run`].
    unsafe fn execute(&self, registers: *mut u64, buffers: *mut u8, counters: &mut [Counter]) -> bool {
        let steps = self.steps.as_ptr();
        let mut next = steps;
        let mut clock = Clock::start(counters);
        loop {
            // SAFETY: jumps go to steps, and the last step ends the function. What steps name was counted.
            unsafe {
                // Most steps are of this sort: they run in a loop of their own.
                while let Step::Do(code, at) = &*next {
                    next = next.add(1);
                    code(registers, at);
                }
                let step = &*next;
                next = next.add(1);
                match step {
                    Step::Do(..) => unreachable!("done above"),
                    Step::Jump(to) => next = steps.add(*to as usize),
                    Step::Unless { condition, to } => {
                        if *registers.add(*condition as usize) == 0 {
                            next = steps.add(*to as usize);
                        }
                    }
                    Step::Again { count, index, step, to } => {
                        let left = registers.add(*count as usize);
                        *left -= 1;
                        if *left != 0 {
                            let index = registers.add(*index as usize);
                            *index = (*index).wrapping_add(*registers.add(*step as usize));
                            next = steps.add(*to as usize);
                        }
                    }
                    Step::Kernel(i) => {
                        let kernel = &self.kernels[*i as usize];
                        if !memory::call_kernel(kernel.address, registers, &kernel.x) {
                            clock.stop();
                            return false;
                        }
                    }
                    Step::Lanes(i) => self.lanes[*i as usize].run(registers, buffers),
                    Step::Mark(mark) => clock.come_by(*mark as usize),
                    Step::End => {
                        clock.stop();
                        return true;
                    }
                }
            }
        }
    }
}

/// Counts where the time of a run goes, if there are counters.
struct Clock<'c> {
    counters: &'c mut [Counter],
    mark: usize,
    since: Option<Instant>,
}

impl Clock<'_> {
    fn start(counters: &mut [Counter]) -> Clock<'_> {
        let since = counters.first_mut().map(|c| {
            c.runs += 1;
            Instant::now()
        });
        Clock { counters, mark: 0, since }
    }

    fn stop(&mut self) {
        if let Some(since) = self.since
            && let Some(counter) = self.counters.get_mut(self.mark)
        {
            counter.ticks += since.elapsed().as_nanos() as u64;
        }
    }

    fn come_by(&mut self, mark: usize) {
        if self.since.is_some() {
            self.stop();
            (self.mark, self.since) = (mark, Some(Instant::now()));
            self.counters.get_mut(mark).into_iter().for_each(|c| c.runs += 1);
        }
    }
}
