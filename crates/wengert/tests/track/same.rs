//! Each function runs as it is written, tracked, and tracked inside a recording: the same result, and the same things
//! dropped in the same order.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::rc::Rc;
use wengert::{Array, record, track, untracked};

thread_local!(pub static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) });

pub fn log(text: impl Into<String>) {
    LOG.with_borrow_mut(|l| l.push(text.into()));
}

/// Says when it is dropped.
#[derive(Debug)]
pub struct Dropped(pub &'static str);

impl Drop for Dropped {
    fn drop(&mut self) {
        log(format!("drop {}", self.0));
    }
}

impl Dropped {
    pub fn get(&self) -> Option<u32> {
        log(format!("get {}", self.0));
        Some(self.0.len() as u32)
    }
    pub fn yes(&self) -> bool {
        log(format!("yes {}", self.0));
        true
    }
}

pub fn made(name: &'static str) -> Dropped {
    log(format!("make {name}"));
    Dropped(name)
}

#[derive(Debug, PartialEq)]
pub struct Failure(pub String);

impl From<std::num::ParseIntError> for Failure {
    fn from(e: std::num::ParseIntError) -> Failure {
        Failure(e.to_string())
    }
}

struct Counter {
    n: u32,
}

type Name<'a> = &'a str;

struct Pair<'a> {
    k: &'a str,
    v: usize,
}

#[derive(wengert::Tree)]
struct Weights {
    w: Array,
}

type Named<'a> = (Weights, Name<'a>);

struct Unit;

trait Length {
    fn length(&self) -> usize;
}

impl Length for &str {
    #[track]
    fn length(&self) -> usize {
        self.len()
    }
}

impl AsRef<str> for Dropped {
    fn as_ref(&self) -> &str {
        self.0
    }
}

