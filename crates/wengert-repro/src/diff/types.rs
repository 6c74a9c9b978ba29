//! One program in two element types: what a computation is worth in half the width, or in twice.
//!
//! Both sides are given, and give, numbers of a type that holds those of either: so what is too large for the narrower one, or
//! lost in it, is seen where it happens.

use super::in_type;
use super::programs::{NamedEquation, Parting, ProgramDiff};
use super::sides::Sides;
use crate::backend::BackendName;
use crate::reduce::edit::TypeChange;
use crate::reduce::types::ElementTypes;
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::sync::Arc;
use wengert_core::compare::{Comparison, Difference};
use wengert_core::ops::{Call, CallKind};
use wengert_core::{Builder, DType, Equation, Error, ErrorKind, Op, Program, Result, Scalar, Tensor, Type, Var};

impl ProgramDiff {
    /// Where a program parts that has one of two float types wherever it had either: the wider one is taken for right. Complex
    /// numbers of these go with them. What parts is told as the program has it, with numbers of a type that holds those of both,
    /// and with distances in numbers of the narrower one. An op that does not take other types (it looks at the bits of numbers, say) runs in
    /// its own on both sides, and is told of.
    ///
    /// # Errors
    /// If one of the two is no real float.
    ///
    /// ```
    /// use wengert_core::{DType, Program, Tensor};
    /// use wengert_repro::diff::ProgramDiff;
    /// let p = Program::parse("program (x: f32[]) { y: f32[] = exp(x) z: f32[] = mul(y, y) return z }")?;
    /// let types = (DType::F32, DType::F64);
    /// let d = ProgramDiff::in_types(&p, &[Tensor::scalar(60.0f32)], &"eval".parse().unwrap(), types, 1e-3)?;
    /// let first = d.first.expect("the square is too large for f32");
    /// assert_eq!(first.equations[0].text, "z: f32[] = mul(y, y)");
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn in_types(
        program: &Program,
        inputs: &[Tensor],
        backend: &BackendName,
        (a, b): (DType, DType),
        tolerance: f64,
    ) -> Result<ProgramDiff> {
        if let Some(d) = [a, b].iter().find(|d| !d.is_float()) {
            return Err(Error::dtype(format!("{d} is no float: programs are compared in f16, bf16, f32 and f64")));
        }
        let (wide, narrow) = if a.bits() >= b.bits() { (a, b) } else { (b, a) };
        let common = common(program, wide, narrow);
        let refused = RefCell::default();
        for (from, to) in [(wide, narrow), (narrow, wide)] {
            InTypes::new(backend, &[from], to).changed(program, inputs, &refused)?;
        }
        let (changed, x) =
            InTypes::new(backend, &[wide, narrow], common).changed(program, inputs, &RefCell::default())?;
        let [left, right] = [wide, narrow].map(|to| InTypes::new(backend, &[common], to));
        let mut left = |p: &Program, x: &[Tensor]| left.run(p, x);
        let mut right = |p: &Program, x: &[Tensor]| right.run(p, x);
        let mut found = ProgramDiff::new(&changed, &x, Sides::new(&mut left, &mut right, tolerance).of_types(narrow))?;
        if let Some(first) = &mut found.first {
            told_as(first, program, narrow);
        }
        let lines = program.lines();
        found.excused.iter_mut().for_each(|e| e.equation.text.clone_from(&lines[e.equation.number]));
        // A function may be called more than once.
        let mut seen = FxHashSet::default();
        found.in_own_types = refused.into_inner();
        found.in_own_types.retain(|e| seen.insert(format!("{} {}", e.text, e.place)));
        Ok(found)
    }
}

/// A type that holds the numbers of both; another than those that a program has beside them.
fn common(program: &Program, wide: DType, narrow: DType) -> DType {
    if wide.bits() > narrow.bits() {
        return wide;
    }
    let is_single = |p: &Program, v| p.ty(v).dtype == DType::F32;
    let of = |p: &Program| p.inputs().iter().any(|&v| is_single(p, v));
    let has_singles = of(program) || program.any(|p, e| e.outputs.iter().any(|&v| is_single(p, v)));
    if has_singles { DType::F64 } else { DType::F32 }
}

/// A side that runs programs with one element type in the place of others; complex numbers of these go with them.
struct InTypes {
    backend: BackendName,
    changes: Vec<(DType, DType)>,
}

