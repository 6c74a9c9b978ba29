//! C10 of what the host has: numbers that a run gives, numbers that tracked functions give to code that is not tracked, loops that
//! count beside arrays, and random programs of all of that, against new runs.

// Functions as users write them.
#![allow(
    clippy::assign_op_pattern,
    clippy::manual_swap,
    clippy::vec_init_then_push,
    clippy::needless_borrows_for_generic_args,
    clippy::redundant_closure
)]

use super::random_runs::Random;
use wengert::tape::UpdateOutcome;
use wengert::{Array, Capture, Device, ErrorKind, Recorder, Static, Tree, record, track, untracked};

/// Whether an update follows each of these changes of the argument; what comes out is what a new run gives, updated or run again.
#[track_caller]
fn follows<R: Tree>(
    f: impl Fn(Array) -> R + Send + Sync + Copy,
    text: impl Fn(R) -> String,
    values: &[f64],
) -> Vec<bool> {
    let mut live = Recorder::new().live(f, (Array::from(2.0),));
    let mut follow = Vec::new();
    for &x in values {
        let fresh = text(f(Array::from(x)));
        live.set(live.argument(0), Array::from(x)).unwrap();
        // Asked again, it says the same.
        let updated = [live.update().is_ok(), live.update().is_ok()];
        assert_eq!(updated[0], updated[1], "{}", live.tape());
        if updated[0] {
            assert_eq!(text(live.value()), fresh, "an old value with {x}\n{}", live.tape());
        }
        let outcome = live.update_or_rerun().unwrap();
        assert_eq!(matches!(outcome, UpdateOutcome::Updated(_)), updated[0]);
        assert_eq!(text(live.value()), fresh, "run again with {x}\n{}", live.tape());
        follow.push(updated[0]);
    }
    follow
}

fn debug<R: std::fmt::Debug>(x: R) -> String {
    format!("{x:?}")
}

const OTHERS: [f64; 4] = [3.0, 5.0, 0.5, 2.0];

#[track]
fn shifted(x: Array) -> f64 {
    let v = x.to_f64();
    v + 1.0
}

#[track]
fn beside(x: Array) -> (f64, Array) {
    let v = x.to_f64();
    (v * 3.0, x * v)
}

/// Numbers that the run gives, alone or beside arrays, are followed where its function is tracked.
#[test]
fn c10_numbers_that_a_run_gives() {
    #[track]
    fn perhaps(x: Array) -> Option<f64> {
        let v = x.to_f64();
        Some(v - 1.0)
    }
    #[track]
    fn several(x: Array) -> (Option<f64>, [f64; 2], bool, i32) {
        let v = x.to_f64();
        (Some(v), [v, v * 2.0], v > 4.0, 7)
    }
    #[derive(Tree, Clone, Debug)]
    struct Fit {
        slope: f64,
        at: Array,
        #[tree(static)]
        steps: usize,
    }
    #[track]
    fn fitted(x: Array) -> Fit {
        let v = x.to_f64();
        let mut steps = 0;
        while steps < 3 {
            steps += 1;
        }
        Fit { steps, at: &x * v, slope: v / 4.0 }
    }
    #[track]
    fn list(x: Array) -> Vec<Array> {
        let v = x.to_f64();
        let mut list = Vec::new();
        list.push(&x * v);
        list.push(x);
        list
    }
    #[track]
    fn doubled(x: &Array) -> Result<Array, f64> {
        let v = x.to_f64();
        if v < 0.0 {
            return Err(v);
        }
        Ok(x * v)
    }
    #[track]
    fn tried(x: Array) -> Option<Array> {
        let y = doubled(&x).ok()?;
        Some(y + 1.0)
    }
    assert_eq!(follows(shifted, debug, &OTHERS), [true; 4]);
    assert_eq!(follows(&shifted, debug, &OTHERS), [true; 4]);
    assert_eq!(follows(beside, debug, &OTHERS), [true; 4]);
    assert_eq!(follows(perhaps, debug, &OTHERS), [true; 4]);
    assert_eq!(follows(several, debug, &OTHERS), [true; 4]);
    assert_eq!(follows(fitted, debug, &OTHERS), [true; 4]);
    assert_eq!(follows(list, debug, &OTHERS), [true; 4]);
    assert_eq!(follows(tried, debug, &OTHERS), [true; 4]);
    // What the tape shows of it is not that of the run either.
    let mut live = Recorder::new().live(perhaps, (Array::from(2.0),));
    live.set(live.argument(0), Array::from(3.0)).unwrap();
    live.update().unwrap();
    assert!(!live.tape().to_string().contains("Some(1.0)"), "{}", live.tape());
}

