//! A hash of bytes in independent lanes, which vectorises, and which is as fast for one element repeated any number of
//! times.
//!
//! Bytes are taken in blocks. Within a block, each word is combined with the sum of its lane by an exclusive or, and the
//! halves of the word plus a key, which depends on the place in the block, are multiplied and added. From block to block
//! a lane goes on by `h ← (h + sum) · FACTOR`, and a step that is affine can be done many times at once.

/// Words beside each other that have sums of their own.
const LANES: usize = 8;
/// Bytes of a row of lanes.
pub(super) const STRIPE: usize = 8 * LANES;
const STRIPES: usize = 16;
/// Bytes of a block, a multiple of the size of every element.
pub(super) const BLOCK: usize = STRIPE * STRIPES;

/// From block to block. It is odd: nothing is lost by it.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// What is added to the words of a block.
static KEYS: Keys = Keys(keys());

/// A stripe of them is one line of the cache.
#[repr(align(64))]
struct Keys([[u64; LANES]; STRIPES]);

const fn keys() -> [[u64; LANES]; STRIPES] {
    let mut keys = [[0; LANES]; STRIPES];
    let mut i = 0;
    while i < LANES * STRIPES {
        keys[i / LANES][i % LANES] = mixed((i as u64 + 1).wrapping_mul(FACTOR));
        i += 1;
    }
    keys
}

/// A number of which every bit depends on every bit of another.
const fn mixed(x: u64) -> u64 {
    let x = (x ^ (x >> 32)).wrapping_mul(0xd1b5_4a32_d192_ed03);
    let x = (x ^ (x >> 29)).wrapping_mul(FACTOR);
    x ^ (x >> 32)
}

/// The sums of the lanes of a block, so far.
#[derive(Clone, Copy)]
pub(super) struct BlockSums([u64; LANES]);

impl BlockSums {
    /// Those of nothing.
    pub(super) const NONE: BlockSums = BlockSums([0; LANES]);

    /// Adds whole stripes, the first of which is the one with this number in its block. A sum of two kinds is none that a compiler
    /// would add up in another order, so that what it puts in one register are lanes.
    #[inline(always)]
    pub(super) fn add(&mut self, first: usize, stripes: &[[u8; STRIPE]]) {
        for (i, stripe) in stripes.iter().enumerate() {
            let keys = &KEYS.0[first + i];
            for (l, word) in stripe.as_chunks::<8>().0.iter().enumerate() {
                let word = u64::from_le_bytes(*word);
                let x = word.wrapping_add(keys[l]);
                self.0[l] = (self.0[l] ^ word).wrapping_add((x & 0xffff_ffff) * (x >> 32));
            }
        }
    }

    /// The sums of whole stripes, at most a block.
    fn of(stripes: &[u8]) -> [u64; LANES] {
        let mut sums = BlockSums::NONE;
        sums.add(0, stripes.as_chunks().0);
        sums.0
    }
}

/// What was hashed so far.
#[derive(Clone, Default)]
pub(super) struct Hasher([u64; LANES]);

impl Hasher {
    /// Adds a whole block.
    #[inline(always)]
    pub(super) fn block(&mut self, sums: BlockSums) {
        for (h, sum) in self.0.iter_mut().zip(sums.0) {
            *h = h.wrapping_add(sum).wrapping_mul(FACTOR);
        }
    }

    /// Adds the same block so many times, in as many steps as that number has bits.
    pub(super) fn repeated(&mut self, block: &[u8; BLOCK], times: usize) {
        for (h, sum) in self.0.iter_mut().zip(BlockSums::of(block)) {
            // `h ← h · m + a` done twice is `h ← h · m² + a · (m + 1)`.
            let (mut m, mut a, mut times) = (FACTOR, sum.wrapping_mul(FACTOR), times);
            while times > 0 {
                if times & 1 == 1 {
                    *h = h.wrapping_mul(m).wrapping_add(a);
                }
                (m, a) = (m.wrapping_mul(m), a.wrapping_mul(m.wrapping_add(1)));
                times >>= 1;
            }
        }
    }

    /// The hash, with what is left after the last whole block, and how many elements there were in all.
    pub(super) fn finish(mut self, rest: &[u8], count: usize) -> u64 {
        let mut stripes = [0; BLOCK];
        stripes[..rest.len()].copy_from_slice(rest);
        let last = BlockSums::of(&stripes[..rest.len().next_multiple_of(STRIPE)]);
        for (h, sum) in self.0.iter_mut().zip(last) {
            *h = h.wrapping_add(sum);
        }
        self.0.iter().fold(mixed(count as u64), |hash, h| mixed(hash ^ h))
    }
}
