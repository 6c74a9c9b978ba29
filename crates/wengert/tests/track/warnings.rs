//! What `#[track]` writes gives no warnings where there were none: this compiles.

#![deny(warnings)]
#![forbid(unsafe_code)]
#![allow(dead_code, clippy::all)]

use std::convert::Infallible;
use wengert::track;

#[track]
fn leaves() -> u32 {
    std::process::exit(1)
}

#[track]
fn stops() -> ! {
    std::process::exit(1)
}

#[track]
fn stops_either_way(x: u32) -> u32 {
    if x > 0 { stops() } else { stops() }
}

#[track]
fn a_variable_that_gets_nothing(go: bool) -> u32 {
    if go {
        let _x = match go {
            true => return 3,
            false => panic!("no"),
        };
    }
    4
}

#[track]
fn cannot_be_called(x: Infallible) -> u32 {
    match x {}
}

#[track]
fn loops() -> u32 {
    loop {
        let x = 1;
        if x > 3 {
            continue;
        }
        return x;
    }
}

#[track]
fn lets(x: Option<u32>) -> u32 {
    let Some(y) = x else { stops() };
    loop {
        break y;
    }
}

#[track]
fn arms(x: u32) -> u32 {
    match x {
        0 => return 1,
        1 => stops(),
        _ => {}
    }
    (x + 1) * 2
}

#[track]
fn inner_block(x: Result<u32, String>) -> Result<u32, String> {
    let y = x?;
    {
        return Ok(y);
    }
}

#[track]
fn only_a_block(x: u32) -> u32 {
    { x }
}

#[track]
#[must_use]
fn counts(mut x: u32) -> u32 {
    x += 1;
    while x < 10 {
        x += 1
    }
    x
}

#[track]
fn assigned_later() -> u32 {
    let x;
    loop {
        x = 5;
        break;
    }
    let y: u32;
    if x > 2 {
        y = 1
    } else {
        y = 2
    }
    y
}

#[track]
fn diverging_side(x: bool) -> u32 {
    let y = if x { 1 } else { return 2 };
    y + 1
}

#[track]
fn unused_value(x: bool) -> Option<u32> {
    x.then_some(1)?;
    None
}

#[track]
fn over(x: &[u32]) -> u32 {
    for y in x {
        if *y > 1 {
            break;
        }
    }
    for (i, y) in x.iter().enumerate() {
        if i > 1 {
            return *y;
        }
    }
    0
}

#[track]
fn returns() -> u32 {
    return 5;
}

#[track]
fn returns_nothing() {
    return;
}

#[track]
fn unwinds() -> u32 {
    std::panic::panic_any(5)
}

#[track]
fn opaque(x: u32) -> impl Fn(u32) -> u32 {
    if x > 1 {
        std::process::exit(0)
    }
    return move |y| y + x;
}

#[track]
fn parenthesized(x: u32, y: Option<u32>) -> bool {
    let mut n = 0;
    while (n < x) && !(n == 3 || n == 4) {
        n += 1;
    }
    'found: {
        if let Some(y) = y
            && (y > 2)
        {
            break 'found (y == 3) || n > 1;
        }
        false
    }
}

#[derive(Default)]
struct Point {
    x: f64,
    list: Vec<u32>,
}

#[track]
fn places(p: &mut Point, i: usize) -> bool {
    p.x += 1.0;
    p.list[i] = 3;
    p.x == 2.0 || p.list[i] > 1
}

macro_rules! first {
    ($list:expr) => {
        $list[0]
    };
}

#[track]
fn places_by_macros(list: &mut [u32]) {
    first!(list) += 1;
    first!(list) = 3;
}

const PAIR: (u32, u32) = (1, 2);

#[track]
fn parts_of_constants(x: u32) -> bool {
    x != PAIR.0 && PAIR.1 == x
}
