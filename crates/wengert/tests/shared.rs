//! Arguments that `vmap` shares among all examples: the function may read them, as JAX has it.

use proptest::collection::vec;
use proptest::prelude::*;
use wengert::tape::UpdateOutcome;
use wengert::*;
use wengert_core::compare::Tolerance;
use wengert_testing::{Choices, Recipe, random_program, random_values};

const SHARED: [Option<isize>; 2] = [None, Some(0)];

fn examples() -> Array {
    Array::from([1.0f32, 2.0, 3.0])
}

/// Decides by the argument that is shared.
fn by_sign(w: Array, x: Array) -> Array {
    if w.item::<f32>() > 0.0 { (&w + 1.0) * x } else { x - w.sin() }
}

/// The same, of all examples.
fn by_sign_of_all(w: Array, x: Array) -> Array {
    vmap(by_sign).in_axes(SHARED)(w, x)
}

fn scalar(x: f32) -> Array {
    Array::from(x)
}

#[test]
fn b1_the_host_may_read_what_is_shared() {
    for w in [2.0, -2.0] {
        let each: Vec<f32> = [1.0, 2.0, 3.0].map(|x| by_sign(scalar(w), scalar(x)).item()).into();
        assert_eq!(by_sign_of_all(scalar(w), examples()).to_vec::<f32>(), each);
        // Nested, shared by both, and by one alone.
        let rows = stack([examples(), examples()], 0);
        let twice = vmap(by_sign_of_all).in_axes(SHARED)(scalar(w), rows.clone());
        assert_eq!(twice.to_vec::<f32>(), [each.clone(), each.clone()].concat());
        let inner = |w: Array, v: Array, x: Array| {
            vmap(|x: Array, v: Array| by_sign(w.clone(), x) * v).in_axes([Some(0), None])(x, v)
        };
        let scaled = vmap(inner).in_axes([None, Some(0), Some(0)])(scalar(w), Array::from([1.0f32, 2.0]), rows);
        let doubled = each.iter().map(|y| y * 2.0).collect::<Vec<f32>>();
        assert_eq!(scaled.to_vec::<f32>(), [each, doubled].concat());
    }
    // What is mapped has no value, and what is made of it neither.
    let e = try_run(|| {
        vmap(|w: Array, x: Array| if (&w * &x) > 1.0 { x } else { w }).in_axes(SHARED)(scalar(1.0), examples())
    });
    assert!(e.unwrap_err().to_string().contains("while `vmap` traces it has no value"));
}

#[test]
fn b1_what_is_shared_is_abstract_where_it_is_so_outside() {
    let e = try_run(|| jit(by_sign_of_all)(scalar(1.0), examples())).unwrap_err().to_string();
    assert!(e.contains("has no value"), "{e}");
    let staged = jit(vmap(|w: Array, x: Array| w.sin() * x).in_axes(SHARED));
    assert_eq!(staged(scalar(2.0), examples()).to_vec::<f32>(), (scalar(2.0).sin() * examples()).to_vec::<f32>());
    // With guards, each path is staged.
    let guarded = jit(by_sign_of_all).with_guards();
    for w in [2.0, -2.0, 3.0, -1.5] {
        let expected = by_sign_of_all(scalar(w), examples()).to_vec::<f32>();
        assert_eq!(guarded(scalar(w), examples()).to_vec::<f32>(), expected);
    }
}

#[test]
fn b1_derivatives_in_what_is_shared() {
    for w in [2.0f32, -2.0] {
        let slope = if w > 0.0 { 6.0 } else { -3.0 * w.cos() };
        let near = |got: Array, want: f32| assert!((got.item::<f32>() - want).abs() < 1e-5, "{got} {want}");
        near(grad(|w: Array, x: Array| by_sign_of_all(w, x).sum(..))(scalar(w), examples()), slope);
        near(jvp(|w: Array| by_sign_of_all(w, examples()).sum(..), (scalar(w),), (scalar(1.0),)).1, slope);
        let curve = if w > 0.0 { 0.0 } else { 3.0 * w.sin() };
        near(grad(grad(|w: Array| by_sign_of_all(w, examples()).sum(..)))(scalar(w)), curve);
        // The gradient of each example.
        let each = vmap(grad(by_sign)).in_axes(SHARED)(scalar(w), examples());
        let expected: Vec<f32> = [1.0f32, 2.0, 3.0].map(|x| if w > 0.0 { x } else { -w.cos() }).into();
        assert_eq!(each.shape()[..], [3]);
        each.to_vec::<f32>().iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-6));
        let in_x = vmap(grad(by_sign).wrt(Arg::<1>)).in_axes(SHARED)(scalar(w), examples());
        assert_eq!(in_x.to_vec::<f32>(), [if w > 0.0 { w + 1.0 } else { 1.0 }; 3]);
    }
}

