//! Rust that is seldom written, with and without `#[track]`: the same results, and the same things dropped in order.

use super::same::{Dropped, Failure, LOG, log, made};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt::{self, Debug, Display, Write};
use std::marker::PhantomData;
use std::ops::{Add, ControlFlow, Deref, Index};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard};
use wengert::{Kind, record, track};

/// All of it, with `#[track]` if the condition holds.
macro_rules! functions {
    ($on:meta, $d:tt) => {
        // Generics and types.
        #[cfg_attr($on, track)]
        fn sized<const N: usize, const B: bool>(x: [u8; N]) -> [u8; N] { if B { x.map(|b| b + 1) } else { x } }
        #[cfg_attr($on, track)]
        fn filled<T: Default + Copy, const N: usize>() -> [T; N] where [T; N]: Debug { [T::default(); N] }
        #[cfg_attr($on, track)]
        fn shown(x: impl Display + Copy, f: impl Fn(&str) -> String, each: &mut impl FnMut(usize)) -> String {
            each(1);
            f(&format!("{x}{x}"))
        }
        #[cfg_attr($on, track)]
        fn ranked<F>(f: F) -> usize where F: for<'a> Fn(&'a str, &'a str) -> &'a str {
            let s = String::from("local");
            f(&s, "b").len()
        }
        #[cfg_attr($on, track)]
        fn pointers(up: bool) -> for<'a> fn(&'a [u32]) -> Option<&'a u32> {
            fn last(x: &[u32]) -> Option<&u32> { x.last() }
            if up { |x| x.first() } else { last }
        }
        #[cfg_attr($on, track)]
        fn longest<'a: 'b, 'b>(x: &'a str, y: &'b str, n: &'static str) -> Cow<'b, str> {
            match (x.len(), y.len()) {
                (0, 0) => Cow::Borrowed(n),
                (a, b) if a > b => Cow::from(x),
                _ => Cow::Owned(y.to_uppercase()),
            }
        }
        #[cfg_attr($on, track)]
        fn unsized_things(s: &str, t: &[Dropped], d: &dyn Debug, f: &mut dyn FnMut(u32) -> u32, b: Box<[u32]>, r: Rc<str>) -> Box<str> {
            let [first, .., last] = t else { return "none".into() };
            format!("{s}{first:?}{last:?}{d:?}{}{b:?}{r}", f(1)).into_boxed_str()
        }
        #[cfg_attr($on, track)]
        fn phantom<T: ?Sized, U>(_: PhantomData<T>, x: Option<U>) -> (PhantomData<U>, bool) { (PhantomData, x.is_some()) }
        #[cfg_attr($on, track)]
        fn dynamic(n: u32) -> Result<Box<dyn Iterator<Item = u32> + Send>, Box<dyn Error + Send + Sync>> {
            match n {
                0 => Err("zero")?,
                1 => return Err(Box::new(fmt::Error)),
                2 => Ok(Box::new(std::iter::empty())),
                n => Ok(Box::new((0..n).filter(move |x| x % 2 == n % 2))),
            }
        }
        #[cfg_attr($on, track)]
        fn unsizes(n: u32) -> (&'static [u8], &'static dyn Debug, Rc<dyn Fn() -> u32>) { (b"abc", &5, Rc::new(move || n)) }

        // Patterns.
        #[cfg_attr($on, track)]
        fn patterns(&(a, ref b): &(u32, String), [x, .., y]: [u32; 4], mut z: Dropped, (Ok(e) | Err(e)): Result<u32, u32>, ref s: String) -> String {
            z.0 = "renamed";
            format!("{a}{b}{x}{y}{e}{s}")
        }
        #[cfg_attr($on, track)]
        fn bindings(x: Option<Vec<u32>>) -> u32 {
            let ref copy @ Some(ref inner) = x else { return 0 };
            let mut v = (inner.clone(), copy.is_some());
            let (ref mut w, _) = v;
            w.push(9);
            match &mut v.0[..] {
                [] => 1,
                [one] => { *one += 1; *one }
                [first, middle @ .., last] if { *first > 3 } => { let n = *last; *first += n; middle.len() as u32 + n }
                [first, rest @ ..] => { rest[0] += *first; rest.iter().sum() }
            }
        }
        #[cfg_attr($on, track)]
        fn boxes(x: Box<(Dropped, Dropped)>) -> usize {
            let (a, _) = *x;
            log("moved one");
            match a { Dropped(ref s) if s.is_empty() => 0, d @ Dropped(..) => { let n = d.0.len(); drop(d); log("after"); n } }
        }
        #[cfg_attr($on, track)]
        fn shadows(x: u32) -> u32 {
            let x = x + 1;
            let x = { let x = x * 2; if let Some(x) = x.checked_sub(3) { x } else { x } };
            let x = |y: u32| { let x = x + y; x };
            let x = match x(1) { x if x > 100 => 0, x => x };
            x
        }
        #[cfg_attr($on, track)]
        fn ranges(x: i64) -> &'static str {
            const LOW: i64 = -5;
            match x { i64::MIN..LOW => "low", LOW..=-1 => "negative", 0 => "zero", 1.. => "positive" }
        }
        #[cfg_attr($on, track)]
        fn nested_ors(x: (Option<u32>, Result<u32, u32>)) -> u32 {
            match x { (Some(n @ (1 | 2)), Ok(m) | Err(m)) | (Some(m), Ok(n)) if n < m => n, (None, _) => 7, (Some(_), Ok(_) | Err(_)) => 8 }
        }

        // Temporaries and guards.
        #[cfg_attr($on, track)]
        fn locks(m: &Mutex<Vec<u32>>) -> u32 {
            match m.lock().unwrap().last() { Some(n) => { log(format!("held {}", m.try_lock().is_err())); *n } None => 0 };
            if let Some(n) = m.lock().unwrap().pop() { log(format!("held {} {n}", m.try_lock().is_err())); } else { log(format!("else {}", m.try_lock().is_err())); }
            while m.lock().unwrap().len() > 2 { log(format!("while {}", m.try_lock().is_err())); m.lock().unwrap().pop(); }
            while let Some(n) = { let n = m.lock().unwrap().pop(); n } { log(format!("let {} {n}", m.try_lock().is_err())); }
            let n = m.lock().unwrap().len() as u32;
            for i in m.lock().unwrap().drain(..) { log(i.to_string()); }
            m.lock().unwrap().push(n);
            m.lock().unwrap()[0]
        }
        #[cfg_attr($on, track)]
        fn guard(m: &Mutex<u32>) -> MutexGuard<'_, u32> { let mut g = m.lock().unwrap(); *g += 1; if *g > 5 { return g; } *g *= 2; g }
        #[cfg_attr($on, track)]
        fn references_to_temporaries(x: u32) -> usize {
            let a = match &made("matched") { d if x > 0 => d.0.len(), d => { log(d.0); 0 } };
            let b = &match x { 0 => made("zero"), _ => made("more") };
            let c: &dyn Debug = if x > 1 { &made("then") } else { &5 };
            log(format!("{b:?} {c:?}"));
            match *&*made("deref").0 { ref s => a + s.len() }
        }
        #[cfg_attr($on, track)]
        fn statements_drop(x: Option<Dropped>) -> Option<u32> {
            made("a").get()?;
            let _ = x.as_ref()?.get();
            let _kept = x?;
            (made("b").get()? + made("c").get()?).checked_sub({ let _d = made("d"); 1 })
        }
        #[cfg_attr($on, track)]
        fn chain_drops(x: u32) -> u32 {
            if made("one").yes() && let Some(n) = made("two").get() && n > x && made("three").yes() { log("in"); n } else { log("out"); x }
        }
        #[cfg_attr($on, track)]
        fn panics(x: u32) -> u32 {
            let _a = made("outer");
            for i in 0..x { let _b = made("inner"); if i == 1 { let _: u32 = "no".parse().unwrap(); } }
            x
        }
        #[cfg_attr($on, track)]
        fn assigns(x: bool) -> Vec<&'static str> {
            let (mut a, b);
            let c: Dropped;
            if x { b = made("b"); a = "x"; c = made("c") } else { a = "y"; return vec![a]; }
            let d; loop { d = made("d"); break; }
            (a, _) = (b.0, 1);
            let mut v = vec![a, c.0];
            [v[0], _] = [d.0, ""];
            v
        }

        // Control flow.
        #[cfg_attr($on, track)]
        fn labels(n: u32) -> Option<u32> {
            let found = 'a: {
                'b: for i in 0.. {
                    let k = 'c: { if i % 2 == 0 { break 'c i; } if i > n { break 'b; } if i == 7 { break 'a Some(i); } continue 'b };
                    if k >= 8 { break 'a None; }
                }
                Some(100)
            };
            let n = 'd: while n > 0 { break 'd; };
            let () = n;
            Some(loop { match found { Some(0) => continue, Some(n) => break n, None => return None } })
        }
        #[cfg_attr($on, track)]
        fn returns_in_closures(v: Vec<u32>) -> Result<u32, Failure> {
            let parse = |s: &str| -> Result<u32, Failure> { if s.is_empty() { return Ok(0); } Ok(s.parse()?) };
            let nested = |x: u32| move |y: u32| { if y > x { return y; } (|| { for i in 0.. { if i > y { return i; } } 0 })() };
            let total = v.iter().map(|x| { if *x == 3 { return 30; } nested(*x)(2) }).sum::<u32>();
            Ok(total + parse("12")? + parse("")? + v.iter().try_fold(0u32, |a, x| { a.checked_add(*x).ok_or(Failure("over".into())) })?)
        }
        #[cfg_attr($on, track)]
        fn converts(s: &str) -> Result<u8, Box<dyn Error>> {
            let n: i64 = s.parse()?;
            if n == 13 { return Err(Failure("unlucky".into()).0.into()); }
            let n = u8::try_from(n)?;
            let mut out = String::new();
            write!(out, "{n}")?;
            Ok(out.parse::<u8>()?.checked_mul(2).ok_or_else(|| "too much")?)
        }
        #[cfg_attr($on, track)]
        fn flow(v: &[i32]) -> ControlFlow<i32, Option<i32>> {
            v.iter().try_for_each(|x| if *x < 0 { ControlFlow::Break(*x) } else { ControlFlow::Continue(()) })?;
            ControlFlow::Continue(v.first().copied())
        }
        #[cfg_attr($on, track)]
        fn macros(x: Option<u32>) -> Option<u32> {
            macro_rules! get { ($e:expr) => { match $e { Some(x) => x, None => return None } }; }
            macro_rules! two { ($a:ident, $b:ident) => { let $a = 1u32; let $b = $a + 1; }; }
            two!(a, b);
            let n = get!(x);
            let v = vec![n; get!(n.checked_sub(1)) as usize];
            if matches!(v[..], [_, ..]) && !v.is_empty() { assert!(n > 1, "{n}"); }
            for i in v { if i == 0 { get!(None::<u32>); } }
            macro_rules! tail { ($e:expr) => { let y = $e; Some(y + 1) }; }
            tail! { a + b + n }
        }
        #[cfg_attr($on, track)]
        fn never(x: u32) -> u32 {
            let n: u32 = match x { 0 => return 5, 1 => { loop { if x == 1 { break 3 } } } 2 => panic!("two"), _ => x };
            if n > 50 { unreachable!() }
            let _f = || -> u32 { panic!() };
            { { { return n + 1 } } }
        }
        #[cfg_attr($on, track)]
        fn lazy(x: u32) -> bool {
            let mut n = 0;
            let a = x > 1 && { n += 1; true } && !(x == 5 || { n += 10; false }) || x == 0 && return n == 0;
            let b = a & (x > 2 || { n += 100; n > 3 }) ^ (n == 1);
            log(n.to_string());
            if !a || (b && n > 0) { x % 2 == 0 } else { !(a && b) }
        }
        #[cfg_attr($on, track)]
        fn iterators(it: &mut dyn Iterator<Item = u32>, by: &mut std::vec::IntoIter<u32>) -> Vec<u32> {
            let mut out = vec![];
            for x in &mut *it { out.push(x); if x == 2 { break; } }
            for x in &mut *by { if let 0 | 1 = x { continue } out.push(x); if out.len() > 3 { break } }
            for (i, c) in "ab".chars().rev().enumerate() { out.push(i as u32 + c as u32); }
            for _ in it { out.push(0); }
            out.extend(by);
            for i in (0..10).step_by(3) { if i > 5 { return out; } out.push(i) }
            out
        }
        #[cfg_attr($on, track)]
        fn mutates(v: &mut Vec<u32>, map: &mut HashMap<String, Vec<u32>>) -> Option<&'static str> {
            v.push(v.len() as u32);
            let n = v.len();
            v[n - 1] += if n > 1 { v[0] } else { 1 };
            map.entry("k".into()).or_default().push(v.iter().copied().max()?);
            *map.get_mut("k")?.first_mut()? += 1;
            let first = &mut v[..];
            let (a, b) = first.split_at_mut(1);
            std::mem::swap(&mut a[0], b.get_mut(0)?);
            if let Some(x) = map.get("none").and_then(|x| x.first()) { return Some(if *x > 1 { "a" } else { "b" }); }
            None
        }
        #[cfg_attr($on, track)]
        fn items(x: u32) -> u32 {
            const TWO: u32 = 1 + 1;
            static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
            thread_local!(static HERE: Cell<u32> = const { Cell::new(0) });
            #[derive(Debug, Clone, Copy, PartialEq)]
            enum E { A = 1, B }
            impl E { fn n(self) -> u32 { if self == E::A { return 10; } self as u32 } }
            use E::*;
            type Own = (E, [u32; TWO as usize]);
            HERE.set(x);
            COUNT.store(0, std::sync::atomic::Ordering::Relaxed);
            let (e, [a, b]): Own = (if x > 1 { A } else { B }, [x; TWO as usize]);
            match e { A => e.n() + a, B => b + const { TWO * 3 } + COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + HERE.get() }
        }
        #[cfg_attr($on, track)]
        #[inline(always)]
        #[must_use = "it says"]
        #[allow(clippy::all)]
        #[doc = "attributes"]
        fn attributed(#[allow(unused)] x: u32, #[cfg(any())] y: NoType, #[cfg(all())] z: u32) -> u32 {
            #![allow(unused_mut)]
            #[allow(unused_variables)]
            let mut x = z;
            #[rustfmt::skip]
            let y = if z > 3 { return z; };
            #[cfg_attr(all(), allow(unused_variables))]
            let y = z + called_from().0;
            #[cfg_attr(all(), allow(unused_variables))]
            let Some(w) = Some(y) else { return 0 };
            #[allow(unused_assignments)]
            { x = 3; }
            #[cfg(any())]
            compile_error!("not there");
            let v = [#[cfg(any())] 1, #[cfg(all())] 2, 3];
            match x { #[cfg(any())] 3 => 0, #[allow(unused)] n @ 3 => n + v.len() as u32, _ => 1 }
        }
        #[cfg_attr($on, track)]
        #[track_caller]
        fn called_from() -> (u32, bool) { let l = std::panic::Location::caller(); (l.column(), l.file().ends_with("unusual.rs")) }
        #[cfg_attr($on, track)]
        fn raw_and_unsafe(x: &mut u32) -> u32 {
            let p = &raw mut *x;
            let q = &raw const *x;
            // SAFETY: `x` is a place of this function alone.
            unsafe { *p += 1; if *q > 5 { return *q; } *p *= 2; *q }
        }
        #[cfg_attr($on, track)]
        fn strings(x: Option<&str>) -> String {
            let r#match = x.map_or(c"none".to_string_lossy().into_owned(), str::to_owned);
            let Some((a, b)) = r#match.split_once('=') else { return format!("{match:>6}", r#match = r#match) };
            match (a, b.parse::<f64>()) { ("x", Ok(v)) if v.is_nan() => "nan".into(), (k, Ok(v)) => format!("{k}:{v:.1}"), (k, Err(e)) => format!("{k}!{e}") }
        }
        #[cfg_attr($on, track)]
        fn struct_literals(n: u32) -> (Point<u32>, u32) {
            let p = Point { x: { if n > 2 { n } else { 2 } }, ..Point { x: 0, y: n } };
            let Point { x, y: ref z } = p;
            if (Point { x, y: *z }) == p && p == (Point { x, ..p }) { return (Point { y: x, x: *z }, 1); }
            (p, 0)
        }
        #[cfg_attr($on, track)]
        fn recursive<T: Debug + Clone>(x: Vec<T>, n: usize) -> Vec<Vec<T>> {
            let [first, rest @ ..] = &x[..] else { return vec![vec![]] };
            if n == 0 { return vec![vec![]]; }
            let mut all = recursive(rest.to_vec(), n - 1).into_iter().map(|mut v| { v.insert(0, first.clone()); v }).collect::<Vec<_>>();
            if rest.len() >= n { all.append(&mut recursive(rest.to_vec(), n)); }
            all
        }
        #[cfg_attr($on, track)]
        fn trait_bounds<I>(it: I) -> BTreeMap<I::Item, usize> where I: IntoIterator, I::Item: Ord + Clone, for<'a> &'a I::Item: PartialEq {
            let mut m = BTreeMap::new();
            for x in it { *m.entry(x).or_insert(0) += 1; }
            m
        }
        #[cfg_attr($on, track)]
        fn lifetimes_without_names(x: Option<Words>, y: &Words<'_>, z: Cell<&str>) -> usize { if let Some(x) = &x { x.0.len() } else { y.0.len() + z.get().len() } }
        #[cfg_attr($on, track)]
        fn inferred(n: u32) -> u64 {
            let mut x = Default::default();
            let mut it = Vec::new();
            let s = if n > 1 { Some(&mut x) } else { None };
            if let Some(s) = s { *s += 1u64; }
            let f = |a, b| a + b;
            it.push(f(x, 2));
            let [y] = it[..] else { return x };
            let z = (1..=n.into()).product();
            y.max(z)
        }

        // Methods.
        impl<T: Copy + Add<Output = T> + Debug> Shape for Point<T> {
            type Side<'a> = &'a T where T: 'a;
            const CORNERS: usize = 1;
            #[cfg_attr($on, track)]
            fn side(&self, first: bool) -> Self::Side<'_> { if first { return &self.x; } &self.y }
            #[cfg_attr($on, track)]
            fn new() -> Option<Self> where Self: Sized { None }
            #[cfg_attr($on, track)]
            fn boxed(self: Box<Self>) -> Box<dyn Debug> where Self: 'static { let Point { x, y } = *self; Box::new(x + y) }
        }
        trait Shape: Debug {
            type Side<'a>: Debug where Self: 'a;
            const CORNERS: usize;
            fn side(&self, first: bool) -> Self::Side<'_>;
            fn new() -> Option<Self> where Self: Sized;
            fn boxed(self: Box<Self>) -> Box<dyn Debug> where Self: 'static;
            #[cfg_attr($on, track)]
            fn both(&self) -> (Self::Side<'_>, usize) where Self: Sized { let s = self.side(true); (s, Self::CORNERS) }
            #[cfg_attr($on, track)]
            fn or_new(self) -> Self where Self: Sized { Self::new().unwrap_or(self) }
            #[cfg_attr($on, track)]
            fn shared(self: Rc<Self>, n: usize) -> usize { if Rc::strong_count(&self) > n { 1 } else { Self::CORNERS + n } }
            #[cfg_attr($on, track)]
            fn pinned(mut self: Pin<&mut Self>) -> bool where Self: Unpin { let this: &mut Self = &mut self; format!("{this:?}").len() > 3 }
            #[cfg_attr($on, track)]
            fn dropped(self: Box<Self>) { log(format!("{self:?}")); }
        }
        impl Index<&str> for Point<u32> {
            type Output = u32;
            #[cfg_attr($on, track)]
            fn index(&self, name: &str) -> &u32 { match name { "x" => &self.x, "y" => &self.y, other => panic!("no {other}") } }
        }
        impl<T: Copy> Deref for Point<T> {
            type Target = T;
            #[cfg_attr($on, track)]
            fn deref(&self) -> &T { &self.x }
        }
        impl<'a> Iterator for Words<'a> {
            type Item = &'a str;
            #[cfg_attr($on, track)]
            fn next(&mut self) -> Option<Self::Item> {
                let s = self.0.trim_start();
                let end = s.find(' ').unwrap_or(s.len());
                let (word, rest) = s.split_at(end);
                self.0 = rest;
                (!word.is_empty()).then_some(word)
            }
        }
        impl<'a> Words<'a> {
            #[cfg_attr($on, track)]
            fn rest(&self, skip: Self) -> &'a str { if skip.0.is_empty() { return ""; } self.0 }
            #[cfg_attr($on, track)]
            fn with(&mut self, f: impl for<'x> FnOnce(&'x mut Words<'a>) -> &'x mut &'a str) -> &mut Self { *f(self) = "c d"; self }
        }
        impl Drop for Words<'_> {
            #[cfg_attr($on, track)]
            fn drop(&mut self) { if !self.0.is_empty() { log(format!("left {}", self.0)); } }
        }
        #[derive(Debug, PartialEq, Clone, Copy)]
        struct Point<T> { x: T, y: T }
        struct Words<'a>(&'a str);

        /// Every one of them.
        pub fn runs() -> Vec<(&'static str, fn() -> String)> {
            macro_rules! runs { ($d($name:literal: $e:expr;)*) => { vec![$d(($name, || format!("{:?}", $e))),*] }; }
            runs! {
                "sized": (sized::<2, true>([1, 2]), sized::<0, false>([]));
                "filled": filled::<u16, 3>();
                "shown": { let mut n = 0; let s = shown(1.5, |s| s.to_uppercase(), &mut |k| n += k); (s, n) };
                "ranked": ranked(|a, _| a);
                "pointers": (pointers(true)(&[1, 2]), pointers(false)(&[1, 2]));
                "longest": { let s = String::from("abc"); (longest(&s, "d", "e").into_owned(), longest("", &s, "e").into_owned(), longest("", "", "e")) };
                "unsized": { let mut n = 1; [unsized_things("a", &[made("one"), made("two")], &Some(1), &mut |k| { n += k; n }, vec![1].into(), "r".into()), unsized_things("", &[], &(), &mut |_| 0, Box::new([]), "".into())] };
                "phantom": phantom::<str, u32>(PhantomData, Some(1));
                "dynamic": (0..5).map(|n| dynamic(n).map(|it| it.collect::<Vec<_>>()).map_err(|e| e.to_string())).collect::<Vec<_>>();
                "unsizes": { let (a, b, c) = unsizes(3); format!("{a:?}{b:?}{}", c()) };
                "patterns": patterns(&(1, "b".into()), [1, 2, 3, 4], made("z"), Err(5), "s".into());
                "bindings": [bindings(None), bindings(Some(vec![])), bindings(Some(vec![4, 5])), bindings(Some(vec![1, 2]))];
                "boxes": boxes(Box::new((made("first"), made("second"))));
                "shadows": [shadows(0), shadows(7)];
                "ranges": [-9, -2, 0, 3].map(ranges);
                "nested ors": [(Some(1), Err(5)), (Some(9), Ok(1)), (None, Ok(0)), (Some(0), Ok(3))].map(nested_ors);
                "locks": locks(&Mutex::new(vec![1, 2, 3, 4, 5]));
                "guard": { let m = Mutex::new(1); let a = *guard(&m); let b = *guard(&m); let c = *guard(&m); (a, b, c) };
                "references": [0, 1, 2].map(references_to_temporaries);
                "statements": (statements_drop(None), statements_drop(Some(made("x"))));
                "chains": [chain_drops(0), chain_drops(9)];
                "panics": [0, 1, 3].map(|n| std::panic::catch_unwind(|| panics(n)).ok());
                "assigns": [assigns(true), assigns(false)];
                "labels": [0, 1, 4, 9].map(labels);
                "closures": (returns_in_closures(vec![1, 2, 3, 4]), returns_in_closures(vec![u32::MAX, 1]));
                "converts": ["1", "x", "13", "300", "200"].map(|s| converts(s).map_err(|e| e.to_string()));
                "flow": [flow(&[1, 2]), flow(&[1, -2]), flow(&[])];
                "macros": [None, Some(0), Some(4)].map(macros);
                "never": [0, 1, 9].map(never);
                "lazy": [0, 1, 2, 3, 5].map(lazy);
                "iterators": iterators(&mut [1, 2, 3].into_iter(), &mut vec![0, 1, 5, 6, 7].into_iter());
                "mutates": { let (mut v, mut m) = (vec![7], HashMap::new()); (mutates(&mut v, &mut m), mutates(&mut vec![], &mut m), v, m) };
                "items": [items(1), items(2)];
                "attributed": [attributed(0, 1), attributed(0, 9)];
                "called from": called_from();
                "raw": { let mut x = 1; (raw_and_unsafe(&mut x), raw_and_unsafe(&mut x), raw_and_unsafe(&mut x)) };
                "strings": [None, Some("x=NaN"), Some("y=1.25"), Some("z=k")].map(strings);
                "struct literals": [struct_literals(1), struct_literals(2)];
                "recursive": recursive(vec!['a', 'b', 'c'], 2);
                "bounds": trait_bounds("abcab".chars());
                "lifetimes": { let s = String::from("abc"); (lifetimes_without_names(None, &Words(&s), Cell::new(&s)), lifetimes_without_names(Some(Words(&s)), &Words(""), Cell::new(""))) };
                "inferred": [inferred(1), inferred(5)];
                "methods": { let p = Point { x: 1u32, y: 2 }; format!("{:?}", (p.both(), *p.side(false), p.or_new(), Box::new(p).boxed(), Rc::new(p).shared(0), Rc::new(p).shared(1), Pin::new(&mut { p }).pinned(), Box::new(p).dropped(), p["y"], p.count_ones())) };
                "unwinds": std::panic::catch_unwind(|| Point { x: 1, y: 2 }["z"]).is_err();
                "words": { let text = String::from(" a  b "); let mut w = Words(&text); format!("{:?}", (w.next(), w.rest(Words("")), w.rest(Words("b")), w.with(|w| &mut w.0).next(), w.map(str::len).collect::<Vec<_>>())) };
            }
        }
    };
}

#[allow(unused, clippy::all)]
mod plain {
    use super::*;
    functions!(any(), $);
}

#[allow(unused, clippy::all)]
mod tracked {
    use super::*;
    functions!(all(), $);
}

#[test]
fn what_is_seldom_written_means_the_same() {
    let run = |f: &dyn Fn() -> String| (f(), LOG.take());
    for ((name, plain), (_, tracked)) in plain::runs().into_iter().zip(tracked::runs()) {
        let expected = run(&plain);
        assert_eq!(run(&tracked), expected, "{name}");
        let recorded = || {
            let (result, tape) = record(tracked);
            assert!(tape.nodes().any(|n| n.kind() == Kind::Call && n.depth() > 0), "{name}:\n{tape}");
            result
        };
        assert_eq!(run(&recorded), expected, "{name}, recorded");
    }
}
