//! From the tree of a module to a program. Functions become calls, regions the programs of loops and branches, and
//! what a region uses from around it becomes an operand.

mod argreduce;
mod body;
mod collective;
mod control;
mod conv;
mod creation;
mod custom_call;
mod definitions;
mod dot;
mod dynamic;
mod einsum;
mod elementwise;
mod fft;
mod fields;
mod gather;
mod identity;
mod linalg;
mod normalize;
mod place;
mod platform;
mod random;
mod reduce;
mod refused;
mod representation;
mod scatter;
mod shape;
mod sizes;
mod sort;
mod structure;
mod unary;
mod windowed;

use crate::syntax::{Argument, Attr, DEEPEST, Module, Operation, Region, Signature, Ty};
use body::{Body, Handler};
use place::Places;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use wengert_core::{Error, ErrorKind, Program, Result, Type};

pub(crate) use body::is_known;
pub use refused::register;

/// What reads an operation by its name: the families of ops, then what is no op of ours.
const HANDLERS: [fn(&str) -> Option<Handler>; 23] = [
    unary::handler,
    elementwise::handler,
    creation::handler,
    shape::handler,
    structure::handler,
    reduce::handler,
    dot::handler,
    control::handler,
    dynamic::handler,
    gather::handler,
    scatter::handler,
    sort::handler,
    conv::handler,
    windowed::handler,
    representation::handler,
    fft::handler,
    linalg::handler,
    random::handler,
    identity::handler,
    collective::handler,
    sizes::handler,
    einsum::handler,
    normalize::handler,
];

/// What reads the operation with this name.
fn handler(name: &str) -> Option<Handler> {
    HANDLERS.iter().find_map(|find| find(name))
}

/// Programs inside of programs, more levels of them than this, are refused: whatever goes through a program goes
/// through those it holds, and the stack must be large enough for that.
const HIGHEST: usize = 256;

/// What a module says.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The program of its entry.
    pub program: Program,
    /// What its inputs are called, as the module says it: the names of a program are identifiers.
    pub inputs: Vec<String>,
    /// What of the module is left out, as sentences for people.
    pub notes: Vec<String>,
}

/// The program of a module's entry: `@main`, or its only function. It is named after the module.
pub fn program(module: &Module<'_>) -> Result<Program> {
    read(module).map(|i| i.program)
}

/// The program of a module's entry, and what it leaves out.
pub fn read(module: &Module<'_>) -> Result<Imported> {
    read_by(module, Places::new(module))
}

/// The same, of a module that is the text of a file: operations that say no place have the one where they stand there.
pub fn read_file(module: &Module<'_>, name: &str) -> Result<Imported> {
    read_by(module, Places::new(module).in_file(name))
}

fn read_by<'m, 'a>(module: &'m Module<'a>, places: Places<'m, 'a>) -> Result<Imported> {
    let mut functions = FxHashMap::default();
    collect(module, &module.operations, &mut functions, 0)?;
    let entry = match functions.get("main") {
        None if functions.len() == 1 => functions.values().next().copied(),
        main => main.copied(),
    };
    let Some(entry) = entry else {
        let text =
            if functions.is_empty() { "the module has no function" } else { "the module has no function `@main`" };
        return Err(module.error_at(ErrorKind::Text, 0, text));
    };
    let mut importer = Importer {
        module,
        functions,
        done: FxHashMap::default(),
        depth: 0,
        height: 0,
        several_platforms: platform::several(entry),
        places,
        notes: Vec::new(),
    };
    let program = importer.entry(entry)?;
    let name = module.operations.iter().find(|op| op.name == "builtin.module").and_then(|op| op.attribute("sym_name"));
    let name = if let Some(Attr::Symbol(name) | Attr::Text(name)) = name { name } else { "" };
    let arguments = entry.regions.iter().flat_map(|r| &r.arguments);
    let inputs = arguments.map(|a| importer.argument_name(a)).collect();
    // The importer holds it too.
    let notes = std::mem::take(&mut importer.notes);
    drop(importer);
    let program = Arc::try_unwrap(program).unwrap_or_else(|shared| (*shared).clone()).with_name(name);
    Ok(Imported { program, inputs, notes })
}

/// Functions by name, those inside modules too.
fn collect<'m, 'a>(
    module: &Module<'a>,
    operations: &'m [Operation<'a>],
    functions: &mut FxHashMap<&'m str, &'m Operation<'a>>,
    depth: usize,
) -> Result<()> {
    let mut here = FxHashSet::default();
    for op in operations {
        match op.name {
            "func.func" => {
                if let Some(Attr::Symbol(name) | Attr::Text(name)) = op.attribute("sym_name") {
                    if !here.insert(name) {
                        return Err(module.error_at(ErrorKind::Text, op.at, format!("`@{name}` is defined twice")));
                    }
                    functions.insert(name, op);
                }
            }
            "builtin.module" if depth < 2 => {
                op.regions.iter().try_for_each(|r| collect(module, &r.operations, functions, depth + 1))?
            }
            _ => (),
        }
    }
    Ok(())
}

/// The functions that operations inside this one name, each time they do.
fn callees<'m>(op: &'m Operation<'_>) -> Vec<&'m str> {
    fn symbols<'m>(attr: &'m Attr<'_>, out: &mut Vec<&'m str>) {
        match attr {
            Attr::Symbol(name) => out.push(name),
            Attr::List(list) => list.iter().for_each(|a| symbols(a, out)),
            _ => (),
        }
    }
    fn inside<'m>(op: &'m Operation<'_>, out: &mut Vec<&'m str>) {
        for op in op.regions.iter().flat_map(|r| &r.operations) {
            // What an op of ours stands for is read only if the op is not known.
            if !control::is_ours(op) {
                op.attributes.iter().for_each(|(_, a)| symbols(a, out));
            }
            inside(op, out);
        }
    }
    let mut out = Vec::new();
    inside(op, &mut out);
    out
}

