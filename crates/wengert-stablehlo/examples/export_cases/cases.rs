//! Where cases come from: the reference values, the test programs, random programs, and a user's op.

use crate::reader::Family;
use std::path::Path;
use wengert_core::ops::{Binary, Custom, CustomOp, Eigenvectors, Unary};
use wengert_core::transform::{batch, jvp, vjp};
use wengert_core::{Builder, Op, Program, Result, Scalar, Tensor, Type};
use wengert_golden::Golden;
use wengert_testing::{Choices, Recipe, from_scalars, random_program, random_values};

/// A program with inputs, and how near its results must be: factors on the relative and the absolute tolerance.
pub struct Case {
    pub name: String,
    pub program: Program,
    pub inputs: Vec<Tensor>,
    pub tolerance: (f64, f64),
    /// Other results that are right too.
    pub also: Option<Vec<Tensor>>,
}

/// What the names of programs that JAX exported begin with.
pub const MODULE: &str = "module ";

impl Case {
    fn new(name: String, program: Program, inputs: Vec<Tensor>) -> Case {
        Case { name, program, inputs, tolerance: (1.0, 1.0), also: None }
    }

    /// Whether what is expected is what LAPACK gives: its calls, and the order and signs of its eigenvectors.
    pub fn is_lapacks(&self) -> bool {
        let both = |op: &Op| matches!(op, Op::Eig(eig) if eig.compute_v == Eigenvectors::Both);
        self.name.starts_with("lapack/") || self.program.any(|_, e| both(&e.op))
    }

    /// The same program over a batch of two.
    fn batched(&self) -> Option<Case> {
        let all = |n: usize| vec![true; n];
        let flags = (all(self.inputs.len()), all(self.program.outputs().len()));
        let (program, _) = batch(&self.program, 2, None, &flags.0, &flags.1).ok()?;
        // The second has the same elements, one place further; not where roundings decide on the signs of what is computed.
        let further = !self.name.starts_with("eig/") as usize;
        let twice = |t: &Tensor| {
            let n = t.size();
            let ty = t.ty();
            let element = |i| t.get(if i < n { i } else { (i + further) % n });
            from_scalars(&ty.with_shape(ty.shape.with_axis(0, 2)), element)
        };
        let inputs = self.inputs.iter().map(twice).collect();
        Some(Case { name: format!("{} batch", self.name), program, inputs, also: None, ..*self })
    }
}

/// The reference cases, and for those with derivatives both modes, and a batch.
pub fn reference() -> Vec<Case> {
    let mut out = Vec::new();
    for family in Family::all() {
        for case in family.cases.iter() {
            let Some(text) = case.text("program") else { continue };
            let program = Program::parse(text).expect("a program");
            let inputs = family.arrays(case, "in").expect("inputs");
            let mut factors = case.text("tol").unwrap_or("1 1").split(' ').map(|f| f.parse().expect("a factor"));
            let tolerance = (factors.next().expect("a factor"), factors.next().expect("a factor"));
            let also = family.arrays(case, "out");
            let value = Case { name: case.name.clone(), program, inputs, tolerance, also };
            let loose = (10.0 * tolerance.0, 10.0 * tolerance.0);
            if let Some(active) = case.text("active") {
                let listed: Vec<usize> = active.split(' ').map(|i| i.parse().expect("a number")).collect();
                let active: Vec<bool> = (0..value.inputs.len()).map(|i| listed.contains(&i)).collect();
                let with = |what: &str, program: Program, word: &str| Case {
                    name: format!("{} {what}", case.name),
                    program,
                    inputs: [value.inputs.clone(), family.arrays(case, word).expect("directions")].concat(),
                    tolerance: loose,
                    also: None,
                };
                if let Ok((p, _)) = jvp(&value.program, &active) {
                    out.push(with("jvp", p, "tangent"));
                }
                if let Ok(p) = vjp(&value.program, &active) {
                    out.push(with("vjp", p, "cotangent"));
                }
            }
            // Subnormal numbers are not worth a batch: XLA flushes them to zero, and only values from JAX know where.
            if !value.name.contains("/special") {
                out.extend(value.batched());
            }
            out.push(value);
        }
    }
    out
}

/// Numbers for choices.
fn numbers(seed: usize, count: usize) -> Vec<u16> {
    let mut state = (seed as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as u16
    };
    (0..count).map(|_| next()).collect()
}

fn on_random_values(name: String, program: Program, seed: usize) -> Case {
    let values = numbers(seed + 1, 4000);
    let inputs = random_values(&program.input_types(), &mut Choices::new(&values), true);
    Case { tolerance: (10.0, 10.0), ..Case::new(name, program, inputs) }
}

/// The test programs, and what their steps make of them: on the first values of their headers, if these have the types of
/// the inputs, else on random ones.
pub fn programs() -> Vec<Case> {
    let mut out = Vec::new();
    for golden in Golden::all() {
        let given = golden.inputs().unwrap_or_default();
        let types: Vec<Type> = given.iter().map(Tensor::ty).collect();
        // Some are there because they are refused.
        let _ = golden.run(|step, stage| {
            for program in stage.programs() {
                let mut case = on_random_values(format!("{} {step}", golden.name()), program.clone(), out.len());
                case.inputs.iter_mut().for_each(|x| *x = few_steps(x));
                if types.starts_with(&program.input_types()) {
                    case.inputs = given[..case.inputs.len()].to_vec();
                }
                out.push(case);
            }
        });
    }
    out
}

