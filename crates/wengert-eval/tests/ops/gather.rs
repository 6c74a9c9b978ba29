//! Gather: values against the definition, element by element, for dimension numbers drawn at random; derivatives,
//! batching, errors. Scatter is checked on the same cases.

use crate::ops::common::*;
use wengert_core::ops::{Gather, Indexing, OutOfBounds, Scatter, Update};
use wengert_core::{Builder, Dims, Program, Rules, Scalar, Shape, Tensor, Type};
use wengert_eval::run_op;

/// Numbers that look random, below a bound.
pub(super) struct Dice(pub u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    /// Some of these in their order.
    fn some(&mut self, of: &[usize], n: usize) -> Dims {
        let mut all = of.to_vec();
        while all.len() > n {
            all.remove(self.below(all.len()));
        }
        all.into()
    }

    fn shuffled(&mut self, mut all: Vec<usize>) -> Dims {
        (1..all.len()).for_each(|i| all.swap(i, self.below(i + 1)));
        all.into()
    }
}

fn flat(shape: &[usize], index: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |p, (i, n)| p * n + i)
}

/// A gather: how it reads, the shapes of operand and indices, and the indices.
pub(super) struct Case {
    pub at: Indexing,
    pub operand: Shape,
    sizes: Dims,
    pub indices: Tensor,
}

impl Case {
    pub fn random(dice: &mut Dice) -> Case {
        let operand: Shape = (0..1 + dice.below(3)).map(|_| 2 + dice.below(3)).collect();
        let rank = operand.rank();
        let axes = dice.shuffled((0..rank).collect());
        let batching = dice.below(if rank > 1 { 2 } else { 1 });
        let mut operand_batching_dims: Dims = axes[..batching].into();
        operand_batching_dims.sort();
        let rest: Vec<usize> = axes[batching..].to_vec();
        let components = 1 + dice.below(rest.len());
        let mut sorted = rest.clone();
        sorted.sort();
        let collapse = dice.below(rest.len() + 1);
        let collapsed_dims = dice.some(&sorted, collapse);
        let index_map: Dims = rest[..components].into();
        let left_out = |d: &usize| operand_batching_dims.contains(d) || collapsed_dims.contains(d);
        let sizes: Dims = (0..rank).map(|d| if left_out(&d) { 1 } else { 1 + dice.below(operand[d]) }).collect();

        // The axes of the indices: batching axes and free ones in any order, then the vectors somewhere.
        let mut places: Vec<(usize, Option<usize>)> =
            operand_batching_dims.iter().map(|&o| (operand[o], Some(o))).collect();
        for _ in 0..dice.below(3) {
            let axis = (1 + dice.below(3), None);
            places.insert(dice.below(places.len() + 1), axis);
        }
        let mut shape: Vec<(usize, Option<usize>)> = places.clone();
        let index_vector_dim = dice.below(places.len() + 1);
        let index_vector_dim = match components == 1 && dice.below(2) == 0 {
            true => places.len(),
            false => {
                shape.insert(index_vector_dim, (components, None));
                index_vector_dim
            }
        };
        let indices_batching_dims =
            operand_batching_dims.iter().map(|o| shape.iter().position(|(_, b)| *b == Some(*o)).unwrap()).collect();
        let window = rank - operand_batching_dims.len() - collapsed_dims.len();
        let window_dims = dice.some(&(0..places.len() + window).collect::<Vec<_>>(), window);
        let at = Indexing {
            window_dims,
            collapsed_dims,
            operand_batching_dims,
            indices_batching_dims,
            index_map,
            index_vector_dim,
        };
        let shape: Shape = shape.iter().map(|(n, _)| *n).collect();
        let mut case =
            Case { at, operand, sizes, indices: Tensor::zeros(&Type::new(wengert_core::DType::I32, shape.clone())) };
        let count = shape.size();
        let v: Vec<i32> = (0..count).map(|_| dice.below(7) as i32 - 1).collect();
        case.indices = Tensor::new(shape, v).unwrap();
        case
    }

