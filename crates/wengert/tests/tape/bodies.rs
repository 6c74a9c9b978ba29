//! What bodies of loops and branches compute of arrays that are known: it is recorded before the loop, and followed (C8, C10).

use wengert::custom::{CustomOp, apply};
use wengert::tape::LiveRun;
use wengert::{
    Array, Capture, DType, Device, Recorder, ScanOptions, Tensor, TreeFn, Type, cond, custom_linear_solve, custom_root,
    fori_loop, grad, jit, jvp, lax, pure_callback, record, scan, scan_with, switch, track, untracked, vmap, while_loop,
};

fn two() -> Array {
    Array::from([1.0f32, 2.0])
}

fn other() -> Array {
    Array::from([0.5f32, -1.0])
}

/// Five steps of a loop that carries an array.
fn steps(f: impl Fn(Array) -> Array, init: Array) -> Array {
    scan_with(&ScanOptions { length: Some(5), ..Default::default() }, |c: Array, (): ()| (f(c), ()), init, ()).0
}

#[track]
fn tripled(k: &Array) -> Array {
    k * 3.0
}

#[track]
fn scaled(c: &Array, k: &Array) -> Array {
    c * (k * 3.0)
}

type Function = fn(Array) -> Array;
type Named = (&'static str, Function);

const LOOPS: [Named; 14] = [
    ("scan", |x| {
        let k = x.sin();
        steps(|c| c * (&k * 3.0), two())
    }),
    ("scan with a constant", |x| {
        let k = x.sin();
        steps(|c| c + Array::iota([2], 0, DType::F32) * &k + Array::iota([2], 0, DType::F32), two())
    }),
    ("scan that carries what is known", |x| {
        let k = x.sin();
        scan(|_: Array, y: Array| (&k * 3.0, y + k.cos()), two(), Array::ones([3, 2], DType::F32)).1.sum(0)
    }),
    ("unrolled scan", |x| {
        let k = x.sin();
        let options = ScanOptions { length: Some(5), unroll: 2, ..Default::default() };
        scan_with(&options, |c: Array, (): ()| (c * (&k * 3.0), ()), two(), ()).0
    }),
    ("fori_loop", |x| {
        let k = x.sin();
        fori_loop(0, 4, |i, c: Array| c * (&k * 3.0).cos() + i.to(DType::F32), two())
    }),
    ("while_loop", |x| {
        let k = x.cos();
        while_loop(|c: Array| c.sum(..).lt(&k * &k + 9.0).all(..), |c: Array| c + (&k * 0.5).exp(), two())
    }),
    ("cond", |x| {
        let k = x.sin();
        cond(k.sum(..).gt(0.0), |c: Array| c * (&k * 3.0), |c: Array| c - k.exp(), two())
    }),
    ("switch", |x| {
        let k = x.sin();
        switch(
            (k.sum(..) + 1.5).to(DType::I32),
            &[&|c: Array| c * k.cos(), &|c: Array| c + k.exp(), &|_| &k + 1.0],
            two(),
        )
    }),
    ("two loops deep", |x| {
        let k = x.sin();
        steps(|c| steps(|d| d * (&k * 0.5).cos() + &c, &c * (&k + 1.0)), two())
    }),
    ("a loop of what is known in a loop", |x| {
        let k = x.sin();
        steps(|c| c * steps(|d| d * k.cos(), &k * 2.0), two())
    }),
    ("a branch in a loop", |x| {
        let k = x.sin();
        steps(|c| cond(c.sum(..).gt(1.0), |c: Array| c * (&k * 0.5), |c: Array| c + k.exp(), c), two())
    }),
    ("custom_linear_solve", |x| {
        let k = x.abs();
        let solve = |f: &TreeFn<Array>, b: Array| steps(|y| &y + (&b - f(y.clone())) / (&k + 4.0), b.clone());
        custom_linear_solve(|y: Array| y * (&k + 4.0), two(), solve, Some(&solve))
    }),
    ("linear_solve", |x| {
        let k = x.abs();
        let solve = |b: Array| b / (&k + 4.0);
        lax::linear_solve(solve, |y: Array| y * (&k + 4.0), Some(&solve), two())
    }),
    ("custom_root", |x| {
        let k = x.abs();
        let newton = |f: &TreeFn<Array>, y: Array| steps(|y| &y - f(y.clone()) / (2.0 * &y), y);
        custom_root(|y: Array| &y * &y - (&k + 1.0), two(), newton, |g, y| y / g(Array::ones([2], DType::F32)))
    }),
];

const CALLS: [Named; 12] = [
    ("a tracked function of what is known", |x| {
        let k = x.sin();
        steps(|c| c * tripled(&k), two())
    }),
    ("a tracked function of both", |x| {
        let k = x.sin();
        steps(|c| scaled(&c, &k), two())
    }),
    ("a function of ours", |x| {
        let k = x.sin();
        steps(|c| c * k.softmax(-1) + k.mean(..), two())
    }),
    ("a recording", |x| {
        let k = x.sin();
        steps(|c| c * record(|| &k * 3.0).0, two())
    }),
    ("jit", |x| {
        let (k, f) = (x.sin(), jit(|k: Array| k * 3.0));
        steps(|c| c * f(k.clone()), two())
    }),
    ("grad", |x| {
        let k = x.sin();
        steps(|c| c * grad(|k: Array| (k.sin() * &k).sum(..))(k.clone()), two())
    }),
    ("jvp", |x| {
        let k = x.sin();
        steps(|c| c * jvp(|k: Array| k.sin() * &k, (k.clone(),), (two(),)).1, two())
    }),
    ("vmap", |x| {
        let k = x.sin();
        steps(|c| c * vmap(|k: Array| k.sin() * 3.0)(k.clone()), two())
    }),
    ("vmap of both", |x| {
        let k = x.sin();
        steps(|c| vmap(|y: Array| y * (&k * 3.0).sum(..))(c), two())
    }),
    ("vmap of what is known, with the carry", |x| {
        let k = x.sin();
        steps(|c| vmap(|k: Array| &k * &c * k.sin())(k.clone()).sum(0), two())
    }),
    ("grad of what is known, with the carry", |x| {
        let k = x.sin();
        steps(|c| grad(|k: Array| (k.sin() * &c).sum(..))(k.clone()), two())
    }),
    ("grad in vmap", |x| {
        let k = x.sin();
        steps(|c| vmap(|y: Array| y * grad(|k: Array| (k.sin() * &k).sum(..))(k.clone()).sum(..))(c), two())
    }),
];

const AROUND: [Named; 8] = [
    ("in vmap", |x| {
        let k = x.sin();
        vmap(|y: Array| steps(|c| c * (&k * 3.0).sum(..), y))(two())
    }),
    ("in vmap of vmap", |x| {
        let k = x.sin();
        vmap(|y: Array| vmap(|z: Array| steps(|c| c * k.cos().sum(..) + &y, z))(two()))(two())
    }),
    ("in grad", |x| {
        let k = x.sin();
        grad(|y: Array| steps(|c| c * (&k * 3.0), y).sum(..))(two())
    }),
    ("in grad of what it computes of", |x| {
        grad(|y: Array| {
            let k = y.sin();
            steps(|c| c * (&k * 3.0), two()).sum(..)
        })(x)
    }),
    ("in vmap of grad", |x| {
        let k = x.sin();
        vmap(grad(|y: Array| steps(|c| c * k.cos().sum(..), y)))(two())
    }),
    ("in grad of vmap", |x| {
        let k = x.sin();
        grad(|y: Array| vmap(|z: Array| steps(|c| c * (&k * 3.0).sum(..), z))(y).sum(..))(two())
    }),
    ("in checkpoint", |x| {
        let k = x.sin();
        let f = wengert::checkpoint(|y: Array| steps(|c| c * (&k * 3.0), y));
        grad(move |y: Array| f(y).sum(..))(two())
    }),
    ("in a recording", |x| {
        let k = x.sin();
        Recorder::new().capture(Capture::Values).record(|| steps(|c| c * (&k * 3.0), two())).0
    }),
];

/// After a change of `x`, an update and the program give what a new run gives.
fn follows(f: Function) -> Result<(), String> {
    let mut live = Recorder::new().live(f, (two(),));
    let failed = |what: &str, live: &LiveRun<(Array,), Array>| format!("{what}\n{}", live.tape());
    if !live.value().to_tensor().same_bits(&f(two()).to_tensor()) {
        return Err(failed("recording changed the value", &live));
    }
    let p = live.tape().to_program().map_err(|e| failed(&e.to_string(), &live))?;
    live.set(live.argument(0), other()).unwrap();
    live.update().map_err(|e| failed(&e.to_string(), &live))?;
    if !live.value().to_tensor().same_bits(&f(other()).to_tensor()) {
        return Err(failed("an old value", &live));
    }
    let mut inputs = p.recorded_inputs(live.tape()).ok_or("an input is not known")?;
    inputs[0] = other().to_tensor();
    let y = p.run_guarded(&Device::cpu(), inputs).map_err(|e| failed(&e.to_string(), &live))?;
    if y[0].same_bits(&f(other()).to_tensor()) { Ok(()) } else { Err(failed(p.program().to_string().as_str(), &live)) }
}

#[track_caller]
fn all_follow(functions: &[Named]) {
    let failed = |(name, f): &Named| follows(*f).err().map(|e| format!("{name}: {e}\n"));
    let failures: Vec<String> = functions.iter().filter_map(failed).collect();
    assert!(failures.is_empty(), "{}", failures.concat());
}

#[test]
fn c8_c10_what_bodies_compute_of_known_arrays_is_followed() {
    all_follow(&LOOPS);
}

#[test]
fn c8_c10_loops_inside_of_transforms_are_followed() {
    all_follow(&AROUND);
}

#[test]
fn c8_c10_calls_in_bodies_are_followed() {
    all_follow(&CALLS);
}

/// What the host saw of an array, and where nothing was recorded: after a change of `x`, an update says so.
const NOT_FOLLOWED: [Named; 11] = [
    ("nothing recorded", |x| {
        let k = x.sin();
        steps(|c| c * untracked!(&k * 3.0), two())
    }),
    ("a number in a loop", |x| {
        let k = x.sin();
        steps(|c| c * k.sum(..).item::<f32>(), two())
    }),
    ("a number of what is computed in a loop", |x| {
        let k = x.sin();
        steps(|c| c * (&k * 3.0).sum(..).item::<f32>(), two())
    }),
    ("a number in a branch in vmap", |x| {
        let k = x.sin();
        let double = |y: Array| y * (k.sum(..).item::<f32>() * 2.0);
        vmap(|y: Array| cond(y.gt(1.0), double, |y: Array| y, y.clone()))(two())
    }),
    ("a callback", |x| {
        let k = x.sin();
        times(move || k.to_vec::<f32>()[1], &two())
    }),
    ("a callback that computes", |x| {
        let k = x.sin();
        times(move || (&k * 2.0).sum(..).item::<f32>(), &two())
    }),
    ("a callback in jit", |x| {
        let k = x.sin();
        jit(move |y: Array| {
            let k = k.clone();
            times(move || k.to_vec::<f32>()[1], &y)
        })(two())
    }),
    ("a callback in jit that computes", |x| {
        let k = x.sin();
        jit(move |y: Array| {
            let k = k.clone();
            times(move || (&k * 2.0).sum(..).item::<f32>(), &y)
        })(two())
    }),
    ("a callback in a loop", |x| {
        let k = x.sin();
        steps(
            move |c| {
                let k = k.clone();
                times(move || k.to_tensor().to_vec::<f32>().unwrap()[1], &c)
            },
            two(),
        )
    }),
    ("a callback in vmap", |x| {
        let k = x.sin();
        vmap(move |y: Array| {
            let k = k.clone();
            times(move || k.to_vec::<f32>()[1], &y)
        })(two())
    }),
    ("an op of the user's", |x| apply(Shifted(x.sin()), &[&two()]).remove(0)),
];

/// The array times a number, by a function of the host.
fn times(number: impl Fn() -> f32 + Send + Sync + 'static, x: &Array) -> Array {
    pure_callback(move |x| vec![&x[0] * number()], &[x.ty()], &[x]).remove(0)
}

/// Adds the first element of an array that the op holds.
#[derive(Clone, Debug)]
struct Shifted(Array);

impl CustomOp for Shifted {
    fn name(&self) -> &str {
        "test.shifted"
    }
    fn infer(&self, x: &[Type]) -> wengert::Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<wengert::Result<Vec<Tensor>>> {
        let shift = self.0.to_vec::<f32>()[0];
        let shifted: Vec<f32> = x[0].to_vec::<f32>().unwrap().into_iter().map(|x| x + shift).collect();
        Some(Tensor::from_slice([shifted.len()], &shifted).map(|y| vec![y]))
    }
}

#[test]
fn c10_what_bodies_and_callbacks_read_is_never_old() {
    let mut failures = String::new();
    for (name, f) in NOT_FOLLOWED {
        let mut live = Recorder::new().live(f, (two(),));
        let p = live.tape().to_program().ok();
        let inputs = p.as_ref().and_then(|p| p.recorded_inputs(live.tape()));
        live.set(live.argument(0), other()).unwrap();
        if live.update().is_ok() && live.tape().stale_reads().next().is_none() {
            failures += &format!("{name}: the update says nothing\n{}", live.tape());
        }
        live.update_or_rerun().unwrap();
        if live.value().to_tensor() != f(other()).to_tensor() {
            failures += &format!("{name}: an old value\n{}", live.tape());
        }
        if let (Some(p), Some(mut inputs)) = (p, inputs) {
            inputs[0] = other().to_tensor();
            let y = p.run_guarded(&Device::cpu(), inputs);
            if p.unchecked().next().is_none() && y.is_ok_and(|y| y != [f(other()).to_tensor()]) {
                failures += &format!("{name}: an old program\n{}", p.program());
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// A constant of the run that a body captures is one array, wherever it is used, and what the body decides by it a decision.
#[test]
fn c10_constants_that_bodies_capture_are_set_in_all_places() {
    let recorded = |f: fn(Array) -> Array| Recorder::new().capture(Capture::Values).record(|| f(Array::from(2.0f64)));
    let both: [Named; 5] = [
        ("fori_loop", |k| {
            let twice = &k * 2.0;
            fori_loop(0, 2, |_, c: Array| c * &twice + &k, Array::from(1.0f64))
        }),
        ("cond", |k| {
            let twice = &k * 2.0;
            cond(Array::from(true), |c: Array| c * &twice + &k, |c: Array| c - &k, Array::from(1.0f64))
        }),
        ("vmap", |k| {
            let twice = &k * 2.0;
            vmap(|c: Array| c * &twice + &k)(Array::from([1.0f64, 2.0])).sum(..)
        }),
        ("grad", |k| {
            let twice = &k * 2.0;
            grad(|c: Array| &c * &c * &twice + c * &k)(Array::from(3.0f64))
        }),
        ("in the body first", |k| {
            let y = fori_loop(0, 2, |_, c: Array| c * &k, Array::from(1.0f64));
            y + &k * 2.0
        }),
    ];
    for (name, f) in both {
        let (_, mut tape) = recorded(f);
        let k =
            tape.nodes().find(|n| n.value(0).is_some_and(|v| v == Tensor::scalar(2.0f64))).expect("the constant").id();
        tape.set(k, Tensor::scalar(-1.0f64)).unwrap();
        tape.update(&Device::cpu()).unwrap();
        let want = f(Array::from(-1.0f64)).to_tensor();
        assert_eq!(tape.root().value(0).unwrap(), want, "{name}\n{tape}");
    }
    let (_, mut tape) = recorded(|k| {
        fori_loop(0, 2, |_, c: Array| if &k * 2.0 > 0.0 { c * (&k * 2.0) } else { c * (&k * 3.0) }, Array::from(1.0f64))
    });
    tape.set(1, Tensor::scalar(-1.0f64)).unwrap();
    assert!(tape.update(&Device::cpu()).is_err(), "{tape}");
}
