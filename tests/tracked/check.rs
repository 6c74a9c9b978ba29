//! Tracked functions that were made at random, each held against plain runs of it: updates, and programs of its runs.

#![allow(unused, clippy::all)]
use wengert::{Array, Capture, Device, Recorder, Tensor, track, tracked};

#[path = "functions.rs"]
mod functions;

const LIMIT: f64 = 1.75;
static FIXED: f64 = -0.5;

struct Pair {
    a: f64,
    b: f64,
}

/// Has a method of the name that numbers have, which does something else.
struct Own(f64);

impl Own {
    fn abs(self) -> f64 {
        if self.0 > 2.5 { self.0 + 1.0 } else { self.0.abs() }
    }
}

trait OwnAbs: Copy {
    fn abs(self) -> f64;
}

impl OwnAbs for f64 {
    fn abs(self) -> f64 {
        if self > 2.5 { self + 1.0 } else { self.abs() }
    }
}

/// Calls a method that has the name of one that numbers have.
#[track]
fn own_abs<T: OwnAbs>(x: T) -> f64 {
    x.abs()
}

fn bump(x: &mut f64, by: f64) {
    *x += by;
}

/// Gives another number than the one it leaves.
fn bump_and_give(x: &mut f64, by: f64) -> f64 {
    *x += by;
    *x * 10.0
}

#[track]
fn twice(k: f64) -> f64 {
    k * 2.0
}

#[track]
fn of_pair(p: &Pair) -> f64 {
    p.a * p.b + 1.0
}

#[track]
fn first_large(list: &[f64], than: f64) -> Option<f64> {
    for x in list {
        if *x > than {
            return Some(*x * 2.0);
        }
    }
    None
}

#[track]
fn both(v: f64) -> (f64, f64) {
    (v * 2.0, v + 1.0)
}

#[track]
fn chosen(v: f64, w: f64) -> (f64, f64) {
    if v > w {
        return (v, 1.0);
    }
    let k = w.abs();
    (2.0, k)
}

#[track]
fn list_of(v: f64, w: f64) -> [f64; 2] {
    let t = [w, v];
    if v > 1.5 { [v, w] } else { [t[0], v] }
}

#[track]
fn add(x: &mut f64, v: f64) {
    *x += v;
}

#[track]
fn add_by_others(x: &mut f64, v: f64) {
    bump(x, v);
    add(x, v * 2.0);
}

#[track]
fn add_or_double(x: &mut f64, v: f64) {
    if v > 1.0 {
        *x += v;
    } else {
        let r = &mut *x;
        *r *= 2.0;
    }
}

#[track]
fn add_and_give(x: &mut f64, v: f64) -> f64 {
    *x += v;
    *x * 3.0
}

#[track]
fn add_to_list(x: &mut Vec<f64>, v: f64) {
    x[1] += v;
    for q in x.iter_mut() {
        *q += 1.0;
    }
}

#[track]
fn add_to_pair(p: &mut Pair, v: f64) {
    p.b += v;
    let r = &mut p.a;
    *r *= v;
}

#[track]
fn scaled(x: &Array, k: f64) -> Array {
    x * k
}

impl Pair {
    const UNIT: f64 = 0.375;

    fn add(&mut self, v: f64) {
        self.a += v;
    }

    #[track]
    fn add_tracked(&mut self, v: f64) {
        self.b += v;
        let r = &mut self.a;
        *r += v;
    }
}

fn scalar(x: f64) -> Array {
    Array::from(x)
}

#[derive(Default)]
struct Counts {
    wrong: usize,
    followed: usize,
    refused: usize,
    programs: usize,
    guarded: usize,
}

fn check(name: &str, f: fn(Array) -> Array, [from, to]: [f64; 2], counts: &mut Counts) {
    let plain = |x: f64| f(scalar(x)).to_f64();
    let mut expect = |what: &str, now: f64, x: f64, tape: &dyn std::fmt::Display| {
        let right = plain(x);
        if now.to_bits() != right.to_bits() && !(now.is_nan() && right.is_nan()) {
            counts.wrong += 1;
            let tape = if counts.wrong < 3 { format!("\n{tape}") } else { String::new() };
            println!("{name}, {what} of {from} to {to}: {now} and not {right}{tape}");
        }
    };
    let recorder = || Recorder::new().capture(Capture::Values);
    let live = recorder().live(f, (scalar(from),));
    expect("the run", live.value().to_f64(), from, live.tape());
    let number = |y: Vec<Tensor>| Array::from_tensor(y[0].clone()).to_f64();
    if let Ok(program) = live.tape().to_program()
        && let Some(mut inputs) = program.recorded_inputs(live.tape())
    {
        counts.programs += 1;
        expect("the program", number(program.run(&Device::cpu(), inputs.clone()).unwrap()), from, live.tape());
        let argument = program.inputs().iter().position(|&(n, _)| n == live.argument(0));
        if let Some(i) = argument.filter(|_| program.unchecked().next().is_none()) {
            inputs[i] = scalar(to).to_tensor();
            if let Ok(y) = program.run_guarded(&Device::cpu(), inputs) {
                counts.guarded += 1;
                expect("the guarded program", number(y), to, live.tape());
            }
        }
    }
    let mut live = recorder().live(f, (scalar(from),));
    live.set(live.argument(0), scalar(to)).unwrap();
    match live.update() {
        Ok(changes) if changes.reads.is_empty() => {
            counts.followed += 1;
            expect("the update", live.value().to_f64(), to, live.tape());
        }
        _ => counts.refused += 1,
    }
    live.update_or_rerun().unwrap();
    expect("the update or run", live.value().to_f64(), to, live.tape());
}

fn main() {
    let mut counts = Counts::default();
    for (name, f) in functions::ALL {
        for values in [[2.0, 3.0], [0.0, 3.0], [1.0, -2.0], [0.0, 0.5], [1.0, 1.5]] {
            check(name, *f, values, &mut counts);
        }
    }
    let Counts { wrong, followed, refused, programs, guarded } = counts;
    let count = functions::ALL.len();
    println!(
        "{count} functions: {followed} updates were followed and {refused} refused, {programs} programs, {guarded} of them \
         run on other values; {wrong} are wrong"
    );
    std::process::exit(i32::from(wrong > 0));
}
