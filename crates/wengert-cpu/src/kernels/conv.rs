//! Convolution as matrix products: for a block of positions, the elements under the window are laid out as a matrix and
//! multiplied by the kernel.
//!
//! Positions that lie alike between the dilated elements of the left operand see the same places of the window, and
//! only those are multiplied: the cotangent of a strided convolution costs what the convolution costs.

use std::borrow::Cow;
use std::ops::Range;
use wengert_core::ops::{Convolution, WindowAxis};
use wengert_core::run::Step;
use wengert_core::{Complex, DType, Element, Shape, Tensor, Type, View, ViewMut};
use wengert_eval::kernels::{Axis, Matrix, Product, blocks, computed_in, convert, made, places, transpose};

/// About how many elements are laid out at a time: they should stay in a near cache.
const BLOCK: usize = 1 << 18;

pub(crate) fn convolution(
    op: &Convolution,
    lhs: View<'_>,
    rhs: View<'_>,
    y: &mut ViewMut<'_>,
    steps: &mut Option<Vec<Step>>,
) {
    let wide = computed_in(y.dtype());
    let [l, r] = [lhs, rhs].map(|x| match x.dtype() == wide && !x.is_splat() {
        true => Operand::Given(x),
        false => Operand::Made(made(&x.ty().with_dtype(wide), |y| convert(x, y))),
    });
    let (l, r) = (l.view(), r.view());
    let mut room = (y.dtype() != wide).then(|| Tensor::room(&Type::new(wide, y.shape().clone())));
    let mut out = match &mut room {
        Some(room) => room.view_mut().expect("nothing shares it"),
        None => y.again(),
    };
    match wide {
        DType::F32 => convolve::<f32>(op, l, r, &mut out, steps),
        DType::F64 => convolve::<f64>(op, l, r, &mut out, steps),
        DType::C64 => convolve::<Complex<f32>>(op, l, r, &mut out, steps),
        DType::C128 => convolve::<Complex<f64>>(op, l, r, &mut out, steps),
        _ => convolve::<i64>(op, l, r, &mut out, steps),
    };
    if let Some(room) = room {
        convert(room.view(), y);
    }
}

/// Dense elements that are read: as they were given, or in a type or order of their own.
enum Operand<'a> {
    Given(View<'a>),
    Made(Tensor),
}

impl Operand<'_> {
    fn view(&self) -> View<'_> {
        match self {
            Operand::Given(x) => *x,
            Operand::Made(x) => x.view(),
        }
    }
}

/// Every choice of one item of each list.
fn choices<T>(lists: &[Vec<T>]) -> Vec<Vec<&T>> {
    lists.iter().fold(vec![vec![]], |some, list| {
        some.iter().flat_map(|c| list.iter().map(move |x| [&c[..], &[x]].concat())).collect()
    })
}

/// The row-major positions, in an array of this shape, of every choice of one index for each axis.
fn flat(shape: &[usize], indices: &[Vec<usize>]) -> Vec<usize> {
    shape.iter().zip(indices).fold(vec![0], |some, (n, indices)| {
        some.iter().flat_map(|at| indices.iter().map(move |i| at * n + i)).collect()
    })
}

/// Positions of the window along an axis that lie alike between dilated elements, and the places of the window at which
/// they see any.
struct Phase {
    n: usize,
    positions: Vec<usize>,
    places: Vec<usize>,
    stride: usize,
    /// For each place, the element there at the first position. It may lie outside, as may those of later positions.
    offsets: Vec<i64>,
}

impl Phase {
    /// What there is along no axis.
    fn none() -> Phase {
        Phase { n: 1, positions: vec![0], places: vec![0], stride: 1, offsets: vec![0] }
    }

    fn all(w: &WindowAxis, n: usize) -> Vec<Phase> {
        let count = w.positions(n);
        let phase = |first: usize| {
            let positions: Vec<usize> = (first..count).step_by(w.base_dilation).collect();
            let places = places(w, n, positions.iter().copied());
            let offset =
                |&k: &usize| ((first * w.stride + k * w.window_dilation) as i64 - w.padding.0) / w.base_dilation as i64;
            Phase { n, stride: w.stride, offsets: places.iter().map(offset).collect(), positions, places }
        };
        (0..count.min(w.base_dilation)).map(phase).collect()
    }

    /// The element at a place as seen from a position, be it inside or not; both count from 0 in the phase.
    fn site(&self, position: usize, place: usize) -> i64 {
        (position * self.stride) as i64 + self.offsets[place]
    }
}

