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
use wengert::tape::Kind;
use wengert::{record, track};

/// What a function gave, as text, under the name of the case.
type Run = (&'static str, fn() -> String);

fn same(plain: Vec<Run>, tracked: Vec<Run>) {
    let run = |f: &dyn Fn() -> String| (f(), LOG.take());
    for ((name, plain), (_, tracked)) in plain.into_iter().zip(tracked) {
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

/// The `functions!` of a file, with `#[track]` if the condition they are given holds.
macro_rules! compare {
    () => {
        #[allow(unused, clippy::all)]
        mod plain {
            use super::*;
            functions!(any());
        }

        #[allow(unused, clippy::all)]
        mod tracked {
            use super::*;
            functions!(all());
        }

        #[test]
        fn they_mean_the_same() {
            same(plain::runs(), tracked::runs());
        }
    };
}

mod drops;
mod extended;
mod flow;
mod methods;
mod types;
mod written;
