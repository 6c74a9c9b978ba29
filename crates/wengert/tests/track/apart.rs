//! Functions whose body is a function of its own where it is tracked: what they name stays what it was, there is one of each
//! `static`, and a call that a panic leaves ends there.

use std::panic::catch_unwind;
use wengert::{record, track};
use wengert_testing::expect;

#[track]
fn fib(n: u64) -> u64 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

#[track]
fn counted() -> u32 {
    static CALLS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1
}

#[track]
fn of_a_size<T, const N: usize>() -> usize {
    std::mem::size_of::<T>() * N
}

#[track]
fn longer(mut x: &mut [f32]) -> &mut [f32] {
    while x.len() > 2 {
        x = &mut x[1..];
    }
    x[0] += 1.0;
    x
}

#[track]
fn first<'a, T>(x: &'a [T], mut n: usize, f: fn(usize) -> usize) -> Option<&'a T>
where
    T: 'a,
{
    n = f(n);
    let found = x.get(n)?;
    Some(found)
}

#[track]
#[track_caller]
fn line() -> u32 {
    std::panic::Location::caller().line()
}

macro_rules! of_self {
    () => {
        Self::SIZE
    };
}

struct Holder<T, const N: usize>(std::marker::PhantomData<T>);

/// None of these can be a function of its own: all name something of what is around them.
impl<'a, T: Default + PartialEq + 'a, const N: usize> Holder<&'a [T], N> {
    const SIZE: usize = N + 1;

    #[track]
    fn parameter() -> bool {
        let made: T = Default::default();
        made == T::default()
    }

    #[track]
    fn constant(n: usize) -> usize {
        n + N
    }

    #[track]
    fn constant_in_a_text(n: usize) -> String {
        assert!(n < 100, "{n} of {N}");
        format!("{n} of {N:>2}")
    }

    #[track]
    fn lifetime(x: &'a [T]) -> usize {
        x.len()
    }

    #[track]
    fn by_a_macro() -> usize {
        of_self!()
    }

    #[track]
    fn itself(n: usize) -> usize {
        if n == 0 { 0 } else { Self::itself(n - 1) + 2 }
    }
}

#[allow(non_upper_case_globals)]
struct Small<const size: usize>;

#[allow(non_upper_case_globals)]
impl<const size: usize> Small<size> {
    #[track]
    fn small_letters(n: usize) -> usize {
        n + size
    }

    #[track]
    fn given_on() -> usize {
        usize::from_str_radix("1", 10).unwrap_or(size).max(size)
    }

    #[track]
    fn at_the_end(n: usize) -> usize {
        let (a, list) = (n, [0; size]);
        if a > list.len() {
            return a;
        }
        size
    }
}

/// An expectation of the user's is about what the user wrote.
#[track]
#[expect(unused_mut)]
fn expects(x: f64) -> f64 {
    let mut y = 3.0;
    x + y
}

fn path_of<F>(_: F) -> &'static str {
    std::any::type_name::<F>()
}

#[track]
fn borrowed_closure(x: f64) -> bool {
    let path = path_of(&mut |y: f64| y + 1.0);
    x < 0.0 || path.contains("__wengert")
}

/// Has a name that there is outside of it too.
#[track]
fn itself(n: usize) -> usize {
    n
}

#[track]
fn fails(n: u32) -> u32 {
    if n == 0 {
        panic!("no more");
    }
    fails(n - 1) + 1
}

#[track]
fn catches(n: u32) -> u32 {
    let caught = is_caught(n);
    let more = n + 1;
    if caught { more } else { 0 }
}

fn is_caught(n: u32) -> bool {
    catch_unwind(move || fails(n)).is_err()
}

#[track]
fn either(a: bool, b: bool) -> bool {
    let c = a || b || !a;
    c && (a | b)
}

/// The path of a closure names the function around it.
#[track]
fn closure_of() -> &'static str {
    std::any::type_name_of_val(&|x: u32| x)
}

fn all() -> String {
    let text = ["a", "b"];
    let mut numbers = [1.0, 2.0, 3.0, 4.0];
    let holders = (
        Holder::<&[u8], 3>::parameter(),
        Holder::<&[u8], 3>::constant(4),
        Holder::<&[u8], 3>::constant_in_a_text(4),
        Holder::<&[u8], 3>::lifetime(&[1, 2]),
        Holder::<&[u8], 3>::by_a_macro(),
        Holder::<&[u8], 3>::itself(4),
        itself(4),
    );
    let found = (first(&text, 0, |n| n + 1), first(&text, 1, |n| n + 1));
    assert_eq!((Small::<3>::small_letters(4), expects(1.0), borrowed_closure(1.0)), (7, 4.0, false));
    assert_eq!((Small::<3>::given_on(), Small::<3>::at_the_end(1)), (3, 3));
    assert!(either(true, false) && !either(false, false));
    assert!(closure_of().ends_with("apart::closure_of::{{closure}}"), "{}", closure_of());
    format!("{} {} {:?} {found:?} {holders:?}", fib(10), of_a_size::<u16, 5>(), longer(&mut numbers))
}

#[test]
fn functions_apart_name_what_they_named() {
    let expected = r#"55 10 [4.0, 4.0] (Some("b"), None) (true, 7, "4 of  3", 2, 4, 8, 4)"#;
    assert_eq!(all(), expected);
    assert_eq!(record(all).0, expected);
    assert_eq!([line(), record(|| line()).0], [line!(); 2]);
}

#[test]
fn c9_a_static_of_a_tracked_function_is_one() {
    assert_eq!([counted(), record(counted).0, counted()], [1, 2, 3]);
}

#[test]
fn c7_a_call_that_a_panic_leaves_ends_there() {
    let (n, tape) = record(|| catches(2));
    assert_eq!(n, 3);
    let text = tape.to_string().replace("crates/wengert/tests/track/apart.rs", "");
    expect![[r#"
        @0 [:209:21] record() = 3 : u32
          @1 [:152:4] catches(⟨2⟩) = 3 : u32
            @2 [:152:4] n = ⟨2⟩ = 2 : u32
            @3 [§1 :153:18] fails(⟨2⟩) unwound
              @4 [:153:18] n = ⟨2⟩ = 2 : u32
              @5 [§1 :145:8] ==(@4, ⟨0⟩) = false : bool
              @6 [§1 :145:8] goto §3 since @5 == false
              @7 [§3 :148:11] -(@4, ⟨1⟩) = 1 : u32
              @8 [§3 :148:5] fails(⟨1⟩) unwound
                @9 [:148:5] n = ⟨1⟩ = 1 : u32
                @10 [§1 :145:8] ==(@9, ⟨0⟩) = false : bool
                @11 [§1 :145:8] goto §3 since @10 == false
                @12 [§3 :148:11] -(@9, ⟨1⟩) = 0 : u32
                @13 [§3 :148:5] fails(⟨0⟩) unwound
                  @14 [:148:5] n = ⟨0⟩ = 0 : u32
                  @15 [§1 :145:8] ==(@14, ⟨0⟩) = true : bool
                  @16 [§1 :145:8] goto §2 since @15 == true
            @17 [§1 :153:18] caught = is_caught(@2) = true : bool
            @18 [§1 :154:16] more = +(@2, ⟨1⟩) = 3 : u32
            @19 [§1 :155:8] goto §2 since @17 == true
            @20 [§2 :155:5] return @18 since @17 == true
          @21 [:209:21] return @1
    "#]]
    .assert_eq(&text);
}
