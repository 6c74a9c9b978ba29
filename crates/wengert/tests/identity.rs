//! What is one array and what are two, where the pool hands the same memory out again: constants of programs, nodes of
//! tapes, captures.

use std::collections::HashSet;
use wengert::tape::{Kind, NodeId};
use wengert::*;
use wengert_core::Op;

const N: usize = 1 << 12;

fn line(value: f32) -> Array {
    Array::from_vec([N], vec![value; N])
}

fn address(x: &Array) -> usize {
    x.to_tensor().view().start() as usize
}

/// Arrays that lie at one address one after the other, each given to `f` and then dropped. Memory that is kept alive by
/// `f` is not handed out again, so addresses are counted.
fn one_after_the_other(count: usize, mut f: impl FnMut(usize, Array)) -> usize {
    let mut addresses = HashSet::new();
    for i in 0..count {
        let x = Tensor::new([N], vec![i as f32; N]).unwrap();
        addresses.insert(x.view().start() as usize);
        f(i, Array::from_tensor(x));
    }
    addresses.len()
}

fn constants(p: &Program) -> Vec<f64> {
    let value = |op: &Op| match op {
        Op::Constant(c) => c.value.get(0).as_f64(),
        _ => None,
    };
    p.equations().iter().filter_map(|e| value(&e.op)).collect()
}

#[test]
fn arrays_of_one_address_are_constants_of_their_own() {
    // Each array dies before the next is made: only the trace may hold it.
    let p = make_program(
        |x: Array| {
            let mut y = x;
            one_after_the_other(5, |_, c| y = &y + &c);
            y
        },
        (line(0.0),),
    );
    assert_eq!(constants(&p), [0.0, 1.0, 2.0, 3.0, 4.0]);
    // Arrays that are dropped before the function uses another one at their address.
    let p = make_program(
        |x: Array| {
            let mut y = x;
            for i in 0..5 {
                drop(line(100.0));
                let c = line(i as f32) * 2.0;
                y = &y * &c;
            }
            y
        },
        (line(0.0),),
    );
    assert_eq!(constants(&p), [0.0, 2.0, 4.0, 6.0, 8.0]);
}

#[test]
fn one_array_is_one_constant_and_a_reshaped_one_another() {
    let c = line(3.0);
    let same = c.clone();
    let p = make_program(|x: Array| &x * &c + &same + c.reshape([2, N / 2]).sum(0).sum(..), (line(0.0),));
    assert_eq!(constants(&p), [3.0, 3.0 * N as f64]);
    let p = make_program(|x: Array| &x * &c + Array::from_tensor(c.to_tensor()), (line(0.0),));
    assert_eq!(constants(&p), [3.0]);
}

#[test]
fn a_staged_function_knows_its_constant_from_what_lies_there_later() {
    let f = jit({
        let c = line(2.0);
        move |x: Array| x * &c
    });
    assert_eq!(f(line(1.0)).get(0).item::<f32>(), 2.0);
    for i in 0..20 {
        assert_eq!(f(line(i as f32)).get(7).item::<f32>(), 2.0 * i as f32);
    }
    assert_eq!((f.misses(), f.hits()), (1, 20));
}

#[test]
fn arrays_of_one_address_are_nodes_of_their_own() {
    let mut addresses = 0;
    let (_, tape) = record(|| {
        let mut sum = Array::from(0.0f32);
        addresses = one_after_the_other(20, |_, x| sum = &sum + x.sin().sum(..));
        sum
    });
    assert!(addresses < 20, "the pool hands memory out again");
    let sines: Vec<Node<'_>> = tape.nodes().filter(|n| n.function() == "sin").collect();
    let operands: HashSet<NodeId> = sines.iter().flat_map(|n| n.referenced()).map(|n| n.id()).collect();
    assert_eq!((sines.len(), operands.len()), (20, 20), "{tape}");
}

#[test]
fn one_array_from_outside_is_one_node() {
    let x = line(1.0);
    let same = x.clone();
    let (_, tape) = record(|| x.sin() + same.cos() + Array::from_tensor(x.to_tensor()).exp());
    assert_eq!(tape.nodes().filter(|n| n.kind() == Kind::Constant).count(), 1, "{tape}");
}

#[test]
fn what_a_call_overwrote_is_not_what_it_was() {
    let step = jit(|x: Array| x + 1.0);
    let x = line(0.0);
    let place = address(&x);
    let y = step(x);
    assert_eq!(address(&y), place, "it was overwritten");
    let y_again = y.clone();
    let (_, tape) = record(|| {
        let z = step(y_again.clone());
        (z, y_again.sin())
    });
    let made: Vec<&str> = tape.nodes().filter(|n| n.kind() == Kind::Constant).map(|n| n.function()).collect();
    assert_eq!(made.len(), 1, "{tape}");
    // A trace that used the array before it was overwritten has its own constant.
    let p = make_program(|x: Array| x + &y, (line(0.0),));
    let y = step(y);
    let q = make_program(|x: Array| x + &y, (line(0.0),));
    assert_eq!((constants(&p), constants(&q)), (vec![1.0], vec![2.0]));
}

#[test]
fn captures_of_loops_in_a_recording_are_told_apart() {
    let mut addresses = 0;
    let (y, _tape) = record(|| {
        let mut total = Array::from(0.0f32);
        addresses = one_after_the_other(6, |i, x| {
            let x = x + 0.5;
            let (sum, _) =
                scan(|c: Array, _: Array| (c + x.get(0), ()), Array::from(0.0f32), Array::from(vec![0i32; i + 1]));
            total = &total + sum;
        });
        total
    });
    let expected: f32 = (0..6).map(|i| (i as f32 + 0.5) * (i as f32 + 1.0)).sum();
    assert_eq!(y.item::<f32>(), expected);
    assert!(addresses < 6, "the pool hands memory out again");
}