/// The value, or of an integer its last bits, and never zero: it may say how long a loop goes on.
fn few_steps(x: &Tensor) -> Tensor {
    match x.dtype().is_integer() {
        true => from_scalars(&x.ty(), |i| Scalar::from_bits(x.dtype(), x.get(i).bits() & 7 | 1)),
        false => x.clone(),
    }
}

/// Random programs, their derivatives and a batch.
pub fn random() -> Vec<Case> {
    let mut out = Vec::new();
    for seed in 0..400 {
        let choices = numbers(seed, 250);
        let any = random_program(&Recipe::any(), &mut Choices::new(&choices));
        out.push(on_random_values(format!("random {seed}"), any, seed));
        let smooth = random_program(&Recipe::smooth(), &mut Choices::new(&choices));
        let active: Vec<bool> = smooth.input_types().iter().map(|t| t.dtype.is_differentiable()).collect();
        if let Ok((p, _)) = jvp(&smooth, &active) {
            out.push(on_random_values(format!("random {seed} jvp"), p, seed));
        }
        if let Ok(p) = vjp(&smooth, &active) {
            out.push(on_random_values(format!("random {seed} vjp"), p, seed));
        }
        let value = on_random_values(format!("random {seed} smooth"), smooth, seed);
        out.extend(value.batched());
        out.push(value);
    }
    out
}

/// Programs that JAX exported, read and written out again: folders with a `module.mlir` and inputs `in_0.npy`…; or which
/// of them can't be read.
pub fn modules(folder: &Path) -> std::io::Result<Vec<Case>> {
    let entries = std::fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    let mut paths: Vec<_> = entries.iter().map(|e| e.path()).filter(|p| p.join("module.mlir").exists()).collect();
    paths.sort();
    let one = |path: &Path| {
        let text = std::fs::read_to_string(path.join("module.mlir"))?;
        let program = wengert_stablehlo::parse(&text).map_err(std::io::Error::other)?;
        let read = |(i, ty): (usize, &Type)| numpy(&path.join(format!("in_{i}.npy")), ty);
        let inputs = program.input_types().iter().enumerate().map(read).collect::<std::io::Result<_>>()?;
        let name = path.file_name().expect("a name").to_string_lossy();
        Ok(Case { tolerance: (100.0, 100.0), ..Case::new(format!("{MODULE}{name}"), program, inputs) })
    };
    let named = |p: &Path, e: std::io::Error| std::io::Error::other(format!("{}: {e}", p.display()));
    paths.iter().map(|p| one(p).map_err(|e| named(p, e))).collect()
}

/// An array of a known type from NumPy's file, whose header says the same.
fn numpy(path: &Path, ty: &Type) -> std::io::Result<Tensor> {
    let bytes = std::fs::read(path)?;
    let short = || std::io::Error::other(format!("{} is too short", path.display()));
    let header = bytes.get(8..10).ok_or_else(short)?;
    let data = bytes.get(10 + u16::from_le_bytes([header[0], header[1]]) as usize..).ok_or_else(short)?;
    let size = ty.dtype.size();
    if data.len() < size * ty.shape.size() {
        return Err(short());
    }
    let word = |at: usize, n: usize| data[at..at + n].iter().rev().fold(0u128, |w, &b| w << 8 | b as u128);
    Ok(from_scalars(ty, |i| match ty.dtype.is_complex() {
        true => {
            let (re, im) = (word(i * size, size / 2), word(i * size + size / 2, size / 2));
            Scalar::from_bits(ty.dtype, re << (4 * size) | im)
        }
        false => Scalar::from_bits(ty.dtype, word(i * size, size)),
    }))
}

/// `cap·tanh(x/cap)`, with StableHLO of its own or a decomposition.
#[derive(Debug)]
struct Softcap {
    cap: f64,
    own: bool,
}

impl CustomOp for Softcap {
    fn name(&self) -> &str {
        "example.softcap"
    }
    fn attributes(&self) -> String {
        format!("{} {}", self.cap, self.own)
    }
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        let mut b = Builder::new();
        let v = b.input(x[0].clone());
        let y = b.scale(v, 1.0 / self.cap);
        let y = b.unary(Unary::Tanh, y);
        let y = b.scale(y, self.cap);
        Some(Ok(b.finish(&[y])))
    }
    fn stablehlo(&self, x: &[Type], _: &[String]) -> Option<Result<String>> {
        let sizes: String = x[0].shape.iter().map(|d| format!("{d}x")).collect();
        let (cap, t) = (self.cap, format!("tensor<{sizes}{}>", x[0].dtype));
        self.own.then(|| {
            Ok(format!(
                "%0 = stablehlo.constant dense<{cap:?}> : {t}\n%1 = stablehlo.divide %arg0, %0 : {t}\n\
                 %2 = stablehlo.tanh %1 : {t}\n%3 = stablehlo.multiply %2, %0 : {t}\nreturn %3 : {t}"
            ))
        })
    }
}

/// A user's op, both ways.
pub fn custom() -> Vec<Case> {
    let ty = Type::new(wengert_core::DType::F32, [5]);
    let one = |own: bool| {
        let mut b = Builder::new();
        let x = b.input(ty.clone());
        let y = b.one(Custom::new(Softcap { cap: 0.5, own }), &[x]);
        let z = b.one(Custom::new(Softcap { cap: 1.5, own }), &[y]);
        let w = b.binary(Binary::Add, y, z);
        on_random_values(format!("custom own={own}"), b.finish(&[w]), own as usize)
    };
    vec![one(true), one(false)]
}
