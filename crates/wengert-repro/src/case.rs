//! A program with inputs, and how large it is.

use crate::weight::weight;
use rustc_hash::FxHasher;
use std::fmt;
use std::hash::{Hash, Hasher};
use wengert_core::{DType, Element, Error, Op, Program, Result, Tensor, Type, Var, with_elements};

/// A program and the inputs it runs on.
#[derive(Clone, Debug)]
pub struct Case {
    program: Program,
    inputs: Vec<Tensor>,
}

/// How large a case is. What comes first counts most: equations, then elements, then all that is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Equations, those of programs inside too; constants do not count.
    pub equations: usize,
    /// Elements of inputs and constants that are more than one number repeated, and of what equations give.
    pub elements: usize,
    /// Axes of all variables together.
    pub ranks: usize,
    /// Inputs and outputs.
    pub ends: usize,
    /// Bytes of an element, of all variables together; complex numbers count twice.
    pub width: usize,
    /// How much there is to the ops: their kinds, and attributes that are not the plainest.
    pub ops: usize,
    /// How much there is to the numbers of inputs and constants: less to zeros, ones and integers, and to one repeated.
    pub data: usize,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {}",
            wengert_core::counted(self.equations, "equation"),
            wengert_core::counted(self.elements, "element")
        )
    }
}

impl Case {
    /// A program on these inputs.
    ///
    /// # Errors
    /// If the program does not take them, or does not hold together.
    ///
    /// ```
    /// use wengert_core::{Program, Tensor};
    /// use wengert_repro::Case;
    /// let p = Program::parse("program (x: f32[]) { y: f32[] = sin(x) return y }")?;
    /// let case = Case::new(p.clone(), vec![Tensor::scalar(1.0f32)])?;
    /// assert_eq!(case.size().equations, 1);
    /// assert!(Case::new(p, vec![]).is_err());
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn new(program: Program, inputs: Vec<Tensor>) -> Result<Case> {
        program.verify()?;
        let (want, got): (Vec<Type>, Vec<Type>) = (program.input_types(), inputs.iter().map(Tensor::ty).collect());
        if want != got {
            let list = |t: &[Type]| t.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
            return Err(Error::shape(format!("the program takes ({}), and was given ({})", list(&want), list(&got))));
        }
        Ok(Case { program, inputs })
    }

    /// The program.
    ///
    /// ```
    /// # use wengert_core::{Program, Tensor};
    /// # let p = Program::parse("program (x: f32[]) { return x }")?;
    /// assert_eq!(wengert_repro::Case::new(p, vec![Tensor::scalar(1.0f32)])?.program().inputs().len(), 1);
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// What it runs on.
    ///
    /// ```
    /// # use wengert_core::{Program, Tensor};
    /// # let p = Program::parse("program (x: f32[]) { return x }")?;
    /// assert_eq!(wengert_repro::Case::new(p, vec![Tensor::scalar(1.0f32)])?.inputs().len(), 1);
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn inputs(&self) -> &[Tensor] {
        &self.inputs
    }

    /// How large it is.
    ///
    /// ```
    /// # use wengert_core::{Program, Tensor};
    /// # let p = Program::parse("program (x: f32[]) { return x }")?;
    /// assert_eq!(wengert_repro::Case::new(p, vec![Tensor::scalar(1.0f32)])?.size().ends, 2);
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn size(&self) -> Size {
        let mut size = Size::default();
        add_program(&self.program, &mut size);
        for x in &self.inputs {
            size.elements += x.size();
            size.data += numbers(x);
        }
        size
    }

    /// What is the same for cases that do the same on the same numbers.
    pub(crate) fn content(&self) -> u64 {
        let mut h = FxHasher::default();
        self.program.hash(&mut h);
        for x in &self.inputs {
            x.ty().hash(&mut h);
            x.is_splat().hash(&mut h);
            x.raw().hash(&mut h);
        }
        h.finish()
    }

    /// The case with the inputs alone that the program uses.
    pub(crate) fn pruned(program: &Program, inputs: &[Tensor]) -> Case {
        let mut known = vec![false; program.var_count()];
        program.inputs().iter().for_each(|v| known[v.index()] = true);
        let (small, taken) = program.part(&known, program.outputs());
        // Inputs are numbered first.
        let inputs = taken.iter().map(|v: &Var| inputs[v.index()].clone()).collect();
        Case { program: small.with_name(program.name()), inputs }
    }
}

/// How much there is to a number: nothing to 0, next to nothing to 1 and -1, little to small integers.
fn simple(s: wengert_core::Scalar) -> usize {
    match s.as_f64() {
        Some(0.0) => 0,
        Some(1.0) => 1,
        Some(-1.0) => 2,
        Some(x) if x.fract() == 0.0 && x.abs() < 100.0 => 3,
        _ => 8,
    }
}

/// Arrays of more elements are not looked at one by one.
pub(crate) const LOOKED_AT: usize = 1 << 16;

/// How much there is to the numbers of an array.
fn numbers(x: &Tensor) -> usize {
    match x.size() {
        0 => 0,
        _ if x.is_splat() => simple(x.get(0)),
        n if n > LOOKED_AT => n.saturating_mul(8),
        _ => 64 + with_elements!(*x, v => v.iter().map(|x| simple(x.scalar())).sum::<usize>()),
    }
}

fn add_program(p: &Program, size: &mut Size) {
    size.ends += p.inputs().len() + p.outputs().len();
    let width = |d: DType| match d {
        // Nobody computes with halves where there is no need.
        DType::F16 | DType::BF16 => 5,
        d if d.is_complex() => 2 * d.storage_bits() / 8,
        d => d.storage_bits() / 8,
    };
    let defined = p.equations().iter().filter(|e| !matches!(e.op, Op::Constant(_))).flat_map(|e| &e.outputs);
    for &v in p.inputs().iter().chain(defined) {
        size.width += width(p.ty(v).dtype);
        size.ranks += p.ty(v).rank();
    }
    for e in p.equations() {
        match &e.op {
            Op::Constant(c) => {
                size.elements += if c.value.is_splat() { 0 } else { c.value.size() };
                size.data += numbers(&c.value);
            }
            op => {
                size.equations += 1;
                size.ops += weight(op);
                size.elements += e.outputs.iter().map(|&v| p.ty(v).shape.size()).sum::<usize>();
                op.programs().into_iter().for_each(|p| add_program(p, size));
            }
        }
    }
}
