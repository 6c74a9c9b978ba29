//! The names that variables give to nodes, and whose variables an expression speaks of.

use super::boundary::shown;
use wengert::{record, track};
use wengert_testing::expect;

#[track]
fn blocks(a: f64) -> f64 {
    let plain = {
        let half = a / 2.0;
        half * 3.0
    };
    let labelled = 'found: {
        if a > 5.0 {
            break 'found a - 1.0;
        }
        a + 1.0
    };
    let chosen = if a > 2.0 { a * 5.0 } else { a * 7.0 };
    let matched = match a > 3.0 {
        true => a * 11.0,
        false => a * 13.0,
    };
    let looped = loop {
        if a > 1.0 {
            break a * 17.0;
        }
    };
    let same = { plain };
    plain + labelled + chosen + matched + looped + same
}

#[test]
fn c2_the_value_of_a_block_has_the_name_of_its_variable() {
    let (_, tape) = record(|| (blocks(4.0), blocks(8.0)));
    expect![[r#"
        @0 record() = (149.0, 295.0)
          @1 blocks(⟨4⟩) = 149 : f64
            @2 a = ⟨4⟩ = 4 : f64
            @3 half = /(@2, ⟨2⟩) = 2 : f64
            @4 plain = *(@3, ⟨3⟩) = 6 : f64
            @5 >(@2, ⟨5⟩) = false : bool
            @6 goto §3 since @5 == false
            @7 labelled = +(@2, ⟨1⟩) = 5 : f64
            @8 >(@2, ⟨2⟩) = true : bool
            @9 goto §5 since @8 == true
            @10 chosen = *(@2, ⟨5⟩) = 20 : f64
            @11 >(@2, ⟨3⟩) = true : bool
            @12 goto §8 since @11 matched true
            @13 matched = *(@2, ⟨11⟩) = 44 : f64
            @14 >(@2, ⟨1⟩) = true : bool
            @15 goto §12 since @14 == true
            @16 looped = *(@2, ⟨17⟩) = 68 : f64
            @17 goto §14 (break)
            @18 +(@4, @7) = 11 : f64
            @19 +(@18, @10) = 31 : f64
            @20 +(@19, @13) = 75 : f64
            @21 +(@20, @16) = 143 : f64
            @22 +(@21, @4) = 149 : f64
            @23 return @22
          @24 blocks(⟨8⟩) = 295 : f64
            @25 a = ⟨8⟩ = 8 : f64
            @26 half = /(@25, ⟨2⟩) = 4 : f64
            @27 plain = *(@26, ⟨3⟩) = 12 : f64
            @28 >(@25, ⟨5⟩) = true : bool
            @29 goto §2 since @28 == true
            @30 labelled = -(@25, ⟨1⟩) = 7 : f64
            @31 goto §4 (break)
            @32 >(@25, ⟨2⟩) = true : bool
            @33 goto §5 since @32 == true
            @34 chosen = *(@25, ⟨5⟩) = 40 : f64
            @35 >(@25, ⟨3⟩) = true : bool
            @36 goto §8 since @35 matched true
            @37 matched = *(@25, ⟨11⟩) = 88 : f64
            @38 >(@25, ⟨1⟩) = true : bool
            @39 goto §12 since @38 == true
            @40 looped = *(@25, ⟨17⟩) = 136 : f64
            @41 goto §14 (break)
            @42 +(@27, @30) = 19 : f64
            @43 +(@42, @34) = 59 : f64
            @44 +(@43, @37) = 147 : f64
            @45 +(@44, @40) = 283 : f64
            @46 +(@45, @27) = 295 : f64
            @47 return @46
          @48 return ⟨(149.0, 295.0)⟩
    "#]]
    .assert_eq(&shown(&tape));
}

#[derive(Debug)]
struct Failure {
    code: u32,
}

struct Unshown;

#[derive(Clone, Copy)]
struct Unequal;

impl PartialEq for Unequal {
    fn eq(&self, _: &Unequal) -> bool {
        false
    }
}

#[track]
fn fails(x: Result<u32, Failure>) -> Result<u32, Failure> {
    let y = x?;
    Ok(y + 1)
}

#[track]
fn fails_unshown(x: Result<u32, Unshown>) -> Result<u32, Unshown> {
    Ok(x? + 1)
}

#[track]
fn converted(x: Result<u32, Failure>) -> Result<u32, Box<dyn std::fmt::Debug>> {
    let y = x.map_err(|e| Box::new(e) as Box<dyn std::fmt::Debug>)?;
    Ok(y)
}

#[track]
fn generic<E>(x: Result<u32, E>) -> Result<u32, E> {
    Ok(x? + 1)
}

/// What `?` is applied to is inferred by what follows, and its error can't be shown.
#[track]
fn inferred<T: PartialEq>(mut x: impl Iterator<Item = T>) -> Result<T, Differ<T>> {
    let first = x.next().ok_or(Differ(None))?;
    match x.find(|y| *y != first) {
        None => Ok(first),
        Some(y) => Err(Differ(Some([first, y]))),
    }
}

#[derive(Debug, PartialEq)]
struct Differ<T>(Option<[T; 2]>);

#[test]
fn c2_a_result_that_a_question_mark_leaves_is_shown() {
    assert!(inferred([Unequal; 2].into_iter()).is_err() && inferred([1, 1].into_iter()) == Ok(1));
    let failure = || Err(Failure { code: 7 });
    let (_, tape) = record(|| {
        _ = fails(failure());
        _ = fails_unshown(Err(Unshown));
        _ = converted(failure());
        _ = generic::<Failure>(failure());
    });
    expect![[r#"
        @0 record() = ()
          @1 fails(⟨Err(Failure { code: 7 })⟩) = Err(Failure { code: 7 })
            @2 x = ⟨Err(Failure { code: 7 })⟩ = Err(Failure { code: 7 }) : Result<u32, Failure>
            @3 left since @2 == Err
            @4 return ⟨Err(Failure { code: 7 })⟩ since @2 == Err
          @5 fails_unshown(⟨Result<u32, all::track::names::Unshown>⟩) = Err(Unshown)
            @6 x = ⟨Result<u32, all::track::names::Unshown>⟩ = Result<u32, all::track::names::Unshown>
            @7 left since @6 == Err
            @8 return ⟨Err(Unshown)⟩ since @6 == Err
          @9 converted(⟨Err(Failure { code: 7 })⟩) = Err(Failure { code: 7 })
            @10 x = ⟨Err(Failure { code: 7 })⟩ = Err(Failure { code: 7 }) : Result<u32, Failure>
            @11 map_err(@10, ⟨|e| Box::new(e) as Box<dyn std::fmt::Debug>⟩) = Err(Failure { code: 7 }) : Result<u32, Box<dyn Debug>>
            @12 left since @11 == Err
            @13 return ⟨Err(Failure { code: 7 })⟩ since @11 == Err
          @14 generic(⟨Result<u32, all::track::names::Failure>⟩) = Err(Failure)
            @15 x = ⟨Result<u32, all::track::names::Failure>⟩ = Result<u32, all::track::names::Failure>
            @16 left since @15 == Err
            @17 return ⟨Err(Failure)⟩ since @15 == Err
          @18 return ⟨()⟩
    "#]]
    .assert_eq(&shown(&tape));
    assert_eq!(Failure { code: 7 }.code, 7);
}

#[track]
fn shadowed(x: f64, y: f64) -> f64 {
    let twice = |x: f64| x * 2.0;
    let scaled = |x: f64| x * y;
    struct Point {
        x: f64,
    }
    let part = |p: &Point| p.x;
    twice(1.0) + scaled(1.0) + part(&Point { x })
}

#[test]
fn c2_a_parameter_of_a_closure_hides_the_variable_of_its_name() {
    let (_, tape) = record(|| shadowed(2.0, 3.0));
    expect![[r#"
        @0 record() = 7 : f64
          @1 shadowed(⟨2⟩, ⟨3⟩) = 7 : f64
            @2 x = ⟨2⟩ = 2 : f64
            @3 y = ⟨3⟩ = 3 : f64
            @4 twice = |x: f64| x * 2.0() = … : {{closure}}
            @5 scaled = |x: f64| x * y(@3) = … : {{closure}}
            @6 part = |p: &Point| p.x() = … : {{closure}}
            @7 twice(@4, ⟨1⟩) = 2 : f64
            @8 scaled(@5, ⟨1⟩) = 3 : f64
            @9 +(@7, @8) = 5 : f64
            @10 part(@6, @2) = 2 : f64
            @11 +(@9, @10) = 7 : f64
            @12 return @11
          @13 return @1
    "#]]
    .assert_eq(&shown(&tape));
}
