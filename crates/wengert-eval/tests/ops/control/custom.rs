//! Ops that users add, by rules and by decomposition.

use crate::ops::common::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use wengert_core::ops::{Binary, Custom, CustomOp, Unary};
use wengert_core::transform::{batch, jvp, vjp};
use wengert_core::{Builder, Error, Op, Program, Result, Tensor, Type, Var};

/// `x · tanh(x) · by`, by decomposition alone.
#[derive(Debug)]
struct Soft {
    by: f64,
}

impl CustomOp for Soft {
    fn name(&self) -> &str {
        "test.soft"
    }
    fn attributes(&self) -> String {
        format!("by=\"{}\"", self.by)
    }
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        let [x] = x else { return Some(Err(Error::shape("`test.soft` takes one operand"))) };
        let mut b = Builder::new();
        let x = b.input(x.clone());
        let y = b.unary(Unary::Tanh, x);
        let y = b.mul(x, y);
        let y = b.scale(y, self.by);
        Some(Ok(b.finish(&[y])))
    }
}

fn read_soft(text: &str) -> Result<Soft> {
    let by = text.strip_prefix("by=\"").and_then(|t| t.strip_suffix('"')).and_then(|t| t.parse().ok());
    Ok(Soft { by: by.ok_or_else(|| Error::malformed(format!("`{text}` is not the attribute of `test.soft`")))? })
}

#[test]
fn by_decomposition() {
    Custom::register("test.soft", read_soft).unwrap();
    let text = r#"program (x: f64[2], w: f64[2]) {
      %2: f64[2] = mul(x, w)
      %3: f64[2] = test.soft[attributes="by=\"1.5\""](%2)
      return %3
    }"#;
    check_op(text, &[random("f64[2]", 1), random("f64[2]", 2)]);
    let e = Program::parse(&text.replace("1.5", "one")).unwrap_err().to_string();
    assert!(e.contains("line 3") && e.contains("not the attribute"), "{e}");
    assert_ne!(Op::from(Custom::new(Soft { by: 1.0 })), Op::from(Custom::new(Soft { by: 2.0 })));
    assert!(Custom::register("add", read_soft).is_err());
    assert!(Custom::register("slice of", read_soft).is_err());
}

/// `x²`, by rules alone.
#[derive(Debug)]
struct Square;

impl CustomOp for Square {
    fn name(&self) -> &str {
        "test.square"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        let square = |v: Vec<f64>| Tensor::new(x[0].shape().clone(), v.iter().map(|x| x * x).collect());
        Some(x[0].to_vec::<f64>().and_then(square).map(|y| vec![y]))
    }
    fn elementwise(&self) -> bool {
        true
    }
    fn tangents(&self, b: &mut Builder, x: &[Var], _: &[Var], t: &[Option<Var>]) -> Option<Result<Vec<Option<Var>>>> {
        let d = b.scale(x[0], 2.0);
        Some(Ok(vec![t[0].map(|t| b.binary(Binary::Mul, t, d))]))
    }
}

#[test]
fn by_rules() {
    Custom::register("test.square", |_| Ok(Square)).unwrap();
    let text = "program (x: f64[2]) {
      %1: f64[2] = test.square(x)
      %2: f64[2] = sin(%1)
      return %2
    }";
    check_op(text, &[random("f64[2]", 1)]);
    let x = tensor("f32[2]", &[1.0, 2.0]);
    let e = wengert_eval::run_op(&Custom::new(Square).into(), vec![x]).unwrap_err().to_string();
    assert!(e.contains("f32"), "{e}");
}

/// Has a type and nothing else.
#[derive(Debug)]
struct Opaque;

impl CustomOp for Opaque {
    fn name(&self) -> &str {
        "test.opaque"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
}

#[test]
fn what_is_missing_is_said() {
    let mut b = Builder::new();
    let x = b.input(tensor("f64[2]", &[0.0, 0.0]).ty());
    let y = b.one(Custom::new(Opaque), &[x]);
    let p = b.finish(&[y]);
    let run = wengert_eval::run(&p, vec![tensor("f64[2]", &[1.0, 2.0])]).unwrap_err();
    let errors = [
        jvp(&p, &[true]).unwrap_err(),
        vjp(&p, &[true]).unwrap_err(),
        batch(&p, 3, None, &[true], &[true]).unwrap_err(),
        run,
    ];
    for e in errors {
        assert!(e.message().starts_with("`test.opaque` can't be") && e.message().contains("decomposition"), "{e}");
    }
}

/// `cos(x)`, counting its runs.
#[derive(Debug)]
struct Counted;

static RUNS: AtomicUsize = AtomicUsize::new(0);

impl CustomOp for Counted {
    fn name(&self) -> &str {
        "test.counted"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        RUNS.fetch_add(1, Ordering::Relaxed);
        Some(x[0].to_vec::<f64>().map(|v| vec![Tensor::scalar(v[0].cos())]))
    }
    fn tangents(&self, b: &mut Builder, x: &[Var], _: &[Var], t: &[Option<Var>]) -> Option<Result<Vec<Option<Var>>>> {
        let d = b.unary(Unary::Sin, x[0]);
        let d = b.neg(d);
        Some(Ok(vec![t[0].map(|t| b.mul(t, d))]))
    }
}

/// Running a `while` backward takes few more steps than it has, and memory for few states.
#[test]
fn steps_of_a_loop_run_backward() {
    Custom::register("test.counted", |_| Ok(Counted)).unwrap();
    let text = "program (n: i32[], x: f64[]) {
      i: i32[], y: f64[] = while[consts=1, cond=program (n: i32[], i: i32[], x: f64[]) {
        %3: bool[] = compare[direction=lt](i, n)
        return %3
      }, body=program (n: i32[], i: i32[], x: f64[]) {
        %3: f64[] = test.counted(x)
        %5: i32[] = add(i, 1:i32[])
        return %5, %3
      }](n, 0:i32[], x)
      return y
    }";
    let back = vjp(&parse(text), &[false, true]).unwrap();
    for (n, most) in [(30, 1), (500, 2), (3000, 3)] {
        RUNS.store(0, Ordering::Relaxed);
        wengert_eval::run(&back, vec![Tensor::scalar(n), Tensor::scalar(0.5), Tensor::scalar(1.0)]).unwrap();
        // One run forward, then what is recomputed.
        let runs = RUNS.load(Ordering::Relaxed);
        assert!(runs <= (1 + most) * n as usize, "{runs} steps to run {n} backward");
    }
}
