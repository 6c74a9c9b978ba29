//! Gathers and scatters of a few elements: addresses, loads and stores.

use super::form::{Form, kind};
use super::{Lowering, elementwise};
use wengert_core::ops::{Combiner, Gather, Indexing, OutOfBounds, Scatter, Transpose, Update};
use wengert_core::{Op, Shape, Tensor, Type};
use wengert_kernel::{Address, Binary, Compare, Inst, Kind, Value};
use wengert_x86::faults::{Fault, is_planted};

/// Where a window starts: the number of its first element, and whether it lies inside, if that is not sure.
pub(super) struct Start {
    pub(super) element: Value,
    pub(super) inside: Option<Value>,
}

/// What becomes of a window that does not lie inside.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Outside {
    /// It is moved to where it fits.
    Moved,
    /// It is moved, and known: it is read all the same.
    MovedAndKnown,
    /// It is known, and nothing is done with it.
    Known,
}

/// The steps through a dense array along each axis.
fn strides(shape: &[usize]) -> Vec<usize> {
    let mut steps = vec![1; shape.len()];
    for d in (1..shape.len()).rev() {
        steps[d - 1] = steps[d] * shape[d];
    }
    steps
}

/// Row-major positions, by these steps, of all indices of a shape.
fn positions(sizes: &[usize], steps: &[usize]) -> Vec<usize> {
    sizes
        .iter()
        .zip(steps)
        .fold(vec![0], |some, (&n, step)| some.iter().flat_map(|at| (0..n).map(move |i| at + i * step)).collect())
}

/// The elements of a window, counted from its first, in row-major order.
fn window(at: &Indexing, operand: &Shape, sizes: &[usize]) -> Vec<usize> {
    let (axes, own) = (at.window_axes(operand.rank()), strides(operand));
    let pick = |v: &[usize]| axes.iter().map(|&d| v[d]).collect::<Vec<usize>>();
    positions(&pick(sizes), &pick(&own))
}

/// For each element of an array of windows, its number among windows that stand one after the other.
fn in_order(at: &Indexing, windows: &Shape) -> Option<Vec<usize>> {
    let rank = windows.rank();
    let places = at.place_dims(rank);
    let order: Vec<usize> = places.iter().chain(&at.window_dims).copied().collect();
    // From the array of windows to the order of windows: `order`; back again: where each axis went.
    let back: Vec<usize> = (0..rank).map(|d| order.iter().position(|&o| o == d).expect("every axis")).collect();
    let shape: Shape = order.iter().map(|&d| windows[d]).collect();
    let numbers = Tensor::new(shape, (0..windows.size() as i64).collect()).ok()?;
    let op = Op::Transpose(Transpose { perm: back.into_iter().collect() });
    let moved = wengert_eval::run_op(&op, vec![numbers]).ok()?.remove(0);
    Some((0..moved.size()).map(|i| moved.get(i).as_i64().expect("an integer") as usize).collect())
}

impl Lowering {
    /// Where the window of each index vector starts.
    fn starts(
        &mut self,
        at: &Indexing,
        operand: &Shape,
        sizes: &[usize],
        indices: &Form,
        outside: Outside,
    ) -> Option<Vec<Start>> {
        let shape = &indices.ty.shape;
        let (steps, own) = (strides(shape), strides(operand));
        let component = steps.get(at.index_vector_dim).copied().unwrap_or(0);
        let kept: Vec<usize> = (0..shape.rank()).filter(|d| *d != at.index_vector_dim).collect();
        let sizes_of: Vec<usize> = kept.iter().map(|&d| shape[d]).collect();
        let mut along = vec![0; shape.rank()];
        for (&o, &i) in at.operand_batching_dims.iter().zip(&at.indices_batching_dims) {
            along[i] = own[o];
        }
        let pick = |v: &[usize]| kept.iter().map(|&d| v[d]).collect::<Vec<usize>>();
        let first = positions(&sizes_of, &pick(&steps));
        let batch = positions(&sizes_of, &pick(&along));
        // A window larger than the operand never fits.
        if at.index_map.iter().any(|&d| operand[d] < sizes[d]) {
            return None;
        }
        let v = self.scalars(indices);
        let mut starts = Vec::with_capacity(first.len());
        for (i, batch) in first.into_iter().zip(batch) {
            let index: Vec<Value> =
                (0..at.index_map.len()).map(|k| if v.len() == 1 { v[0] } else { v[i + k * component] }).collect();
            starts.push(self.start_at(at, operand, sizes, &index, batch, outside));
        }
        Some(starts)
    }

