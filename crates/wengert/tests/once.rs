//! What derivatives run outside of staged functions: each op of the forward pass once, an op that holds programs at most
//! once more for each order, and the results are those of the staged derivative.

use std::cell::Cell;
use wengert::custom::{Builder, CustomOp, Var, apply};
use wengert::*;
use wengert_core::compare::Tolerance;
use wengert_core::ops::{Custom, Unary};

thread_local! {
    static SINES: Cell<usize> = const { Cell::new(0) };
    static COSINES: Cell<usize> = const { Cell::new(0) };
}

/// Sine and cosine, which count how often they run on this thread.
#[derive(Clone, Copy, Debug)]
enum Counted {
    Sine,
    Cosine,
}

impl CustomOp for Counted {
    fn name(&self) -> &str {
        match self {
            Counted::Sine => "once.sin",
            Counted::Cosine => "once.cos",
        }
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        let (count, f): (_, fn(f64) -> f64) = match self {
            Counted::Sine => (&SINES, f64::sin),
            Counted::Cosine => (&COSINES, f64::cos),
        };
        count.set(count.get() + 1);
        let y = x[0].to_vec::<f64>().map(|v| v.into_iter().map(f).collect());
        Some(y.and_then(|v| Tensor::new(x[0].shape().clone(), v)).map(|t| vec![t]))
    }
    fn elementwise(&self) -> bool {
        true
    }
    fn tangents(&self, b: &mut Builder, x: &[Var], _: &[Var], t: &[Option<Var>]) -> Option<Result<Vec<Option<Var>>>> {
        let slope = match self {
            Counted::Sine => b.one(Custom::new(Counted::Cosine), &[x[0]]),
            Counted::Cosine => {
                let y = b.unary(Unary::Sin, x[0]);
                b.neg(y)
            }
        };
        Some(Ok(vec![t[0].map(|t| b.mul(t, slope))]))
    }
}

fn sine(x: &Array) -> Array {
    apply(Counted::Sine, &[x]).remove(0)
}

/// How often sines and cosines run.
fn runs<T>(f: impl FnOnce() -> T) -> (T, usize, usize) {
    SINES.set(0);
    COSINES.set(0);
    let y = f();
    (y, SINES.get(), COSINES.get())
}

type Function<'a> = &'a (dyn Fn(Array) -> Array + Sync);

fn twice(x: Array) -> Array {
    sine(&(sine(&x) * &x)).sum(..)
}

fn point() -> Array {
    Array::from([0.1f64, -0.7, 1.3])
}

fn direction() -> Array {
    Array::from([1.0f64, 2.0, -1.0])
}

/// A derivative of a scalar function as an array, and its order.
type Derivative = (&'static str, usize, fn(Function<'_>) -> Array);

fn slope(f: Function<'_>, x: Array) -> Array {
    grad(|x: Array| f(x))(x)
}

/// The sum of the slopes: a scalar function again.
fn slopes(f: Function<'_>, x: Array) -> Array {
    (slope(f, x) * direction()).sum(..)
}

const DERIVATIVES: &[Derivative] = &[
    ("grad", 1, |f| slope(f, point())),
    ("value_and_grad", 1, |f| value_and_grad(|x: Array| f(x))(point()).1),
    ("jvp", 1, |f| jvp(|x: Array| f(x), (point(),), (direction(),)).1),
    ("vjp", 1, |f| {
        let (y, pull) = vjp(|x: Array| f(x), (point(),));
        pull.pull(y.ones_like()).0 + pull.pull(y).0
    }),
    ("linearize", 1, |f| {
        let (_, linear) = linearize(|x: Array| f(x), (point(),));
        linear.apply((direction(),)) + linear.apply((point(),))
    }),
    ("jacrev", 1, |f| jacrev(|x: Array| f(x))(point())),
    ("jacfwd", 1, |f| jacfwd(|x: Array| f(x))(point())),
    ("hvp", 2, |f| hvp(|x: Array| f(x), point(), direction())),
    ("hessian", 2, |f| hessian(|x: Array| f(x))(point())),
    ("grad of grad", 2, |f| slope(&|x| slopes(f, x), point())),
    ("jvp of grad", 2, |f| jvp(|x: Array| slope(f, x), (point(),), (direction(),)).1),
    ("grad of jvp", 2, |f| slope(&|x| jvp(|x: Array| f(x), (x,), (direction(),)).1, point())),
    ("grad of grad of grad", 3, |f| slope(&|x| slopes(&|x| slopes(f, x), x), point())),
    ("hvp of grad", 3, |f| hvp(|x: Array| slopes(f, x), point(), direction())),
];

