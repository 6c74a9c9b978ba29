//! The tests of this crate that need no process of their own, as one binary.

mod damage;
mod file;
mod saving;
mod schema;
