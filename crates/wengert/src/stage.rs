//! Tracing functions of trees: what every transform begins with.

use crate::array::Array;
use crate::fail::ok;
use crate::function::{Args, Function};
use crate::trace::{About, Argument, Traced, trace};
use crate::tree::Tree;
use wengert_core::{Place, Program, Result};

/// Whether a transform gives its tracers the values of the arguments (concrete tracers) or not (abstract ones).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tracers {
    Abstract,
    Concrete,
}

/// Arguments taken apart.
pub(crate) struct Flat<A: Args> {
    pub(crate) leaves: Vec<Array>,
    pub(crate) structure: A::Structure,
}

impl<A: Args> Flat<A> {
    pub(crate) fn new(args: &A) -> Flat<A> {
        let mut leaves = Vec::new();
        let structure = args.flatten(&mut leaves);
        Flat { leaves, structure }
    }

    /// Names for the leaves: `arg0`, `arg1.w`.
    pub(crate) fn names(&self) -> Vec<String> {
        argument_names::<A>(&self.structure)
    }
}

pub(crate) fn argument_names<A: Args>(structure: &A::Structure) -> Vec<String> {
    let mut names = Vec::new();
    A::paths(structure, "", &mut names);
    names.into_iter().map(|n| format!("arg{n}")).collect()
}

/// Traces a function at these arguments.
pub(crate) fn stage<A: Args, R: Tree>(
    about: About,
    tracers: Tracers,
    flat: &Flat<A>,
    f: &dyn Fn(A) -> R,
) -> Result<Traced<R::Structure>> {
    let arguments = flat
        .leaves
        .iter()
        .zip(flat.names())
        .map(|(x, name)| Argument {
            ty: x.ty(),
            value: if tracers == Tracers::Concrete { x.value().cloned() } else { None },
            name,
        })
        .collect();
    trace(about, arguments, |x| call_flat(f, &flat.structure, x))
}

/// Calls a function of trees on leaves.
pub(crate) fn call_flat<A: Tree, R: Tree>(
    f: &dyn Fn(A) -> R,
    structure: &A::Structure,
    x: Vec<Array>,
) -> (Vec<Array>, R::Structure) {
    let out = f(A::unflatten(structure, &mut x.into_iter()));
    let mut leaves = Vec::new();
    let structure = out.flatten(&mut leaves);
    (leaves, structure)
}

/// The program a function is traced to at these arguments (only their types count).
///
/// ```
/// use wengert::{make_program, Array};
/// let p = make_program(|x: Array| (&x * 2.0).sin(), (Array::from([1.0f32, 2.0]),));
/// assert!(p.to_string().contains("sin"));
/// ```
#[track_caller]
pub fn make_program<A: Args, F: Function<A>>(f: F, args: A) -> Program
where
    F::Output: Tree,
{
    let about = About { by: "make_program", function: f.name().into(), place: Place::caller() };
    let traced = ok(stage(about, Tracers::Abstract, &Flat::new(&args), &|a| f.call(a)));
    traced.program
}