    /// Where the window of an index vector starts, from an element on.
    pub(super) fn start_at(
        &mut self,
        at: &Indexing,
        operand: &Shape,
        sizes: &[usize],
        index: &[Value],
        first: usize,
        outside: Outside,
    ) -> Start {
        let own = strides(operand);
        let mut element = (first > 0).then(|| self.b.constant(Kind::I64, first as u64));
        let mut inside: Option<Value> = None;
        for (&index, &d) in index.iter().zip(&at.index_map) {
            let last = (operand[d] - sizes[d]) as u64;
            let zero = self.b.constant(Kind::I64, 0);
            let end = self.b.constant(Kind::I64, last - u64::from(last > 0 && is_planted(Fault::GatherPastTheEnd)));
            let index = match self.b.kind(index) {
                Kind::U64 => {
                    // Past all limits is the largest that is no place.
                    let limit = self.b.constant(Kind::U64, last + 1);
                    let cut = self.b.binary(Binary::Min, index, limit);
                    self.b.convert(cut, Kind::I64)
                }
                _ => self.b.convert(index, Kind::I64),
            };
            let mut moved = index;
            if outside != Outside::Moved {
                // As numbers without sign, those below zero are larger than all places.
                let (place, end) = (self.b.bitcast(index, Kind::U64), self.b.constant(Kind::U64, last));
                let fits = self.b.compare(Compare::Le, place, end);
                inside = Some(match inside {
                    None => fits,
                    Some(before) => self.b.binary(Binary::And, before, fits),
                });
            }
            if outside != Outside::Known {
                let low = self.b.binary(Binary::Max, index, zero);
                moved = self.b.binary(Binary::Min, low, end);
            }
            let part = self.times(moved, own[d]);
            element = Some(match element {
                None => part,
                Some(before) => self.b.binary(Binary::Add, before, part),
            });
        }
        let element = element.unwrap_or_else(|| self.b.constant(Kind::I64, 0));
        Start { element, inside }
    }

    /// A gather of a few elements.
    pub(super) fn gather(&mut self, op: &Gather, x: &[Form], y: &Type) -> Option<Form> {
        let kind = kind(y.dtype)?;
        let (operand, at) = (&x[0].ty.shape, &op.indexing);
        if !self.is_small(y)
            || operand.size() == 0
            || x[1].ty.shape.size() > 4 * self.limit
            || super::kind(x[1].ty.dtype).is_none()
        {
            return None;
        }
        let outside = match op.out_of_bounds {
            OutOfBounds::Clip => Outside::Moved,
            OutOfBounds::Fill(_) => Outside::MovedAndKnown,
        };
        let starts = self.starts(at, operand, &op.slice_sizes, &x[1], outside)?;
        let filler = match op.out_of_bounds {
            OutOfBounds::Fill(s) => Some(elementwise::element(&mut self.b, kind, s)),
            OutOfBounds::Clip => None,
        };
        let memory = self.memory(&x[0]);
        let offsets = window(at, operand, &op.slice_sizes);
        let mut all = Vec::with_capacity(y.shape.size());
        for start in &starts {
            let base = self.address(&memory, 0);
            let base = self.b.pointer(Address { index: Some((start.element, kind.bytes() as i64)), ..base });
            for offset in &offsets {
                let v = self.b.load(kind, Address::at(base, (offset * kind.bytes()) as i64));
                all.push(match (filler, start.inside) {
                    (Some(filler), Some(inside)) => self.b.select(inside, v, filler),
                    _ => v,
                });
            }
        }
        let v = in_order(at, &y.shape)?.into_iter().map(|i| all[i]).collect();
        Some(Form::each(y.clone(), v))
    }

