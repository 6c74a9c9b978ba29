//! Axes as arguments: one, several, all; and whether reduced axes stay with size 1.

use std::fmt;
use wengert_core::{Dims, Error, Place, Result, counted};

/// The axes a function works along: `0`, `-1`, `[0, 2]`, `..` for all; [`keep`] keeps them with size 1.
#[derive(Clone, PartialEq, Eq)]
pub struct Axes {
    axes: Option<Vec<isize>>,
    keep: bool,
}

/// The same axes, kept with size 1 in the result of a reduction.
///
/// ```
/// use wengert::{keep, Array};
/// let x = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
/// assert_eq!(x.sum(keep(-1)).shape()[..], [2, 1]);
/// ```
pub fn keep(axes: impl Into<Axes>) -> Axes {
    Axes { keep: true, ..axes.into() }
}

impl fmt::Debug for Axes {
    /// As it is written: `-1`, `[0, 2]`, `..`, `keep(1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.axes.as_deref() {
            None => "..".to_string(),
            Some([one]) => one.to_string(),
            Some(several) => format!("{several:?}"),
        };
        if self.keep { write!(f, "keep({text})") } else { f.write_str(&text) }
    }
}

impl Axes {
    /// Whether reduced axes stay with size 1.
    ///
    /// ```
    /// use wengert::{keep, Axes};
    /// assert!(keep(1).keeps() && !Axes::from(1).keeps());
    /// ```
    pub fn keeps(&self) -> bool {
        self.keep
    }

    /// Whether these are all axes of whatever array.
    pub(crate) fn is_all(&self) -> bool {
        self.axes.is_none()
    }

    /// How many axes there are, if that is known without an array.
    pub(crate) fn len(&self) -> Option<usize> {
        self.axes.as_ref().map(Vec::len)
    }

    /// The axes of an array of this rank, counted from the front.
    pub(crate) fn resolve(&self, rank: usize, place: &Place) -> Result<Dims> {
        let Some(axes) = &self.axes else { return Ok((0..rank).collect()) };
        let mut out = Dims::new();
        for &a in axes {
            let at = resolve_axis(a, rank, place)?;
            if out.contains(&at) {
                return Err(Error::shape(format!("axis {a} is named twice")).at(place.clone()));
            }
            out.push(at);
        }
        Ok(out)
    }
}

/// An axis counted from the front; negative ones count from the end.
pub(crate) fn resolve_axis(axis: isize, rank: usize, place: &Place) -> Result<usize> {
    crate::vmap::resolve(axis, rank).ok_or_else(|| {
        let m = format!("axis {axis} is out of range for an array with {}", counted(rank, "axis"));
        Error::shape(m).at(place.clone()).note(match rank {
            0 => "it is a scalar, and has one element alone".into(),
            n => format!("axes count from 0 to {}, and from the end from -1 to -{n}", n - 1),
        })
    })
}

impl From<std::ops::RangeFull> for Axes {
    fn from(_: std::ops::RangeFull) -> Axes {
        Axes { axes: None, keep: false }
    }
}

macro_rules! axes {
    ($($t:ty)*) => {$(
        impl From<$t> for Axes {
            fn from(a: $t) -> Axes {
                Axes { axes: Some(vec![a as isize]), keep: false }
            }
        }
        impl<const N: usize> From<[$t; N]> for Axes {
            fn from(a: [$t; N]) -> Axes {
                Axes { axes: Some(a.map(|a| a as isize).to_vec()), keep: false }
            }
        }
        impl From<&[$t]> for Axes {
            fn from(a: &[$t]) -> Axes {
                Axes { axes: Some(a.iter().map(|&a| a as isize).collect()), keep: false }
            }
        }
        impl From<Vec<$t>> for Axes {
            fn from(a: Vec<$t>) -> Axes {
                Axes::from(&a[..])
            }
        }
    )*};
}
axes!(i32 isize usize);
