//! StableHLO's text form, in and out: [`syntax`] reads MLIR text into a tree of operations, [`import`] makes a
//! [`Program`] of that tree, and [`export`](mod@export) writes one.

mod cumulative;
pub mod export;
pub mod import;
mod names;
pub mod syntax;

pub use export::{Options, Platform, Precision, export, export_donating, export_with};

use import::Imported;
use wengert_core::{Program, Result};

/// Reads a module of StableHLO text, as JAX prints it, into the program of its `@main`. Mistakes are reported with line
/// and column; what is valid and not supported has the kind [`Unsupported`](wengert_core::ErrorKind::Unsupported).
pub fn parse(text: &str) -> Result<Program> {
    read(text).map(|i| i.program)
}

/// [`parse`], and what of the module the program leaves out: calls of Python that give nothing.
pub fn read(text: &str) -> Result<Imported> {
    import::read(&syntax::Module::parse(text)?)
}

/// [`read`] of the text of a file: operations that say no place have the one where they stand there.
///
/// ```
/// let text = "func.func @main(%0: tensor<f32>) -> tensor<f32> {\n  %1 = stablehlo.sine %0 : tensor<f32>\n  return %1 : tensor<f32>\n}";
/// let program = wengert_stablehlo::read_file(text, "f.mlir").unwrap().program;
/// assert_eq!(program.equations()[0].place.to_string(), "f.mlir:2:8");
/// ```
pub fn read_file(text: &str, name: &str) -> Result<Imported> {
    import::read_file(&syntax::Module::parse(text)?, name)
}
