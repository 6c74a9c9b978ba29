//! Fields and elements that are changed in place or compared: they have values, and looking at them does no more than that.

use super::boundary::shown;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::{Deref, DerefMut, Index, IndexMut};
use wengert::{Array, record, track};
use wengert_testing::expect;

#[derive(Default)]
struct Counter {
    n: u32,
    at: (f64, f64),
    list: Vec<f64>,
    grid: [[i32; 2]; 2],
    name: String,
}

#[track]
impl Counter {
    fn count(&mut self, i: usize) -> u32 {
        self.n += 1;
        self.at.1 = 3.0;
        self.list[i] -= 0.5;
        self.grid[i][0] = 7;
        self.name = String::from("c");
        self.n
    }
}

#[track]
fn by_reference(r: &mut i32, list: &mut [u8]) {
    *r += 1;
    list[1] = 9;
}

#[test]
fn c2_what_is_changed_in_place_has_its_value() {
    let mut c = Counter { list: vec![1.0, 2.0], ..Counter::default() };
    let (_, tape) = record(|| c.count(1));
    expect![[r#"
        @0 record() = 1 : u32
          @1 Counter::count(⟨Counter⟩, ⟨1⟩) = 1 : u32
            @2 self = ⟨Counter⟩ = Counter
            @3 i = ⟨1⟩ = 1 : usize
            @4 self.n +=(@2, ⟨1⟩) = 1 : u32
            @5 self.at.1 =(@4, ⟨3⟩) = 3 : f64
            @6 self.list[i] -=(@5, @3, ⟨0.5⟩) = 1.5 : f64
            @7 self.grid[i][0] =(@6, @3, ⟨0⟩, ⟨7⟩) = 7 : i32
            @8 from(⟨"c"⟩) = "c" : String
            @9 self.name =(@7, @8)
            @10 self.n(@9) = 1 : u32
            @11 return @10
          @12 return @1
    "#]]
    .assert_eq(&shown(&tape));
    let (mut r, mut list) = (4, [1, 2]);
    let (_, tape) = record(|| by_reference(&mut r, &mut list));
    expect![[r#"
        @0 record() = ()
          @1 by_reference(⟨4⟩, ⟨[1, 2]⟩) = () : ()
            @2 r = ⟨4⟩ = 4 : i32
            @3 list = ⟨[1, 2]⟩ = [1, 2] : &mut [u8]
            @4 r = +(@2, ⟨1⟩) = 5 : i32
            @5 list[1] =(@3, ⟨1⟩, ⟨9⟩) = 9 : u8
            @6 return ⟨()⟩
          @7 return ⟨()⟩
    "#]]
    .assert_eq(&shown(&tape));
    assert_eq!((r, list), (5, [1, 9]));
}

#[track]
fn compares(c: &Counter, other: &Counter, x: f64) -> (bool, bool, bool, bool) {
    let y = c.n > 3;
    (y, c.at.0 == other.at.0, c.name != other.name, x < c.at.1)
}

#[test]
fn c2_fields_that_are_compared_have_nodes() {
    let c = Counter { n: 4, name: "c".to_string(), ..Counter::default() };
    let (y, tape) = record(|| compares(&c, &Counter::default(), 0.5));
    assert_eq!(y, (true, true, true, false));
    expect![[r#"
        @0 record() = (true, true, true, false)
          @1 compares(⟨Counter⟩, ⟨Counter⟩, ⟨0.5⟩) = (true, true, true, false) : (bool, bool, bool, bool)
            @2 c = ⟨Counter⟩ = Counter
            @3 other = ⟨Counter⟩ = Counter
            @4 x = ⟨0.5⟩ = 0.5 : f64
            @5 c.n(@2) = 4 : u32
            @6 y = >(@5, ⟨3⟩) = true : bool
            @7 c.at.0(@2) = 0 : f64
            @8 other.at.0(@3) = 0 : f64
            @9 ==(@7, @8) = true : bool
            @10 c.name(@2) = "c" : String
            @11 other.name(@3) = "" : String
            @12 !=(@10, @11) = true : bool
            @13 c.at.1(@2) = 0 : f64
            @14 <(@4, @13) = false : bool
            @15 return @6, @9, @12, @14
          @16 return ⟨(true, true, true, false)⟩
    "#]]
    .assert_eq(&shown(&tape));
}

#[track]
fn wide(x: i128, y: &u128) -> (i128, u128) {
    let mut z = x;
    z += 1;
    let same = *y - 1;
    (z, same)
}

#[test]
fn c2_wide_integers_are_shown() {
    let (_, tape) = record(|| {
        wide(i128::MAX - 1, &u128::MAX);
    });
    let text = tape.to_string();
    assert!(text.contains("170141183460469231731687303715884105727 : i128"), "{text}");
    assert!(text.contains("340282366920938463463374607431768211454 : u128"), "{text}");
    expect![[r#"
        @0 record() = ()
          @1 wide(⟨170141183460469231731687303715884105726⟩, ⟨340282366920938463463374607431768211455⟩) = (170141183460469231731687303715884105727, 34028236692093846346337460743176821145… : (i128, u128)
            @2 x = ⟨170141183460469231731687303715884105726⟩ = 170141183460469231731687303715884105726 : i128
            @3 y = ⟨340282366920938463463374607431768211455⟩ = 340282366920938463463374607431768211455 : &u128
            @4 z = +(@2, ⟨1⟩) = 170141183460469231731687303715884105727 : i128
            @5 same = -(@3, ⟨1⟩) = 340282366920938463463374607431768211454 : u128
            @6 return @4, @5
          @7 return ⟨()⟩
    "#]].assert_eq(&shown(&tape));
}

/// A variable that was changed in a part is not that part.
#[track]
fn part_of(p: (f64, f64), a: &Array) -> (Array, (f64, f64)) {
    let mut p = p;
    for i in 0..2 {
        p.0 = 5.0 + f64::from(i);
        if p.1 > 100.0 {
            p = (0.0, 0.0);
        }
    }
    let q = p;
    (a * q.1, q)
}

#[test]
fn c10_a_part_does_not_stand_for_its_variable() {
    let a = Array::from(1.0f64);
    let ((y, q), tape) = record(|| part_of((1.0, 2.0), &a));
    assert_eq!((y.item::<f64>(), q), (2.0, (6.0, 2.0)));
    expect![[r#"
        @0 record() : f64[]
          @1 constant : f64[]
          @2 part_of(⟨(1.0, 2.0)⟩, @1) : f64[]
            @3 p = ⟨(1.0, 2.0)⟩ = (1.0, 2.0) : (f64, f64)
            @4 a = @1 : f64[]
            @5 goto §2 (@3)
            @6 p = @5#0 = (1.0, 2.0) : (f64, f64)
            @7 goto §3 since next of 0..2 == Some
            @8 i = next(⟨0⟩, ⟨2⟩) = 0 : i32
            @9 from(@8) = 0 : f64
            @10 +(⟨5⟩, @9) = 5 : f64
            @11 p.0 =(@6, @10) = 5 : f64
            @12 p.1(@11) = 2 : f64
            @13 >(@12, ⟨100⟩) = false : bool
            @14 goto §5 since @13 == false
            @15 goto §2 (@11)
            @16 p = @15#0 = …
            @17 goto §3 since next of 0..2 == Some
            @18 i = next(⟨0⟩, ⟨2⟩) = 1 : i32
            @19 from(@18) = 1 : f64
            @20 +(⟨5⟩, @19) = 6 : f64
            @21 p.0 =(@16, @20) = 6 : f64
            @22 p.1(@21) = 2 : f64
            @23 >(@22, ⟨100⟩) = false : bool
            @24 goto §5 since @23 == false
            @25 goto §2 (@21)
            @26 p = @25#0 = (6.0, 2.0) : (f64, f64)
            @27 goto §6 since next of 0..2 == None
            @28 q.1(@26) = 2 : f64
            @29 mul(@4, @28) : f64[]
            @30 return @29, @26 since next of 0..2 == None
          @31 return @2
    "#]]
    .assert_eq(&shown(&tape));
}

/// A list that counts how often it is asked, and takes an index that is moved.
struct Asked(Vec<f64>, Cell<u32>);
struct At(usize);

impl Index<At> for Asked {
    type Output = f64;
    fn index(&self, i: At) -> &f64 {
        self.1.set(self.1.get() + 1);
        &self.0[i.0]
    }
}
impl IndexMut<At> for Asked {
    fn index_mut(&mut self, i: At) -> &mut f64 {
        self.1.set(self.1.get() + 1);
        &mut self.0[i.0]
    }
}

#[repr(C, packed)]
#[derive(Clone, Copy, Default)]
struct Packed {
    a: u8,
    b: u32,
    list: [u64; 2],
}

#[repr(C)]
union Bits {
    int: u32,
    float: f32,
}

struct Guard(Counter);
impl Deref for Guard {
    type Target = Counter;
    #[track]
    fn deref(&self) -> &Counter {
        &self.0
    }
}
impl DerefMut for Guard {
    fn deref_mut(&mut self) -> &mut Counter {
        &mut self.0
    }
}

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

fn next() -> usize {
    CALLS.set(CALLS.get() + 1);
    CALLS.get() % 2
}

macro_rules! both {
    ($($f:item)*) => {
        mod plain {
            use super::*;
            $($f)*
        }
        mod tracked {
            use super::*;
            $(#[track] $f)*
        }
    };
}

both! {
    pub fn asked() -> (f64, u32) {
        let mut list = Asked(vec![1.0, 2.0], Cell::new(0));
        let i = At(1);
        list[i] += 2.0;
        list[At(0)] = 3.0;
        (list.0[0] + list.0[1], list.1.get())
    }

    pub fn effects() -> (Vec<u32>, usize) {
        let mut v = vec![1, 2, 3];
        v[next()] += 10;
        v[next()] = 20;
        let mut i = 0;
        v[i] = { i += 2; 5 };
        v[{ i -= 1; i }] -= 1;
        (v, CALLS.replace(0))
    }

    pub fn packed() -> (u32, bool, u64) {
        let mut p = Packed::default();
        p.b += 3;
        p.a = 2;
        p.list[1] = 8;
        let q = p;
        (p.b, p.b == q.b && p.a > 1, p.list[1])
    }

    pub fn pointers(x: &mut i32) -> i32 {
        let p = &raw mut *x;
        let mut pair = (1, 2);
        let r = &raw mut pair;
        // SAFETY: both point to what is there.
        unsafe {
            *p += 1;
            (*r).0 = 5;
            (*r).1 += *p;
        }
        pair.0 + pair.1
    }

    pub fn unions() -> f32 {
        let mut u = Bits { int: 0 };
        u.int = 1.5f32.to_bits();
        // SAFETY: any bits are a float.
        unsafe { u.float }
    }

    pub fn guards() -> u32 {
        let mut g = Guard(Counter::default());
        g.n += 2;
        g.list = vec![1.0];
        g.list[0] += 1.0;
        let shared = RefCell::new((1, String::new()));
        let mut s = shared.borrow_mut();
        s.0 += 4;
        s.1 = String::from("x");
        if g.n == 2 && s.1 == "x" { s.0 } else { 0 }
    }

    pub fn borrows() -> (u32, Vec<String>) {
        let mut c = Counter::default();
        let name = &mut c.name;
        c.n += 1;
        c.grid[1][1] = 2;
        name.push('a');
        let mut moved = (String::from("a"), 1);
        let first = moved.0;
        moved.1 += 1;
        moved.0 = first + "b";
        let mut names = vec![String::new(); 2];
        let i = 1;
        names[i] += "q";
        names[0] = moved.0;
        let mut map: HashMap<&str, Vec<u32>> = HashMap::from([("k", vec![1])]);
        map.get_mut("k").unwrap()[0] += 1;
        (c.n + map["k"][0], names)
    }

    pub fn inferred() -> Vec<u8> {
        let mut v: Vec<_> = std::iter::once(0).collect();
        let mut i = 0;
        while i < 1 {
            v[i] = 3;
            i += 1;
        }
        let mut nested = vec![vec![1u8; 2]; 2];
        nested[i][0] += v[0];
        nested[1][i] = 9;
        nested.concat()
    }

    pub fn generic<T: Copy + PartialOrd + std::ops::AddAssign, const N: usize>(list: [T; N], x: T) -> [T; N] {
        let mut pair = (list, x);
        for i in 0..N {
            pair.0[i] += x;
            if pair.1 < pair.0[i] { pair.1 = x; }
        }
        pair.0
    }
}

#[track_caller]
fn equal<T: PartialEq + std::fmt::Debug>(plain: impl Fn() -> T, tracked: impl Fn() -> T) {
    let expected = plain();
    assert_eq!(tracked(), expected);
    let mut found = None;
    record(|| found = Some(tracked()));
    assert_eq!(found, Some(expected));
}

#[test]
fn what_is_changed_in_place_is_only_looked_at() {
    equal(plain::asked, tracked::asked);
    equal(plain::effects, tracked::effects);
    equal(plain::packed, tracked::packed);
    equal(|| plain::pointers(&mut 3), || tracked::pointers(&mut 3));
    equal(plain::unions, tracked::unions);
    equal(plain::guards, tracked::guards);
    equal(plain::borrows, tracked::borrows);
    equal(plain::inferred, tracked::inferred);
    equal(|| plain::generic([1, 2], 3), || tracked::generic([1, 2], 3));
}

#[test]
fn c2_what_cannot_be_looked_at_has_no_value() {
    let (_, tape) = record(|| drop(tracked::effects()));
    expect![[r#"
        @0 record() = ()
          @1 effects() = ([20, 11, 5], 2) : (Vec<u32>, usize)
            @2 v = vec![1, 2, 3]() = [1, 2, 3] : Vec<u32>
            @3 next() = 1 : usize
            @4 v[next()] +=(@2, @3, ⟨10⟩) = 12 : u32
            @5 next() = 0 : usize
            @6 v[next()] =(@4, @5, ⟨20⟩) = 20 : u32
            @7 i = constant = 0 : usize
            @8 i = +(@7, ⟨2⟩) = 2 : usize
            @9 v[i] =(@6, @8, ⟨5⟩) = 5 : u32
            @10 i = -(@8, ⟨1⟩) = 1 : usize
            @11 v[{ i -= 1; i }] -=(@9, @10, ⟨1⟩)
            @12 replace(⟨CALLS⟩, ⟨0⟩) = 2 : usize
            @13 return @11, @12
          @14 return ⟨()⟩
    "#]]
    .assert_eq(&shown(&tape));
    let (_, tape) = record(|| tracked::pointers(&mut 3));
    expect![[r#"
        @0 record() = 11 : i32
          @1 pointers(⟨3⟩) = 11 : i32
            @2 x = ⟨3⟩ = 3 : i32
            @3 p = &raw mut *x(@2) = … : *mut i32
            @4 pair = (1, 2)(⟨1⟩, ⟨2⟩) = (1, 2) : (i32, i32)
            @5 r = &raw mut pair(@4) = … : *mut (i32, i32)
            @6 p = +(@3, ⟨1⟩) = 4 : i32
            @7 +(@6, @2) = …
            @8 (*r).0 =(@5, ⟨5⟩)
            @9 (*r).0 =(@8, @4) = …
            @10 (*r).1 +=(@8, @6)
            @11 (*r).1 +=(@10, @6, @9) = …
            @12 pair.0(@11) = 5 : i32
            @13 pair.1(@11) = 6 : i32
            @14 +(@12, @13) = 11 : i32
            @15 return @14
          @16 return @1
    "#]]
    .assert_eq(&shown(&tape));
}