    /// For each place, the operand index at which its window starts, before it is moved.
    fn starts(&self) -> Vec<Vec<i64>> {
        let at = &self.at;
        let shape = self.indices.shape();
        let places = shape.without_axes(&[at.index_vector_dim]);
        let start = |place: &Vec<usize>| {
            let mut start = vec![0; self.operand.rank()];
            let full = |k: usize| {
                let mut i = place.clone();
                if at.index_vector_dim < shape.rank() {
                    i.insert(at.index_vector_dim, k);
                }
                i
            };
            for (k, &d) in at.index_map.iter().enumerate() {
                start[d] = self.indices.get(flat(shape, &full(k))).as_i64().unwrap();
            }
            for (&o, &i) in at.operand_batching_dims.iter().zip(&at.indices_batching_dims) {
                start[o] = full(0)[i] as i64;
            }
            start
        };
        indices(&places).iter().map(start).collect()
    }

    /// The operand index of each element of the windows' array; none where the window is out of bounds.
    pub fn reads(&self, clip: bool) -> (Shape, Vec<Option<usize>>) {
        let at = &self.at;
        let places = self.indices.shape().without_axes(&[at.index_vector_dim]);
        let axes: Vec<usize> = (0..self.operand.rank())
            .filter(|d| !at.collapsed_dims.contains(d) && !at.operand_batching_dims.contains(d))
            .collect();
        let rank = places.rank() + axes.len();
        let place_dims: Vec<usize> = (0..rank).filter(|d| !at.window_dims.contains(d)).collect();
        let size = |d: usize| match at.window_dims.iter().position(|&w| w == d) {
            Some(k) => self.sizes[axes[k]],
            None => places[place_dims.iter().position(|&p| p == d).unwrap()],
        };
        let shape: Shape = (0..rank).map(size).collect();
        let starts = self.starts();
        let read = |index: &Vec<usize>| {
            let place: Vec<usize> = place_dims.iter().map(|&d| index[d]).collect();
            let mut position: Vec<usize> = Vec::new();
            for (d, &s) in starts[flat(&places, &place)].iter().enumerate() {
                let last = (self.operand[d] - self.sizes[d]) as i64;
                if !clip && !(0..=last).contains(&s) {
                    return None;
                }
                position.push(s.clamp(0, last) as usize);
            }
            axes.iter().zip(&at.window_dims).for_each(|(&d, &w)| position[d] += index[w]);
            Some(flat(&self.operand, &position))
        };
        let reads = indices(&shape).iter().map(read).collect();
        (shape, reads)
    }

    fn gather(&self, out_of_bounds: OutOfBounds) -> Gather {
        Gather {
            indexing: self.at.clone(),
            slice_sizes: self.sizes.clone(),
            out_of_bounds,
            indices_are_sorted: false,
            unique_indices: false,
        }
    }

    pub fn scatter(&self, update: Update, unique_indices: bool) -> Scatter {
        Scatter { indexing: self.at.clone(), update, indices_are_sorted: false, unique_indices }
    }

    pub fn operand_type(&self) -> String {
        format!("f64{}", self.operand)
    }
}

pub(super) fn program(op: impl Into<wengert_core::Op>, inputs: &[Tensor]) -> Program {
    let mut b = Builder::new();
    let types: Vec<Type> = inputs.iter().map(Tensor::ty).collect();
    let x = b.inputs(&types);
    let y = b.try_push(op, &x).unwrap_or_else(|e| panic!("{e}"));
    b.finish(&y)
}

#[test]
fn gather_values() {
    let mut dice = Dice(1);
    for _ in 0..400 {
        let case = Case::random(&mut dice);
        let x = random(&case.operand_type(), 7);
        for (clip, mode) in [(true, OutOfBounds::Clip), (false, OutOfBounds::Fill(Scalar::F64(-9.0)))] {
            let op = case.gather(mode);
            let (shape, reads) = case.reads(clip);
            let expected: Vec<f64> = reads.iter().map(|r| r.map_or(-9.0, |r| reals(&x)[r])).collect();
            let y = run_op(&op.clone().into(), vec![x.clone(), case.indices.clone()]).unwrap();
            assert_eq!(*y[0].shape(), shape, "{op:?}");
            assert_eq!(reals(&y[0]), expected, "{op:?} of {x:?} at {:?}", case.indices);
        }
    }
}

#[test]
fn gather_transforms() {
    let mut dice = Dice(3);
    for i in 0..30 {
        let case = Case::random(&mut dice);
        let mode = if i % 2 == 0 { OutOfBounds::Clip } else { OutOfBounds::Fill(Scalar::F64(3.0)) };
        let inputs = [random(&case.operand_type(), 7), case.indices.clone()];
        check_program(&program(case.gather(mode), &inputs), &inputs);
    }
}