#[test]
fn b1_an_axis_has_no_value_although_all_is_shared() {
    let f = vmap(|w: Array| if w > 1.0 { &w * axis_index("i").to(DType::F32) + psum(&w, "i") } else { w })
        .in_axes([None])
        .axis_name("i")
        .axis_size(3);
    assert_eq!(f(scalar(2.0)).to_vec::<f32>(), [6.0, 8.0, 10.0]);
    assert_eq!(f(scalar(0.5)).to_vec::<f32>(), [0.5; 3]);
    let (y, tape) = record(|| f(scalar(2.0)));
    assert_eq!(y.to_vec::<f32>(), [6.0, 8.0, 10.0], "{tape}");
}

type Function = fn(Array, Array) -> Array;

/// Functions that read what is shared, in ways that a recording around them has to know of.
const READERS: [Function; 10] = [
    by_sign_of_all,
    |w, x| vmap(|w: Array, x: Array| x * w.item::<f32>()).in_axes(SHARED)(w, x),
    |w, x| vmap(|w: Array, x: Array| if w.sin().to_f64() > 0.5 { x * w } else { x }).in_axes(SHARED)(w.cos(), x),
    |w, x| vmap(|w: Array, x: Array| x + format!("{w}").len() as f32 + w.to_vec::<f32>()[0]).in_axes(SHARED)(w, x),
    |w, x| vmap(by_sign_of_all).in_axes(SHARED)(w, stack([x.clone(), x], 0)),
    |w, x| grad(|w: Array, x: Array| by_sign_of_all(w, x).sum(..))(w, x),
    |w, x| vmap(grad(by_sign)).in_axes(SHARED)(w, x),
    |w, x| vmap(move |x: Array| grad(|x: Array, w: Array| by_sign(w, x)).wrt(Arg::<1>)(x, w.clone()))(x),
    |w, x| {
        let v = &w * 2.0;
        vmap(move |w: Array, x: Array| if (&w + &v) > 1.0 { x * &v } else { w - x }).in_axes(SHARED)(w, x)
    },
    // A read of a run that comes to no end.
    |w, x| {
        let ends = |w: Array, x: Array| if w > 1.0 { x } else { x.reshape([2]) };
        let came = try_run(|| vmap(ends).in_axes(SHARED)(w.clone(), x.clone())).is_ok();
        if came { x * 2.0 } else { x }
    },
];

#[test]
fn c10_what_the_host_reads_of_a_shared_argument_counts() {
    let values = [2.0f32, -2.0, -1.0, 0.25, 3.0, 0.5, 2.0];
    let mut updated = 0;
    for (i, f) in READERS.into_iter().enumerate() {
        for recorder in [Recorder::new, || Recorder::new().every_step()] {
            let mut live = recorder().live(f, (scalar(2.0), examples()));
            assert_eq!(live.value().to_tensor(), f(scalar(2.0), examples()).to_tensor(), "{i}");
            for w in values {
                let fresh = f(scalar(w), examples()).to_tensor();
                live.set(live.argument(0), scalar(w)).unwrap();
                if live.update().is_ok() && live.tape().stale_reads().next().is_none() {
                    assert_eq!(live.value().to_tensor(), fresh, "function {i} at {w}\n{}", live.tape());
                    updated += 1;
                }
                live.update_or_rerun().unwrap();
                assert_eq!(live.value().to_tensor(), fresh, "function {i} at {w}\n{}", live.tape());
            }
            let Ok(p) = live.tape().to_program() else { continue };
            let inputs = p.recorded_inputs(live.tape()).filter(|_| p.unchecked().next().is_none());
            let at = p.inputs().iter().position(|&(n, _)| n == live.argument(0));
            let (Some(inputs), Some(at)) = (inputs, at) else { continue };
            for w in values {
                let mut inputs = inputs.clone();
                inputs[at] = scalar(w).to_tensor();
                if let Ok(y) = p.run_guarded(&Device::cpu(), inputs) {
                    assert_eq!(y, [f(scalar(w), examples()).to_tensor()], "function {i} at {w}\n{}", live.tape());
                }
            }
        }
    }
    assert!(updated > 20, "{updated}");
}

