//! The host called from staged code: what it prints, and functions of Rust that no op is.

use crate::array::Array;
use crate::custom::{Batched, Batcher, CustomOp, Linearity, Operand, apply};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use wengert_core::{Builder, Program, Result, Tensor, Type, Var};

/// Prints an array whenever a run comes here, in staged code too, and gives it back: what is printed is the text with the array
/// in place of its `{}`, to the standard output. Use what it gives, or nothing is left to print.
///
/// It is the identity to every transform: under `grad` what is printed are the values, under `vmap` the whole batch. Devices of
/// XLA print nothing.
///
/// ```
/// use wengert::{debug_print, jit, Array};
/// let f = jit(|x: Array| debug_print("x = {:.1}", &x.sin()) * 2.0);
/// assert_eq!(f(Array::from(0.0f32)).item::<f32>(), 0.0); // x = 0.0
/// ```
#[track_caller]
pub fn debug_print(text: &str, x: &Array) -> Array {
    apply(Print(text.into()), &[x]).remove(0)
}

/// Prints what goes through it.
#[derive(Debug)]
struct Print(String);

impl Print {
    /// The text with a value in it; at the end, if it has no place for one.
    fn filled(&self, x: &Array) -> String {
        let place = self.0.find('{').and_then(|i| Some((i, i + self.0[i..].find('}')?)));
        let Some((open, close)) = place else { return format!("{} {x}", self.0) };
        let digits = self.0[open + 1..close].strip_prefix(":.").and_then(|n| n.parse::<usize>().ok());
        let value = digits.map_or_else(|| x.to_string(), |n| format!("{x:.n$}"));
        format!("{}{value}{}", &self.0[..open], &self.0[close + 1..])
    }
}

impl CustomOp for Print {
    fn name(&self) -> &str {
        "wengert.print"
    }
    fn attributes(&self) -> String {
        self.0.clone()
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        println!("{}", self.filled(&Array::from_tensor(x[0].clone())));
        Some(Ok(x.to_vec()))
    }
    fn tangents(&self, _: &mut Builder, _: &[Var], _: &[Var], t: &[Option<Var>]) -> Option<Result<Vec<Option<Var>>>> {
        Some(Ok(t.to_vec()))
    }
    fn transpose(&self, _: &mut Builder, _: &[Operand], ct: &[Option<Var>]) -> Option<Result<Vec<Option<Var>>>> {
        Some(Ok(ct.to_vec()))
    }
    fn linearity(&self) -> Linearity {
        Linearity::None
    }
    fn elementwise(&self) -> bool {
        true
    }
    /// What is left of it where nothing is printed.
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        let mut b = Builder::new();
        let x = b.input(x[0].clone());
        Some(Ok(b.finish(&[x])))
    }
}

/// A function of Rust on the values of arrays, inside staged code too. It gives arrays of the declared types, and depends on
/// nothing but what it is given: how often it is called is not said.
///
/// Under `vmap` it is called for each example. It has no derivative: [`custom_jvp`](crate::custom_jvp) around it gives it one. It
/// runs on the CPU alone.
///
/// ```
/// use wengert::{jit, pure_callback, vmap, Array, DType, Type};
/// let digits = |x: Array| {
///     let f = |x: &[Array]| vec![Array::from(x[0].item::<f32>().to_string().len() as i32)];
///     pure_callback(f, &[Type::scalar(DType::I32)], &[&x]).remove(0)
/// };
/// assert_eq!(jit(digits)(Array::from(12.5f32)).item::<i32>(), 4);
/// assert_eq!(jit(vmap(digits))(Array::from([1.0f32, 0.25])).to_vec::<i32>(), [1, 4]);
/// ```
#[track_caller]
pub fn pure_callback(
    f: impl Fn(&[Array]) -> Vec<Array> + Send + Sync + 'static,
    types: &[Type],
    x: &[&Array],
) -> Vec<Array> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    apply(Callback { number, types: types.into(), f: Arc::new(f) }, x)
}

/// A function of Rust on arrays.
type HostFunction = dyn Fn(&[Array]) -> Vec<Array> + Send + Sync;

/// A function of the user's. Two are the same if they are one.
#[derive(Clone)]
struct Callback {
    number: u64,
    types: Vec<Type>,
    f: Arc<HostFunction>,
}

impl fmt::Debug for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "callback {}", self.number)
    }
}

impl CustomOp for Callback {
    fn name(&self) -> &str {
        "wengert.callback"
    }
    fn attributes(&self) -> String {
        self.number.to_string()
    }
    fn infer(&self, _: &[Type]) -> Result<Vec<Type>> {
        Ok(self.types.clone())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        let x: Vec<Array> = x.iter().cloned().map(Array::from_tensor).collect();
        Some(Ok((self.f)(&x).iter().map(Array::to_tensor).collect()))
    }
    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Option<Result<Vec<Batched>>> {
        Some(b.in_loop(wengert_core::ops::Custom::new(self.clone()), x))
    }
}
