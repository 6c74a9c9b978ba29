//! Test programs with what is expected of them. A file of `programs/` has a header, a program, and after a line `====`
//! the text that the steps of the header make of the program. [`Golden`] is such a file, a [`Step`] one of its steps.
//!
//! ```text
//! // What the derivative of a product is at one point.
//! test vjp 1 1
//! test run
//! input 3.0:f32[]
//! input 4.0:f32[]
//! input 1.0:f32[]
//! program f(x: f32[], y: f32[]) {
//!   z: f32[] = mul(x, y)
//!   return z
//! }
//! ====
//! 12.0:f32[]
//! 4.0:f32[]
//! 3.0:f32[]
//! ```
//!
//! A header has one line `test STEP` for each step, and each step works on the stage that the step before it gave.
//! Lines `input VALUE` are the inputs of the program that `run` gets, in their order; values are written as constants
//! are in programs. Lines that begin with `//` are comments.
//!
//! The steps:
//!
//! - `test text`: the programs, parsed and printed
//! - `test simplify`: all passes; `test simplify fold algebra`: these passes once
//! - `test shrink_residuals`: the programs, whose scans stack fewer residuals
//! - `test rewrite`: all rewrites that the CPU's compiler makes; `test rewrite contract=2`: these, at most so often
//! - `test jvp 1 0`: the forward derivative for the inputs marked 1
//! - `test vjp 1 0`: the backward derivative for the inputs marked 1
//! - `test linearize 1 0`: the forward and the linear half for the inputs marked 1
//! - `test transpose 0 1`: the transpose of a program that is linear in the inputs marked 1
//! - `test batch 5 1 0`: the program over a batch of 5 for the inputs marked 1
//! - `test run`: the results for the values of the `input` lines, as text
//! - `test compile fuse`: what the CPU's compiler makes of the program up to this stage, as text
//! - `test export`: the StableHLO module, as text
//!
//! A program that the parser or a step refuses has the error as its text. With a mistake in the header, or a step that
//! gives a malformed program, the test fails and names file and line.

mod failure;
mod file;
mod stage;
mod steps;

pub use failure::Failure;
pub use file::Golden;
pub use stage::Stage;
pub use steps::{Args, Input, STEPS, Step};