impl InTypes {
    fn new(backend: &BackendName, from: &[DType], to: DType) -> InTypes {
        let complex = |d: DType| [DType::C64, DType::C128].into_iter().find(|c| c.real() == d);
        let with_complex = |&d: &DType| [Some((d, to)), complex(d).zip(complex(to))].into_iter().flatten();
        InTypes { backend: backend.clone(), changes: from.iter().flat_map(with_complex).collect() }
    }

    /// A program and its inputs in these types: as many equations, and those whose op does not take them.
    fn changed(
        &self,
        program: &Program,
        inputs: &[Tensor],
        refused: &RefCell<Vec<NamedEquation>>,
    ) -> Result<(Program, Vec<Tensor>)> {
        let types = WhereTaken { types: ElementTypes(&self.changes), refused };
        let no = || Error::new(ErrorKind::Unsupported, "the program can't be run in other element types");
        let x: Option<Vec<Tensor>> = inputs.iter().map(|x| types.tensor(x)).collect();
        Ok((types.program(program).ok_or_else(no)?, x.ok_or_else(|| Error::dtype("an input can't be converted"))?))
    }

    /// Runs a program; its results are converted back.
    fn run(&self, program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let (changed, x) = self.changed(program, inputs, &RefCell::default())?;
        let y = self.backend.run(&changed, &x)?;
        Ok(y.iter().zip(program.output_types()).map(|(y, t)| in_type(y, t.dtype)).collect())
    }
}

/// Element types that become others where ops take them; the others run in their own, as calls that convert what these are given and give.
#[derive(Clone, Copy)]
struct WhereTaken<'a> {
    types: ElementTypes<'a>,
    /// The equations of those, at any depth.
    refused: &'a RefCell<Vec<NamedEquation>>,
}

impl TypeChange for WhereTaken<'_> {
    fn ty(self, t: &Type) -> Type {
        self.types.ty(t)
    }

    fn tensor(self, x: &Tensor) -> Option<Tensor> {
        self.types.tensor(x)
    }

    fn op(self, op: Op, x: &[Type]) -> Option<Op> {
        self.types.op(op, x)
    }

    fn instead(self, p: &Program, e: &Equation) -> Option<Op> {
        let number = p.equations().iter().position(|other| other.outputs == e.outputs)?;
        self.refused.borrow_mut().push(NamedEquation {
            number,
            text: p.lines()[number].clone(),
            place: e.place.clone(),
        });
        let mut b = Builder::new();
        b.set_place(e.place.clone());
        let given: Vec<Type> = e.inputs.iter().map(|&v| self.ty(p.ty(v))).collect();
        let given = b.inputs(&given);
        let x: Vec<Var> = given.iter().zip(&e.inputs).map(|(&x, &v)| b.convert(x, p.ty(v).dtype)).collect();
        let y = b.try_push(e.op.clone(), &x).ok()?;
        let y: Vec<Var> = y.iter().zip(&e.outputs).map(|(&y, &v)| b.convert(y, self.ty(p.ty(v)).dtype)).collect();
        Some(Call { program: Arc::new(b.finish_all(&y)), kind: CallKind::Staged }.into())
    }
}

/// What parts, with the equations as a program has them, and distances in numbers of a type.
fn told_as(p: &mut Parting, program: &Program, narrow: DType) {
    let lines = program.lines();
    let all = p.equations.iter_mut().chain(&mut p.alone).chain(&mut p.shown_by);
    let all = all.chain(p.following.iter_mut().map(|(e, _)| e));
    all.for_each(|e: &mut NamedEquation| e.text.clone_from(&lines[e.number]));
    if let Some(c) = &mut p.comparison {
        in_numbers_of(c, narrow);
    }
    let (Some(inside), Some(at)) = (&mut p.inside, p.equations.first()) else { return };
    let held = inside.program.of(program, &program.equations()[at.number]);
    if let (Some(parting), Some(held)) = (&mut inside.parting, held) {
        told_as(parting, held, narrow);
    }
}

fn in_numbers_of(c: &mut Comparison, narrow: DType) {
    if let Some(worst) = c.worst.as_mut().filter(|w| w.left.dtype().is_float() && w.absolute.is_finite()) {
        let number = |s: Scalar| Scalar::from_f64(narrow, s.as_f64().unwrap_or(f64::NAN));
        worst.ulps = Difference::of(number(worst.left), number(worst.right)).ulps;
        c.ulps = worst.ulps;
    }
}
