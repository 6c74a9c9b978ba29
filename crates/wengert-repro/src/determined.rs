//! Decompositions that their matrix does not determine: where eigenvalues or singular values repeat, or columns depend on each
//! other, rounding chooses the vectors, and another library has others that are as right.

use std::sync::Arc;
use wengert_core::run::{Block, Device, Observer, Run, Value, Visit};
use wengert_core::{Complex, DType, Op, Program, Tensor};
use wengert_emit::free_results;
use wengert_eval::Eval;

/// Whether a run of a program on these inputs, by the evaluator, meets a decomposition at any depth that its matrix does not
/// determine. A run that fails before meets none.
///
/// ```
/// use wengert_core::{Program, Tensor};
/// use wengert_repro::is_undetermined;
/// let p = Program::parse("program (x: f32[2,2]) { w: f32[2], v: f32[2,2] = eigh[lower=true](x) return v }")?;
/// let matrix = |x: [f32; 4]| [Tensor::new([2, 2], x.to_vec()).unwrap()];
/// assert!(is_undetermined(&p, &matrix([1.0, 0.0, 0.0, 1.0])));
/// assert!(!is_undetermined(&p, &matrix([1.0, 0.0, 0.0, 2.0])));
/// # Ok::<(), wengert_core::Error>(())
/// ```
pub fn is_undetermined(program: &Program, inputs: &[Tensor]) -> bool {
    if !program.any(|_, e| !free_results(&e.op).is_empty()) {
        return false;
    }
    let mut found = Decompositions { is_undetermined: false };
    let run = Run::new(inputs.iter().cloned().map(Value::Host).collect()).observed_by(&mut found);
    // Of a run that fails, what came before counts.
    let _ = Eval::PLAIN.compile(Arc::new(program.clone()), &[]).and_then(|made| made.run(run));
    found.is_undetermined
}

/// What is seen of the decompositions of a run.
struct Decompositions {
    is_undetermined: bool,
}

impl Observer for Decompositions {
    fn enter(&mut self, _: &Arc<Program>, _: Visit, _: &[Value]) {}
    fn begin(&mut self, _: &Arc<Program>, _: usize) {}
    fn end(&mut self, _: &Arc<Program>, _: usize, _: &[Value]) {}
    fn leave(&mut self, _: &Arc<Program>) {}

    fn ran(&mut self, block: Block<'_>) {
        for e in block.equations.iter().map(|&i| &block.program.equations()[i]) {
            if free_results(&e.op).is_empty() {
                continue;
            }
            let value = |i: usize| {
                let found = block.outputs.iter().find(|(v, _)| *v == e.outputs[i]);
                found.and_then(|(_, x)| x.host().ok())
            };
            let is_so = |i: usize, lines: fn(&Tensor) -> Vec<Line>, of_line: fn(&Line) -> bool| {
                value(i).is_some_and(|x| lines(x).iter().any(of_line))
            };
            self.is_undetermined |= match &e.op {
                // Columns that depend on those before them.
                Op::Qr(_) => is_so(1, diagonals, Line::has_zero),
                // Vectors of singular values that are zero have signs of their own.
                Op::Svd(_) => is_so(1, rows, |s| s.repeats() || s.has_zero()),
                _ => is_so(0, rows, Line::repeats),
            };
        }
    }
}

/// Numbers of a decomposition of one matrix.
struct Line {
    numbers: Vec<Complex<f64>>,
    /// How near each other they may be before rounding decides.
    near: f64,
}

impl Line {
    fn new(numbers: Vec<Complex<f64>>, dtype: DType) -> Line {
        let largest = numbers.iter().map(|x| x.norm()).fold(0.0, f64::max);
        // What a rounding of the matrix makes of vectors grows with the inverse of the distance. Results are compared to four
        // digits of singles, and eight of doubles.
        let part = if dtype.real() == DType::F64 { 1e-6 } else { 1e-2 };
        Line { numbers, near: part * largest }
    }

    fn has_zero(&self) -> bool {
        self.numbers.iter().any(|x| x.norm() <= self.near)
    }

    fn repeats(&self) -> bool {
        let near = |i: usize| self.numbers[..i].iter().any(|x| (x - self.numbers[i]).norm() <= self.near);
        (0..self.numbers.len()).any(near)
    }
}

/// The numbers along the last axis.
fn rows(x: &Tensor) -> Vec<Line> {
    let n = x.shape().last().copied().unwrap_or(1);
    let row = |k: usize| Line::new((0..n).map(|i| x.get(k * n + i).as_complex()).collect(), x.dtype());
    (0..x.size() / n.max(1)).map(row).collect()
}

/// The diagonals of the matrices along the last two axes.
fn diagonals(x: &Tensor) -> Vec<Line> {
    let &[.., m, n] = &x.shape()[..] else { return Vec::new() };
    let diagonal = |k: usize| (0..m.min(n)).map(|i| x.get(k * m * n + i * n + i).as_complex()).collect();
    (0..x.size() / (m * n).max(1)).map(|k| Line::new(diagonal(k), x.dtype())).collect()
}
