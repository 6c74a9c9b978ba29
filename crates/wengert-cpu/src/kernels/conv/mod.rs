//! Convolutions by tiles: the left operand is laid out with zeros around it where windows reach over its edges, the kernel in
//! panels of columns, and what is left are sums of products at regular steps, whose order is that of the evaluator.
//!
//! Positions that lie alike between the dilated elements of the left operand see the same places of the window, and
//! only those are multiplied: the cotangent of a strided convolution costs what the convolution costs.

mod contraction;
mod layout;
mod pack;
mod pad;

use contraction::Contraction;
use layout::Columns;
use wengert_core::ops::Convolution;
use wengert_core::run::{Step, StepInput};
use wengert_core::{DType, Tensor, Type, View, ViewMut};
use wengert_eval::kernels::{Geometry, Real, convolution_by};
use wengert_x86::faults::{Fault, is_planted};

pub(crate) fn convolution(
    op: &Convolution,
    lhs: View<'_>,
    rhs: View<'_>,
    y: &mut ViewMut<'_>,
    steps: &mut Option<Vec<Step>>,
) {
    let turned = is_planted(Fault::PaddingOfStrides).then(|| {
        let mut turned = op.clone();
        let strided = turned.padding.iter_mut().zip(&op.strides).filter(|(_, s)| **s == 2);
        strided.for_each(|(p, _)| *p = (p.1, p.0));
        turned
    });
    let op = turned.as_ref().unwrap_or(op);
    convolution_by(op, lhs, rhs, y, &mut |op, l, r, y| match y.dtype() {
        DType::F32 => convolve::<f32>(op, l, r, y, steps),
        _ => convolve::<f64>(op, l, r, y, steps),
    });
}

fn convolve<T: Real>(
    op: &Convolution,
    lhs: View<'_>,
    rhs: View<'_>,
    out: &mut ViewMut<'_>,
    steps: &mut Option<Vec<Step>>,
) {
    let mut g = Geometry::new(op, lhs.shape(), rhs.shape(), out.shape());
    let shape = out.shape().clone();
    let y = out.elements::<T>();
    if y.is_empty() || g.features.n == 0 {
        return y.fill(T::default());
    }
    let mut step = |name, inputs: &[StepInput], output: &Type| match steps {
        Some(steps) => {
            steps.push(Step { name, inputs: inputs.to_vec(), output: output.clone() });
            StepInput::Step(steps.len() - 1)
        }
        None => StepInput::Step(0),
    };

    let columns = Columns::of(&g, size_of::<T>());
    let apart = columns.aside(op, &shape, &mut g);
    let mut aside = apart.as_ref().map(|a| Tensor::room(&Type::new(T::DTYPE, a.shape.clone())));
    let result = aside.as_ref().map_or_else(|| Type::new(T::DTYPE, shape.clone()), Tensor::ty);
    let y = match &mut aside {
        Some(aside) => aside.elements_mut::<T>().expect("nothing shares it"),
        None => y,
    };
    // Where the window sees no places, nothing is summed.
    if g.spatial.iter().any(|s| s.phases.iter().any(|p| p.places == 0)) {
        y.fill(T::default());
    }

    let is_copied = pad::is_needed(&g) || columns.needs_copy(&g);
    let order = columns.order(&g);
    let padded = is_copied.then(|| pad::padded::<T>(&mut g, lhs.elements::<T>(), order));
    let x = padded.as_ref().map_or(lhs, Tensor::view);
    let image = match padded.is_some() {
        true => step("pad", &[StepInput::Operand(0)], &x.ty()),
        false => StepInput::Operand(0),
    };
    let mut summed = Vec::new();
    let phases: Vec<_> = g.spatial.iter().map(|s| s.phases.clone()).collect();
    for chosen in choices(&phases).into_iter().filter(|phases| phases.iter().all(|p| p.places > 0)) {
        let contraction = Contraction::new(&g, &chosen, columns);
        let (x_elements, kernel) = (x.elements::<T>(), rhs.elements::<T>());
        let packed = match contraction.turned {
            true => contraction.run(kernel, x_elements, y),
            false => contraction.run(x_elements, kernel, y),
        };
        let packed = packed.map(|packed| packed.ty()).filter(|t| *t != rhs.ty());
        let kernel = packed.map_or(StepInput::Operand(1), |packed| step("pack", &[StepInput::Operand(1)], &packed));
        summed.push(step("tiles", &[image, kernel], &result));
    }
    if let (Some(apart), Some(aside)) = (apart, aside) {
        pad::put_back(&apart.axes, aside.view().elements::<T>(), out.elements::<T>());
        step("transpose", &summed, &Type::new(T::DTYPE, shape));
    }
}

/// Whether a convolution is one for tiles: the others are left to the plain kernel, which needs no copy.
pub(crate) fn is_for_tiles(op: &Convolution, lhs: View<'_>, rhs: View<'_>, y: &ViewMut<'_>) -> bool {
    Geometry::new(op, lhs.shape(), rhs.shape(), y.shape()).may_be_padded(lhs.shape(), y.shape())
}

/// Every choice of one item of each list.
fn choices<T>(lists: &[Vec<T>]) -> Vec<Vec<&T>> {
    lists.iter().fold(vec![vec![]], |some, list| {
        some.iter().flat_map(|c| list.iter().map(move |x| [&c[..], &[x]].concat())).collect()
    })
}