/// Runs all derivatives of a function, staged and not, and gives each with what it ran to `check`.
fn each_derivative(f: Function<'_>, mut check: impl FnMut(&str, usize, [usize; 2])) {
    for (name, order, derivative) in DERIVATIVES {
        let (found, sines, cosines) = runs(|| derivative(f));
        check(name, *order, [sines, cosines]);
        // The same with the function inside staged, and all of it.
        let staged = jit(|(): ()| derivative(f))(());
        Tolerance::near(1e-10).check(&found.to_tensor(), &staged.to_tensor()).unwrap_or_else(|m| panic!("{name}: {m}"));
        let inside = derivative(&|x| jit(|x: Array| f(x))(x));
        Tolerance::near(1e-10).check(&found.to_tensor(), &inside.to_tensor()).unwrap_or_else(|m| panic!("{name}: {m}"));
    }
}

#[test]
fn every_op_of_the_forward_pass_runs_once() {
    each_derivative(&twice, |name, order, [sines, cosines]| {
        assert_eq!(sines, 2, "{name}");
        // The tangent of a sine is a cosine, and a derivative of a derivative may write down one that is there already.
        assert!(cosines == 2 || order > 1, "{name} runs {cosines} cosines");
    });
}

#[test]
fn what_is_captured_and_what_is_shared_runs_once() {
    let w = sine(&point());
    let f = |x: Array| {
        let y = sine(&x);
        (&y * &y * &w + y.sum(..)).sum(..)
    };
    each_derivative(&f, |name, _, [sines, _]| assert_eq!(sines, 1, "{name}"));
    // Of several results and arguments too.
    let g = |x: Array, y: Array| ((sine(&x) * sine(&y)).sum(..), sine(&x));
    let ((_, _), sines, _) = runs(|| value_and_grad(g).wrt(All)(point(), direction()));
    assert_eq!(sines, 3);
    let (_, sines, _) = runs(|| jacrev(|x: Array| sine(&x) * 2.0)(point()));
    assert_eq!(sines, 1);
}

#[test]
fn native_control_flow_runs_once() {
    let f = |x: Array| {
        let mut y = x;
        while y.abs().sum(..) > 0.5 {
            y = sine(&y) * 0.5;
        }
        y.sum(..)
    };
    let (_, once, _) = runs(|| f(point()));
    assert!(once > 1);
    let (_, sines, _) = runs(|| grad(f)(point()));
    assert_eq!(sines, once);
    let (_, sines, _) = runs(|| hvp(f, point(), direction()));
    assert_eq!(sines, once);
}

type Owned = Box<dyn Fn(Array) -> Array + Sync>;

/// Functions made of ops that hold programs, by name.
fn holding() -> Vec<(&'static str, Owned)> {
    let steps = || Array::from([0, 0, 0, 0, 0]);
    vec![
        ("jit", Box::new(|x| jit(|x: Array| sine(&(sine(&x) * &x)))(x).sum(..))),
        ("scan", Box::new(move |x| scan(|c: Array, _: Array| (sine(&c) * 1.5, ()), x, steps()).0.sum(..))),
        ("fori_loop", Box::new(|x| fori_loop(0, 5, |_, c: Array| sine(&c) * 1.5, x).sum(..))),
        ("map", Box::new(|x| map(|x: Array| sine(&x), x).sum(..))),
        ("cond", Box::new(|x| cond(x.sum(..).gt(0.0), |x: Array| sine(&x) * 2.0, |x: Array| x, x).sum(..))),
        ("scan of cond of jit", {
            let step = |c: Array| {
                cond(c.sum(..).gt(0.0), |c: Array| jit(|c: Array| sine(&c) * 2.0)(c), |c: Array| sine(&c), c)
            };
            Box::new(move |x| scan(move |c: Array, _: Array| (step(c), ()), x, steps()).0.sum(..))
        }),
    ]
}

#[test]
fn an_op_that_holds_programs_runs_at_most_once_more_for_each_order() {
    for (what, f) in holding() {
        let (_, once, _) = runs(|| f(point()));
        assert!(once > 0, "{what}");
        each_derivative(&*f, |name, order, [sines, _]| {
            assert!(sines <= once * (order + 1), "{name} of {what}: {sines} sines, and a run has {once}");
        });
    }
}

#[test]
fn a_loop_of_any_length_runs_once_more_forward() {
    let f = |x: Array| {
        let step = |(i, c): (Array, Array)| (i + 1, sine(&c) * 1.5);
        while_loop(|(i, _): (Array, Array)| i.lt(5), step, (Array::from(0), x)).1.sum(..)
    };
    let (_, once, _) = runs(|| f(point()));
    assert_eq!(once, 5);
    assert_eq!(runs(|| jvp(f, (point(),), (direction(),))).1, 2 * once);
    // Reverse mode runs steps again from checkpoints.
    each_derivative(&f, |_, _, _| ());
}

