//! Each of these is refused, at the word that is the reason.

#![allow(unused)]
use wengert_macros::{track, tracked};

#[track]
async fn fetch() {}

#[track]
pub unsafe fn read(p: *const f32) -> f32 {
    *p
}

#[track]
const fn two() -> u32 {
    2
}

#[track]
extern "C" fn called() {}

#[track(deep)]
fn with_words() {}

#[track]
struct NotAFunction;

trait Shape {
    #[track]
    fn sides(&self) -> u32;
}

// What is refused is there all the same: no error tells of its users.
fn uses() -> u32 {
    called();
    two()
}

struct Reader;

impl Reader {
    #[track]
    pub async fn read(&self) {}
}

fn closures() {
    let f = tracked!(async |x: u32| x);
    let g = tracked!(1 + 2);
    let h = tracked!("name" |x: u32| x);
}
