//! The tutorial of Wengert is in `examples/`: `tour` shows all of it, and each numbered chapter one thing. Here the
//! README's examples are run.

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
