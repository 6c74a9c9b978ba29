//! Rows that are nothing but the bytes of their fields, so that a file can be used where it lies.

use bytemuck::Pod;

/// The bytes of a field, which is plain itself.
pub(crate) const fn width<R, T: Pod>(_: fn(&R) -> &T) -> usize {
    size_of::<T>()
}

/// Makes structs [`Pod`], each with the names of its fields. A field that is not plain, a field that is not named and bytes
/// between fields are errors of compilation.
macro_rules! plain {
    ($($row:ident: $($field:ident)*;)*) => {$(
        const _: () = assert!(
            size_of::<$row>() == 0 $(+ $crate::plain::width(|row: &$row| &row.$field))*,
            "fields that are not named, or bytes between fields"
        );
        // SAFETY: all fields are plain, which zeros are values of, and there is nothing but fields.
        unsafe impl bytemuck::Zeroable for $row {}
        // SAFETY: the same; any bytes are values of plain fields.
        unsafe impl bytemuck::Pod for $row {}
    )*};
}
pub(crate) use plain;
