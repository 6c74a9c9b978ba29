//! StableHLO's text form, in and out.

pub mod export;

pub use export::{Options, Platform, Precision, export, export_with};