/// The axes of an array whose axis `at` is cut in groups: the axis of the groups, and where the others went.
fn cut(axes: &[usize], at: usize) -> (usize, Vec<usize>) {
    (at, axes.iter().map(|&a| a + (a >= at) as usize).collect())
}

fn convolve<T: Product>(
    op: &Convolution,
    lhs: View<'_>,
    rhs: View<'_>,
    out: &mut ViewMut<'_>,
    steps: &mut Option<Vec<Step>>,
) {
    let shape = out.shape();
    let groups = op.feature_groups.max(op.batch_groups);
    let split = |shape: &Shape, at: usize| {
        let mut s = shape.clone();
        s.0[at] /= groups;
        s.with_axis(at, groups)
    };
    let (lg, la) = cut(&op.lhs, if op.batch_groups > 1 { op.lhs[0] } else { op.lhs[1] });
    let (rg, ra) = cut(&op.rhs, op.rhs[0]);
    let (og, oa) = cut(&op.out, op.out[1]);
    let (l_shape, r_shape, out_shape) = (split(lhs.shape(), lg), split(rhs.shape(), rg), split(shape, og));
    let (l, r) = (lhs.reshaped(&l_shape), rhs.reshaped(&r_shape));

    // Either features or the batch lie innermost in the left operand, and are copied in runs. The kernel's rows, and
    // those of the result, have the matching order; each row has the output features.
    let last = l.shape().rank() - 1;
    let (batch, features) = (l.shape()[la[0]], l.shape()[la[1]]);
    let by_feature = la[1] == last || (la[0] != last && features >= batch);
    let (l_axes, r_axes, o_axes) = if by_feature {
        let r = [&[rg], &ra[2..], &[ra[1], ra[0]]].concat();
        ([&[lg, la[0]], &la[2..], &[la[1]]].concat(), r, [&[og, oa[0]], &oa[2..], &[oa[1]]].concat())
    } else {
        let r = [&[rg, ra[1]], &ra[2..], &[ra[0]]].concat();
        ([&[lg, la[1]], &la[2..], &[la[0]]].concat(), r, [&[og], &oa[2..], &[oa[0], oa[1]]].concat())
    };
    let (l, r) = (arranged(l, &l_axes), arranged(r, &r_axes));
    let (l, r) = (l.view(), r.view());
    let arranged_out: Shape = o_axes.iter().map(|&d| out_shape[d]).collect();
    let outs = out_shape[oa[1]];

    let spatial = |t: &Shape, axes: &[usize]| axes[2..].iter().map(|&d| t[d]).collect::<Vec<usize>>();
    let (ls, rs, os) = (spatial(lhs.shape(), &op.lhs), spatial(rhs.shape(), &op.rhs), spatial(shape, &op.out));
    let windows = op.windows(rhs.shape());
    let phases: Vec<Vec<Phase>> = windows.iter().zip(&ls).map(|(w, &n)| Phase::all(w, n)).collect();
    let none = Phase::none();
    let mut aside = (!in_order(&out_shape, &o_axes)).then(|| Tensor::room(&Type::new(T::DTYPE, arranged_out.clone())));
    let y = match &mut aside {
        Some(aside) => aside.elements_mut::<T>().expect("nothing shares it"),
        None => out.elements::<T>(),
    };
    y.fill(T::default());
    let nothing = y.is_empty();
    for chosen in choices(&phases).into_iter().filter(|_| !nothing) {
        let turned = |(i, p): (usize, &&Phase)| -> Vec<usize> {
            p.places.iter().map(|&k| if op.reversal[i] { windows[i].size - 1 - k } else { k }).collect()
        };
        let places = flat(&rs, &chosen.iter().enumerate().map(turned).collect::<Vec<_>>());
        let positions = flat(&os, &chosen.iter().map(|p| p.positions.clone()).collect::<Vec<_>>());
        let kernel_block = if by_feature { features * outs } else { outs };
        let kernel = picked(r.elements::<T>(), rs.iter().product(), &places, kernel_block);
        let (line, outer) = chosen.split_last().map_or((&none, &[][..]), |(&line, outer)| (line, outer));
        let p = Products {
            by_feature,
            lhs: l.elements::<T>(),
            batch,
            features,
            outs,
            pixels: ls.iter().product(),
            outer,
            line,
            positions: positions.len(),
            places: places.len(),
        };
        let matrix = |rows: usize, columns: usize| Type::new(T::DTYPE, [groups, rows, columns]);
        let (rows, depth) = (batch * positions.len(), places.len() * features);
        if let Some(steps) = steps {
            let (laid, kernel) = (matrix(rows, depth), matrix(depth, outs));
            steps.push(Step { name: "im2col", inputs: vec![l.ty()], output: laid.clone() });
            steps.push(Step { name: "gemm", inputs: vec![laid, kernel], output: matrix(rows, outs) });
        }
        if positions.len() == os.iter().product() {
            p.run(&kernel, y);
        } else {
            let mut part = vec![T::default(); groups * batch * outs * positions.len()];
            p.run(&kernel, &mut part);
            let block = if by_feature { outs } else { batch * outs };
            put(&part, y, os.iter().product(), &positions, block);
        }
    }
    if let Some(aside) = aside {
        let back = |d: usize| o_axes.iter().position(|&o| o == d).expect("every axis");
        let back: Vec<usize> = (0..o_axes.len()).map(back).collect();
        // SAFETY: the room of the result, under the shape that has its groups apart.
        let mut out = unsafe { ViewMut::from_raw(T::DTYPE, &out_shape, out.start()) };
        transpose(&back, aside.view(), &mut out);
    }
}

