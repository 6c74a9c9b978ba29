//! Array programs and recorded runs as source text that stands alone: Rust against `wengert`, Python against JAX.
//!
//! A [`CallTree`] holds the functions of a run, each a list of primitives, calls and transforms. A [`Run`] is a tree with
//! the values it ran on and what came of it; what writes it gives an [`Emitted`], the text
//! with the arrays that are too large to stand in it.

mod anonymous;
mod data;
mod determined;
mod expand;
pub mod files;
mod inline;
mod jax;
mod maker;
mod names;
mod precision;
mod recorded;
mod rust;
mod tree;

pub use anonymous::{anonymous, drawn};
pub use determined::free_results;
pub use jax::jax;
pub use recorded::{RecordedError, RecordedTree};
pub use rust::rust;
pub use tree::{
    CallTree, Derivatives, Does, Function, FunctionId, OwnCall, RecordedCall, RecordedOp, Step, Transform, Variable,
    VariableId,
};

use wengert_core::Tensor;

/// What is emitted: functions, the values that the outermost is given, and what it is expected to give.
#[derive(Clone, Debug)]
pub struct Run {
    /// The functions.
    pub tree: CallTree,
    /// The arguments of the outermost function.
    pub inputs: Vec<Tensor>,
    /// What it gave.
    pub outcome: Option<Outcome>,
}

/// What every message about a number has that is not finite, and made of finite ones.
pub const OF_FINITE: &str = "of finite numbers";

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// With these results.
    Results(Vec<Tensor>),
    /// With an error that has this message.
    Error(String),
}

/// How a run is written.
#[derive(Clone, Debug)]
pub struct Options {
    /// Arrays of at most this many elements stand in the text; larger ones go to a file beside it.
    pub inline: usize,
    /// Larger inputs are made from this seed instead, and results are not compared.
    pub fake_data: Option<u64>,
    /// The name of the file of arrays, as the text refers to it.
    pub data_file: String,
    /// No names, no places and no words of the user's; [`Run::without_values`] leaves out their data.
    pub anonymous: bool,
    /// Results are as recorded where they differ by no more than this part of the largest number of their array; if this is
    /// none, by what rounding does.
    pub within: Option<f64>,
    /// If this part is none: for each result the part that goes for it alone, as it has fewer digits than its element type; may be
    /// empty, if none has.
    pub lost: Vec<Option<f64>>,
    /// Results, by their numbers, that depend on vectors of a decomposition which its matrix does not determine: they may be others.
    pub free: Vec<usize>,
    /// For each result the size of what its numbers may be left of, where that is far from the largest of its array; may be empty, if
    /// there is none.
    pub scales: Vec<Option<f64>>,
    /// Results, by their numbers, that are others where subnormal numbers are zero, as they are to XLA.
    pub subnormal: Vec<usize>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            inline: 32,
            fake_data: None,
            data_file: "data.safetensors".into(),
            anonymous: false,
            within: None,
            lost: Vec::new(),
            free: Vec::new(),
            scales: Vec::new(),
            subnormal: Vec::new(),
        }
    }
}

/// Source text, and the arrays that it reads from its data file.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The text.
    pub text: String,
    /// What its data file holds, by name; empty if it needs none.
    pub data: Vec<(String, Tensor)>,
    /// What there is to know before it is run; the text says it too.
    pub notes: Vec<String>,
}