/// Two numbers that were equal in the run are told apart by a run alone.
#[test]
fn c10_numbers_that_were_equal() {
    #[track]
    fn twin(x: Array) -> (f64, f64) {
        let v = x.to_f64();
        let (a, b) = (v * 3.0, v + 4.0);
        (a, b)
    }
    #[track]
    fn twins(x: Array) -> (f64, f64) {
        let v = x.to_f64();
        let a = v * 3.0;
        let b = v + 4.0;
        (a, b)
    }
    #[track]
    fn chosen(x: Array) -> (f64, f64) {
        let v = x.to_f64();
        let b = v - 1.0;
        let a = v * 3.0;
        if v > 0.0 { (a, 1.0) } else { (b, 2.0) }
    }
    assert_eq!(follows(twins, debug, &OTHERS), [false, true, true, true]);
    follows(twin, debug, &OTHERS);
    follows(chosen, debug, &[3.0, -5.0, 0.5, 2.0]);
}

/// What tracked functions give to code that is not tracked may go anywhere.
#[test]
fn c10_numbers_that_tracked_functions_give_to_others() {
    #[track]
    fn half(x: &Array) -> f64 {
        x.to_f64() * 0.5
    }
    #[track]
    fn pair(x: &Array, z: &Array) -> (f64, Array) {
        let v = z.to_f64();
        (v, x.clone())
    }
    #[track]
    fn line(x: &Array) -> impl Fn(f64) -> f64 + use<> {
        let v = x.to_f64();
        move |y| v * y
    }
    #[track]
    fn apart(x: Array) -> Array {
        let one = Array::from(1.0);
        let (n, y) = pair(&one, &x);
        y * n
    }
    #[track]
    fn through_closure(x: Array) -> Array {
        let n = Some(&x).map(|x| half(x).max(1.25)).unwrap();
        Array::from(2.0) * n
    }
    #[track]
    fn opaque(x: Array) -> Array {
        let g = line(&x);
        Array::from(2.0) * g(3.0)
    }
    /// Not the method of that name.
    fn item(x: &Array) -> f64 {
        x.item::<f64>().max(2.5)
    }
    #[track]
    fn namesake(x: Array) -> Array {
        let v = item(&x);
        Array::from(2.0) * v
    }
    assert_eq!(follows(|x: Array| shifted(x.clone()).max(2.5), debug, &OTHERS), [false; 4]);
    assert_eq!(follows(|x: Array| &x * shifted(x.clone()), debug, &OTHERS), [false; 4]);
    assert_eq!(follows(|x: Array| beside(x).0, debug, &OTHERS), [false; 4]);
    follows(apart, debug, &OTHERS);
    follows(through_closure, debug, &OTHERS);
    follows(opaque, debug, &OTHERS);
    follows(namesake, debug, &OTHERS);
}

/// So do programs: they say where such a number would be another.
#[test]
fn c8_numbers_that_tracked_functions_give_to_others_are_guarded() {
    let x = Array::from(2.0);
    let (y, tape) = Recorder::new().capture(Capture::Values).record(|| Array::from(2.0) * shifted(x.clone()) + &x);
    let p = tape.to_program().unwrap();
    let run = |x: f64| {
        let mut inputs = p.recorded_inputs(&tape).unwrap();
        let at = p.inputs().iter().position(|&(n, _)| tape.node(n).id() == tape.nodes().nth(1).unwrap().id()).unwrap();
        inputs[at] = Array::from(x).to_tensor();
        p.run_guarded(&Device::cpu(), inputs)
    };
    assert_eq!(run(2.0).unwrap(), [y.to_tensor()]);
    assert_eq!(run(3.0).unwrap_err().kind(), ErrorKind::Flipped, "{tape}");
}

