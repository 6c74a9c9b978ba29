//! Numbers of the host that change through borrows (C1, C10): an update follows them, or says that it can't; a program computes
//! what the run computed, or there is none.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use wengert::{Array, Capture, Device, Recorder, track, tracked};

fn scalar(x: f64) -> Array {
    Array::from(x)
}

/// What was found of a function.
#[derive(Default)]
pub(super) struct Found {
    /// Where it gave an old value.
    pub(super) wrong: Vec<String>,
    /// Where an update was refused.
    pub(super) refused: Vec<String>,
}

/// A function of one array, and its name.
pub(super) type NamedFunction = (&'static str, fn(Array) -> Array);

impl Found {
    /// What [`check`] finds in functions; none of them gives an old value.
    #[track_caller]
    pub(super) fn of(functions: &[NamedFunction]) -> Found {
        let mut found = Found::default();
        functions.iter().for_each(|(name, f)| check(name, *f, &mut found));
        assert!(found.wrong.is_empty(), "{} are wrong:\n{}", found.wrong.len(), found.wrong.join("\n"));
        found
    }
}

/// Checks a function against plain runs of it: updates from and to some values, and programs made of the runs.
pub(super) fn check(name: &str, f: fn(Array) -> Array, found: &mut Found) {
    check_of(name, f, found)
}

/// [`check`] of a function with variables.
pub(super) fn check_of(name: &str, f: impl Fn(Array) -> Array + Copy + Send + Sync, found: &mut Found) {
    // None where the function panics.
    let plain = |x: f64| catch_unwind(AssertUnwindSafe(|| f(scalar(x)).to_f64())).ok();
    let mut refused = None;
    for (from, to) in [(2.0, 3.0), (0.0, 3.0), (1.0, -2.0), (0.0, 0.5)] {
        if plain(from).is_none() {
            continue;
        }
        let mut expect = |what: &str, now: f64, x: f64, tape: &dyn std::fmt::Display| {
            let wanted = plain(x);
            if Some(now.to_bits()) != wanted.map(f64::to_bits) {
                let m = format!("{name}, {what} of {from} to {to}, gives {now} and not {wanted:?}\n{tape}");
                found.wrong.push(m);
            }
        };
        let mut live = Recorder::new().live(f, (scalar(from),));
        expect("the run", live.value().to_f64(), from, live.tape());
        live.set(live.argument(0), scalar(to)).unwrap();
        match live.update() {
            Ok(c) if c.reads.is_empty() => expect("the update", live.value().to_f64(), to, live.tape()),
            Ok(c) => refused = Some(format!("{name}: {from} to {to}: {:?}\n{}", c.reads, live.tape())),
            Err(e) => refused = Some(format!("{name}: {from} to {to}: {e}\n{}", live.tape())),
        }
        match catch_unwind(AssertUnwindSafe(|| live.update_or_rerun())) {
            Ok(Ok(_)) => expect("the update or run", live.value().to_f64(), to, live.tape()),
            fails => assert!(plain(to).is_none(), "{name}, the update or run of {from} to {to}, fails: {fails:?}"),
        }
        let x = scalar(from);
        let (_, tape) = Recorder::new().capture(Capture::Values).record(|| f(x.clone()));
        let Ok(program) = tape.to_program() else { continue };
        let Some(mut inputs) = program.recorded_inputs(&tape) else { continue };
        let number = |y: Vec<wengert::Tensor>| Array::from_tensor(y[0].clone()).to_f64();
        expect("the program", number(program.run(&Device::cpu(), inputs.clone()).unwrap()), from, &tape);
        if let [only] = &mut inputs[..] {
            *only = scalar(to).to_tensor();
            if let Ok(y) = program.run_guarded(&Device::cpu(), inputs) {
                expect("the guarded program", number(y), to, &tape);
            }
        }
    }
    found.refused.extend(refused);
}

fn pick(x: &mut f64) -> &mut f64 {
    x
}

fn bump(x: &mut f64, by: f64) {
    *x += by;
}

/// Gives another number than the one it leaves.
fn next(x: &mut f64) -> f64 {
    *x += 1.0;
    *x * 10.0
}

struct Pair {
    a: f64,
    b: f64,
}

struct Holder<'a> {
    held: &'a mut f64,
}

