//! One region while it becomes a program: its builder, and the values by name.

use super::fields::Fields;
use super::{Importer, handler};
use crate::syntax::{Argument, Operation, Region, Results, Signature, Ty, Use};
use rustc_hash::{FxHashMap, FxHashSet};
use wengert_core::text::error_at;
use wengert_core::{Builder, Error, ErrorKind, Op, Program, Result, Scalar, Shape, Tensor, Type, Var, Vars, counted};

/// A value by its name, and by which of the results with that name.
type Key<'a> = (&'a str, usize);

/// What a region uses from around it.
pub(super) struct Captured<'a> {
    key: Key<'a>,
    /// The variable around the region.
    pub var: Var,
    ty: Type,
    name: Option<std::sync::Arc<str>>,
    /// One number repeated: written again inside instead of handed in.
    value: Option<Scalar>,
}

impl Captured<'_> {
    /// Whether it is handed in.
    pub fn is_operand(&self) -> bool {
        self.value.is_none()
    }

    /// Whether it is this constant, written again inside.
    pub fn is_constant(&self, t: &Tensor) -> bool {
        self.value.is_some() && self.value == t.splat_value() && self.ty == t.ty()
    }
}

/// What turns one operation into equations, and gives its results.
pub(super) type Handler = for<'i, 'm, 'a> fn(&mut Body<'i, 'm, 'a>, &'m Operation<'a>, &[Var]) -> Result<Vars>;

/// An operand that must be there.
pub(super) fn operand(x: &[Var], i: usize) -> Result<Var> {
    x.get(i).copied().ok_or_else(|| Error::new(ErrorKind::Text, "an operand is missing"))
}

pub(super) struct Body<'i, 'm, 'a> {
    pub importer: &'i mut Importer<'m, 'a>,
    pub b: Builder,
    vars: FxHashMap<Key<'a>, Var>,
    /// Tuples, which no program has: they are taken apart again here.
    tuples: FxHashMap<Key<'a>, Vec<Var>>,
    /// Constants that said what an op means by itself: they go if nothing else uses them.
    pub absorbed: Vec<Var>,
}

impl<'i, 'm, 'a> Body<'i, 'm, 'a> {
    pub fn new(importer: &'i mut Importer<'m, 'a>) -> Self {
        Body {
            importer,
            b: Builder::new(),
            vars: FxHashMap::default(),
            tuples: FxHashMap::default(),
            absorbed: Vec::new(),
        }
    }

    fn define(&mut self, at: usize, key: Key<'a>, var: Var) -> Result<()> {
        match self.vars.insert(key, var).is_none() && !self.tuples.contains_key(&key) {
            true => Ok(()),
            false => Err(self.importer.wrong(at, format!("`%{}` is defined twice", key.0))),
        }
    }

    /// An element of a tuple. Whether it was such an operation.
    fn tuple_element(&mut self, op: &'m Operation<'a>) -> Result<bool> {
        let ([r], 1, "stablehlo.get_tuple_element") = (&op.results[..], op.result_count(), op.name) else {
            return Ok(false);
        };
        let at = self.fields(op).ints("index").map_err(|e| self.located(op, e))?;
        let (Some([at]), [tuple]) = (at.as_deref(), &op.operands[..]) else {
            return Err(self.importer.wrong(op.at, "expected a tuple and which element of it"));
        };
        let items = self.items(tuple)?;
        let Some(&v) = usize::try_from(*at).ok().and_then(|at| items.get(at)) else {
            return Err(self.importer.wrong(op.at, format!("there is no element {at} in {}", items.len())));
        };
        self.check_results(op, &[v])?;
        self.define(r.at, (r.name, 0), v)?;
        Ok(true)
    }

    fn define_tuple(&mut self, r: &Results<'a>, items: Vec<Var>) -> Result<()> {
        let key = (r.name, 0);
        match !self.vars.contains_key(&key) && self.tuples.insert(key, items).is_none() {
            true => Ok(()),
            false => Err(self.importer.wrong(r.at, format!("`%{}` is defined twice", r.name))),
        }
    }

