//! Slices at computed positions. Operations whose sizes are operands are in `sizes`.

use super::body::Handler;
use wengert_core::ops::{DynamicSlice, DynamicUpdateSlice};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.dynamic_slice" => |c, op, x| c.push(DynamicSlice { sizes: c.fields(op).dims("slice_sizes")? }, x),
        "stablehlo.dynamic_update_slice" => |c, _, x| c.push(DynamicUpdateSlice {}, x),
        _ => return None,
    })
}