macro_rules! increase {
    ($x:ident, $by:expr) => {
        $x += $by
    };
}

trait Grow {
    fn grow(&mut self, by: f64);
}
impl Grow for f64 {
    fn grow(&mut self, by: f64) {
        *self += by;
    }
}

#[track]
fn add_to(x: &mut f64, v: f64) {
    *x += v;
}

#[track]
fn add_twice(x: &mut f64, v: f64) {
    add_to(x, v);
    add_to(x, v);
}

#[track]
fn add_by_another(x: &mut f64, v: f64) {
    bump(x, v);
}

#[track]
fn add_and_give(x: &mut f64, v: f64) -> f64 {
    *x += v;
    *x * 10.0
}

#[track]
fn add_to_pair(p: &mut Pair, v: f64) {
    p.b += v;
}

#[track]
fn add_read(x: &mut f64, from: &Array) {
    *x += from.to_f64();
}

#[track]
fn add_to_held(h: Holder<'_>, v: f64) {
    *h.held += v;
}

#[track]
fn leave_alone(x: &mut f64, v: f64) -> f64 {
    *x * 0.0 + v
}

#[track]
fn pick_tracked(x: &mut f64) -> &mut f64 {
    x
}

#[track]
fn hidden(_k: f64) -> f64 {
    _k * 2.0
}

#[track]
fn of_tuple((a, b): (f64, f64)) -> f64 {
    a * b
}

#[track]
fn of_tuple2(a: f64, b: f64) -> f64 {
    a * b
}

#[track]
fn of_pair(p: &Pair) -> f64 {
    p.a * p.b
}

#[track]
fn of_pair_apart(Pair { a, b }: Pair) -> f64 {
    a * b
}

#[track]
fn of_option(o: Option<f64>) -> f64 {
    o.unwrap() * 2.0
}

#[track]
fn ignoring(_: f64, k: f64) -> f64 {
    k * 2.0
}

#[track]
fn of_slice(v: &[f64]) -> f64 {
    v[0] * v[1]
}

#[track]
fn of_function(f: impl Fn(f64) -> f64, k: f64) -> f64 {
    f(k)
}

#[track]
fn of_any<T: Into<f64>>(k: T) -> f64 {
    k.into() * 2.0
}

#[track]
fn array_of(x: &Array, k: f64) -> Array {
    x * k
}

#[track]
fn pair_of(k: f64) -> Pair {
    Pair { a: k * 2.0, b: 1.0 }
}

#[track]
fn tuple_of(k: f64) -> (f64, f64) {
    (k * 2.0, k + 1.0)
}

#[track]
fn option_of(k: f64) -> Option<f64> {
    Some(k * 2.0)
}

#[track]
impl Pair {
    fn product(&self) -> f64 {
        self.a * self.b
    }

    fn add(&mut self, v: f64) -> &mut Pair {
        self.a += v;
        self
    }

    fn add_by_borrow(&mut self, v: f64) {
        let a = &mut self.a;
        *a += v;
    }
}

/// Not tracked, and of the same name as what it calls.
struct Doubled;
struct Single;

#[track]
impl Single {
    fn loss(&self, k: f64) -> f64 {
        k + 1.0
    }

    fn scaled(&self, x: &Array, k: f64) -> Array {
        x * k
    }
}

impl Doubled {
    fn loss(&self, k: f64) -> f64 {
        Single.loss(k) * 2.0
    }

    fn scaled(&self, x: &Array, k: f64) -> Array {
        Single.scaled(x, k + 1.0)
    }
}

