//! From the tree of a module to a program. Functions become calls, regions the programs of loops and branches, and
//! what a region uses from around it becomes an operand.

mod body;
mod contract;
mod control;
mod count;
mod custom_call;
mod definitions;
mod dynamic;
mod einsum;
mod elementwise;
mod fields;
mod householder;
mod indexed;
mod lapack;
mod normalize;
mod order;
mod place;
mod reduction;
mod scan;
mod shape;
mod sparse;
mod special;
mod tridiagonal;

use crate::syntax::{Argument, Attr, DEEPEST, Module, Operation, Region, Signature, Ty};
use body::Body;
use place::Places;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wengert_core::{Error, ErrorKind, Program, Result, Type};

/// The program of a module's entry: `@main`, or its only function. It is named after the module.
pub fn program(module: &Module<'_>) -> Result<Program> {
    let mut functions = FxHashMap::default();
    collect(&module.operations, &mut functions, 0);
    let entry = match functions.get("main") {
        None if functions.len() == 1 => functions.values().next().copied(),
        main => main.copied(),
    };
    let Some(entry) = entry else {
        let text =
            if functions.is_empty() { "the module has no function" } else { "the module has no function `@main`" };
        return Err(module.error_at(ErrorKind::Text, 0, text));
    };
    let mut importer =
        Importer { module, functions, done: FxHashMap::default(), depth: 0, places: Places::new(module) };
    let program = importer.function(entry)?;
    let name = module.operations.iter().find(|op| op.name == "builtin.module").and_then(|op| op.attribute("sym_name"));
    let name = if let Some(Attr::Symbol(name) | Attr::Text(name)) = name { name } else { "" };
    Ok(Arc::try_unwrap(program).unwrap_or_else(|shared| (*shared).clone()).with_name(name))
}

/// Functions by name, those inside modules too.
fn collect<'m, 'a>(
    operations: &'m [Operation<'a>],
    functions: &mut FxHashMap<&'m str, &'m Operation<'a>>,
    depth: usize,
) {
    for op in operations {
        match op.name {
            "func.func" => {
                if let Some(Attr::Symbol(name) | Attr::Text(name)) = op.attribute("sym_name") {
                    functions.insert(name, op);
                }
            }
            "builtin.module" if depth < 2 => {
                op.regions.iter().for_each(|r| collect(&r.operations, functions, depth + 1))
            }
            _ => (),
        }
    }
}

/// What is known of the module while its functions become programs.
struct Importer<'m, 'a> {
    module: &'m Module<'a>,
    functions: FxHashMap<&'m str, &'m Operation<'a>>,
    /// The programs of functions; `None` while a function is being read.
    done: FxHashMap<&'m str, Option<Arc<Program>>>,
    depth: usize,
    places: Places<'m, 'a>,
}

impl<'m, 'a> Importer<'m, 'a> {
    /// The program of a function, read once.
    fn function(&mut self, op: &'m Operation<'a>) -> Result<Arc<Program>> {
        let name: &'m str = match op.attribute("sym_name") {
            Some(Attr::Symbol(name) | Attr::Text(name)) => name,
            _ => return Err(self.wrong(op.at, "a function needs a name")),
        };
        match self.done.get(name) {
            Some(Some(program)) => return Ok(program.clone()),
            Some(None) => return Err(self.refused(op.at, format!("`@{name}` calls itself, which is not supported"))),
            None => (),
        }
        self.done.insert(name, None);
        let [region] = &op.regions[..] else {
            return Err(self.refused(op.at, format!("`@{name}` is declared and not defined here")));
        };
        let program = self.region(op.at, region, &[])?.with_name(name);
        if let Signature::Function(_, results) = &op.signature
            && op.attribute("function_type").is_none()
        {
            let types: Vec<Type> = results.iter().map(|t| self.array(op.at, t)).collect::<Result<_>>()?;
            if types != program.output_types() {
                let m = format!("`@{name}` is declared to return {types:?}, and returns {:?}", program.output_types());
                return Err(self.wrong(op.at, m));
            }
        }
        let program = Arc::new(program);
        self.done.insert(name, Some(program.clone()));
        Ok(program)
    }

    /// The program of a region: it takes what it captures, then its arguments.
    fn region(&mut self, at: usize, region: &'m Region<'a>, captured: &[body::Captured<'a>]) -> Result<Program> {
        if self.depth == DEEPEST {
            return Err(self.wrong(at, format!("functions and regions are nested more than {DEEPEST} deep")));
        }
        self.depth += 1;
        let types = region.arguments.iter().map(|a| self.array(a.at, &a.ty)).collect::<Result<Vec<_>>>()?;
        let mut body = Body::new(self);
        for c in captured {
            body.capture(c)?;
        }
        for (argument, ty) in region.arguments.iter().zip(types) {
            body.argument(argument, ty)?;
        }
        let program = body.run(at, &region.operations)?;
        self.depth -= 1;
        Ok(program)
    }

    /// The array type, or why there is none.
    fn array(&self, at: usize, ty: &Ty<'a>) -> Result<Type> {
        match ty {
            Ty::Array(t) => Ok(t.clone()),
            Ty::Other(name) => Err(self.refused(at, format!("the type `{name}` is not supported"))),
        }
    }

    fn wrong(&self, at: usize, message: impl Into<String>) -> Error {
        self.module.error_at(ErrorKind::Text, at, message)
    }

    fn refused(&self, at: usize, message: impl Into<String>) -> Error {
        self.module.error_at(ErrorKind::Unsupported, at, message)
    }

    /// The name an argument has in the program: what its location says, or as it is written.
    fn argument_name(&self, argument: &Argument<'a>) -> String {
        self.places.name(&argument.loc).unwrap_or(argument.name).to_string()
    }
}