#[test]
fn c10_an_update_recomputes_where_the_reads_stay() {
    let mut live = Recorder::new().live(by_sign_of_all, (scalar(2.0), examples()));
    live.set(live.argument(1), Array::from([5.0f32, 6.0, 7.0])).unwrap();
    assert!(matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Updated(_)), "{}", live.tape());
    assert_eq!(live.value().to_vec::<f32>(), [15.0, 18.0, 21.0]);
    // That an array from outside of the recording was read is known too.
    let outside = scalar(2.0);
    let mut live = Recorder::new().live(move |x: Array| by_sign_of_all(outside.clone(), x), (examples(),));
    let node = live.tape().nodes().find(|n| n.function() == "constant").unwrap().id();
    live.set(node, scalar(-2.0)).unwrap();
    assert_eq!(live.update().unwrap_err().kind(), ErrorKind::Flipped, "{}", live.tape());
}

proptest! {
    #![proptest_config(wengert_testing::cases(60))]

    #[test]
    fn b1_random_programs_with_some_inputs_shared(
        numbers in vec(any::<u16>(), 0..200),
        values in vec(any::<u16>(), 200),
        shared in vec(any::<bool>(), 12),
    ) {
        const SIZE: usize = 3;
        let p = random_program(&Recipe::smooth(), &mut Choices::new(&numbers));
        let mut choices = Choices::new(&values);
        let mut member = || -> Vec<Array> {
            random_values(&p.input_types(), &mut choices, true).into_iter().map(Array::from_tensor).collect()
        };
        let members: Vec<Vec<Array>> = (0..SIZE).map(|_| member()).collect();
        let is_shared = |i: usize| shared[i % shared.len()];
        let given = |m: usize, i: usize| if is_shared(i) { members[0][i].clone() } else { members[m][i].clone() };
        let inputs = 0..p.inputs().len();
        let each: Vec<Vec<Array>> =
            (0..SIZE).map(|m| call_program(&p, &inputs.clone().map(|i| given(m, i)).collect::<Vec<_>>())).collect();
        // The first argument is shared, and holds the inputs that are.
        let (w, x): (Vec<usize>, Vec<usize>) = inputs.clone().partition(|&i| is_shared(i));
        let f = |given: Vec<Array>, mapped: Vec<Array>| {
            let (mut given, mut mapped) = (given.into_iter(), mapped.into_iter());
            let x: Vec<Array> =
                inputs.clone().map(|i| if is_shared(i) { given.next() } else { mapped.next() }.expect("one each")).collect();
            call_program(&p, &x)
        };
        let w: Vec<Array> = w.into_iter().map(|i| members[0][i].clone()).collect();
        let x: Vec<Array> = x.into_iter().map(|i| stack(members.iter().map(|m| m[i].clone()).collect::<Vec<_>>(), 0)).collect();
        let all = || vmap(f).in_axes(SHARED).axis_size(SIZE);
        let total = |y: Vec<Array>| {
            y.iter().filter(|y| y.dtype().is_float()).fold(Array::from(0.0f64), |sum, y| sum + y.sum(..))
        };
        let same = |what: &str, found: &[Array], expected: &[Array]| {
            found.iter().zip(expected).try_for_each(|(f, e)| {
                let near = Tolerance::near(1e-9).check(&f.to_tensor(), &e.to_tensor());
                near.map_err(|m| TestCaseError::fail(format!("{what}: {m}\n{p}")))
            })
        };
        let expected: Vec<Array> =
            (0..p.outputs().len()).map(|o| stack(each.iter().map(|y| y[o].clone()).collect::<Vec<_>>(), 0)).collect();
        same("vmap", &all()(w.clone(), x.clone()), &expected)?;
        same("jit of vmap", &jit(all())(w.clone(), x.clone()), &expected)?;
        let (recorded, tape) = record(|| all()(w.clone(), x.clone()));
        same("recorded", &recorded, &expected)?;
        prop_assert!(tape.to_program().is_ok());
        if w.iter().all(|w| w.dtype().is_float()) && !w.is_empty() {
            let of_loop = |w: Vec<Array>| {
                (0..SIZE).map(|m| total(f(w.clone(), x.iter().map(|x| x.get(m)).collect()))).fold(Array::from(0.0f64), |a, b| a + b)
            };
            let slope = grad(of_loop)(w.clone());
            same("grad of vmap", &grad(|w: Vec<Array>| total(all()(w, x.clone())))(w.clone()), &slope)?;
            let each = vmap(grad(|w: Vec<Array>, x: Vec<Array>| total(f(w, x)))).in_axes(SHARED).axis_size(SIZE);
            let summed: Vec<Array> = each(w.clone(), x.clone()).iter().map(|d| d.sum(0)).collect();
            same("vmap of grad", &summed, &slope)?;
        }
    }
}