/// The program of a function, or why there is none, and how many programs are in it one inside the other.
type Done = (Result<Arc<Program>>, usize);

/// What is known of the module while its functions become programs.
struct Importer<'m, 'a> {
    module: &'m Module<'a>,
    functions: FxHashMap<&'m str, &'m Operation<'a>>,
    /// What became of functions; `None` while one is being read.
    done: FxHashMap<&'m str, Option<Done>>,
    /// How many regions are being read, one inside the other.
    depth: usize,
    /// How many programs are one inside the other, at most, in what was read of this region.
    height: usize,
    /// Whether the module is for several platforms, and what it takes says which it runs on.
    several_platforms: bool,
    places: Places<'m, 'a>,
    notes: Vec<String>,
}

impl<'m, 'a> Importer<'m, 'a> {
    /// The program of the entry. Functions are read after those they call, so that a long chain of calls takes no stack.
    fn entry(&mut self, entry: &'m Operation<'a>) -> Result<Arc<Program>> {
        let mut seen = FxHashSet::default();
        let mut path = vec![(entry, callees(entry).into_iter())];
        while let Some((op, names)) = path.last_mut() {
            match names.next() {
                Some(name) => {
                    if let Some(&callee) = self.functions.get(name)
                        && seen.insert(name)
                    {
                        path.push((callee, callees(callee).into_iter()));
                    }
                }
                None => {
                    let op = *op;
                    path.pop();
                    // Where there are several platforms, it may be that what is wrong never runs.
                    self.function(op).map(drop).or_else(|e| if self.several_platforms { Ok(()) } else { Err(e) })?;
                }
            }
        }
        self.function(entry)
    }

    /// The program of a function, read once.
    fn function(&mut self, op: &'m Operation<'a>) -> Result<Arc<Program>> {
        let name: &'m str = match op.attribute("sym_name") {
            Some(Attr::Symbol(name) | Attr::Text(name)) => name,
            _ => return Err(self.wrong(op.at, "a function needs a name")),
        };
        let (program, height) = match self.done.get(name) {
            Some(Some(done)) => done.clone(),
            Some(None) => return Err(self.refused(op.at, format!("`@{name}` calls itself, which is not supported"))),
            None => {
                self.done.insert(name, None);
                let around = std::mem::take(&mut self.height);
                let program = self.defined(name, op).map(Arc::new);
                let done = (program, std::mem::replace(&mut self.height, around));
                self.done.insert(name, Some(done.clone()));
                done
            }
        };
        self.height = self.height.max(height);
        program
    }

    fn defined(&mut self, name: &str, op: &'m Operation<'a>) -> Result<Program> {
        let [region] = &op.regions[..] else {
            return Err(self.refused(op.at, format!("`@{name}` is declared and not defined here")));
        };
        let program = self.region(op.at, region, &[])?.with_name(name);
        if let Signature::Function(_, results) = &op.signature
            && op.attribute("function_type").is_none()
        {
            let results = results.iter().flat_map(Ty::parts);
            let types: Vec<Type> = results.map(|t| self.array(t)).collect::<Result<_>>()?;
            if types != program.output_types() {
                let m = format!("`@{name}` is declared to return {types:?}, and returns {:?}", program.output_types());
                return Err(self.wrong(op.at, m));
            }
        }
        Ok(program)
    }

    /// The program of a region: it takes what it captures, then its arguments.
    fn region(&mut self, at: usize, region: &'m Region<'a>, captured: &[body::Captured<'a>]) -> Result<Program> {
        if self.depth == DEEPEST {
            return Err(self.refused(at, format!("regions inside of regions, more than {DEEPEST}, are not supported")));
        }
        self.depth += 1;
        let around = std::mem::take(&mut self.height);
        let program = self.operations(at, region, captured);
        self.depth -= 1;
        let height = self.height + 1;
        self.height = around.max(height);
        let program = program?;
        if height > HIGHEST {
            let m = format!("calls and regions inside of each other, more than {HIGHEST}, are not supported");
            return Err(self.refused(at, m));
        }
        Ok(program)
    }

    fn operations(&mut self, at: usize, region: &'m Region<'a>, captured: &[body::Captured<'a>]) -> Result<Program> {
        let types = region.arguments.iter().map(|a| self.array(&a.ty)).collect::<Result<Vec<_>>>()?;
        let mut body = Body::new(self);
        for c in captured {
            body.capture(c)?;
        }
        for (argument, ty) in region.arguments.iter().zip(types) {
            body.argument(argument, ty)?;
        }
        body.run(at, &region.operations)
    }

    /// The array type, or why there is none.
    fn array(&self, ty: &Ty<'a>) -> Result<Type> {
        ty.array(self.module.text()).cloned()
    }

    fn wrong(&self, at: usize, message: impl Into<String>) -> Error {
        self.module.error_at(ErrorKind::Text, at, message)
    }

    fn refused(&self, at: usize, message: impl Into<String>) -> Error {
        self.module.error_at(ErrorKind::Unsupported, at, message)
    }

    /// Says that something of the module is left out.
    fn note(&mut self, at: usize, message: &str) {
        let said = self.module.error_at(ErrorKind::Text, at, message);
        self.notes.push(said.message().to_string());
    }

    /// The name an argument has in the program: what its location says, or as it is written.
    fn argument_name(&self, argument: &Argument<'a>) -> String {
        self.places.name(&argument.loc).unwrap_or(argument.name).to_string()
    }
}