/// Of what a tracked function gives that is no number, the numbers that it is made of are guarded.
#[test]
fn c8_parts_of_what_tracked_functions_give_are_guarded() {
    #[track]
    fn best(x: &Array) -> Option<f64> {
        let m = x.to_f64();
        if m > 0.0 { Some(m * 2.0) } else { None }
    }
    #[track]
    fn pair(x: &Array) -> (f64, Array) {
        let m = x.to_f64();
        (m * 2.0, x.cos())
    }
    #[track]
    fn matched(x: Array) -> Array {
        match best(&x) {
            Some(v) => x * v,
            None => x,
        }
    }
    #[track]
    fn apart(x: Array) -> Array {
        let (n, y) = pair(&x);
        y * n
    }
    type Way = fn(Array) -> Array;
    for f in [matched as Way, apart] {
        let x = Array::from(2.0);
        let (y, tape) = Recorder::new().capture(Capture::Values).record(|| f(x.clone()));
        let p = tape.to_program().unwrap();
        let run = |x: f64| {
            let mut inputs = p.recorded_inputs(&tape).unwrap();
            inputs[0] = Array::from(x).to_tensor();
            p.run_guarded(&Device::cpu(), inputs)
        };
        assert_eq!(run(2.0).unwrap(), [y.to_tensor()]);
        assert_eq!(run(3.0).unwrap_err().kind(), ErrorKind::Flipped, "{tape}");
    }
}

/// A counter of the host beside an array that changes is what it was.
#[test]
fn c10_counters_beside_arrays() {
    #[track]
    fn counted(x: Array) -> Array {
        let mut a = x.clone();
        let mut i = 0;
        while i < 3 {
            a = &a * &x;
            i += 1;
        }
        a
    }
    #[track]
    fn methods(x: Array) -> Array {
        let (mut a, mut i, mut scale) = (x.clone(), 0, 1.5f64);
        loop {
            a = a.sin() * &x;
            scale = scale * 2.0;
            i += 1;
            if i == 3 {
                break;
            }
        }
        a.cos() * scale
    }
    #[track]
    fn each(x: Array) -> Array {
        let (mut a, mut last) = (x.clone(), 0);
        for i in 0..3 {
            a = a * &x + i as f64;
            last = i;
        }
        a + last as f64
    }
    assert_eq!(follows(counted, debug, &OTHERS), [true; 4]);
    assert_eq!(follows(methods, debug, &OTHERS), [true; 4]);
    assert_eq!(follows(each, debug, &OTHERS), [true; 4]);
}

/// One step of a program that has two arrays, three numbers, a flag and a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Add,
    Mul,
    Rotate,
    Read,
    ReadSilently,
    ReadOnThread,
    Scale,
    Shift,
    Op,
    Swap,
    Push,
    Compare,
    Decide,
    While,
    WhileAbove,
    For,
    ForNumber,
    Loop,
    Called,
    CalledWithArray,
    CalledForPair,
    CalledForOption,
    CalledByClosure,
    Choose,
    Recorded,
    Shown,
    Make,
}

const STEPS: [Step; 27] = [
    Step::Add,
    Step::Mul,
    Step::Rotate,
    Step::Read,
    Step::ReadSilently,
    Step::ReadOnThread,
    Step::Scale,
    Step::Shift,
    Step::Op,
    Step::Swap,
    Step::Push,
    Step::Compare,
    Step::Decide,
    Step::While,
    Step::WhileAbove,
    Step::For,
    Step::ForNumber,
    Step::Loop,
    Step::Called,
    Step::CalledWithArray,
    Step::CalledForPair,
    Step::CalledForOption,
    Step::CalledByClosure,
    Step::Choose,
    Step::Recorded,
    Step::Shown,
    Step::Make,
];

#[derive(Tree, Clone, Debug)]
struct Given {
    number: f32,
    pair: (f32, Option<f32>),
    flag: bool,
    last: Array,
}

#[track]
fn doubled(n: f32) -> f32 {
    n * 2.0 - 0.5
}

#[track]
fn mean(x: &Array) -> f32 {
    let n = x.sum(..).item::<f32>();
    n * 0.5
}

#[track]
fn split(x: &Array) -> (f32, Array) {
    let n = x.max(..).item::<f32>();
    (n, x - 0.25)
}

#[track]
fn positive(n: f32) -> Option<f32> {
    if n > 0.0 { Some(n * 0.5) } else { None }
}

