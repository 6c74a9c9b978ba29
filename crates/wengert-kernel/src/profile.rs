//! Where time goes: runs that are profiled count, for each mark, how often it was come by and how long it held.

/// What a profiled run counted for one mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Counter {
    /// How long instructions with this mark ran, in units of whatever clock the one who ran them has.
    pub ticks: u64,
    /// How often the mark was come by.
    pub runs: u64,
}

impl Counter {
    /// Adds what another run counted.
    pub fn add(&mut self, other: Counter) {
        self.ticks = self.ticks.wrapping_add(other.ticks);
        self.runs = self.runs.wrapping_add(other.runs);
    }
}