    /// The elements of a tuple.
    fn items(&self, u: &Use<'a>) -> Result<&[Var]> {
        let none = || self.importer.wrong(u.at, format!("`%{}` is no tuple", u.name));
        self.tuples.get(&(u.name, u.index)).map(|items| &items[..]).ok_or_else(none)
    }

    /// An input for a value from around the region.
    pub fn capture(&mut self, c: &Captured<'a>) -> Result<()> {
        let var = match c.value {
            Some(value) => self.b.constant(Tensor::splat(c.ty.shape.clone(), value)),
            None => self.b.input(c.ty.clone()),
        };
        if let Some(name) = &c.name {
            self.b.set_name(var, name.clone());
        }
        self.define(0, c.key, var)
    }

    /// An input for an argument of the region.
    pub fn argument(&mut self, argument: &Argument<'a>, ty: Type) -> Result<()> {
        let var = self.b.input(ty);
        let name = self.importer.argument_name(argument);
        self.b.set_name(var, name);
        self.define(argument.at, (argument.name, 0), var)
    }

    /// The program of these operations, the last of which returns its results.
    pub fn run(mut self, at: usize, operations: &'m [Operation<'a>]) -> Result<Program> {
        let Some((last, rest)) = operations.split_last() else {
            return Err(self.importer.wrong(at, "this region returns nothing"));
        };
        if !returns(last) || !last.results.is_empty() {
            return Err(self.importer.wrong(last.at, "a region ends with a return"));
        }
        for op in rest {
            if returns(op) {
                return Err(self.importer.wrong(op.at, "a return is the last operation of its region"));
            }
            self.operation(op)?;
        }
        let outputs = self.returned(last)?;
        Ok(self.b.finish_without(&outputs, &self.absorbed))
    }

    /// What a return returns: of a tuple, the elements.
    fn returned(&self, op: &Operation<'a>) -> Result<Vec<Var>> {
        let types = match &op.signature {
            Signature::Plain(types) | Signature::Function(types, _) if types.len() == op.operands.len() => types,
            _ => {
                let outputs = self.operands(op)?;
                return self.check_operands(op, &outputs).map(|()| outputs);
            }
        };
        let mut outputs = Vec::new();
        for (u, ty) in op.operands.iter().zip(types) {
            let items = if let Ty::Tuple(..) = ty { self.items(u)? } else { &[self.operand(u)?] };
            if items.len() != ty.parts().len() {
                let m = format!("`%{}` has {} elements, and is returned as {}", u.name, items.len(), ty.parts().len());
                return Err(self.importer.wrong(u.at, m));
            }
            items.iter().zip(ty.parts()).try_for_each(|(&v, ty)| self.check_use(u, v, ty))?;
            outputs.extend(items);
        }
        Ok(outputs)
    }

    fn operands(&self, op: &Operation<'a>) -> Result<Vec<Var>> {
        op.operands.iter().map(|u| self.operand(u)).collect()
    }

    fn operand(&self, u: &Use<'a>) -> Result<Var> {
        let key = (u.name, u.index);
        self.vars.get(&key).copied().ok_or_else(|| {
            if self.tuples.contains_key(&key) {
                let m = format!("`%{}` is a tuple, and such an operand is not supported", u.name);
                return self.importer.refused(u.at, m);
            }
            let index = if u.index > 0 { format!("#{}", u.index) } else { String::new() };
            self.importer.wrong(u.at, format!("`%{}{index}` is not defined before this use", u.name))
        })
    }

    fn operation(&mut self, op: &'m Operation<'a>) -> Result<()> {
        if self.tuple_element(op)? {
            return Ok(());
        }
        let x = self.operands(op)?;
        self.check_operands(op, &x)?;
        if let Signature::Function(_, types) | Signature::Plain(types) = &op.signature
            && op.result_count() > types.len()
        {
            return Err(self.types_differ(op, "result", op.result_count(), types.len()));
        }
        let place = self.importer.places.find(op);
        self.b.set_place(place);
        let y = match handler(op.name) {
            Some(handle) => handle(self, op, &x).map_err(|e| self.located(op, e))?,
            None => {
                let message = format!("the operation `{}` is not supported", op.name);
                return Err(self.importer.refused(op.at, message));
            }
        };
        self.check_results(op, &y)?;
        if let (Some(_), [r]) = (op.signature.tuple(), &op.results[..]) {
            return self.define_tuple(r, y.to_vec());
        }
        if let ([y], Some(name)) = (&y[..], self.importer.places.plain_name(&op.loc)) {
            self.b.set_name(*y, name);
        }
        let mut y = y.into_iter();
        for r in &op.results {
            for index in 0..r.count {
                if let Some(y) = y.next() {
                    self.define(r.at, (r.name, index), y)?;
                }
            }
        }
        Ok(())
    }

    /// The error with the place of the operation, unless it has one already.
    fn located(&self, op: &Operation<'a>, e: Error) -> Error {
        if e.offset().is_some() {
            return e;
        }
        let located = error_at(e.kind(), self.importer.module.text(), op.at, e.message());
        e.notes().iter().fold(located, |e, note| e.note(note))
    }

    /// The types written for operands must be those they have. Types without an arrow are those of the results, but for
    /// returns, which have none.
    fn check_operands(&self, op: &Operation<'a>, x: &[Var]) -> Result<()> {
        let written = match &op.signature {
            Signature::Function(written, _) => written,
            Signature::Plain(written) if op.results.is_empty() => written,
            _ => return Ok(()),
        };
        if written.len() != x.len() {
            return Err(self.types_differ(op, "operand", x.len(), written.len()));
        }
        for ((&v, u), ty) in x.iter().zip(&op.operands).zip(written) {
            self.check_use(u, v, ty)?;
        }
        Ok(())
    }

    fn types_differ(&self, op: &Operation<'a>, what: &str, n: usize, types: usize) -> Error {
        let m = format!("`{}` has {} and {} for them", op.name, counted(n, what), counted(types, "type"));
        self.importer.wrong(op.at, m)
    }

    fn check_use(&self, u: &Use<'a>, v: Var, ty: &Ty<'a>) -> Result<()> {
        let ty = self.importer.array(ty)?;
        if ty != *self.b.ty(v) {
            let m = format!("`%{}` has the type {}, and is used as {ty}", u.name, self.b.ty(v));
            return Err(self.importer.wrong(u.at, m));
        }
        Ok(())
    }

    /// The types written for results must be those the op gives.
    fn check_results(&self, op: &Operation<'a>, y: &[Var]) -> Result<()> {
        let tuple = op.signature.tuple();
        let names = op.result_count();
        if names != tuple.map_or(y.len(), |_| 1) {
            let (results, names) = (counted(y.len(), "result"), counted(names, "name"));
            let m = format!("`{}` has {results}, and {names} for them", op.name);
            return Err(self.importer.wrong(op.at, m));
        }
        let (written, plain) = match (tuple, &op.signature) {
            (Some(parts), _) => (parts, false),
            (None, Signature::None) => return Ok(()),
            (None, Signature::Function(_, written)) => (&written[..], false),
            (None, Signature::Plain(written)) => (&written[..], true),
        };
        if !plain && written.len() != y.len() {
            return Err(self.types_differ(op, "result", y.len(), written.len()));
        }
        for (i, &v) in y.iter().enumerate() {
            let ty = if plain && written.len() != y.len() { written.last() } else { written.get(i) };
            let Some(ty) = ty else { break };
            let ty = self.importer.array(ty)?;
            if ty != *self.b.ty(v) {
                let m = format!("`{}` is declared to give {ty}, and gives {}", op.name, self.b.ty(v));
                return Err(self.importer.wrong(op.at, m));
            }
        }
        Ok(())
    }

    /// The attributes of an operation.
    pub fn fields(&self, op: &'m Operation<'a>) -> Fields<'m, 'a> {
        Fields { module: self.importer.module, all: &op.attributes }
    }

    /// The type that is written for a result.
    pub fn result_type(&self, op: &Operation<'a>, i: usize) -> Result<Type> {
        let ty = match &op.signature {
            Signature::None => None,
            Signature::Function(_, types) => types.get(i),
            Signature::Plain(types) => types.get(i).or(types.last()),
        };
        match ty {
            Some(ty) => self.importer.array(ty),
            None => Err(Error::new(ErrorKind::Text, format!("`{}` needs the type of its result", op.name))),
        }
    }

    /// The shape that is written for the first result.
    pub fn result_shape(&self, op: &Operation<'a>) -> Result<Shape> {
        Ok(self.result_type(op, 0)?.shape)
    }

    /// Adds an equation.
    pub fn push(&mut self, op: impl Into<Op>, x: &[Var]) -> Result<Vars> {
        self.b.try_push(op, x)
    }

    /// Adds an equation with one result.
    pub fn one(&mut self, op: impl Into<Op>, x: &[Var]) -> Result<Var> {
        Ok(self.push(op, x)?[0])
    }

    /// What regions use from around them, in the order they use it.
    pub fn captured(&self, regions: &[Region<'a>]) -> Result<Vec<Captured<'a>>> {
        let mut uses = Vec::new();
        let mut seen = FxHashSet::default();
        for region in regions {
            free(region, &mut FxHashSet::default(), &mut seen, &mut uses);
        }
        let captured = uses.iter().map(|u| {
            let var = self.operand(u)?;
            Ok(Captured {
                key: (u.name, u.index),
                var,
                ty: self.b.ty(var).clone(),
                name: self.b.name(var).cloned(),
                value: self.b.constant_splat(var),
            })
        });
        captured.collect()
    }

    /// The program of a region.
    pub fn region(&mut self, op: &Operation<'a>, region: &'m Region<'a>, captured: &[Captured<'a>]) -> Result<Program> {
        self.importer.region(op.at, region, captured)
    }

    /// The program of a region that may use nothing from around it but constants.
    pub fn closed_region(&mut self, op: &Operation<'a>, region: &'m Region<'a>) -> Result<Program> {
        let captured = self.captured(std::slice::from_ref(region))?;
        if captured.iter().any(Captured::is_operand) {
            let m = format!("a region of `{}` that uses values from around it is not supported", op.name);
            return Err(Error::new(ErrorKind::Unsupported, m));
        }
        self.region(op, region, &captured)
    }
}

