//! Products of many rows and columns: chain after chain, by panels of columns and by tiles of each. Where many rows go
//! through the same columns, panels are laid out anew, as many as stay in the second cache, and rows go through all of
//! them: those of a tile stay in the nearest cache meanwhile.

use super::lanes::Lanes;
use super::tile::{Segment, Tile, WIDTH, laying_rows, next_rows, panels};
use super::{Part, Shares};
use std::ops::Range;

/// How many panels are laid out at a time, at most.
pub(super) const PANELS: usize = 12;
/// How many products ahead the right operand is fetched where it is read across its rows.
const AHEAD: isize = 12;
/// Products of each result from which on tiles are as high as registers allow: what comes before and after the loop over
/// them takes longer there.
const DEEP: usize = 64;
/// The bytes that are in the nearest cache after they were read once.
const NEAR: usize = 32 << 10;
/// How many tiles of rows are laid out at a time.
const BLOCK: usize = 8;
/// Panels from which on it pays to lay out the rows that go through them.
const SEVERAL: usize = 3;
/// Panels of more products than this leave no place for rows in the nearest cache.
const LONG: usize = 128;

/// Which operands are laid out anew.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Layout {
    /// Whether the rows of each tile are.
    rows: bool,
    /// Whether columns are.
    pub(super) columns: bool,
    /// The panels that rows go through at a time.
    panels: usize,
    /// The products that rows go through at a time: those of one chain, or all of them.
    depth: usize,
}

impl Layout {
    /// Columns are laid out that are no neighbours, and those that are read often and lie too far apart for the nearest cache,
    /// whose lines are few where rows lie at a power of two.
    #[inline(always)]
    pub(super) fn new<L: Lanes>(p: &Part) -> Layout {
        let many = p.m >= 12 * L::ROWS[2];
        let vectors = p.n.div_ceil(L::N);
        let all = panels::<L>(vectors);
        let row = p.n.max(p.y[1].unsigned_abs());
        let columns = p.y[0] != 1 && p.n > 1 || many && row * p.k * size_of::<L::T>() > NEAR;
        let long = p.k > LONG || p.x[1] != 1 && p.k >= DEEP;
        let panels = if many && columns && long { PANELS.min(all) } else { 1 };
        // Columns of all chains that stay in the nearest cache are gone through by a row at once.
        let width = if columns { vectors.div_ceil(all) * L::N } else { p.n };
        let near = panels == 1 && width * p.k * size_of::<L::T>() <= NEAR;
        let depth = if near { p.k } else { p.chain.min(p.k) };
        Layout { rows: p.x[1] != 1 && panels >= SEVERAL, columns, panels, depth }
    }

    /// How many numbers the room has that is needed.
    #[inline(always)]
    pub(super) fn room<L: Lanes>(&self) -> usize {
        (self.columns as usize * self.panels * WIDTH * L::N + self.rows as usize * BLOCK * L::ROWS[0]) * self.depth
    }
}

/// Some columns of the result.
#[derive(Clone, Copy)]
struct Panel<L: Lanes> {
    vectors: usize,
    column: usize,
    columns: usize,
    last: L::Mask,
    /// Where the columns of the right operand lie that are multiplied now, and their step along products.
    y: *const L::T,
    step: isize,
    /// Where they are laid out anew.
    laid: *mut L::T,
}

impl<L: Lanes> Panel<L> {
    #[inline(always)]
    fn new(p: &Part, vectors: Range<usize>) -> Panel<L> {
        let column = vectors.start * L::N;
        let columns = (vectors.end * L::N).min(p.n) - column;
        let last = L::mask(columns - (vectors.len() - 1) * L::N);
        Panel {
            vectors: vectors.len(),
            column,
            columns,
            last,
            y: std::ptr::null(),
            step: 0,
            laid: std::ptr::null_mut(),
        }
    }
}

/// Computes all results where nothing is laid out anew, and each has one chain. Rows go through all columns where these stay
/// in the nearest cache, and else columns through all rows.
///
/// # Safety
/// All numbers that the part names lie at these places.
#[inline(always)]
pub(super) unsafe fn near<L: Lanes>(p: &Part, x: *const L::T, y: *const L::T, out: *mut L::T) {
    let vectors = p.n.div_ceil(L::N);
    let panels = panels::<L>(vectors);
    // SAFETY: numbers of the operands and the result, as the caller says.
    unsafe {
        if panels > 1 && p.n * p.k * size_of::<L::T>() <= NEAR {
            let widest = vectors.div_ceil(panels);
            let (most, mut row) = (highest::<L>(p, widest), 0);
            while row < p.m {
                let some = next_rows(p.m - row, [widest, vectors / panels], most);
                for share in Shares::new(vectors, panels) {
                    near_tile::<L>(p, Panel::new(p, share), row, some, [x, y], out);
                }
                row += some;
            }
            return;
        }
        for share in Shares::new(vectors, panels) {
            let panel = Panel::<L>::new(p, share);
            let (most, mut row) = (highest::<L>(p, panel.vectors), 0);
            while row < p.m {
                let some = next_rows(p.m - row, [panel.vectors; 2], most);
                near_tile::<L>(p, panel, row, some, [x, y], out);
                row += some;
            }
        }
    }
}

