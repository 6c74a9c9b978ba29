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
use wengert_core::compare::{Comparison, Difference};
use wengert_core::{DType, Equation, Error, ErrorKind, Program, Result, Scalar, Tensor};

impl ProgramDiff {
    /// Where a program parts that has one of two float types wherever it had either: the wider one is taken for right. Complex
    /// numbers of these go with them. What parts is told as the program has it, with numbers of a type that holds those of both,
    /// and with distances in numbers of the narrower one.
    ///
    /// # Errors
    /// If one of the two is no real float, or the program can't run in it: it looks at the bits of numbers, say.
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
        let (changed, x) = InTypes::new(backend, &[wide, narrow], common).changed(program, inputs)?;
        let [left, right] = [wide, narrow].map(|to| InTypes::new(backend, &[common], to));
        let mut left = |p: &Program, x: &[Tensor]| left.run(p, x);
        let mut right = |p: &Program, x: &[Tensor]| right.run(p, x);
        let mut found = ProgramDiff::new(&changed, &x, Sides::new(&mut left, &mut right, tolerance).of_types())?;
        if let Some(first) = &mut found.first {
            told_as(first, program, narrow);
        }
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

    /// A program and its inputs in these types: the same equations.
    fn changed(&self, program: &Program, inputs: &[Tensor]) -> Result<(Program, Vec<Tensor>)> {
        let types = ElementTypes(&self.changes);
        let changed = types.program(program).ok_or_else(|| {
            let refuses = refusing(program, &types);
            let op = refuses.map_or("an op".to_string(), |e| format!("`{}`", e.op.name()));
            let m = format!("the program can't be run in other element types: {op} does not take them");
            let e = Error::new(ErrorKind::Unsupported, m);
            refuses.map_or(e.clone(), |refuses| e.at(refuses.place.clone()))
        })?;
        let x: Option<Vec<Tensor>> = inputs.iter().map(|x| types.tensor(x)).collect();
        Ok((changed, x.ok_or_else(|| Error::dtype("an input can't be converted"))?))
    }

    /// Runs a program; its results are converted back.
    fn run(&self, program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let (changed, x) = self.changed(program, inputs)?;
        let y = self.backend.run(&changed, &x)?;
        Ok(y.iter().zip(program.output_types()).map(|(y, t)| in_type(y, t.dtype)).collect())
    }
}

/// The first equation that does not take other types.
fn refusing<'p>(program: &'p Program, types: &ElementTypes<'_>) -> Option<&'p Equation> {
    let mut known = vec![false; program.var_count()];
    program.inputs().iter().for_each(|v| known[v.index()] = true);
    program.equations().iter().find(|e| {
        let (alone, _) = program.part(&known, &e.outputs);
        e.outputs.iter().for_each(|v| known[v.index()] = true);
        types.program(&alone).is_none()
    })
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
