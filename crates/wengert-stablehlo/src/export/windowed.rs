//! Reductions and selections under windows.

use super::function::{Function, RegionBody};
use super::reduce::by_name;
use super::text::{Array, Joined, Pairs, Signature, Value};
use super::{Operand, Values};
use wengert_core::ops::{Combiner, ReduceWindow, SelectAndScatter, Selector, Window};
use wengert_core::{DType, Result, Type};

impl<'m> Function<'m> {
    pub(super) fn reduce_window(&mut self, op: &ReduceWindow, x: &[Operand<'_>], y: &[&Type]) -> Result<Values> {
        if let Some(combiner) = by_name(&op.combiner) {
            let named = ReduceWindow { combiner: combiner.clone(), window: op.window.clone() };
            let z = self.apply(named, &x[..1])?[0];
            return self.started(&combiner, x[1], z, y[0]);
        }
        // XLA combines what it pads with; only the identity does no harm then.
        if matches!(op.combiner, Combiner::Program(_)) && op.window.has_holes() {
            return self.expanded(op.clone(), x);
        }
        let (arrays, given) = x.split_at(y.len());
        let starts = self.starts(&op.combiner, given, y[0].dtype);
        let scalars: Vec<Type> = y.iter().map(|t| Type::scalar(t.dtype)).collect();
        let refs: Vec<&Type> = scalars.iter().collect();
        self.windows(&op.window, arrays, &starts, y, &|f, args| f.combined(&op.combiner, &refs, args))
    }

    /// A `reduce_window` that combines as `body` does.
    pub(super) fn windows(
        &mut self,
        w: &Window,
        arrays: &[Operand<'_>],
        starts: &[Value],
        y: &[&Type],
        body: RegionBody<'_, 'm>,
    ) -> Result<Values> {
        let scalars: Vec<Type> = y.iter().map(|t| Type::scalar(t.dtype)).collect();
        let from: Vec<&Type> = arrays.iter().map(|x| x.ty).chain(&scalars).collect();
        let values = Joined(arrays.iter().map(|x| x.value).chain(starts.iter().copied()));
        let twice = [&scalars[..], &scalars[..]].concat();
        self.with_regions(
            format_args!(
                "\"stablehlo.reduce_window\"({values}) <{{base_dilations = {}, padding = {}, window_dilations = {}, \
                 window_dimensions = {}, window_strides = {}}}>",
                Array(&w.base_dilation),
                Pairs(&w.padding),
                Array(&w.window_dilation),
                Array(&w.size),
                Array(&w.strides)
            ),
            Signature(&from, y),
            &[(twice, scalars.clone(), body)],
        )
    }

    pub(super) fn select_and_scatter(&mut self, op: &SelectAndScatter, x: &[Operand<'_>], y: &Type) -> Result<Values> {
        let w = &op.window;
        if !is_plain(w) {
            return self.expanded(op.clone(), x);
        }
        let (operand, source) = (Type::scalar(x[0].ty.dtype), Type::scalar(y.dtype));
        let start = self.starts(&op.combiner, &x[2..], y.dtype)[0];
        let from = [x[0].ty, x[1].ty, &source];
        let head = format!(
            "\"stablehlo.select_and_scatter\"({}, {}, {start}) <{{padding = {}, window_dimensions = {}, \
             window_strides = {}}}>",
            x[0].value,
            x[1].value,
            Pairs(&w.padding),
            Array(&w.size),
            Array(&w.strides)
        );
        let select: RegionBody<'_, 'm> = &|f, args| match &op.select {
            Selector::Program(p) => f.inline(p, args),
            Selector::Named(direction) => {
                let [p, q] = [args[0], args[1]].map(|value| Operand { value, ty: &operand });
                Ok(Values::from_slice(&[f.compare(*direction, p, q)]))
            }
        };
        let combine: RegionBody<'_, 'm> = &|f, args| f.combined(&op.combiner, &[&source], args);
        let pair = |t: &Type| vec![t.clone(), t.clone()];
        self.with_regions(
            format_args!("{head}"),
            Signature(&from, &[y]),
            &[
                (pair(&operand), vec![Type::scalar(DType::Bool)], select),
                (pair(&source), vec![source.clone()], combine),
            ],
        )
    }
}

/// Whether a window neither skips elements nor cuts any off: all that StableHLO's `select_and_scatter` knows.
pub(super) fn is_plain(w: &Window) -> bool {
    w.base_dilation.iter().chain(&w.window_dilation).all(|&d| d == 1) && w.padding.iter().all(|p| p.0 >= 0 && p.1 >= 0)
}
