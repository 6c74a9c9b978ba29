//! The products of a sum, cut in chains, each with the segments that its products lie in.

use super::{Along, CHAIN};
use crate::kernels::product::Segment;
use crate::kernels::shape::Walk;

/// The products of every sum of a convolution, or of a part of it.
#[derive(Clone, Debug)]
pub struct Chains {
    /// The segments of each chain.
    pub chains: Vec<Vec<Segment>>,
    /// The step along a segment, in the left operand.
    pub x: isize,
    /// The same in the right one.
    pub y: isize,
}

impl Chains {
    /// The chains of a sum over these axes, the last of which is innermost.
    pub fn new(axes: &[Along]) -> Chains {
        let shape: Vec<usize> = axes.iter().map(|a| a.n).collect();
        let steps = [axes.iter().map(|a| a.x).collect::<Vec<isize>>(), axes.iter().map(|a| a.y).collect()];
        let walk = Walk::new(&shape, [&steps[0], &steps[1]]);
        let [x_step, y_step] = walk.run_steps;
        let (mut chains, mut room) = (Vec::new(), 0);
        walk.runs([0, 0], &mut |[mut x, mut y]| {
            let mut left = walk.run;
            while left > 0 {
                if room == 0 {
                    chains.push(Vec::new());
                    room = CHAIN;
                }
                let k = left.min(room);
                chains.last_mut().expect("one was pushed").push(Segment { x, y, k });
                (left, room) = (left - k, room - k);
                (x, y) = (x + k as isize * x_step, y + k as isize * y_step);
            }
        });
        Chains { chains, x: x_step, y: y_step }
    }
}
