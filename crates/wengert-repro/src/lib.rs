//! Array programs that fail, handed back small.
//!
//! A [`Case`] is a program with the inputs it fails on. [`reduce`] looks for smaller cases that are still interesting, which
//! a [`Test`] says of each candidate, until nothing more goes. [`calls`] does so with a run that failed where no program can: in a
//! transform, or while a function was traced. [`diff`] names the equation that two backends part at.

pub mod backend;
mod busy;
pub mod calls;
mod case;
mod changed;
mod decomposition;
mod determined;
pub mod diff;
pub mod files;
mod group;
pub mod interrupt;
mod jax;
mod left;
mod loops;
mod memory;
mod patience;
mod pool;
mod rate;
pub mod reduce;
mod script;
mod sizes;
mod supervisor;
mod symptom;
mod weight;
mod wire;
mod worker;

pub use backend::BackendName;
pub use case::{Case, Size};
pub use determined::{lost_digits, undetermined_results};
pub use jax::{JaxLimits, PYTHON_VARIABLE, limit_jax};
pub use left::end_what_is_left;
pub use pool::WorkerPool;
pub use reduce::{Outcome, Progress, Reduction, Step, Test, passes, reduce, reduce_by};
pub use script::{ScriptPool, ScriptTest};
pub use sizes::INTEGER_STEP;
pub use supervisor::supervised;
pub use symptom::{Pattern, Symptom, lacks_code};
pub use worker::{Learned, Sign, WorkerTest, serve};