/// Whether the elements lie in this order of their axes already.
fn in_order(shape: &Shape, axes: &[usize]) -> bool {
    axes.iter().filter(|&&d| shape[d] != 1).is_sorted()
}

/// Dense elements with their axes in this order, copied only if that is another order.
fn arranged<'a>(x: View<'a>, axes: &[usize]) -> Operand<'a> {
    if in_order(x.shape(), axes) {
        return Operand::Given(x);
    }
    let shape: Shape = axes.iter().map(|&d| x.shape()[d]).collect();
    Operand::Made(made(&Type::new(x.dtype(), shape), |y| transpose(axes, x, y)))
}

/// In an array `[…, n, block]`, the entries at these indices of the middle axis.
fn picked<'a, T: Copy>(v: &'a [T], n: usize, indices: &[usize], block: usize) -> Cow<'a, [T]> {
    if indices.len() == n && indices.is_sorted() {
        return v.into();
    }
    let all = v.chunks((n * block).max(1));
    all.flat_map(|v| indices.iter().flat_map(move |i| &v[i * block..(i + 1) * block])).copied().collect()
}

/// In an array `[…, n, block]`, puts the entries at these indices of the middle axis.
fn put<T: Copy>(from: &[T], to: &mut [T], n: usize, indices: &[usize], block: usize) {
    for (from, to) in from.chunks(indices.len() * block).zip(to.chunks_mut(n * block)) {
        for (from, i) in from.chunks(block).zip(indices) {
            to[i * block..(i + 1) * block].copy_from_slice(from);
        }
    }
}

/// What is multiplied for positions that see the same places. By feature: `lhs[group, batch, pixel, feature]`, and a
/// row for each batch and position; else `lhs[group, feature, pixel, batch]`, and a row for each position and batch.
struct Products<'a, T> {
    by_feature: bool,
    lhs: &'a [T],
    batch: usize,
    features: usize,
    outs: usize,
    pixels: usize,
    positions: usize,
    places: usize,
    /// What is seen along all axes but the last, and along that.
    outer: &'a [&'a Phase],
    line: &'a Phase,
}