macro_rules! interpreter {
    ($(#[$track:meta])* $name:ident -> $gives:ty, |$a:ident, $n:ident, $m:ident, $k:ident, $flag:ident, $list:ident| $given:expr) => {
        $(#[$track])*
        #[allow(unused)]
        fn $name(program: Static<Vec<Step>>, x: Array) -> $gives {
            let mut $a = x.clone();
            let mut b = x * 0.5;
            let mut $n = 0.5f32;
            let mut $m = 2.0f32;
            let mut $k = -0.75f32;
            let mut $flag = true;
            let mut $list = Vec::new();
            for step in program.0 {
                match step {
                    Step::Add => $n = $n + $m,
                    Step::Mul => $m = $m * $k,
                    Step::Rotate => {
                        let t = $n;
                        $n = $m;
                        $m = $k;
                        $k = t;
                    }
                    Step::Read => $n = $a.sum(..).item::<f32>(),
                    Step::ReadSilently => $m = untracked!($a.sum(..).item::<f32>()),
                    Step::ReadOnThread => {
                        let u = $a.clone();
                        $k = std::thread::spawn(move || u.to_vec::<f32>()[0]).join().unwrap();
                    }
                    Step::Scale => $a = &$a * $n,
                    Step::Shift => b = (&b + $m).tanh(),
                    Step::Op => b = $a.sin() - &b,
                    Step::Swap => {
                        let t = $a;
                        $a = b;
                        b = t;
                    }
                    Step::Push => $list.push($a.clone()),
                    Step::Compare => $flag = $n > $m,
                    Step::Decide => {
                        if $n > 0.25 {
                            $a = -&$a;
                        } else {
                            $k = $k - $n;
                        }
                    }
                    Step::While => {
                        let mut i = 0;
                        while i < 3 {
                            $a = (&$a * &b).tanh();
                            i += 1;
                        }
                    }
                    Step::WhileAbove => {
                        let mut left = $m.abs().min(3.0);
                        while left > 0.5 {
                            b = &b * 0.5 + left;
                            left -= 1.0;
                        }
                    }
                    Step::For => {
                        for i in 0..2 {
                            b = (&b + i as f32).tanh();
                        }
                    }
                    Step::ForNumber => {
                        for _ in 0..2 {
                            $m = $m * 0.5 + $n;
                        }
                    }
                    Step::Loop => {
                        let mut i = 0;
                        let got = loop {
                            i += 1;
                            $k = $k + $n;
                            if i == 2 {
                                break $k * 0.5;
                            }
                        };
                        $m = got;
                    }
                    Step::Called => $k = doubled($n),
                    Step::CalledWithArray => $m = mean(&$a),
                    Step::CalledForPair => {
                        let (p, y) = split(&b);
                        $n = p;
                        $a = y;
                    }
                    Step::CalledForOption => {
                        if let Some(v) = positive($n) {
                            $k = v;
                        }
                    }
                    Step::CalledByClosure => $n = Some($m).map(|$m| doubled($m).max(-0.25)).unwrap(),
                    Step::Choose => {
                        let i = ($n.abs() * 7.0) as usize % 2;
                        let chosen = [&$a, &b][i].clone();
                        b = chosen * 0.5;
                    }
                    Step::Recorded => b = record(|| b.cos() * 0.5).0,
                    Step::Shown => $m = format!("{}", $a).len() as f32 * 0.125,
                    Step::Make => $a = Array::from([$n, $m]),
                }
            }
            $given
        }
    };
}

macro_rules! interpreters {
    ($plain:ident, $tracked:ident, $calls:ident -> $gives:ty, |$($v:ident),*| $given:expr) => {
        interpreter!($plain -> $gives, |$($v),*| $given);
        interpreter!(#[track] $tracked -> $gives, |$($v),*| $given);
        interpreter!(#[track(calls)] $calls -> $gives, |$($v),*| $given);
    };
}
interpreters!(plain, tracked, calls -> Given, |a, n, m, k, flag, list| Given {
    last: a,
    number: n,
    pair: (m, Some(k)),
    flag,
});
interpreters!(plain_list, tracked_list, calls_list -> (Vec<Array>, f32), |a, n, m, k, flag, list| (list, n));

/// A tree to the bit.
fn bits<R: Tree>(g: &R) -> String {
    let mut leaves = Vec::new();
    let structure = g.flatten(&mut leaves);
    let arrays: Vec<Vec<u32>> =
        leaves.iter().map(|x| x.to_vec::<f32>().iter().map(|x| x.to_bits()).collect()).collect();
    format!("{structure:?} {arrays:?}")
}

/// Sets the argument again and again: how often an update followed, of how many.
fn run_random<R: Tree>(
    name: &str,
    program: &[Step],
    f: impl Fn(Static<Vec<Step>>, Array) -> R + Send + Sync + Copy,
) -> (usize, usize) {
    let values = [[1.0f32, 2.0], [-0.75, 0.5], [3.0, -1.0], [3.0, -1.0], [0.0, 0.0]];
    let given = |x: [f32; 2]| (Static(program.to_vec()), Array::from(x));
    let fresh = |x: [f32; 2]| bits(&f(given(x).0, given(x).1));
    let mut live = Recorder::new().live(f, given(values[0]));
    assert_eq!(bits(&live.value()), fresh(values[0]), "{name} {program:?}");
    let (mut updated, mut all) = (0, 0);
    for x in &values[1..] {
        live.set(live.argument(0), Array::from(*x)).unwrap();
        all += 1;
        if live.update().is_ok() {
            updated += 1;
            assert_eq!(bits(&live.value()), fresh(*x), "{name} {program:?} {x:?}: an old value\n{}", live.tape());
        }
        live.update_or_rerun().unwrap();
        assert_eq!(bits(&live.value()), fresh(*x), "{name} {program:?} {x:?}: after a re-run\n{}", live.tape());
    }
    // An update that stopped forgets nothing, however often the argument is set after it.
    let mut stopped = Recorder::new().live(f, given(values[0]));
    for x in values.iter().chain(values.iter().rev()) {
        stopped.set(stopped.argument(0), Array::from(*x)).unwrap();
        if stopped.update().is_ok() {
            assert_eq!(bits(&stopped.value()), fresh(*x), "{name} {program:?} {x:?}: after stops\n{}", stopped.tape());
        }
    }
    // The program of the last run gives its arrays, or says what it can't check.
    let tape = live.tape();
    if let Ok(p) = tape.to_program()
        && p.unchecked().next().is_none()
        && let Some(at) = p.inputs().iter().position(|&(n, _)| n == live.argument(0))
        && let Some(inputs) = p.recorded_inputs(tape)
    {
        for x in values {
            let mut inputs = inputs.clone();
            inputs[at] = Array::from(x).to_tensor();
            if let Ok(y) = p.run_guarded(&Device::cpu(), inputs) {
                let arrays: Vec<_> = wengert::leaves(&f(given(x).0, given(x).1)).iter().map(Array::to_tensor).collect();
                let same = y.len() == arrays.len() && y.iter().zip(&arrays).all(|(a, b)| a.same_bits(b));
                assert!(same, "{name} {program:?} {x:?}: the program gives {y:?} for {arrays:?}\n{tape}");
            }
        }
    }
    (updated, all)
}

#[test]
fn c10_random_programs_with_numbers_never_give_an_old_value() {
    // More of them: `RANDOM_RUNS=3000 RANDOM_SEED=7 cargo test -p wengert --test all random_programs_with_numbers`.
    let number = |name: &str, usual: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let mut random = Random::new(number("RANDOM_SEED", 0));
    let mut counts = [(0, 0); 5];
    for _ in 0..number("RANDOM_RUNS", 60) {
        let program: Vec<Step> = (0..1 + random.below(8)).map(|_| STEPS[random.below(STEPS.len())]).collect();
        let all = [
            run_random("plain", &program, plain),
            run_random("tracked", &program, tracked),
            run_random("calls", &program, calls),
            run_random("closure", &program, |p, x| tracked(p, x)),
            run_random("list", &program, tracked_list),
        ];
        run_random("plain list", &program, plain_list);
        run_random("calls list", &program, calls_list);
        for (count, (updated, all)) in counts.iter_mut().zip(all) {
            *count = (count.0 + updated, count.1 + all);
        }
    }
    println!("updated of all: plain, tracked, tracked calls, tracked in a closure, a list: {counts:?}");
    // Where everything is tracked, more is followed.
    assert!(counts[1].0 > counts[0].0 && counts[1].0 > counts[3].0 && counts[1].0 < counts[1].1, "{counts:?}");
}
