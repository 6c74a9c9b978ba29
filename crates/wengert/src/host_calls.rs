//! The host called from staged code: what it prints, and functions of Rust that no op is.

use crate::array::Array;
use crate::custom::{Batched, Batcher, CustomOp, Linearity, Operand, apply};
use crate::fail::{ok, try_run};
use crate::watch::say;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};
use wengert_core::ops::{Custom, PRINT};
use wengert_core::{Builder, Error, ErrorKind, Op, Place, Program, Result, Tensor, Type, Var};
use wengert_tape::record;

/// Prints an array whenever a run comes here, in staged code too, and gives it back: what is printed is the text with the array
/// in place of its `{}`, to the standard output. Use what it gives, or nothing is left to print.
///
/// Between the braces there may be the number of digits to show: `{:.3}`; `{{` and `}}` are braces.
///
/// It is the identity to every transform: under `grad` what is printed are the values, under `vmap` the whole batch. What runs on
/// a device of XLA is printed when the whole program has run there; of a loop whose steps are not known before, those of the first
/// hundred, and nothing of solvers and rules of the user's own, which is said once on the standard error.
///
/// ```
/// use wengert::{debug_print, jit, Array};
/// let f = jit(|x: Array| debug_print("x = {:.1}", &x.sin()) * 2.0);
/// assert_eq!(f(Array::from(0.0f32)).item::<f32>(), 0.0); // x = 0.0
/// ```
///
/// # Panics
/// If the text has another format, or more than one place for an array.
#[track_caller]
pub fn debug_print(text: &str, x: &Array) -> Array {
    let place = Place::caller();
    let print = ok(Print::new(text).map_err(|e| e.at(place)));
    apply(print, &[x]).remove(0)
}

/// Tells the process how to read [`debug_print`] from texts and tapes: as what prints, or as what gives the array back and is
/// silent. Without it, its name is all that a tape of another process has of it.
///
/// ```
/// use wengert::{custom, debug_print, record, Array, Tape};
/// let (_, tape) = record(|| debug_print("x = {}", &Array::from(1.5f32)));
/// let path = std::env::temp_dir().join(format!("printed-{}.tape", std::process::id()));
/// tape.save(&path)?;
/// custom::register_print(false);
/// let program = Tape::open(&path)?.to_program()?.program();
/// assert!(program.to_string().contains("x = {}"));
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn register_print(prints: bool) {
    let read = move |text: &str| Ok(Print { is_silent: !prints, ..Print::new(text)? });
    Custom::register(PRINT, read).expect("the name is a word that is no op");
}

/// Prints an array in a text of [`debug_print`].
pub(crate) fn print(text: &str, x: &Array) {
    match Print::new(text) {
        Ok(print) => println!("{}", print.filled(x)),
        Err(_) => println!("{text} {x}"),
    }
}

/// Says once that a device does not print, if a program does.
pub(crate) fn say_if_lost(program: &Program, device: &str) {
    static SAID: Once = Once::new();
    if !SAID.is_completed() && program.any(|_, e| matches!(&e.op, Op::Custom(op) if op.get().name() == PRINT)) {
        SAID.call_once(|| {
            say(&format!(
                "a `debug_print` inside of a function with rules of its own prints nothing on {device}; run it on the CPU to see it: \
                 `with_device(&Device::cpu(), ..)`"
            ));
        });
    }
}

/// Prints what goes through it.
#[derive(Debug)]
struct Print {
    text: String,
    /// What comes before the array and after it.
    around: [String; 2],
    /// How many digits are shown, if that was said.
    digits: Option<usize>,
    is_silent: bool,
}