macro_rules! same {
    ($($name:ident: { $($item:item)* } $call:expr;)*) => {$(
        #[test]
        fn $name() {
            #[allow(unused, nonstandard_style, clippy::all)]
            mod plain {
                use super::super::*;
                $($item)*
                pub fn run() -> String { format!("{:?}", $call) }
            }
            #[allow(unused, nonstandard_style, clippy::all)]
            mod tracked {
                use super::super::*;
                $(#[track] $item)*
                pub fn run() -> String { format!("{:?}", $call) }
            }
            let run = |f: &dyn Fn() -> String| (f(), LOG.take());
            let expected = run(&plain::run);
            assert_eq!(run(&tracked::run), expected);
            assert_eq!(run(&|| record(tracked::run).0), expected);
        }
    )*};
}

mod inner {
    use super::*;

    same! {
        an_if_and_its_else: {
            fn f(x: i32) -> &'static str { if x > 0 { "more" } else if x == 0 { "none" } else { "less" } }
        } [f(1), f(0), f(-1)];

        an_if_without_else: {
            fn f(x: i32, to: &mut Vec<i32>) { if x > 0 { to.push(x); } to.push(-x) }
        } { let mut v = vec![]; f(1, &mut v); f(-1, &mut v); v };

        early_returns: {
            fn f(x: i32) -> Option<i32> {
                if x < 0 { return None; }
                for i in 0..10 { if i * i >= x { return Some(i); } }
                let y = x * 2;
                return Some(y);
            }
        } [f(-1), f(30), f(1000)];

        a_match: {
            fn f(x: Option<u32>) -> String {
                match x {
                    Some(0) | None => "nothing".into(),
                    Some(n @ 1..=3) if n != 2 && n < 3 => format!("few {n}"),
                    Some(n) => { let m = n + 1; m.to_string() }
                }
            }
        } [f(None), f(Some(0)), f(Some(1)), f(Some(2)), f(Some(3)), f(Some(9))];

        a_match_that_borrows_and_moves: {
            fn f(x: &mut Option<String>, y: Option<String>) -> usize {
                match x { Some(s) => s.push('!'), None => *x = Some("new".into()) }
                match *x { Some(ref s) => log(s.clone()), None => {} }
                match y { Some(s) => { drop(s); 1 } None => 0 }
            }
        } { let mut x = None; (f(&mut x, None), f(&mut x, Some("b".into())), x) };

        loops_with_break_and_continue: {
            fn f(n: u32) -> Vec<u32> {
                let mut out = Vec::new();
                let mut i = 0;
                while i < n {
                    i += 1;
                    if i % 2 == 0 { continue; }
                    if i > 7 { break; }
                    out.push(i);
                }
                out
            }
        } [f(0), f(3), f(20)];

        labels_with_values: {
            fn f(n: u32) -> (u32, u32) {
                let a = 'outer: loop {
                    let mut k = 0;
                    loop {
                        k += 1;
                        if k == n { break 'outer k * 10; }
                        if k > 5 { break 'outer 0; }
                    }
                };
                let b = 'block: {
                    if a == 0 { break 'block 1; }
                    a + 1
                };
                'rows: for i in 0..3 { for j in 0..3 { if j == i { continue 'rows; } if i + j > 2 { break 'rows; } } }
                (a, b)
            }
        } [f(3), f(9)];

        while_let_with_temporaries: {
            fn f(v: &RefCell<Vec<u32>>) -> u32 {
                let mut sum = 0;
                while let Some(x) = { let x = v.borrow_mut().pop(); x } { sum += x; if sum > 100 { break; } }
                sum
            }
        } (f(&RefCell::new(vec![1, 2, 3])), f(&RefCell::new(vec![1, 99, 60])));

        chains_of_lets: {
            fn f(a: Option<u32>, b: bool) -> u32 {
                if b && let Some(x) = a && x > 2 && let Some(y) = x.checked_sub(5) { y } else if let Some(x) = a { x } else { 99 }
            }
        } [f(None, true), f(Some(1), true), f(Some(3), true), f(Some(8), true), f(Some(8), false)];

        a_while_with_a_chain: {
            fn f(mut it: std::vec::IntoIter<u32>) -> u32 {
                let mut n = 0;
                while n < 5 && let Some(x) = it.next() && x != 7 { n += x; }
                n
            }
        } [f(vec![1, 7, 3].into_iter()), f(vec![9, 9].into_iter()), f(vec![].into_iter())];

        let_else: {
            fn f(x: Option<&str>) -> Result<usize, String> {
                let Some(s) = x else { return Err("none".to_string()) };
                let (Some(c), None) = (s.chars().next(), s.chars().nth(1)) else { return Ok(s.len()) };
                Ok(c as usize)
            }
        } [f(None), f(Some("abc")), f(Some("a"))];

        question_marks: {
            fn number(s: &str) -> Result<i64, Failure> { let n = s.parse()?; Ok(n) }
            fn sum(a: &str, b: &str) -> Result<i64, Failure> { Ok(number(a)? + number(b)?) }
            fn first(v: &[Option<u32>]) -> Option<u32> { Some((*v.first()?)? + 1) }
        } (sum("1", "2"), sum("x", "2"), sum("1", ""), first(&[]), first(&[None]), first(&[Some(1)]));

        and_or: {
            fn f(x: i32) -> (bool, bool) {
                let a = x > 0 && { log("right of and"); x < 10 } || { log("right of or"); x == -5 };
                let b = !(x > 3) || a;
                (a, b)
            }
        } [f(5), f(20), f(-5), f(-6)];

        drops_in_order: {
            fn f(a: Dropped, b: Dropped, early: bool) -> u32 {
                let x = made("x");
                let _ = made("ignored");
                let _y = made("y");
                if early { return made("temporary").get().unwrap(); }
                { let _z = made("z"); }
                drop(x);
                made("tail").get().unwrap_or(0)
            }
        } (f(made("a"), made("b"), false), f(made("c"), made("d"), true));

        temporaries_live_as_long: {
            fn f() -> u32 {
                let n = match made("scrutinee").get() { Some(n) => { log("arm"); n } None => 0 };
                if made("condition").yes() { log("then"); }
                if let Some(m) = made("if let").get() { log("inside"); } else { log("outside"); }
                let mut k = 0;
                while made("while").yes() && k < 1 { k += 1; log("body"); }
                for i in made("for").get().into_iter() { log("item"); }
                n
            }
        } f();

        tries_drop_as_they_did: {
            fn f(x: Option<u32>) -> Option<u32> {
                let _a = made("a");
                let y = made("temp").get().and(x)?;
                let _b = made("b");
                Some(y)
            }
        } (f(None), f(Some(1)));

        borrows_of_what_derefs_to_what_is_wanted: {
            fn guarded(cell: &RefCell<u32>) -> u32 { plus(&cell.borrow()) + plus(&Rc::new(1)) + plus(&Box::new(2)) }
            fn changed(cell: &RefCell<u32>) -> u32 { add(&mut cell.borrow_mut()); add(&mut Box::new(1)); plus(&cell.borrow()) }
            fn plus(x: &u32) -> u32 { *x + 1 }
            fn add(x: &mut u32) { *x += 1; }
            fn wanted(x: u8) -> (u64, usize, Vec<u8>) {
                let all: &Vec<u8> = &(0..x).map(u8::from).collect();
                let kept = &made("kept").0.to_string();
                log(kept);
                (wide(&x.into()), slice(&all.clone()) + slice(&[x].map(|x| x + 1)), all.clone())
            }
            fn wide(x: &u64) -> u64 { *x }
            fn slice(x: &[u8]) -> usize { x.len() }
        } { let c = RefCell::new(1); (guarded(&c), changed(&c), wanted(3)) };

        borrowed_results: {
            fn longer<'a>(x: &'a str, y: &'a str) -> &'a str { if x.len() > y.len() { x } else { y } }
            fn first(v: &mut Vec<u32>) -> &mut u32 { let x = &mut v[0]; *x += 1; x }
            fn same(x: &Array) -> &Array { x }
        } { let mut v = vec![1, 2]; *first(&mut v) += 1; let a = Array::from(1.0f32);
            (longer("a", "bc"), v, std::ptr::eq(same(&a), &a)) };

        opaque_and_boxed_results: {
            fn evens(n: u32) -> impl Iterator<Item = u32> + Clone { (0..n).filter(|x| x % 2 == 0) }
            fn adder(n: u32) -> Box<dyn Fn(u32) -> u32> { if n == 0 { return Box::new(|x| x); } Box::new(move |x| x + n) }
            fn maybe(b: bool) -> Result<impl Debug, String> { if b { Ok(1) } else { Err("no".to_string()) } }
        } (evens(5).collect::<Vec<_>>(), adder(2)(3), adder(0)(3), maybe(true), maybe(false));

        generics: {
            fn largest<T: PartialOrd + Copy, const N: usize>(x: [T; N]) -> Option<T> where T: Debug {
                let mut it = x.iter();
                let mut best = *it.next()?;
                for &y in it { if y > best { best = y; } }
                Some(best)
            }
            fn count<T>(x: Vec<T>, f: impl Fn(&T) -> bool) -> usize {
                let mut n = 0;
                for y in &x { if f(y) { n += 1; } }
                n
            }
        } (largest([1, 5, 2]), largest::<f64, 0>([]), count(vec!['a', 'b'], |c| *c > 'a'));

        operators_that_give_other_types: {
            fn negated<T: std::ops::Neg>(x: (T,)) -> (T::Output,) { (-x.0,) }
            fn inverted<T: std::ops::Not + Copy>(x: &[T]) -> Option<T::Output> { Some(!(x[0])) }
            fn negated_by_a_closure<T: std::ops::Neg>(x: T) -> Option<T::Output> { let f = |x: T| x; Some(-f(x)) }
            fn negated_branch(b: bool) -> Option<i64> { Some(-if b { 1u8.into() } else { 2u8.into() }) }
        } (negated((2.5,)), inverted(&[5u8]), negated_by_a_closure(3), negated_branch(true));

        inference_is_left_alone: {
            fn f(s: &str) -> f64 {
                let mut v = Vec::new();
                let x = s.parse().unwrap();
                let d = Default::default();
                v.push(x);
                let n: u8 = d;
                let s = v.iter().map(|x: &f64| x * 2.0).sum();
                if n == 0 { s } else { 0.0 }
            }
        } f("1.5");

        patterns_in_arguments: {
            fn f((a, b): (u32, &str), [x, .., y]: [i32; 4], _: f32, Counter { n }: Counter, mut k: u32) -> String {
                k += a;
                format!("{a}{b}{x}{y}{n}{k}")
            }
        } f((1, "b"), [1, 2, 3, 4], 0.0, Counter { n: 5 }, 6);

        closures_and_items_inside: {
            fn f(n: u32) -> Option<u32> {
                fn helper(x: u32) -> Option<u32> { if x > 2 { return Some(x); } None }
                let g = |x: u32| -> Option<u32> { let y = helper(x)?; if y > 5 { return None; } Some(y + n) };
                let all: Vec<_> = (0..9).filter_map(|x| g(x)).collect();
                all.last().copied()
            }
        } f(10);

        nothing_and_never: {
            fn nothing() {}
            fn unit(x: u32) { if x == 0 { return; } log("on"); }
            fn stops(x: u32) -> ! { log(x.to_string()); panic!("stop") }
            fn number(x: u32) -> u32 { if x == 0 { stops(x) } else { loop { break x } } }
        } (nothing(), unit(0), unit(1), number(3), std::panic::catch_unwind(|| number(0)).is_err());

        what_is_left_out_may_leave: {
            fn f(x: u32) -> u32 {
                let y = untracked!({ if x > 2 { return 7; } x + 1 });
                for i in 0..3 { untracked!(if i == y { break; }); log("step"); }
                y
            }
            fn twice(x: u32) -> u32 { f(x) + f(x + 1) }
        } [twice(0), twice(2), twice(5)];

        maps_and_indices: {
            fn f(m: &mut BTreeMap<&'static str, Vec<u32>>, key: &'static str) -> usize {
                if let Some(v) = m.get_mut(key) { v.push(1); } else { m.insert(key, vec![]); }
                match m[key][..] { [] => 0, [x] => x as usize, [_, ref rest @ ..] => rest.len() + 10 }
            }
        } { let mut m = BTreeMap::new(); [f(&mut m, "a"), f(&mut m, "a"), f(&mut m, "a"), f(&mut m, "b")] };

        closures_as_results: {
            fn scaled(k: f32) -> impl Fn(Array) -> Array { move |x| x.sin() * k }
            fn read() -> impl Fn(&u32) -> u32 { |x| *x }
            fn starts<'a>(with: &'a str) -> impl Fn(&str) -> bool + use<'a> { move |s| s.starts_with(with) }
            fn both(early: bool) -> impl Fn(u32) -> u32 {
                let k = if early { return Box::new(|x: u32| x + 1) as Box<dyn Fn(u32) -> u32>; } else { 3 };
                Box::new(move |x| x * k)
            }
            fn pair(n: u32) -> (u32, impl Fn(&u32) -> u32) { (n, move |x| x + n) }
        } (scaled(2.0)(Array::from(0.5f32)).item::<f32>(), read()(&3), starts("a")("ab"), both(true)(1), both(false)(2),
           pair(2).1(&5));

        opaque_results_inside_others: {
            fn numbers(c: bool) -> Option<impl Iterator<Item = u32>> { if c { return None; } Some(0..3) }
            fn adder(n: &str) -> Result<impl Fn(u32) -> u32, String> {
                if n.is_empty() { return Err("empty".to_string()); }
                let n: u32 = n.parse().map_err(|_| "none".to_string())?;
                Ok(move |x| x + n)
            }
        } (numbers(true).is_none(), numbers(false).map(|n| n.sum::<u32>()), adder("").err(), adder("x").err(),
           adder("4").map(|f| f(1)));

        let_else_that_borrows_temporaries: {
            fn f(n: u32) -> u32 {
                let Some(d) = &Some(made("kept")).filter(|_| n > 0) else { log("none"); return 0 };
                let [a, b] = &mut [n, n + 1][..] else { return 1 };
                *a += 1;
                let (Some(x), y) = (&Some(made("in a tuple")), &made("beside")) else { return 2 };
                let Counter { n: 5.. } = &(Counter { n }) else { log(x.0); return *a + *b };
                log(d.0);
                3
            }
        } [f(0), f(1), f(7)];

        a_str_by_another_name: {
            fn f(x: Name<'_>) -> usize { x.len() }
            fn g(Pair { k, v }: Pair<'_>) -> usize { k.len() + v }
            fn h<'a, I: Iterator<Item = &'a str>>(mut it: I) -> Option<I::Item> { it.next() }
            fn i(v: &[Name<'_>], m: &BTreeMap<Name<'_>, Array>, p: Option<Name<'_>>, t: (u32, Name<'_>)) -> usize {
                v.len() + m.len() + p.map_or(0, |p| p.len()) + t.1.len()
            }
            fn j(x: Named<'_>, s: wengert::Static<Name<'_>>) -> usize { x.1.len() + s.0.len() }
        } { let s = String::from("abc"); let a = Array::from(1.0f32);
            (f(&s), g(Pair { k: &s, v: 1 }), h(s.split('b')).map(|s| s.len()),
             i(&[&s], &BTreeMap::from([(&*s, a.clone())]), Some(&s), (1, &s)),
             j((Weights { w: a }, &s), wengert::Static(&s)), s.as_str().length()) };

        tails_that_are_not_always_there: {
            fn f() -> u32 { #[cfg(unix)] { 1 } #[cfg(not(unix))] { g(2) } }
            fn g(x: u32) -> u32 { #[cfg(not(all()))] { x } #[cfg(all())] { if x > 2 { return 5; } log("g"); x } }
            fn h(p: Pair<'_>) -> usize {
                let Pair { k, #[cfg(all())] v, #[cfg(not(all()))] w } = p;
                #[cfg(not(all()))] let k = made("never");
                #[cfg(all())] let k = made("k");
                #[cfg(not(all()))] let Some(k) = g() else { return };
                for i in 0..4 { #[cfg(not(all()))] break; #[cfg(all())] if i == v { continue; } log("loop"); }
                #[cfg(not(all()))] return 0;
                #[allow(clippy::all)] { k.0.len() + v }
            }
            fn k(x: u32) -> u32 { #[cfg(not(all()))] g(9); #[cfg(all())] g(x); #[cfg(not(all()))] return g(8); #[cfg(all())] g(x + 1) }
        } (f(), g(1), g(3), h(Pair { k: "a", v: 2 }), k(1));

        calls_of_many_kinds: {
            fn kept<T>(x: T) -> T { x }
            fn apply<A, B>(f: fn(A) -> B, a: A) -> B { f(a) }
            fn by(f: impl Fn(&str) -> usize, x: &str) -> usize { f(x) }
            fn paths(n: usize) -> ([u8; 4], usize, u32, String, Vec<u8>, Box<dyn Fn(u32) -> u32>) {
                // SAFETY: two numbers of 16 bits are four of 8.
                let bits = unsafe { std::mem::transmute::<[u16; 2], [u8; 4]>([1, 2]) };
                let mut total = 0;
                for i in 0..n {
                    let s = i.to_string();
                    let held = kept::<&str>(&s);
                    total += by(str::len, held) + by(|x| x.len() + n, kept(held));
                }
                let radix = apply(kept, u32::from_str_radix("1f", 16).unwrap_or_default());
                let text: String = Into::into(kept("d"));
                let bytes = Vec::from(<String as AsRef<[u8]>>::as_ref(&text));
                (bits, total, radix, text, bytes, Box::new(move |x| kept(x) + radix))
            }
            fn statics(x: u32) -> u32 {
                static double: fn(u32) -> u32 = |x| x * 2;
                static lazy: std::sync::LazyLock<Box<dyn Fn(u32) -> u32 + Send + Sync>> =
                    std::sync::LazyLock::new(|| Box::new(|x| x + 1));
                unsafe fn danger(x: u32) -> u32 { x + 5 }
                // SAFETY: it asks for nothing.
                unsafe { danger(lazy(double(x))) }
            }
            fn receivers(v: &mut Vec<Vec<u32>>, r: std::ops::Range<usize>, d: Dropped) -> (usize, Option<u32>, bool) {
                v[0].push(1);
                v[0 + 1].push(2);
                let p = &raw mut *v;
                // SAFETY: the list lives, and nothing else refers to it.
                unsafe { (*p).push(vec![3]) }
                let n = v[r].concat().len();
                let last = match v.last() { Some(l) if l.eq(&vec![3]) => l.first().copied(), _ => None };
                (n, last, d.yes())
            }
        } { let mut v = vec![vec![], vec![]]; let p = paths(3);
            (p.0, p.1, p.2, p.3, p.4, (p.5)(1), statics(4), receivers(&mut v, 0..2, made("d")), v) };

        capitals: {
            fn fit(X: Array, W: &Array, Unit: Unit, (A, 数): (u32, u32)) -> f32 {
                let Y = X * W;
                let (Q, K) = (A + 1, 数);
                let Unit = Unit;
                for I in 0..2 { log(I.to_string()); }
                Y.item::<f32>() + (Q + K) as f32
            }
            fn r#type(r#fn: u32) -> u32 { let r#let = r#fn; r#let }
        } (fit(Array::from(2.0f32), &Array::from(3.0f32), Unit, (1, 2)), r#type(1));

        temporaries_of_what_is_left_out: {
            fn f() -> usize {
                let kept = untracked!(&made("kept"));
                let (a, b) = untracked!((&made("a"), &mut made("b").0));
                *b = "other";
                log(kept.0);
                untracked!(&made("argument")).0.len() + untracked!(made("method").as_ref()).len()
                    + untracked!({ let x = made("block"); x.0.len() }) + untracked!(let y = a; y.0.len())
            }
            fn place(v: &mut (Vec<String>, u32)) -> (&str, &mut u32) { (untracked!(&v.0[0]), untracked!(&mut v.1)) }
        } { let mut v = (vec!["s".to_string()], 1); let (_, n) = place(&mut v); *n += 1; (f(), v) };
    }
}
