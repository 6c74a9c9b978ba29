//! Special functions that are no recipes.

pub(crate) mod complex;
