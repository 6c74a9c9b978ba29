//! What a moving window sees: the tables that convolution and the windowed kernels walk along.

use wengert_core::ops::WindowAxis;

/// What a window sees along one axis from some of its positions.
pub(crate) struct Seen {
    pub(crate) positions: Vec<usize>,
    /// The places of the window at which there is an element for some position.
    pub(crate) places: Vec<usize>,
    /// For each position, for each of the places, the element there.
    elements: Vec<Option<usize>>,
}

impl Seen {
    pub(crate) fn new(w: &WindowAxis, n: usize, positions: impl Iterator<Item = usize>) -> Seen {
        let positions: Vec<usize> = positions.collect();
        let there = |&k: &usize| positions.iter().any(|&at| w.element(n, at, k).is_some());
        let places: Vec<usize> = (0..w.size).filter(there).collect();
        let elements = positions.iter().flat_map(|&at| places.iter().map(move |&k| w.element(n, at, k))).collect();
        Seen { positions, places, elements }
    }
}

/// For each choice of positions, for each choice of places, the row-major position of the element there in an array of
/// this shape.
pub(crate) fn sites(shape: &[usize], seen: &[&Seen]) -> Vec<Option<usize>> {
    let mut places = 1;
    shape.iter().zip(seen).fold(vec![Some(0)], |outer, (n, seen)| {
        let inner = seen.places.len();
        if places * inner == 0 {
            return Vec::new();
        }
        let rows = outer.chunks(places).flat_map(|row| {
            seen.elements.chunks(inner).flat_map(move |more| {
                row.iter().flat_map(move |at| more.iter().map(move |i| Some(at.as_ref()? * n + i.as_ref()?)))
            })
        });
        let next = rows.collect();
        places *= inner;
        next
    })
}
