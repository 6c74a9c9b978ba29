//! The floats that a run computes with: what rounding may do to a result is known by the narrowest, which may not be its own.

use crate::tree::{CallTree, Does};
use wengert_core::{DType, Op};

/// How many binary digits a float of this type has; none if it is no float.
fn digits(dtype: DType) -> Option<u32> {
    match dtype.real() {
        DType::BF16 => Some(8),
        DType::F16 => Some(11),
        DType::F32 => Some(24),
        DType::F64 => Some(53),
        _ => None,
    }
}

impl CallTree {
    /// The narrowest float that something is rounded to, if a result of the outermost function is wider.
    ///
    /// ```
    /// use wengert_core::{DType, Program};
    /// let text = "program (x: f32[]) { h: bf16[] = convert[dtype=bf16](x) y: f32[] = convert[dtype=f32](h) return y }";
    /// let tree = wengert_emit::CallTree::of_program(&Program::parse(text)?);
    /// assert_eq!(tree.narrowest(), Some(DType::BF16));
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn narrowest(&self) -> Option<DType> {
        let rounded = self.functions.iter().flat_map(|f| {
            let rounds = f.steps.iter().filter(|s| !matches!(s.does, Does::Primitive(Op::Constant(_), _)));
            let results = rounds.flat_map(|s| &s.results).map(|&v| &f.variables[v]);
            results.filter(|v| v.function.is_none()).map(|v| v.ty.dtype.real())
        });
        let narrowest = rounded.filter(|&d| digits(d).is_some()).min_by_key(|&d| digits(d))?;
        let main = self.main();
        main.results.iter().any(|&v| digits(main.variables[v].ty.dtype) > digits(narrowest)).then_some(narrowest)
    }
}