/// Its value is none of the number inside.
struct Meters(f64);
impl std::ops::Neg for Meters {
    type Output = f64;
    fn neg(self) -> f64 {
        100.0 - self.0
    }
}
impl std::ops::Mul<f64> for Pair {
    type Output = f64;
    fn mul(self, by: f64) -> f64 {
        (self.a).max(by)
    }
}
impl std::ops::Mul<Meters> for f64 {
    type Output = f64;
    fn mul(self, by: Meters) -> f64 {
        self.max(by.0)
    }
}

macro_rules! declare {
    ($name:ident, $value:expr) => {
        let $name = $value;
    };
}

macro_rules! ensure {
    ($holds:expr, $otherwise:expr) => {
        if $holds {
        } else {
            return $otherwise;
        }
    };
}

functions! {
    by_reference(x, v) { let mut s = 1.0; let r = &mut s; *r += v; &x * s }
    by_reference_assigned(x, v) { let mut s = 1.0; let r = &mut s; *r = v + 1.0; &x * s }
    by_reference_of_what_it_is(x, v) { let mut s = 1.0; let r = &mut s; *r = v; &x * s }
    by_reference_to_a_literal(x, v) { let mut s = v; let r = &mut s; *r = 4.0; &x * s }
    by_reference_and_arithmetic(x, v) { let mut s = 1.0; let r = &mut s; *r += v; let t = s * 2.0 + 1.0; &x * t }
    by_reference_twice(x, v) { let mut s = 1.0; let r = &mut s; *r += v; let q = &mut s; *q *= v; &x * s }
    by_moved_reference(x, v) { let mut s = 1.0; let r = &mut s; let q = r; *q += v; &x * s }
    by_reborrow(x, v) { let mut s = 1.0; let r = &mut s; { let q = &mut *r; *q += v; } &x * s }
    by_one_of_two(x, v) {
        let (mut s, mut t) = (1.0, 2.0);
        let r = if v > 100.0 { &mut s } else { &mut t };
        *r += v;
        &x * s + t
    }
    by_one_of_two_that_depend(x, v) {
        let (mut s, mut t) = (v + 1.0, 2.0);
        let r = if v > 100.0 { &mut s } else { &mut t };
        *r += 1.0;
        &x * s + t
    }
    by_iter_mut(x, v) { let mut s = [1.0, 2.0]; for q in s.iter_mut() { *q += v; } &x * s[1] }
    by_loop_over_borrow(x, v) { let mut s = vec![1.0, 2.0]; for q in &mut s { *q += v; } &x * s[1] }
    by_iterator(x, v) {
        let mut s = vec![1.0, 2.0];
        let mut it = s.iter_mut();
        while let Some(q) = it.next() { *q += v; }
        &x * s[0]
    }
    by_ref_mut(x, v) { let mut s = (1.0, 2); { let (ref mut r, _) = s; *r += v; } &x * s.0 }
    by_if_let(x, v) { let mut s = Some(1.0); if let Some(q) = &mut s { *q += v; } &x * s.unwrap() }
    by_as_mut(x, v) { let mut s = Some(1.0); if let Some(q) = s.as_mut() { *q += v; } &x * s.unwrap() }
    by_match(x, v) { let mut s = Some(1.0); match &mut s { Some(q) => *q += v, None => {} } &x * s.unwrap() }
    by_match_ref_mut(x, v) { let mut s = Some(1.0); match s { Some(ref mut q) => *q += v, None => {} } &x * s.unwrap() }
    by_taken_apart(x, v) {
        let mut p = Pair { a: 1.0, b: 2.0 };
        let Pair { a, b } = &mut p;
        *a += v;
        *b *= *a;
        &x * p.a + p.b
    }
    by_what_a_call_gives(x, v) { let mut s = 1.0; *pick(&mut s) += v; &x * s }
    by_what_a_call_gave(x, v) { let mut s = 1.0; let r = pick(&mut s); *r += v; &x * s }
    by_what_a_tracked_call_gives(x, v) { let mut s = 1.0; *pick_tracked(&mut s) += v; &x * s }
    by_last_mut(x, v) { let mut s = vec![1.0]; *s.last_mut().unwrap() += v; &x * s[0] }
    by_entry(x, v) {
        let mut s = BTreeMap::new();
        *s.entry("a").or_insert(1.0) += v;
        &x * s["a"]
    }
    by_replace(x, v) { let mut s = 1.0; let old = std::mem::replace(&mut s, v); &x * s + old }
    by_swap(x, v) { let (mut s, mut t) = (1.0, v); std::mem::swap(&mut s, &mut t); &x * s + t }
    by_take(x, v) { let mut s = v; let t = std::mem::take(&mut s); &x * s + t }
    by_closure(x, v) { let mut s = 1.0; let mut add = |d: f64| s += d; add(v); &x * s }
    by_closure_that_captures(x, v) { let mut s = 1.0; let mut add = || s += v; add(); &x * s }
    by_closure_that_reads(x, v) { let mut s = 1.0; let mut add = || s += x.to_f64(); add(); &x * (s + 0.0 * v) }
    by_tracked_closure(x, v) { let mut s = 1.0; let mut add = tracked!(|d: f64| s += d); add(v); &x * s }
    by_tracked_closure_that_reads(x, v) {
        let mut s = 1.0;
        let mut add = tracked!(|x: &Array| s += x.to_f64());
        add(&x);
        &x * (s + 0.0 * v)
    }
    by_for_each(x, v) { let mut s = 1.0; [v, v].iter().for_each(|q| s += q); &x * s }
    by_function(x, v) { let mut s = 1.0; bump(&mut s, v); &x * s }
    by_function_of_a_reference(x, v) { let mut s = 1.0; let r = &mut s; bump(r, v); &x * s }
    by_function_that_gives(x, v) { let mut s = v; let n = next(&mut s); &x * s + n }
    by_function_that_gives_and_arithmetic(x, v) { let mut s = v; let n = next(&mut s); let t = s + 1.0; &x * t + n }
    by_argument_beside_a_call(x, v) { let mut s = 1.0; bump(&mut s, next(&mut 1.0) + v); let t = s * 2.0; &x * t }
    by_method(x, v) { let mut s = 1.0; s.grow(v); &x * s }
    by_method_of_a_reference(x, v) { let mut s = 1.0; let r = &mut s; r.grow(v); &x * s }
    by_tracked_function(x, v) { let mut s = 1.0; add_to(&mut s, v); &x * s }
    by_tracked_function_and_arithmetic(x, v) { let mut s = 1.0; add_to(&mut s, v); let t = s * 2.0; &x * t }
    by_tracked_function_of_a_reference(x, v) { let mut s = 1.0; let r = &mut s; add_to(r, v); &x * s }
    by_tracked_function_in_a_loop(x, v) {
        let mut s = 1.0;
        for _ in 0..3 { add_to(&mut s, v); }
        &x * s
    }
    by_tracked_function_that_calls(x, v) { let mut s = 1.0; add_twice(&mut s, v); &x * s }
    by_tracked_function_that_calls_another(x, v) { let mut s = 1.0; add_by_another(&mut s, v); &x * s }
    by_tracked_function_that_gives(x, v) { let mut s = 1.0; let n = add_and_give(&mut s, v); let t = s + 1.0; &x * t + n }
    by_tracked_function_of_a_field(x, v) { let mut p = Pair { a: 1.0, b: 2.0 }; add_to(&mut p.a, v); &x * p.a + p.b }
    by_tracked_function_of_a_pair(x, v) { let mut p = Pair { a: 1.0, b: 2.0 }; add_to_pair(&mut p, v); &x * p.a + p.b }
    by_tracked_function_that_reads(x, v) { let mut s = 1.0; add_read(&mut s, &x); &x * (s + 0.0 * v) }
    by_tracked_function_of_what_holds(x, v) { let mut s = 1.0; add_to_held(Holder { held: &mut s }, v); &x * s }
    by_tracked_function_that_leaves_it_alone(x, v) { let mut s = 3.0; let n = leave_alone(&mut s, v); &x * s + n }
    by_field_that_holds(x, v) { let mut s = 1.0; { let h = Holder { held: &mut s }; *h.held += v; } &x * s }
    by_tuple_that_holds(x, v) { let mut s = 1.0; { let h = (&mut s, 1); *h.0 += v; } &x * s }
    by_macro(x, v) { let mut s = 1.0; increase!(s, v); &x * s }
    by_block_beside(x, v) { let mut s = 1.0; bump(&mut s, { let t = v; t }); let t = s + 1.0; &x * t }
    by_pointer(x, v) {
        let mut s = 1.0;
        let p = &raw mut s;
        // SAFETY: it is there, and nobody else has it.
        unsafe { *p += v; }
        &x * s
    }
    in_while(x, v) {
        let (mut s, mut i) = (1.0, 0);
        while i < 3 {
            let r = &mut s;
            *r += v;
            i += 1;
        }
        &x * s
    }
    in_a_branch(x, v) { let mut s = 1.0; if v > -100.0 { let r = &mut s; *r += v; } &x * s }
    with_an_underscore(x, v) { let mut _s = 1.0; _s += v; let (_t, _) = (v, 1); &x * _s + _t }
    of_a_copy(x, v) { let mut s = 1.0; let r = &mut s; *r += v; let t = s; let u = t; &x * u }
    of_a_part(x, v) { let mut s = [1.0, 2.0]; let r = &mut s[1]; *r += v; let t = s[1]; &x * t }
    given_to_a_hidden_parameter(x, v) { let t = hidden(v); &x * t }
    given_in_a_tuple(x, v) { let t = of_tuple((v, 2.0)); &x * t }
    given_in_a_pair(x, v) { let t = of_pair(&Pair { a: v, b: 2.0 }); &x * t }
    given_in_a_pair_that_is_taken_apart(x, v) { let t = of_pair_apart(Pair { a: v, b: 2.0 }); &x * t }
    given_in_an_option(x, v) { let t = of_option(Some(v)); &x * t }
    given_and_ignored(x, v) { let t = ignoring(v, v); &x * t }
    given_in_a_slice(x, v) { let t = of_slice(&[v, 2.0]); &x * t }
    given_to_a_function_that_is_given(x, v) { let t = of_function(|k| k * 2.0, v); &x * t }
    captured_by_a_function_that_is_given(x, v) { let t = of_function(|k| k * v, 2.0); &x * t }
    captured_by_a_tracked_function_that_is_given(x, v) { let t = of_function(tracked!(|k: f64| k * v), 2.0); &x * t }
    given_as_any(x, v) { let t = of_any(v); &x * t }
    given_beside_an_array(x, v) { array_of(&x, v) + 1.0 }
    got_in_a_pair(x, v) { let p = pair_of(v); &x * p.a }
    got_in_a_tuple(x, v) { let (a, b) = tuple_of(v); &x * a + b }
    got_in_an_option(x, v) { let a = option_of(v).unwrap(); &x * a }
    of_a_method(x, v) { let p = Pair { a: v, b: 2.0 }; let t = p.product(); &x * t }
    by_a_tracked_method(x, v) { let mut p = Pair { a: 1.0, b: 2.0 }; p.add(v); &x * p.a }
    by_a_chain_of_tracked_methods(x, v) { let mut p = Pair { a: 1.0, b: 2.0 }; p.add(v).add(v); let t = p.product(); &x * t }
    by_a_tracked_method_that_borrows(x, v) { let mut p = Pair { a: 1.0, b: 2.0 }; p.add_by_borrow(v); &x * p.a }
    of_a_function_that_calls_one_of_its_name(x, v) { let t = Doubled.loss(v); let u = t + 1.0; &x * u }
    of_a_function_that_calls_one_of_its_name_with_more(x, v) { Doubled.scaled(&x, v) + 1.0 }
    of_a_closure_that_calls(x, v) { let g = |k: f64| { let _ = hidden(k); k * 3.0 }; let t = g(v); let u = t + 1.0; &x * u }
    of_a_closure_that_calls_and_changes(x, v) {
        let mut s = 1.0;
        let g = |s: &mut f64, k: f64| { add_to(s, k); *s *= 2.0 };
        g(&mut s, v);
        let u = s + 1.0;
        &x * u
    }
    before_it_is_changed(x, v) { let mut s = v; let t = s - next(&mut s); let u = t + 1.0; &x * u + s }
    before_it_is_changed_as_an_argument(x, v) { let mut s = v; let t = of_tuple2(s, next(&mut s)); &x * t + s }
    before_it_is_changed_as_a_receiver(x, v) { let mut s = v; let t = s.max(add_and_give(&mut s, 1.0)); &x * t + s }
    before_it_is_changed_and_compared(x, v) { let mut s = v; if s < add_and_give(&mut s, 1.0) { &x * s } else { &x * 2.0 } }
    in_a_macro_that_reads(x, v) { let mut s = v; let a = vec![s, next(&mut s)]; let u = s + 1.0; &x * u + a[0] }
    negated_in_a_struct(x, v) { let t = -Meters(v); let u = t + 1.0; &x * u }
    negated_in_a_block(x, v) { let g = if v > 1.5 { Meters(v) } else { Meters(1.0) }; let t = -g; let u = t + 1.0; &x * u }
    negated_in_a_match(x, v) { let g = match 1 { 1 => Meters(v), _ => Meters(1.0) }; let u = -g + 1.0; &x * u }
    negated_in_a_loop(x, v) { let mut i = 0; let g = loop { i += 1; if i > 1 { break Meters(v * 2.0); } }; let u = -g + 1.0; &x * u }
    negated_after_assignment(x, v) { let mut g = Meters(1.0); if v > -9.0 { g = Meters(v); } let u = -g + 1.0; &x * u }
    negated_variable(x, v) { let g = Meters(v * 2.0); let u = -g + 1.0; &x * u }
    negated_by_a_pattern(x, v) { let u = match Meters(v) { g => -g }; let w = u + 1.0; &x * w }
    multiplied_in_a_struct(x, v) { let t = Pair { a: v, b: 1.0 } * 2.0; let u = t + 1.0; &x * u }
    multiplied_by_a_struct(x, v) { let t = v * Meters(2.0); let u = t + 1.0; &x * u }
    compared_in_reverse(x, v) { if std::cmp::Reverse(v as i64) < std::cmp::Reverse(2) { &x * 2.0 } else { &x * 3.0 } }
    compared_in_a_tuple(x, v) { if (v, 1) > (2.5, 0) { &x * 2.0 } else { &x * 3.0 } }
    with_a_const_block(x, v) { let t = v + const { 1.0 }; &x * t }
    declared_by_a_macro(x, v) { declare!(t, v * 2.0); let u = t + 1.0; &x * u }
    hidden_by_a_macro(x, v) { let t = v * 2.0; declare!(t, t * 3.0); let u = t + 1.0; &x * u }
    left_by_a_macro(x, v) { ensure!(v < 2.5, x); &x * 2.0 }
    written_by_a_macro(x, v) {
        use std::fmt::Write as _;
        let mut s = String::new();
        let _ = write!(s, "{}", v);
        let t: f64 = s.parse().unwrap();
        &x * t
    }
    in_a_text(x, v) { let s = format!("{v}"); let t: f64 = s.parse().unwrap(); let u = t + 1.0; &x * u }
    in_a_text_with_a_width(x, v) { let w = 12; let s = format!("{v:>w$.3}"); let t: f64 = s.trim().parse().unwrap(); &x * t }
    in_a_full_array(x, v) { Array::full([0usize; 0], v, wengert::DType::F64) * &x }
    in_a_full_array_that_has_a_name(x, v) { let y = x.full_like(v); let z = y.sin(); &x * &y + z }
    in_a_full_array_that_is_given(x, v) { let y = x.full_like(v); array_of(&y, 2.0) + &x }
    in_an_exponent(x, v) { let n = (v * 1.0) as i32; x.pow(n) + 1.0 }
    in_an_exponent_that_is_read(x, v) { let n: i32 = (&x - 2.0).to(wengert::DType::I32).item(); x.pow(n) * v }
    given_by_a_break(x, v) { let mut i = 0; let t = loop { i += 1; if i > 3 { break v * 2.0; } }; &x * t }
    in_a_comparison_of_an_array(x, v) { let y = Array::from(2.5); if y > v { &x * 2.0 } else { &x * 3.0 } }
    in_a_comparison_with_what_was_computed(x, v) { let w = v * v - 3.0; if x > w { &x * 2.0 } else { &x * 3.0 } }
    in_an_equation_of_an_array(x, v) { let y = Array::from(3.0); let b = y == v; if b { &x * 2.0 } else { &x * 3.0 } }
    in_a_loop_that_compares_an_array(x, v) { let mut y = Array::from(0.0); while y < v { y = y + 1.0; } &x * &y }
    in_an_and_of_comparisons(x, v) { let y = Array::from(2.5); if v > 0.0 && y >= v { &x * 2.0 } else { &x * 3.0 } }
    through_a_guard(x, v) { let c = std::cell::RefCell::new(0.0); { let mut g = c.borrow_mut(); *g = v; } let w = *c.borrow(); &x * w }
    through_a_lock(x, v) { let c = std::sync::Mutex::new(0.0); { let mut g = c.lock().unwrap(); *g = v + 1.0; } let w = *c.lock().unwrap(); &x * w }
    through_a_guard_as_a_bool(x, v) { let c = std::cell::RefCell::new(false); { let mut g = c.borrow_mut(); *g = v > 2.5; } let w = *c.borrow(); if w { &x * 2.0 } else { &x * 3.0 } }
    of_a_literal(x, v) { let mut best = 0; for q in [1i64, 4] { best = best.max(q); } &x * (best as f64) * v + 1.max(2) as f64 }
    of_a_static(x, v) { static LAZY: std::sync::LazyLock<f64> = std::sync::LazyLock::new(|| -2.0); let w = LAZY.abs() * v; &x * w }
    given_by_a_match(x, v) { let t = match 1 { 1 => v, _ => 2.0 }; &x * t }
    shadowed(x, v) { let v = v + 1.0; let v = { let v = v * 2.0; v }; &x * v }
    in_a_cast(x, v) { let n = (v * 10.0) as i64; &x * (n as f64) }
    as_an_index(x, v) { let t = [1.0, 2.0, 3.0, 4.0, 5.0]; let i = (v.abs() as usize) % 5; &x * t[i] }
    swapped_by_assignment(x, v) { let (mut a, mut b) = (v, 1.0); (a, b) = (b, a + b); &x * a + b }
    of_an_array(x, v) { let mut a = x.clone(); let r = &mut a; *r = &*r * 2.0; let b = a.sin(); b + v }
}

#[test]
fn c10_numbers_that_change_through_borrows() {
    let found = Found::of(ALL);
    let followed = ALL.len() - found.refused.len();
    assert!(followed >= 20, "{followed} of {}:\n{}", ALL.len(), found.refused.join("\n"));
}