/// The uses in a region of what it does not define, each once.
fn free<'a>(
    region: &Region<'a>,
    defined: &mut FxHashSet<&'a str>,
    seen: &mut FxHashSet<Key<'a>>,
    out: &mut Vec<Use<'a>>,
) {
    let mut here: Vec<&str> = Vec::new();
    let mut add = |name: &'a str, defined: &mut FxHashSet<&'a str>| {
        if defined.insert(name) {
            here.push(name);
        }
    };
    region.arguments.iter().for_each(|a| add(a.name, defined));
    for op in &region.operations {
        for u in &op.operands {
            if !defined.contains(u.name) && seen.insert((u.name, u.index)) {
                out.push(*u);
            }
        }
        for inner in &op.regions {
            free(inner, defined, seen, out);
        }
        op.results.iter().for_each(|r| add(r.name, defined));
    }
    // Names are free again after the region.
    for name in here {
        defined.remove(name);
    }
}

/// The operations that end a region.
const RETURNS: [&str; 3] = ["func.return", "stablehlo.return", "sdy.return"];

fn returns(op: &Operation<'_>) -> bool {
    RETURNS.contains(&op.name)
}

/// Whether operations with this name are read.
pub(crate) fn is_known(name: &str) -> bool {
    let tuples = ["create_token", "after_all", "get_tuple_element"];
    let is_tuple = name.strip_prefix("stablehlo.").is_some_and(|name| tuples.contains(&name));
    ["builtin.module", "func.func"].contains(&name) || RETURNS.contains(&name) || is_tuple || handler(name).is_some()
}
