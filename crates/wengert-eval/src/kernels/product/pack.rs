//! Numbers copied so that those that are multiplied together are neighbours.

use super::lanes::Lanes;

/// Copies columns of an operand, which lie at these steps along columns and products, so that the columns of each product
/// are neighbours: those of the next lie `row` further.
///
/// # Safety
/// The numbers lie there, and there is room for `row · k` of them, `row` being `columns` or more.
#[inline(always)]
pub(super) unsafe fn panel<L: Lanes>(
    from: *const L::T,
    steps: [isize; 2],
    [columns, k]: [usize; 2],
    to: *mut L::T,
    row: usize,
) {
    // SAFETY: numbers of the panel, and their places in the room.
    unsafe {
        if steps[0] == 1 {
            let (full, last) = (columns / L::N * L::N, L::mask(columns % L::N));
            for p in 0..k {
                let (from, to) = (from.offset(p as isize * steps[1]), to.add(p * row));
                (0..full).step_by(L::N).for_each(|j| L::store(to.add(j), L::load(from.add(j))));
                if full < columns {
                    L::store_some(to.add(full), L::load_some(from.add(full), last), last);
                }
            }
            return;
        }
        let one = |j: usize, p: usize| {
            *to.add(p * row + j) = *from.offset(j as isize * steps[0] + p as isize * steps[1]);
        };
        // Squares where the numbers of a column are neighbours.
        let block = if steps[1] == 1 { L::BLOCK } else { usize::MAX };
        let (squares, deep) = (columns / block * block.min(columns), k / block * block.min(k));
        for j in (0..squares).step_by(block) {
            for p in (0..deep).step_by(block) {
                L::turn(from.offset(j as isize * steps[0] + p as isize), steps[0], to.add(p * row + j), row);
            }
            (j..j + block).for_each(|j| (deep..k).for_each(|p| one(j, p)));
        }
        (squares..columns).for_each(|j| (0..k).for_each(|p| one(j, p)));
    }
}

/// Copies the rows of tiles of these heights, which lie at these steps along rows and products, so that the rows of each tile
/// and product are neighbours, then the products of a tile, and then the tiles.
///
/// # Safety
/// The numbers lie there, and there is room for `k` times all heights.
#[inline(always)]
pub(super) unsafe fn rows<L: Lanes>(from: *const L::T, steps: [isize; 2], heights: &[usize], k: usize, to: *mut L::T) {
    for p in 0..k {
        let (mut from, mut to) = (from.wrapping_offset(p as isize * steps[1]), to);
        for &height in heights {
            // SAFETY: the numbers of a tile for one product, and their places in the room.
            unsafe {
                let to = to.add(p * height);
                match steps[0] {
                    // Copies of a known size are one or two moves, where a mask may reach over two lines of the cache.
                    1 if height == 8 => to.copy_from_nonoverlapping(from, 8),
                    1 if height == 6 => to.copy_from_nonoverlapping(from, 6),
                    1 => {
                        for at in (0..height).step_by(L::N) {
                            let some = L::mask((height - at).min(L::N));
                            L::store_some(to.add(at), L::load_some(from.add(at), some), some);
                        }
                    }
                    step => (0..height).for_each(|r| *to.add(r) = *from.offset(r as isize * step)),
                }
            }
            from = from.wrapping_offset(height as isize * steps[0]);
            to = to.wrapping_add(height * k);
        }
    }
}

/// A line of numbers as neighbours: where they are, or copied.
///
/// # Safety
/// The numbers lie at this step, and `room` has as many.
#[inline(always)]
pub(super) unsafe fn line<T: Copy>(from: *const T, step: isize, k: usize, room: *mut T) -> *const T {
    if step == 1 || k <= 1 {
        return from;
    }
    // SAFETY: the caller's word.
    (0..k).for_each(|p| unsafe { *room.add(p) = *from.offset(p as isize * step) });
    room
}
