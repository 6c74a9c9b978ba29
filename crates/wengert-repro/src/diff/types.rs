//! A program in other element types: what a computation is worth in half the width, or in twice.

use super::in_type;
use crate::backend::BackendName;
use crate::reduce::edit::TypeChange;
use crate::reduce::types::ElementTypes;
use wengert_core::{DType, Error, ErrorKind, Program, Result, Tensor};

/// A side that runs programs with one element type in the place of another; complex numbers of these go with them.
#[derive(Clone, Debug)]
pub struct InTypes {
    backend: BackendName,
    changes: Vec<(DType, DType)>,
}

impl InTypes {
    /// Runs programs on a backend, with `to` wherever a program has `from`.
    ///
    /// # Errors
    /// If one of the two is no real float.
    ///
    /// ```
    /// use wengert_core::{DType, Program, Tensor};
    /// use wengert_repro::{BackendName, diff::InTypes};
    /// let text = "program (x: f32[]) { y: f32[] = add(x, 1e8:f32[]) z: f32[] = sub(y, 1e8:f32[]) return z }";
    /// let p = Program::parse(text)?;
    /// let wide = InTypes::new("eval".parse::<BackendName>().unwrap(), DType::F32, DType::F64)?;
    /// // What goes in and what comes out is of the program's own types.
    /// let y = wide.run(&p, &[Tensor::scalar(1.25f32)])?;
    /// assert_eq!(y[0].to_vec::<f32>()?, [1.25]);
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn new(backend: BackendName, from: DType, to: DType) -> Result<InTypes> {
        if let Some(d) = [from, to].iter().find(|d| !d.is_float()) {
            return Err(Error::dtype(format!("{d} is no float: programs are compared in f16, bf16, f32 and f64")));
        }
        let complex = |d: DType| [DType::C64, DType::C128].into_iter().find(|c| c.real() == d);
        let mut changes = vec![(from, to)];
        changes.extend(complex(from).zip(complex(to)));
        Ok(InTypes { backend, changes })
    }

    /// Runs a program; its results are converted back.
    ///
    /// # Errors
    /// If it can't run in the other type: it looks at the bits of numbers, say.
    ///
    /// ```
    /// # use wengert_core::{DType, Program, Tensor};
    /// # use wengert_repro::{BackendName, diff::InTypes};
    /// let p = Program::parse("program (x: f32[]) { y: u32[] = bitcast[dtype=u32](x) return y }")?;
    /// let wide = InTypes::new("eval".parse::<BackendName>().unwrap(), DType::F32, DType::F64)?;
    /// assert!(wide.run(&p, &[Tensor::scalar(1.0f32)]).is_err());
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn run(&self, program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let types = ElementTypes(&self.changes);
        let changed = types.program(program).ok_or_else(|| {
            let (from, to) = self.changes[0];
            let m = format!("the program can't be run in {to} instead of {from}: an op does not take it");
            Error::new(ErrorKind::Unsupported, m)
        })?;
        let x: Option<Vec<Tensor>> = inputs.iter().map(|x| types.tensor(x)).collect();
        let x = x.ok_or_else(|| Error::dtype("an input can't be converted"))?;
        let y = self.backend.run(&changed, &x)?;
        Ok(y.iter().zip(program.output_types()).map(|(y, t)| in_type(y, t.dtype)).collect())
    }
}