impl<T: Product> Products<'_, T> {
    /// Adds the products with `kernel[group, row, out]` to `out[group, row, out]`.
    fn run(&self, kernel: &[T], out: &mut [T]) {
        let depth = self.places * self.features;
        let group = self.batch * self.positions * self.outs;
        if depth == 0 || group == 0 {
            return;
        }
        let pixels = self.batch * self.features * self.pixels;
        let work = out.len().saturating_mul(depth);
        blocks(out, group, work, &|i, out| {
            let kernel = &kernel[i * depth * self.outs..(i + 1) * depth * self.outs];
            let lhs = &self.lhs[i * pixels..(i + 1) * pixels];
            match self.by_feature {
                true => self.by_feature(lhs, kernel, out),
                false => self.by_batch(lhs, kernel, out),
            }
        });
    }

    /// The pixel that a line starts with, at a position and a place of the axes around it; none if it lies outside.
    fn line_at(&self, mut position: usize, mut place: usize) -> Option<usize> {
        let (mut pixel, mut step) = (0, self.line.n);
        for p in self.outer.iter().rev() {
            let site = p.site(position % p.positions.len(), place % p.places.len());
            pixel += usize::try_from(site).ok().filter(|&i| i < p.n)? * step;
            step *= p.n;
            position /= p.positions.len();
            place /= p.places.len();
        }
        Some(pixel)
    }

    fn by_feature(&self, lhs: &[T], kernel: &[T], out: &mut [T]) {
        let depth = self.places * self.features;
        let rows = (BLOCK / depth).max(16);
        let work = out.len().saturating_mul(depth);
        blocks(out, rows * self.outs, work, &|i, out| {
            let count = out.len() / self.outs;
            let mut laid = Vec::with_capacity(count * depth);
            let line = self.line.positions.len();
            let (places, width) = (self.places / self.line.places.len(), self.line.places.len());
            let mut starts = (usize::MAX, Vec::new());
            for row in i * rows..i * rows + count {
                let image = &lhs[row / self.positions * self.pixels * self.features..];
                let (around, at) = (row % self.positions / line, row % line);
                if starts.0 != around {
                    starts = (around, (0..places).map(|place| self.line_at(around, place)).collect());
                }
                for &start in &starts.1 {
                    let sites = (0..width).map(|place| self.line.site(at, place));
                    lay(&mut laid, image, start.map(|start| (start, self.line.n)), sites, self.features);
                }
            }
            multiply(&laid, [count, depth], [depth, 1], kernel, out);
        });
    }

    /// Lays out what is at a place from a range of positions.
    fn lay_positions(&self, laid: &mut Vec<T>, image: &[T], place: usize, mut range: Range<usize>) {
        let (line, width) = (self.line.positions.len(), self.line.places.len());
        while !range.is_empty() {
            let around = range.start / line;
            let end = range.end.min((around + 1) * line);
            let along = range.start - around * line..end - around * line;
            let start = self.line_at(around, place / width).map(|start| (start, self.line.n));
            let sites = along.map(|position| self.line.site(position, place % width));
            lay(laid, image, start, sites, self.batch);
            range.start = end;
        }
    }

    fn by_batch(&self, lhs: &[T], kernel: &[T], out: &mut [T]) {
        let images = (BLOCK / (self.places * self.batch)).clamp(1, self.features);
        let positions = (BLOCK / (images * self.places * self.batch)).max(1);
        let work = out.len().saturating_mul(self.places * self.features);
        blocks(out, positions * self.batch * self.outs, work, &|i, out| {
            let mut laid = Vec::new();
            let rows = out.len() / self.outs;
            let range = i * positions..i * positions + rows / self.batch;
            let image = self.pixels * self.batch;
            let kernels = kernel.chunks(images * self.places * self.outs);
            for (lhs, kernel) in lhs.chunks(images * image).zip(kernels) {
                laid.clear();
                for image in lhs.chunks(image) {
                    for place in 0..self.places {
                        self.lay_positions(&mut laid, image, place, range.clone());
                    }
                }
                multiply(&laid, [rows, kernel.len() / self.outs], [1, rows], kernel, out);
            }
        });
    }
}

/// Appends the runs at these sites of a line of pixels, which is given by its start and length, and zeros for those
/// outside of it.
fn lay<T: Element>(
    laid: &mut Vec<T>,
    image: &[T],
    line: Option<(usize, usize)>,
    sites: impl ExactSizeIterator<Item = i64> + DoubleEndedIterator + Clone,
    run: usize,
) {
    let end = laid.len() + sites.len() * run;
    let (Some((start, n)), Some(first), Some(last)) = (line, sites.clone().next(), sites.clone().next_back()) else {
        return laid.resize(end, T::default());
    };
    // They ascend, so that they are neighbours if no number is left out: one copy does then.
    if last - first == sites.len() as i64 - 1 {
        let inside = first.clamp(0, n as i64) as usize..(last + 1).clamp(0, n as i64) as usize;
        let before = ((-first).max(0) as usize).min(sites.len());
        laid.resize(laid.len() + before * run, T::default());
        laid.extend_from_slice(&image[(start + inside.start) * run..(start + inside.end) * run]);
        return laid.resize(end, T::default());
    }
    for site in sites {
        match usize::try_from(site).ok().filter(|&i| i < n) {
            Some(i) => laid.extend_from_slice(&image[(start + i) * run..(start + i + 1) * run]),
            None => laid.resize(laid.len() + run, T::default()),
        }
    }
}

/// Adds the product of a matrix with these sizes and steps, and of a row-major one, to a row-major one.
fn multiply<T: Product>(x: &[T], [m, k]: [usize; 2], steps: [usize; 2], y: &[T], out: &mut [T]) {
    let axis = |size, step: usize| Axis { size, step: step as isize };
    let n = out.len() / m;
    let left = Matrix { v: x, free: axis(m, steps[0]), contracted: axis(k, steps[1]) };
    T::product(left, Matrix { v: y, free: axis(n, 1), contracted: axis(k, n) }, out, false);
}
