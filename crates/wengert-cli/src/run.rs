//! `wengert run`: runs a program on values, and writes, times or compares what it gives.

use crate::backend::Backend;
use crate::failure::Failure;
use crate::source::Source;
use crate::values::{self, Inputs};
use clap::Args;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use wengert::Array;
use wengert_core::backend::Executable;
use wengert_core::{Result, Tensor};

/// Run a program: StableHLO text as JAX prints it, or Wengert's own.
#[derive(Debug, Args)]
pub struct Run {
    /// The program; `-` reads it from the standard input.
    file: PathBuf,
    /// The inputs: npy files in order, or safetensors files whose arrays have the inputs' names.
    #[arg(long, num_args = 0.., value_name = "FILE", conflicts_with_all = ["random", "ones"])]
    input: Vec<PathBuf>,
    /// Draw the inputs: normal floats, integers below 10, fair coins.
    #[arg(long, value_name = "SEED", conflicts_with = "ones")]
    random: Option<i64>,
    /// Every element of every input is 1.
    #[arg(long)]
    ones: bool,
    /// Write the outputs to `out_0.npy`, `out_1.npy`, … there instead of printing them.
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
    /// What runs the program: cpu; eval, equation by equation as written; or xla, cuda:1 and the like.
    #[arg(long, default_value = "cpu")]
    backend: Backend,
    /// Say how long compiling and running took.
    #[arg(long)]
    time: bool,
    /// Run on this backend too, and show how far apart the outputs are.
    #[arg(long, value_name = "BACKEND")]
    compare: Option<Backend>,
    /// Print the program after this stage: import, simplify, or the name of a pass.
    #[arg(long, value_name = "STAGE", value_parser = ["import", "simplify", "inline", "fold", "algebra", "loops", "common", "dead"])]
    print_after: Vec<String>,
}

/// How long runs are repeated to find the shortest.
const TIMED: Duration = Duration::from_millis(500);

impl Run {
    /// Runs the program.
    pub fn perform(&self) -> Result<(), Failure> {
        let source = Source::read(&self.file)?;
        self.run(&source).map_err(|e| Failure::within(e, &source.name, &source.text))
    }

    fn run(&self, source: &Source) -> Result<()> {
        let program = &source.program;
        let watch = |stage: &str, program: &wengert_core::Program| {
            if self.print_after.iter().any(|s| s == stage) {
                println!("// after {stage}\n{program}");
            }
        };
        watch("import", program);
        let inputs = match (self.random, self.ones) {
            (Some(seed), _) => Inputs::Random(seed),
            (None, true) => Inputs::Ones,
            (None, false) => Inputs::Files(self.input.clone()),
        };
        let inputs = inputs.values(program)?;
        let start = Instant::now();
        let executable = self.backend.compile(program, watch)?;
        let compiled = start.elapsed();
        let start = Instant::now();
        let outputs = executable.run(inputs.clone())?;
        let first = start.elapsed();
        if self.time {
            let (best, n) = best_of(&*executable, &inputs)?;
            eprintln!("{}: compile {compiled:.2?}, first run {first:.2?}, best of {n} {best:.2?}", self.backend.name());
        }
        match &self.out_dir {
            Some(dir) => values::write(dir, &outputs)?,
            None if self.compare.is_none() => print(&outputs),
            None => (),
        }
        if let Some(other) = &self.compare {
            let there = other.compile(program, |_, _| ())?.run(inputs)?;
            for (i, (a, b)) in outputs.iter().zip(&there).enumerate() {
                let (absolute, relative) = difference(a, b);
                let (ty, here, there) = (a.ty(), self.backend.name(), other.name());
                println!("out_{i} {ty}: {here} and {there} differ by {absolute:.3e}, relative {relative:.3e}");
            }
        }
        Ok(())
    }
}

/// The shortest of several runs, and how many there were.
fn best_of(executable: &dyn Executable, inputs: &[Tensor]) -> Result<(Duration, usize)> {
    let (start, mut best, mut n) = (Instant::now(), Duration::MAX, 0);
    while n < 3 || start.elapsed() < TIMED {
        let one = Instant::now();
        executable.run(inputs.to_vec())?;
        best = best.min(one.elapsed());
        n += 1;
    }
    Ok((best, n))
}

fn print(outputs: &[Tensor]) {
    for (i, x) in outputs.iter().enumerate() {
        println!("out_{i}: {} =\n{}", x.ty(), Array::from_tensor(x.clone()));
    }
}

/// The largest absolute and relative difference. Values that are the same, NaN too, do not differ.
fn difference(a: &Tensor, b: &Tensor) -> (f64, f64) {
    let (mut absolute, mut relative) = (0f64, 0f64);
    for i in 0..a.size() {
        let (x, y) = (a.get(i).as_complex(), b.get(i).as_complex());
        if x == y || x.is_nan() && y.is_nan() {
            continue;
        }
        let d = (x - y).norm();
        let d = if d.is_nan() { f64::INFINITY } else { d };
        absolute = absolute.max(d);
        relative = relative.max(d / x.norm().max(y.norm()));
    }
    (absolute, relative)
}
