//! Numbers that are changed on the way through a program, to see what becomes of that: by an op of its own, since a program that is
//! written for one look takes longer to write and to plan, the more equations it has.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use wengert_core::ops::{Custom, CustomOp};
use wengert_core::{Builder, DType, Result, Tensor, Type, Var};

/// What a number, or each part of a complex one, is changed to, by its place in the array.
type Change = dyn Fn(usize, f64) -> f64 + Send + Sync;

/// Changes each number of an array; no two are the same op.
struct EachNumber {
    change: Box<Change>,
    id: usize,
}

/// How many there were.
static COUNT: AtomicUsize = AtomicUsize::new(0);

impl fmt::Debug for EachNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl CustomOp for EachNumber {
    fn name(&self) -> &str {
        "wengert.each_number"
    }

    fn attributes(&self) -> String {
        self.id.to_string()
    }

    fn is_recorded(&self) -> bool {
        false
    }

    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }

    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        Some(Ok(x.iter().map(|x| changed(x, &self.change)).collect()))
    }
}

/// An array each of whose numbers is changed.
fn changed(x: &Tensor, change: &Change) -> Tensor {
    let dense = x.dense();
    let from = |y: Result<Tensor>| y.expect("as many numbers as there were");
    match x.dtype() {
        DType::F32 => {
            let number = |(i, &x): (usize, &f32)| change(i, f64::from(x)) as f32;
            return from(Tensor::new(x.shape().clone(), dense.elements().iter().enumerate().map(number).collect()));
        }
        DType::F64 => {
            let number = |(i, &x): (usize, &f64)| change(i, x);
            return from(Tensor::new(x.shape().clone(), dense.elements().iter().enumerate().map(number).collect()));
        }
        _ => {}
    }
    let is_complex = x.dtype().is_complex();
    let mut numbers = dense.as_complex();
    for (i, c) in numbers.iter_mut().enumerate() {
        c.re = change(i, c.re);
        if is_complex {
            c.im = change(i, c.im);
        }
    }
    Tensor::from_complex(&x.ty(), &numbers)
}

/// The array with each of its floats changed, where the program is evaluated.
pub(crate) fn each_number(b: &mut Builder, x: Var, change: impl Fn(usize, f64) -> f64 + Send + Sync + 'static) -> Var {
    let ty = b.ty(x).clone();
    let op = EachNumber { change: Box::new(change), id: COUNT.fetch_add(1, Ordering::Relaxed) };
    b.push_typed(Custom::new(op).into(), &[x], vec![ty])[0]
}
