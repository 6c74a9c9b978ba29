//! Ops that most programs have few of and compilers get wrong: updates in place, indices, sorts, branches by the dozen.

use crate::program::Growing;
use std::sync::Arc;
use wengert_core::ops::*;
use wengert_core::{DType, Dims, Scalar, Type, Var};

/// Shapes that are just over or under what vectors hold, of many axes, long in one direction, or empty.
pub(crate) const SHAPES: [&[usize]; 14] = [
    &[],
    &[3],
    &[7, 11],
    &[65],
    &[130],
    &[2, 1, 3, 1, 2, 2],
    &[0, 2],
    &[33, 4],
    &[4, 33],
    &[17],
    &[5, 16],
    &[3, 5, 9],
    &[1, 66],
    &[64],
];

impl Growing<'_, '_> {
    /// An integer that may be an index.
    fn index(&mut self) -> Var {
        let dtype = self.choices.of(&[DType::I32, DType::I64, DType::U8, DType::U64, DType::I8]);
        self.of_type(&Type::scalar(dtype))
    }

    fn update(&mut self) {
        let x = self.any();
        let ty = self.b.ty(x).clone();
        let sizes: Dims = ty.shape.iter().map(|&n| n - self.choices.below(n.min(3))).collect();
        let small = self.of_type(&ty.with_shape(sizes));
        let first = self.index();
        // All starts are of one type.
        let at = self.b.ty(first).clone();
        let starts: Vec<Var> = (0..ty.shape.rank()).map(|_| self.of_type(&at)).collect();
        self.push(DynamicUpdateSlice {}, &[vec![x, small], starts].concat());
    }

    /// A gather of rows or a scatter to them.
    fn rows(&mut self) {
        let x = self.any();
        let ty = self.b.ty(x).clone();
        if ty.rank() == 0 {
            return;
        }
        let count = 1 + self.choices.below(5);
        let dtype = self.choices.of(&[DType::I32, DType::I64, DType::U8]);
        let indices = self.of_type(&Type::new(dtype, [count]));
        let indexing = Indexing::rows(1, ty.rank());
        let mut slice_sizes: Dims = ty.shape.iter().copied().collect();
        slice_sizes[0] = 1;
        let (indices_are_sorted, unique_indices) = (false, false);
        if self.choices.coin() {
            let filler = Scalar::from_f64(ty.dtype, 7.0);
            let out_of_bounds = self.choices.of(&[OutOfBounds::Clip, OutOfBounds::Fill(filler)]);
            let op = Gather { indexing, slice_sizes, out_of_bounds, indices_are_sorted, unique_indices };
            return self.push(op, &[x, indices]);
        }
        let mut shape: Vec<usize> = ty.shape.to_vec();
        shape[0] = count;
        let updates = self.of_type(&Type::new(ty.dtype, shape));
        let all = [Update::Set, Update::Combine(Combiner::Add), Update::Combine(Combiner::Max)];
        let op = Scatter { indexing, update: self.choices.of(&all), indices_are_sorted, unique_indices };
        self.push(op, &[x, indices, updates]);
    }

    /// One of many branches: sometimes very many.
    fn switch(&mut self) {
        let carried: Vec<Var> = (0..1 + self.choices.below(2)).map(|_| self.any()).collect();
        let types: Vec<Type> = carried.iter().map(|&v| self.b.ty(v).clone()).collect();
        let count = if self.choices.below(50) == 49 { 1000 } else { self.choices.of(&[1, 2, 3, 5, 17]) };
        // A few different ones, over and over.
        let few: Vec<Arc<_>> = (0..count.min(3)).map(|_| self.body(&types, &types, 0)).collect();
        let branches = (0..count).map(|i| few[i % few.len()].clone()).collect();
        let at = self.of_type(&Type::scalar(DType::I32));
        self.push(Cond { branches }, &[vec![at], carried].concat());
    }

    /// One of the ops of this file.
    pub(crate) fn awkward(&mut self) {
        let x = self.any();
        let (ty, rank) = (self.b.ty(x).clone(), self.b.shape(x).rank());
        let dim = self.choices.below(rank);
        match self.choices.below(9) {
            0 | 1 => self.update(),
            2 | 3 => self.rows(),
            4 if self.depth > 0 => self.switch(),
            5 => {
                let extreme = self.choices.of(&[Extreme::Max, Extreme::Min]);
                self.push(ArgReduce { extreme, dim, dtype: DType::I32 }, &[x]);
            }
            6 => {
                let (low, high) = (self.of_type(&ty), self.of_type(&ty));
                self.push(Clamp {}, &[low, x, high]);
            }
            // Which NaN a float is is not said: its bits are not looked at.
            7 if ty.dtype.is_integer() => {
                let dtype = self.choices.of(&[DType::U8, DType::I16, DType::U32, DType::F32, DType::I64, DType::F64]);
                self.push(Bitcast { dtype }, &[x]);
            }
            8 => {
                let word = ty.with_dtype(DType::U32);
                let words: Vec<Var> = (0..4).map(|_| self.of_type(&word)).collect();
                self.push(Threefry {}, &words);
            }
            _ => {
                let kind = self.choices.of(&[CumulativeKind::Sum, CumulativeKind::Max]);
                let reverse = self.choices.coin();
                self.push(Cumulative { kind, dim, reverse }, &[x]);
            }
        }
    }
}
