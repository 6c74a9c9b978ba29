//! Writes cases in groups: XLA compiles a hundred small functions in one module faster than in a hundred.

use crate::cases::{Case, MODULE};
use std::fmt::{self, Write};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use wengert_core::ops::{Call, CallKind};
use wengert_core::{Builder, Program, Tensor};
use wengert_stablehlo::{Options, export_with};

/// How many cases one module has.
const TOGETHER: usize = 50;

/// What came of all cases.
#[derive(Default)]
pub struct Count {
    written: usize,
    refused: usize,
    not_run: usize,
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count { written, refused, not_run } = self;
        write!(f, "{written} cases written; {refused} refused by the exporter; {not_run} that the evaluator refuses")
    }
}

/// Writes `NNN.mlir` (a group), `NNN.txt` and `NNN.bin` (its cases and arrays), `one/NNN_K.mlir` (each case by itself)
/// and `refused.txt` into a folder.
pub fn write(folder: &Path, cases: Vec<Case>, options: &Options) -> io::Result<Count> {
    let ones = folder.join("one");
    if ones.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(&ones)?;
    let (mut count, mut refused) = (Count::default(), String::new());
    let mut ready: Vec<(Case, String, Vec<Tensor>)> = Vec::new();
    for case in cases {
        let run = || wengert_eval::run(&case.program, case.inputs.clone());
        // What JAX wrote must go back to it.
        let must = case.name.starts_with(MODULE);
        let outputs = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(outputs)) => outputs,
            _ if must => return Err(io::Error::other(format!("{} does not run", case.name))),
            _ => {
                count.not_run += 1;
                continue;
            }
        };
        match export_with(&case.program, options) {
            Ok(text) => {
                count.written += 1;
                ready.push((case, text, outputs));
            }
            Err(e) if must => return Err(io::Error::other(format!("{}: {}", case.name, e.message()))),
            Err(e) => {
                count.refused += 1;
                writeln!(refused, "{}: {}", case.name, e.message()).expect("a string");
            }
        }
    }
    std::fs::write(folder.join("refused.txt"), refused)?;
    for (number, group) in ready.chunks(TOGETHER).enumerate() {
        let (mut text, mut bytes) = (String::new(), Vec::new());
        for (k, (case, one, outputs)) in group.iter().enumerate() {
            std::fs::write(ones.join(format!("{number:03}_{k}.mlir")), one)?;
            writeln!(text, "case {}", case.name).expect("a string");
            writeln!(text, "tol {} {}", case.tolerance.0, case.tolerance.1).expect("a string");
            for (word, arrays) in [("in", Some(&case.inputs)), ("out", Some(outputs)), ("also", case.also.as_ref())] {
                let Some(arrays) = arrays else { continue };
                text.push_str(word);
                for t in arrays {
                    write!(text, " {}@{}", t.ty(), bytes.len()).expect("a string");
                    append(&mut bytes, t);
                }
                text.push('\n');
            }
        }
        std::fs::write(folder.join(format!("{number:03}.txt")), text)?;
        std::fs::write(folder.join(format!("{number:03}.bin")), bytes)?;
        let programs: Vec<&Program> = group.iter().map(|(case, ..)| &case.program).collect();
        let module = export_with(&together(&programs), options).map_err(|e| io::Error::other(e.to_string()))?;
        std::fs::write(folder.join(format!("{number:03}.mlir")), module)?;
    }
    Ok(count)
}

/// One program that calls all of them, each on its own inputs.
fn together(programs: &[&Program]) -> Program {
    let mut b = Builder::new();
    let args: Vec<_> = programs.iter().map(|p| b.inputs(&p.input_types())).collect();
    let mut outputs = Vec::new();
    for (p, args) in programs.iter().zip(&args) {
        let call = Call { program: (*p).clone().into(), kind: CallKind::Staged };
        outputs.extend(b.push(call, args));
    }
    b.finish_all(&outputs).with_name("together")
}

/// The elements in row-major order, lowest byte first, a complex number as its two parts.
fn append(bytes: &mut Vec<u8>, t: &Tensor) {
    bytes.extend(wengert_core::bytes::to_bytes(t));
}
