//! What an executable can say of itself: the memory that runs take, and where their time went.

use std::fmt;
use std::time::Duration;

/// The memory that one run takes, in bytes. It is known before anything runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Arrays that are handed in.
    pub inputs: usize,
    /// Arrays that are handed out, where none takes the memory of an input.
    pub results: usize,
    /// Arrays that are there for a while, all in one piece of memory, some where others were.
    pub temporaries: usize,
    /// What kernels take for themselves: the most that one of them does, for one runs after the other.
    pub kernels: usize,
    /// Arrays that are part of the program. All runs share them.
    pub constants: usize,
    /// Machine code. All runs share it.
    pub code: usize,
    /// What all blocks of a run read and write, each array once for each block; loops whose steps are not known count as one
    /// step. None if it is not known. The least that is possible is [`MemoryUse::inputs`] and [`MemoryUse::results`].
    pub moved: Option<usize>,
}

impl MemoryUse {
    /// All together: as much is in use at once, at most. What a user's own op takes is not known.
    pub fn peak(&self) -> usize {
        [self.results, self.temporaries, self.kernels, self.constants, self.code]
            .into_iter()
            .fold(self.inputs, usize::saturating_add)
    }
}

impl fmt::Display for MemoryUse {
    /// One line: all together, and what of it is not nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MemoryUse { inputs, results, temporaries, kernels, constants, code, moved } = *self;
        let all = [
            (inputs, "inputs"),
            (results, "results"),
            (temporaries, "temporaries"),
            (kernels, "kernels' own"),
            (constants, "constants"),
            (code, "code"),
        ];
        let parts: Vec<String> = all.iter().filter(|(n, _)| *n > 0).map(|(n, of)| format!("{n} of {of}")).collect();
        write!(f, "{} bytes at most", self.peak())?;
        if !parts.is_empty() {
            write!(f, ": {}", parts.join(", "))?;
        }
        moved.map_or(Ok(()), |n| write!(f, "; {n} read and written"))
    }
}

/// Where the time of all runs of an executable went, so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The name of the program.
    pub program: String,
    /// How often it ran.
    pub runs: u64,
    /// How long all runs took together.
    pub time: Duration,
    /// The blocks that ran, in the order of the program. Their times add up to the whole.
    pub blocks: Vec<ProfiledBlock>,
}

/// A block of a program, and how long it took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfiledBlock {
    /// Its number, the same in all stages.
    pub number: u32,
    /// What it is: `loop over 1000 elements`.
    pub name: String,
    /// How many loops and branches are around it.
    pub depth: usize,
    /// How long it took in all runs, without the blocks inside of it.
    pub time: Duration,
    /// How often it ran, in all runs.
    pub runs: u64,
    /// Its equations, each with its place in the source where that is known.
    pub equations: Vec<String>,
}

/// So many equations of a block are shown in a table.
const SHOWN: usize = 3;

impl fmt::Display for Profile {
    /// A table: the blocks that took most first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Profile { program, runs, time, blocks } = self;
        let each = |t: Duration| format!("{:.2?}", t.div_f64((*runs).max(1) as f64));
        writeln!(f, "{program}: {} a run, {runs} runs", each(*time))?;
        writeln!(f, "{:>6} {:>10} {:>12}  block", "share", "a run", "times a run")?;
        let mut order: Vec<&ProfiledBlock> = blocks.iter().collect();
        order.sort_by_key(|b| std::cmp::Reverse(b.time));
        for b in order {
            let share = 100.0 * b.time.as_secs_f64() / time.as_secs_f64().max(f64::MIN_POSITIVE);
            let times = b.runs as f64 / (*runs).max(1) as f64;
            writeln!(f, "{share:>5.1}% {:>10} {times:>12.1}  {}: {}", each(b.time), b.number, b.name)?;
            for e in b.equations.iter().take(SHOWN) {
                writeln!(f, "{:>33}{e}", "")?;
            }
            if b.equations.len() > SHOWN {
                writeln!(f, "{:>33}and {} more", "", b.equations.len() - SHOWN)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_a_table() {
        let block = |number, name: &str, ms, runs, equations: usize| ProfiledBlock {
            number,
            name: name.into(),
            depth: 0,
            time: Duration::from_millis(ms),
            runs,
            equations: (0..equations).map(|i| format!("%{i}: f32[] = sin(x)")).collect(),
        };
        let profile = Profile {
            program: "f".into(),
            runs: 10,
            time: Duration::from_millis(100),
            blocks: vec![block(1, "scalars", 20, 10, 5), block(2, "loop over 9 elements", 80, 1000, 1)],
        };
        let expected = "\
f: 10.00ms a run, 10 runs
 share      a run  times a run  block
 80.0%     8.00ms        100.0  2: loop over 9 elements
                                 %0: f32[] = sin(x)
 20.0%     2.00ms          1.0  1: scalars
                                 %0: f32[] = sin(x)
                                 %1: f32[] = sin(x)
                                 %2: f32[] = sin(x)
                                 and 2 more
";
        assert_eq!(profile.to_string(), expected);
    }
}