    /// A scatter of a few elements: in place, where nothing else is an operand.
    pub(super) fn scatter(&mut self, op: &Scatter, x: &mut Vec<Form>, types: &[Type]) -> Option<Vec<Form>> {
        let n = types.len();
        let (indices, updates) = (&x[n], &x[n + 1..]);
        let (operand, at) = (types[0].shape.clone(), &op.indexing);
        let known = x.iter().all(|x| kind(x.ty.dtype).is_some());
        let few = updates.iter().all(|u| self.is_small(&u.ty)) && indices.ty.shape.size() <= 4 * self.limit;
        if !known || !few || operand.size() == 0 {
            return None;
        }
        if let Update::Combine(c) = &op.update
            && let Some(f) = c.binary()
            && !elementwise::has_binary(f, types[0].dtype)
        {
            return None;
        }
        // The windows stand one after the other.
        let shape = &updates[0].ty.shape;
        let order = in_order(at, shape)?;
        let mut sizes = vec![1; operand.rank()];
        for (d, &w) in at.window_axes(operand.rank()).iter().zip(&at.window_dims) {
            sizes[*d] = shape[w];
        }
        let starts = self.starts(at, &operand, &sizes, indices, Outside::Known)?;
        let offsets = window(at, &operand, &sizes);
        let new: Vec<Vec<Value>> = updates
            .to_vec()
            .iter()
            .map(|u| {
                let v = self.scalars(u);
                let mut sorted = v.clone();
                order.iter().zip(v).for_each(|(&i, v)| sorted[i] = v);
                sorted
            })
            .collect();
        x.truncate(n);
        let mut places = Vec::with_capacity(n);
        for form in x.drain(..) {
            places.push(self.overwritable_place(form, places.len()).owned());
        }
        for (w, start) in starts.iter().enumerate() {
            self.b.begin();
            let mut bases = Vec::with_capacity(n);
            for (place, ty) in places.iter().zip(types) {
                let kind = kind(ty.dtype)?;
                let at = self.address(place, 0);
                let base = self.b.pointer(Address { index: Some((start.element, kind.bytes() as i64)), ..at });
                bases.push((base, kind));
            }
            for (k, offset) in offsets.iter().enumerate() {
                let address = |(base, kind): (Value, Kind)| Address::at(base, (offset * kind.bytes()) as i64);
                let given: Vec<Value> = new.iter().map(|v| v[w * offsets.len() + k]).collect();
                let values = match &op.update {
                    Update::Set => given,
                    Update::Combine(Combiner::Program(program)) => {
                        let met: Vec<Value> = bases.iter().map(|&b| self.b.load(b.1, address(b))).collect();
                        let args = met.into_iter().chain(given).zip(program.input_types());
                        let args = args.map(|(v, ty)| Form::each(ty, vec![v])).collect();
                        self.program(program, args, &[]).iter().map(|y| self.scalars(y)[0]).collect()
                    }
                    Update::Combine(c) => {
                        let met = self.b.load(bases[0].1, address(bases[0]));
                        vec![elementwise::binary(&mut self.b, c.binary().expect("named"), met, given[0])]
                    }
                };
                for (&base, v) in bases.iter().zip(values) {
                    self.b.store(v, address(base));
                }
            }
            let then = self.b.end(Vec::new());
            match start.inside {
                Some(condition) => {
                    self.b.push(Inst::If { condition, then, otherwise: Default::default(), y: Vec::new() });
                }
                None => then.insts.into_iter().for_each(|inst| self.b.push(inst)),
            }
        }
        Some(types.iter().zip(places).map(|(ty, m)| Form::memory(ty.clone(), m)).collect())
    }
}
