//! From programs to StableHLO's text form, as XLA reads it.
//!
//! A program becomes a module: its equations the body of `@main`, the programs it calls functions of their own. The ops
//! are in one `match` (`ops`). What StableHLO lacks is written with other ops ([`wengert_expand`]), as a *composite*: the
//! op's name, with a function that does the same. XLA runs the function; who knows the name reads the op back.

mod control;
mod conv;
mod creation;
mod cumulative;
mod dot;
mod elementwise;
mod function;
mod gather;
mod identity;
mod linalg;
mod literal;
mod location;
mod ops;
mod reduce;
mod scatter;
mod sort;
mod structure;
mod text;
mod unary;
mod windowed;

use function::Function;
use location::Locations;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use std::sync::Arc;
use text::{Symbol, Value};
use wengert_core::ops::Custom;
use wengert_core::{Op, Program, Result, Type};

/// Where the module will run: decompositions of matrices are calls of libraries that only some platforms have, and
/// compilers for GPUs know a gradient of a convolution by a kernel that is reversed before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Platform {
    /// The CPU client of JAX: LAPACK.
    #[default]
    Cpu,
    /// NVIDIA GPUs with JAX's plugin: cuSOLVER.
    Cuda,
    /// Any XLA device: nothing but StableHLO.
    Portable,
}

/// How products of floats are rounded on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// As the device does it fastest; some GPUs multiply `f32` with fewer bits.
    #[default]
    Default,
    /// With all bits of the element type.
    Highest,
}

/// How a program goes out.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where the module will run.
    pub platform: Platform,
    /// How products are rounded.
    pub precision: Precision,
    /// Whether source places and names of variables go out too.
    pub locations: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { platform: Platform::Cpu, precision: Precision::Default, locations: true }
    }
}

/// The program as a StableHLO module for the CPU, with its source places.
pub fn export(program: &Program) -> Result<String> {
    export_with(program, &Options::default())
}

/// The program as a StableHLO module.
pub fn export_with(program: &Program, options: &Options) -> Result<String> {
    export_donating(program, options, &[])
}

/// The program as a StableHLO module whose results may take the memory of the inputs that are marked.
pub fn export_donating(program: &Program, options: &Options, donated: &[bool]) -> Result<String> {
    let mut module = Module::new(*options);
    Function::program(&mut module, "public", "main", program, donated)?;
    while let Some((name, callee)) = module.pending.pop_front() {
        match callee {
            Callee::Program(p) => Function::program(&mut module, "private", &name, &p, &[])?,
            Callee::Op(op, types) => Function::lowered(&mut module, &name, &op, &types)?,
            Callee::Custom(op, types) => Function::custom(&mut module, &name, &op, &types)?,
        }
    }
    Ok(module.finish(program.name()))
}

/// What a private function is made from.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Callee {
    Program(Arc<Program>),
    /// An op that StableHLO lacks, on operands of these types.
    Op(Box<Op>, Vec<Type>),
    /// The text that a user's op gives for operands of these types.
    Custom(Custom, Vec<Type>),
}

/// A module being written.
struct Module {
    options: Options,
    /// The text of the functions that are done.
    functions: String,
    /// The functions that are called and not yet written.
    pending: std::collections::VecDeque<(String, Callee)>,
    /// Equal programs are one function.
    names: FxHashMap<Callee, String>,
    taken: FxHashSet<String>,
    locations: Locations,
}

impl Module {
    fn new(options: Options) -> Module {
        Module {
            options,
            functions: String::new(),
            pending: Default::default(),
            names: FxHashMap::default(),
            taken: ["main".to_string()].into_iter().collect(),
            locations: Locations::default(),
        }
    }

    /// The text of the whole module.
    fn finish(self, name: &str) -> String {
        let mut text = self.locations.text;
        text.reserve(self.functions.len() + 64);
        match name {
            "" => text.push_str("module {\n"),
            name => writeln!(text, "module {} {{", Symbol(name)).expect("a string"),
        }
        text.push_str(&self.functions);
        text.push_str("}\n");
        text
    }

    /// The name of the function made from this, like `wanted`.
    fn function(&mut self, callee: Callee, wanted: &str) -> String {
        if let Some(name) = self.names.get(&callee) {
            return name.clone();
        }
        let mut name = if wanted.is_empty() { "fn".to_string() } else { wanted.to_string() };
        let mut count = 0;
        while !self.taken.insert(name.clone()) {
            name = format!("{}_{count}", if wanted.is_empty() { "fn" } else { wanted });
            count += 1;
        }
        self.names.insert(callee.clone(), name.clone());
        self.pending.push_back((name.clone(), callee));
        name
    }
}

/// An operand with its type.
#[derive(Clone, Copy)]
struct Operand<'a> {
    value: Value,
    ty: &'a Type,
}

/// The results of an op.
type Values = smallvec::SmallVec<[Value; 2]>;