#[test]
fn functions_with_a_rule_of_their_own_run_once() {
    let checkpointed = checkpoint(|x: Array| sine(&(sine(&x) * &x)));
    assert_eq!(runs(|| checkpointed(point())).1, 2);
    let f = |x: Array| checkpointed(x).sum(..);
    // The backward pass computes what was not kept.
    each_derivative(&f, |name, order, [sines, _]| assert!(sines <= 2 * (order + 1), "{name}: {sines}"));
    // What is traced of a rule is the rule's.
    let with_jvp = custom_jvp(|x: Array| sine(&x), |(x,): (Array,), (t,): (Array,)| (x.sin(), x.cos() * t));
    assert_eq!(runs(|| with_jvp(point())).1, 1);
    each_derivative(&|x| with_jvp(x).sum(..), |name, _, [sines, _]| assert_eq!(sines, 1, "{name}"));
    let with_vjp =
        custom_vjp(|x: Array| sine(&x), |(x,): (Array,)| (x.sin(), x), |x: Array, ct: Array| (x.cos() * ct,));
    assert_eq!(runs(|| with_vjp(point())).1, 1);
    assert_eq!(runs(|| slope(&|x| with_vjp(x).sum(..), point())).1, 1);
    // An argument that is given back as it is.
    let beside = checkpoint(|x: Array| (x.clone(), sine(&x)));
    let ((x, y), sines, _) = runs(|| beside(point()));
    assert_eq!((x.to_vec::<f64>(), sines), (point().to_vec(), 1));
    assert_eq!(y.to_vec::<f64>(), point().sin().to_vec::<f64>());
}

#[test]
fn nothing_runs_twice_under_vmap() {
    let rows = || stack([point(), direction(), point() * 2.0], 0);
    let (y, sines, cosines) = runs(|| vmap(grad(twice))(rows()));
    // The value of the function is not asked for: only the inner sine is.
    assert_eq!((sines, cosines), (1, 2));
    let staged = jit(vmap(grad(twice)))(rows());
    Tolerance::near(1e-12).check(&y.to_tensor(), &staged.to_tensor()).unwrap();
    let (_, sines, cosines) = runs(|| vmap(value_and_grad(twice))(rows()));
    assert_eq!((sines, cosines), (2, 2));
    let (_, sines, _) = runs(|| vmap(|x: Array| hvp(twice, x, direction()))(rows()));
    assert!(sines <= 2);
    for (what, f) in holding().into_iter().filter(|(what, _)| !what.contains("cond")) {
        let (_, once, _) = runs(|| vmap(|x: Array| f(x))(rows()));
        let (y, sines, _) = runs(|| vmap(value_and_grad(|x: Array| f(x)))(rows()));
        assert!(sines <= once, "{what}: {sines} sines, and a run has {once}");
        let staged = jit(vmap(grad(|x: Array| f(x))))(rows());
        Tolerance::near(1e-12).check(&y.1.to_tensor(), &staged.to_tensor()).unwrap();
    }
}

#[test]
fn a_derivative_of_a_mapped_function_runs_it_once() {
    let rows = || stack([point(), direction(), point() * 2.0], 0);
    let f = |x: Array| vmap(twice)(x).sum(..);
    let (y, sines, cosines) = runs(|| grad(f)(rows()));
    assert_eq!((sines, cosines), (2, 2));
    Tolerance::near(1e-12).check(&y.to_tensor(), &jit(grad(f))(rows()).to_tensor()).unwrap();
    let g = |x: Array| vmap(grad(twice))(x).sum(..);
    let (y, sines, _) = runs(|| grad(g)(rows()));
    assert!(sines <= 2, "{sines}");
    Tolerance::near(1e-12).check(&y.to_tensor(), &jit(grad(g))(rows()).to_tensor()).unwrap();
    // What loops inside hold is not kept: they run in the form that keeps residuals.
    let h = |x: Array| vmap(|x: Array| fori_loop(0, 5, |_, c: Array| sine(&c) * 1.5, x).sum(..))(x).sum(..);
    let (y, sines, _) = runs(|| grad(h)(rows()));
    assert!(sines <= 10, "{sines}");
    Tolerance::near(1e-12).check(&y.to_tensor(), &jit(grad(h))(rows()).to_tensor()).unwrap();
}

#[test]
fn recorded_or_not_the_same_runs() {
    let (_, sines, cosines) = runs(|| grad(twice)(point()));
    let ((_, recorded, slopes), _tape) = record(|| {
        let (y, sines, cosines) = runs(|| grad(twice)(point()));
        (y, sines, cosines)
    });
    assert_eq!((recorded, slopes), (sines, cosines));
}

#[test]
fn nothing_runs_twice_because_another_thread_records() {
    let (begun, ended) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
    std::thread::scope(|s| {
        s.spawn(|| {
            record(|| {
                begun.wait();
                ended.wait();
            })
        });
        begun.wait();
        let (_, sines, cosines) = runs(|| grad(|x: Array| vmap(twice)(x).sum(..))(stack([point(), direction()], 0)));
        ended.wait();
        assert_eq!((sines, cosines), (2, 2));
    });
}
