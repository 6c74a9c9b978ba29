//! The tests of this crate that need no process of their own, as one binary.

mod blocks;
mod cache;
mod control;
mod custom_programs;
mod empty;
mod errors;
mod files;
mod first_users;
mod first_users_transforms;
mod function_errors;
mod functions;
mod guards;
mod guide;
mod identity;
mod index;
mod large;
mod native;
mod once;
mod placement;
mod random_programs;
mod reference_functions;
mod shared;
mod tape;
mod track;
mod transform_errors;
mod tree;