impl Print {
    /// What a text asks for.
    fn new(text: &str) -> Result<Print> {
        let wrong = |m: String| {
            let e = Error::new(ErrorKind::Text, format!("`debug_print`: {m} in {text:?}"));
            e.note("what to do: write `{}` or `{:.3}` once, where the array is to stand, and `{{` for a brace")
        };
        let mut print = Print { text: text.into(), around: Default::default(), digits: None, is_silent: false };
        let (mut rest, mut found) = (text, false);
        while let Some(i) = rest.find(['{', '}']) {
            print.around[usize::from(found)].push_str(&rest[..i]);
            let brace = &rest[i..=i];
            rest = &rest[i + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                print.around[usize::from(found)].push_str(brace);
                rest = after;
                continue;
            }
            let end = rest.find('}').filter(|_| brace == "{");
            let Some(end) = end else { return Err(wrong(format!("there is a `{brace}` without its other"))) };
            if std::mem::replace(&mut found, true) {
                return Err(wrong("there is more than one place for the array".into()));
            }
            let format = &rest[..end];
            print.digits = match format.strip_prefix(":.").map(str::parse::<usize>) {
                None if format.is_empty() || format == ":" => None,
                // More digits than the largest number has are of no use, and a formatter takes no more than this.
                Some(Ok(digits)) if digits <= 1100 => Some(digits),
                _ => return Err(wrong(format!("`{{{format}}}` is no format"))),
            };
            rest = &rest[end + 1..];
        }
        print.around[usize::from(found)].push_str(rest);
        if !found && !text.is_empty() {
            print.around[0].push(' ');
        }
        Ok(print)
    }

    /// The text with a value in it; at the end, if it has no place for one.
    fn filled(&self, x: &Array) -> String {
        let value = self.digits.map_or_else(|| x.to_string(), |n| format!("{x:.n$}"));
        let [before, after] = &self.around;
        format!("{before}{value}{after}")
    }
}

impl CustomOp for Print {
    fn name(&self) -> &str {
        PRINT
    }
    fn attributes(&self) -> String {
        self.text.clone()
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        if !self.is_silent {
            // That an array is shown is nothing that the run did with it.
            let _silence = record::silence();
            println!("{}", self.filled(&Array::from_tensor(x[0].clone())));
        }
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
    apply(Callback::new(types, Arc::new(f)), x)
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

impl Callback {
    fn new(types: &[Type], f: Arc<HostFunction>) -> Callback {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Callback { number: NEXT.fetch_add(1, Ordering::Relaxed), types: types.into(), f }
    }
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
    fn with_result_types(&self, types: &[Type]) -> Option<Custom> {
        Some(Custom::new(Callback::new(types, self.f.clone())))
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        let x: Vec<Array> = x.iter().cloned().map(Array::from_tensor).collect();
        let y = match try_run(|| (self.f)(&x)) {
            Ok(y) => y,
            Err(e) => return Some(Err(e.note("it came in the function of `pure_callback`"))),
        };
        if y.iter().any(Array::is_traced) {
            let m =
                "the function of `pure_callback` uses an array of a transform around it, which sees nothing of that";
            return Some(Err(Error::new(ErrorKind::Run, m).note("what to do: give it that array among the operands")));
        }
        let y: Vec<Tensor> = y.iter().map(Array::to_tensor).collect();
        let given: Vec<Type> = y.iter().map(Tensor::ty).collect();
        if given != self.types {
            let m = format!("the function of `pure_callback` was said to give {:?}, and gave {given:?}", self.types);
            return Some(Err(Error::new(ErrorKind::Run, m).note("what to do: declare the types that it gives")));
        }
        Some(Ok(y))
    }
    fn tangents(&self, _: &mut Builder, _: &[Var], _: &[Var], _: &[Option<Var>]) -> Option<Result<Vec<Option<Var>>>> {
        let m = "`pure_callback` has no derivative: what its function does is not known";
        let to_do = "what to do: `custom_jvp` or `custom_vjp` around it gives it one; `stop_gradient` of its operands leaves it out";
        Some(Err(Error::new(ErrorKind::NoRule, m).note(to_do)))
    }
    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Option<Result<Vec<Batched>>> {
        Some(b.in_loop(Custom::new(self.clone()), x))
    }
}
