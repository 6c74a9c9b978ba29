//! Structured control flow: staged whether or not a transform is in progress.

mod associative;
mod body;
mod choice;
mod custom;
mod implicit;
mod loops;

pub use associative::associative_scan;
pub use choice::{case, cond, switch};
pub use custom::{checkpoint, custom_jvp, custom_vjp, stop_gradient};
pub use implicit::{Solver, TreeFn, custom_linear_solve, custom_root, linear_solve, root};
pub use loops::{Bound, ScanOptions, fori_loop, map, scan, scan_with, while_loop};