#[test]
fn rows() {
    let mut b = Builder::new();
    let inputs = [random("f64[5,3]", 1), tensor("i32[2,2]", &[4., 0., 7., 1.])];
    let (x, i) = (b.input(inputs[0].ty()), b.input(inputs[1].ty()));
    let y = b.gather_rows(x, i);
    let p = b.finish(&[y]);
    let (x, y) = (reals(&inputs[0]), wengert_eval::run(&p, inputs.to_vec()).unwrap());
    assert_eq!(reals(&y[0]), [&x[12..], &x[..3], &[0.; 3], &x[3..6]].concat());
    check_program(&p, &inputs);
}

#[test]
fn a_row_of_nothing() {
    for (shape, out) in [("[0,3]", "[2,3]"), ("[2,0]", "[2,0]")] {
        let text = format!(
            "program (x: f64{shape}, i: i32[2]) {{
              y: f64{out} = gather[indexing=[window_dims=[1], collapsed_dims=[0], operand_batching_dims=[], \
               indices_batching_dims=[], index_map=[0], index_vector_dim=1], slice_sizes=[{}, {}], \
               out_of_bounds=7.0:f64[], indices_are_sorted=false, unique_indices=false](x, i)
              return y
            }}",
            if shape == "[0,3]" { 0 } else { 1 },
            if shape == "[0,3]" { 3 } else { 0 },
        );
        check_op(&text, &[random(&format!("f64{shape}"), 1), tensor("i32[2]", &[0., 1.])]);
    }
}

#[test]
fn mistakes() {
    let t = |ty: &str| tensor(ty, &vec![0.0; random(ty, 0).size()]).ty();
    let (x, i) = (t("f32[4,3]"), t("i32[5]"));
    let good = Gather {
        indexing: Indexing::rows(1, 2),
        slice_sizes: Dims::from_slice(&[1, 3]),
        out_of_bounds: OutOfBounds::Clip,
        indices_are_sorted: false,
        unique_indices: false,
    };
    assert_eq!(good.infer(&[x.clone(), i.clone()]).unwrap()[0].to_string(), "f32[5,3]");
    let d = |d: &[usize]| Dims::from_slice(d);
    let change = |f: &dyn Fn(&mut Gather)| {
        let mut op = good.clone();
        f(&mut op);
        op.infer(&[x.clone(), i.clone()]).unwrap_err().message().to_string()
    };
    for (message, expected) in [
        (change(&|g| g.slice_sizes = d(&[1])), "needs one slice size for each of the 2 axes of f32[4,3], and got 1"),
        (change(&|g| g.slice_sizes = d(&[2, 3])), "leaves axis 0 of f32[4,3] out of its windows"),
        (change(&|g| g.slice_sizes = d(&[1, 4])), "a window of size 4 does not fit in axis 1 of f32[4,3]"),
        (change(&|g| g.indexing.index_vector_dim = 2), "axis 2 of i32[5] can't hold the index vectors"),
        (change(&|g| g.indexing.index_vector_dim = 0), "index vectors of 5 components can't point along 1 axes"),
        (change(&|g| g.indexing.index_map = d(&[2])), "indexed or batching axis 2 is out of range"),
        (change(&|g| g.indexing.window_dims = d(&[2])), "window axis 2 is out of range"),
        (change(&|g| g.indexing.window_dims = d(&[])), "have 1 axes, and 0 are given a place in the result"),
        (change(&|g| g.indexing.collapsed_dims = d(&[0, 0])), "collapsed or batching axis 0 is named twice"),
        (
            change(&|g| g.indexing.indices_batching_dims = d(&[0])),
            "0 batching axes of the operand can't walk in step with 1",
        ),
        (change(&|g| g.out_of_bounds = OutOfBounds::Fill(Scalar::I32(0))), "takes a fill value of type f32"),
        (good.infer(&[x.clone(), t("f32[5]")]).unwrap_err().message().into(), "takes integers for its indices"),
        (good.infer(std::slice::from_ref(&x)).unwrap_err().message().into(), "takes 2 operands, and got 1"),
    ] {
        assert!(message.contains(expected), "{message}");
    }
}
