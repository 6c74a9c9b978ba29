//! A block as a function of its own.

use crate::ir::{Address, Block, Builder, Function, Kind, Value};
use std::collections::HashMap;

/// A block that became a function of two pointers: to its *frame*, which has the values that it takes from outside, eight
/// bytes for each, and to its *own memory*, which starts with its number.
#[derive(Debug)]
pub struct Outlined {
    /// The function.
    pub function: Function,
    /// What the frame has to have, in this order.
    pub captured: Vec<Value>,
}

impl Builder {
    /// Makes a function of a block, which gives nothing. `number` (an `i64`) and `memory` (a pointer) are what the block
    /// calls the number of the run and the memory that the run has to itself.
    pub fn outline(&self, mut body: Block, number: Value, memory: Value, name: impl Into<String>) -> Outlined {
        assert!(body.results.is_empty(), "a block that gives nothing");
        let mut inside = Builder::new(2);
        let (frame, own) = (inside.param(0), inside.param(1));
        let mut names: HashMap<Value, Value> = HashMap::from([(memory, own)]);
        let mut captured = Vec::new();
        // What the block defines has numbers above all that was there before it.
        let first = number.0.min(memory.0);
        let renamed = inside.load(Kind::I64, Address::at(own, 0));
        names.insert(number, renamed);
        body.rename(&mut |v| {
            *v = *names.entry(*v).or_insert_with(|| {
                let kind = self.kind(*v);
                match self.constant_bits(*v) {
                    _ if v.0 > first => inside.value(kind),
                    Some(bits) => inside.constant(kind, bits),
                    None => {
                        captured.push(*v);
                        inside.load(kind, Address::at(frame, 8 * (captured.len() as i64 - 1)))
                    }
                }
            });
        });
        inside.append(body);
        let function = inside.finish(name);
        Outlined { function, captured }
    }
}
