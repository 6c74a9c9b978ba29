//! A program that knows nothing of `WENGERT_TAPE` and `WENGERT_LOG`. `tests/whole_run.rs` runs it, and says how it ends.

use rayon::prelude::*;
use std::thread;
use std::time::Duration;
use wengert::tape::Kind;
use wengert::{Array, jit, record, tape};

/// Something that computes when it is dropped, and calls a tracked function.
struct Flushed(Array);

impl Drop for Flushed {
    fn drop(&mut self) {
        let _ = self.0.cosh();
        let _ = flush(&self.0);
        assert!(wengert::try_run(|| &self.0 + Array::from([1.0f32, 2.0, 3.0])).is_err());
        let _ = record(|| self.0.atan());
    }
}

#[wengert::track]
fn flush(x: &Array) -> Array {
    x.sinh()
}

fn main() {
    let how = std::env::var("WHOLE_RUN").expect("how it ends");
    let x = Array::from([1.0f32, 2.0]);
    let y = x.sin();
    match how.as_str() {
        "panic" => panic!("in main"),
        "op while unwinding" => {
            let _flushed = Flushed(x.clone());
            panic!("in main")
        }
        "caught last" => {
            drop(x.tan());
            let _ = std::panic::catch_unwind(|| panic!("and caught"));
            std::process::exit(0)
        }
        "panic in a thread" => {
            let x = x.clone();
            let named = thread::Builder::new().name("worker".into());
            let panicking = named.spawn(move || {
                if x.exp().sum(..) > 0.0 {
                    panic!("in a thread")
                }
            });
            assert!(panicking.unwrap().join().is_err());
        }
        "exit" => std::process::exit(3),
        "exit in a recording" => drop(record(|| if x.exp().sum(..) > 0.0 { std::process::exit(3) } else { x.clone() })),
        "wait" => {
            for i in 0.. {
                let _ = y.cos();
                if i == 10 {
                    println!("ready");
                }
                thread::sleep(Duration::from_millis(1));
            }
        }
        "pool" => {
            let parts: Vec<Array> = (0..16).into_par_iter().map(|i| (&y * i as f32).tanh()).collect();
            println!("{:?}", parts.into_iter().reduce(|a, b| a + b).expect("16").to_vec::<f32>());
        }
        "switch" => {
            tape::enable();
            let z = y.cos();
            assert_eq!(tape::collect().nodes().filter(|n| n.kind() == Kind::Primitive).count(), 1);
            tape::purge();
            assert_eq!(tape::collect().nodes().filter(|n| n.kind() == Kind::Primitive).count(), 0);
            tape::disable();
            assert_eq!(z.exp().size(), 2);
        }
        "staged" => {
            let f = jit(|x: Array| (x * 2.0).tanh());
            f(f(x.clone()));
            thread::Builder::new().name("worker".into()).spawn(move || x.cos()).unwrap().join().unwrap();
        }
        "printed" => {
            println!("{}, {}", y.tan(), x.cos().sum(..).item::<f32>());
            return;
        }
        "printed before" => println!("{y}"),
        "nothing more" => {}
        other => panic!("nobody ends by {other}"),
    }
    let _ = y.tan();
}
