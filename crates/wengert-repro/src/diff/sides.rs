//! Two ways to run programs, and what counts as a difference between them.

use super::{beyond, rounding};
use crate::jax::not_asked;
use crate::sizes::Sizes;
use crate::symptom::caught;
use std::time::{Duration, Instant};
use wengert_core::{DType, Error, Program, Result, Tensor};

/// Runs a program on inputs.
pub type RunProgram<'a> = &'a mut dyn FnMut(&Program, &[Tensor]) -> Result<Vec<Tensor>>;

/// Two ways to run programs, of which the first is taken for right.
pub struct Sides<'a> {
    reference: RunProgram<'a>,
    other: RunProgram<'a>,
    /// How far apart numbers may be, as a part of their sizes.
    pub(super) tolerance: f64,
    /// Whether a difference of rounding counts.
    pub(super) counts_rounding: bool,
    /// The type that the other side rounds to, if that is not the type of the numbers.
    pub(super) narrow: Option<DType>,
    /// Whether many variables of a program may be asked for at once: compilers make something else of the program then.
    pub(super) reads_all: bool,
    /// Whether some results were held to the largest number of their array, for nothing is known of the others.
    pub(super) by_largest: bool,
    /// How many programs were run on each side.
    pub(super) runs: usize,
    /// Whether all was looked at so far: not if rounding grows at too many places.
    pub(super) is_complete: bool,
    /// When to look no further, once rounding grew somewhere.
    until: Option<Instant>,
}

/// What both sides have for the results of a program; the other one perhaps nothing but a message.
#[derive(Debug)]
pub(super) struct BothResults {
    pub(super) want: Vec<Tensor>,
    pub(super) got: std::result::Result<Vec<Tensor>, String>,
    /// What differences are parts of.
    pub(super) sizes: Vec<Sizes>,
}

impl BothResults {
    /// By how much a result differs; NaN if the other side has none.
    pub(super) fn gap(&self, i: usize) -> f64 {
        match &self.got {
            Ok(got) => self.sizes[i].gap(&self.want[i], &got[i]),
            Err(_) => f64::NAN,
        }
    }

    /// Whether the sides part by no more than rounding makes of the results of this program.
    pub(super) fn is_rounding(&self, p: &Program, x: &[Tensor], tolerance: f64) -> bool {
        let covers = |got| rounding::covers_all(p, x, [&self.want, got], &self.sizes, tolerance);
        self.got.as_deref().is_ok_and(covers)
    }
}

impl<'a> Sides<'a> {
    /// Two ways to run programs. Results part where a number differs by more than `tolerance` of its size: its own, or that of the
    /// numbers it is what is left of. That of rounding alone is no difference, however far it grew, unless the tolerance is 0.
    ///
    /// ```
    /// use wengert_core::{Program, Tensor};
    /// use wengert_repro::diff::{ProgramDiff, Sides};
    /// let p = Program::parse("program (x: f32[]) { y: f32[] = exp(x) return y }")?;
    /// let mut run = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    /// let mut again = run;
    /// assert!(ProgramDiff::new(&p, &[Tensor::scalar(1.0f32)], Sides::new(&mut run, &mut again, 0.0))?.first.is_none());
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn new(reference: RunProgram<'a>, other: RunProgram<'a>, tolerance: f64) -> Sides<'a> {
        Sides {
            reference,
            other,
            tolerance,
            counts_rounding: tolerance == 0.0,
            narrow: None,
            reads_all: false,
            by_largest: false,
            runs: 0,
            is_complete: true,
            until: None,
        }
    }

    /// The same, for so long: where rounding grew, or a decomposition is not determined, what comes after it is looked at only within
    /// this time. A compiler takes a second for a program, and rounding may grow at dozens of places.
    ///
    /// ```
    /// use std::time::Duration;
    /// use wengert_core::{Program, Tensor};
    /// use wengert_repro::diff::{ProgramDiff, Sides};
    /// let p = Program::parse("program (x: f32[]) { y: f32[] = exp(x) return y }")?;
    /// let mut run = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    /// let mut again = run;
    /// let sides = Sides::new(&mut run, &mut again, 1e-3).patience(Duration::from_secs(60));
    /// assert!(ProgramDiff::new(&p, &[Tensor::scalar(1.0f32)], sides)?.is_complete);
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn patience(self, limit: Duration) -> Sides<'a> {
        Sides { until: Instant::now().checked_add(limit), ..self }
    }

    /// Whether there is no time left to look further.
    pub(super) fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// The same, for two element types, of which this is the narrower one: a difference of rounding counts as any other does, and what is
    /// inside of a program does not depend on what is asked for.
    pub(super) fn of_types(self, narrow: DType) -> Sides<'a> {
        Sides { counts_rounding: true, narrow: Some(narrow), reads_all: true, ..self }
    }

    /// What the reference has.
    pub(super) fn right(&mut self, p: &Program, x: &[Tensor]) -> Result<Vec<Tensor>> {
        (self.reference)(p, x)
    }

    /// What both sides have.
    ///
    /// # Errors
    /// If the reference can't run the program, or there is no other side any more.
    pub(super) fn both(&mut self, p: &Program, x: &[Tensor]) -> Result<BothResults> {
        self.runs += 1;
        let want = (self.reference)(p, x)?;
        let alike = |y: &[Tensor]| y.len() == want.len() && y.iter().zip(&want).all(|(y, w)| y.ty() == w.ty());
        let got = match caught(|| (self.other)(p, x)) {
            Ok(y) if alike(&y) => Ok(y),
            Ok(_) => Err("results of other types".to_string()),
            // That says nothing of the program.
            Err(e) if not_asked(&e).is_some() => return Err(e),
            Err(e) => Err(first_line(&e)),
        };
        let (sizes, by_largest) = match &got {
            Ok(got) => Sizes::of_results(p, x, &want, got, self.tolerance),
            Err(_) => (want.iter().map(Sizes::of_values).collect(), false),
        };
        self.by_largest |= by_largest;
        Ok(BothResults { want, got, sizes })
    }

    /// What both sides have for a program that parts in some result, by more than rounding; none if it does not.
    pub(super) fn parted(&mut self, p: &Program, x: &[Tensor]) -> Result<Option<BothResults>> {
        let both = self.both(p, x)?;
        let apart: Vec<usize> = (0..both.want.len()).filter(|&i| beyond(both.gap(i), self.tolerance)).collect();
        let parts = if apart.is_empty() || self.counts_rounding || !rounding::may_round(p) {
            !apart.is_empty()
        } else {
            !both.is_rounding(p, x, self.tolerance)
        };
        Ok(parts.then_some(both))
    }
}

fn first_line(e: &Error) -> String {
    e.message().lines().next().unwrap_or_default().to_string()
}