/// # Safety
/// As [`near`].
#[inline(always)]
unsafe fn near_tile<L: Lanes>(
    p: &Part,
    panel: Panel<L>,
    row: usize,
    rows: usize,
    [x, y]: [*const L::T; 2],
    out: *mut L::T,
) {
    // SAFETY: numbers of the operands and the result, as the caller says.
    unsafe {
        let tile = Tile::<L> {
            segments: &[Segment { x: 0, y: 0, k: p.k }],
            x: x.offset(row as isize * p.x[0]),
            x_step: p.x[1],
            rows: &[0, 1, 2, 3, 4].map(|r| r * p.x[0]),
            y: y.add(panel.column),
            y_step: p.y[1],
            ahead: ahead::<L>(p),
            laid: std::ptr::null_mut(),
            out: out.offset(row as isize * p.out[0] + panel.column as isize),
            row: p.out[0],
            last: panel.last,
            add: false,
            goes_on: p.goes_on,
        };
        tile.run_any(rows, panel.vectors);
    }
}

/// The most rows of tiles of so many vectors.
#[inline(always)]
fn highest<L: Lanes>(p: &Part, vectors: usize) -> usize {
    L::ROWS[if p.k < DEEP { vectors.max(3) } else { vectors } - 1]
}

/// How far ahead columns are fetched where they lie.
#[inline(always)]
fn ahead<L: Lanes>(p: &Part) -> isize {
    if p.n * p.k * size_of::<L::T>() > NEAR { AHEAD.wrapping_mul(p.y[1]) } else { 0 }
}

/// Computes all results, chain after chain.
///
/// # Safety
/// All numbers that the part names lie at these places, and the room has the size that the layout says.
#[inline(always)]
pub(super) unsafe fn product<L: Lanes>(p: &Part, x: *const L::T, y: *const L::T, out: *mut L::T, room: *mut L::T) {
    let layout = Layout::new::<L>(p);
    let vectors = p.n.div_ceil(L::N);
    let mut shares = Shares::new(vectors, panels::<L>(vectors));
    while let Some(first) = shares.next() {
        let mut panels = [Panel::<L>::new(p, first); PANELS];
        let mut count = 1;
        while count < layout.panels
            && let Some(share) = shares.next()
        {
            panels[count] = Panel::new(p, share);
            count += 1;
        }
        for from in (0..p.k).step_by(layout.depth) {
            // SAFETY: numbers of the operands and the result, as the caller says.
            unsafe { some_products::<L>(p, layout, &mut panels[..count], from, [x, y], out, room) };
        }
    }
}

/// Computes the next products of some panels: one chain of each sum, or all of them.
///
/// # Safety
/// As [`product`].
#[inline(always)]
unsafe fn some_products<L: Lanes>(
    p: &Part,
    layout: Layout,
    panels: &mut [Panel<L>],
    from: usize,
    [x, y]: [*const L::T; 2],
    out: *mut L::T,
    mut room: *mut L::T,
) {
    let k = layout.depth.min(p.k - from);
    // The first panel is the widest, the last one the narrowest.
    let (widest, narrowest) = (panels[0].vectors, panels[panels.len() - 1].vectors);
    let most = highest::<L>(p, widest);
    // Columns that are neighbours are laid out as the first rows go through them.
    let laying = layout.columns && p.y[0] == 1;
    let next = |row: usize| match row {
        0 if laying => laying_rows::<L>(widest),
        _ => next_rows(p.m - row, [widest, narrowest], most),
    };
    // SAFETY: numbers of the operands and the result, as the caller says.
    unsafe {
        for panel in &mut *panels {
            let y = y.offset(panel.column as isize * p.y[0] + from as isize * p.y[1]);
            (panel.y, panel.step) = (y, p.y[1]);
            if layout.columns {
                let row = panel.vectors * L::N;
                if !laying {
                    L::lay(y, p.y, [panel.columns, k], room, row);
                    (panel.y, panel.step) = (room, row as isize);
                }
                panel.laid = room;
                room = room.add(row * k);
            }
        }
        let mut row = 0;
        while row < p.m {
            let mut heights = [0; BLOCK];
            let (first, mut count) = (row, 0);
            while count < if layout.rows { BLOCK } else { 1 } && row < p.m {
                heights[count] = next(row);
                row += heights[count];
                count += 1;
            }
            let heights = &heights[..count];
            let mut x = x.offset(first as isize * p.x[0] + from as isize * p.x[1]);
            if layout.rows {
                L::lay_rows(x, p.x, heights, k, room);
                x = room;
            }
            let mut row = first;
            for &some in heights {
                let steps = if layout.rows { [1, some as isize] } else { p.x };
                let rows = [0, 1, 2, 3, 4].map(|r| r * steps[0]);
                for panel in &mut *panels {
                    for at in (0..k).step_by(p.chain) {
                        let segments = [Segment {
                            x: at as isize * steps[1],
                            y: at as isize * panel.step,
                            k: p.chain.min(k - at),
                        }];
                        let tile = Tile::<L> {
                            segments: &segments,
                            x,
                            x_step: steps[1],
                            rows: &rows,
                            y: panel.y,
                            y_step: panel.step,
                            ahead: if laying { AHEAD * panel.step } else { ahead::<L>(p) },
                            laid: panel.laid.wrapping_add(at * panel.vectors * L::N),
                            out: out.offset(row as isize * p.out[0] + panel.column as isize),
                            row: p.out[0],
                            last: panel.last,
                            add: from + at > 0,
                            goes_on: p.goes_on && from + at == 0,
                        };
                        match row {
                            0 if laying => tile.run_laying(some, panel.vectors),
                            _ => tile.run_any(some, panel.vectors),
                        }
                    }
                    if laying && row == 0 {
                        (panel.y, panel.step) = (panel.laid, (panel.vectors * L::N) as isize);
                    }
                }
                x = if layout.rows { x.add(some * k) } else { x };
                row += some;
            }
        }
    }
}
