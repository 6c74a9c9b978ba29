//! Elements by their bits.

use crate::array::Array;
use crate::dispatch::bind_one;
use wengert_core::DType;
use wengert_core::ops::Bitcast;

impl Array {
    /// The same bits under another element type. A narrower one adds a last axis, lowest bits first; a wider one takes
    /// it away.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::from([1.0f32]).bitcast(DType::U32).to_vec::<u32>(), [0x3f80_0000]);
    /// ```
    #[track_caller]
    pub fn bitcast(&self, dtype: DType) -> Array {
        bind_one(Bitcast { dtype }, &[self])
    }
}
