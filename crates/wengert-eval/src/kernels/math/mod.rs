//! Special functions that are no recipes.

pub(crate) mod complex;
mod gamma;

pub(crate) use gamma::polygamma;
