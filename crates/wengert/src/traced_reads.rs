//! What the host reads of traced values in a function that is recorded on a tape of its own. That tape is not the one around
//! it: when the trace ends, each read becomes one of the arrays that the trace was given, and the recording has it.

use crate::array::{Array, Repr, TraceState, Tracer};
use crate::dispatch::inline_known;
use crate::guards::within_guards;
use std::sync::Arc;
use wengert_core::{Place, Program, Result, Tensor, Var};
use wengert_tape::record::{self, HostValue, ReadPurpose, UNSHOWN};

/// A read of a variable that has a value.
pub(crate) struct TracedRead {
    var: Var,
    value: Tensor,
    by: String,
    saw: HostValue<'static, Array>,
    purpose: ReadPurpose,
    place: Place,
}

/// A read in terms of the arrays that the trace was given: it is of what the program makes of them.
pub(crate) struct OuterRead {
    read: TracedRead,
    program: Program,
    x: Vec<Array>,
}

impl Array {
    /// Records that the host read this array as `saw`.
    pub(crate) fn record_read(&self, by: &str, saw: HostValue<'static, Array>, purpose: ReadPurpose, place: &Place) {
        match &self.0 {
            Repr::Traced(t) if record::is_in_body() && note(t, by, &saw, purpose, place) => {
                record::read_in_trace(self, by, saw, purpose, place);
            }
            _ => record::read(self, by, saw, purpose, place),
        }
    }
}

/// Notes a read for the end of the trace; whether there is something to note. A guarded trace has its reads already.
fn note(t: &Tracer, by: &str, saw: &HostValue<'static, Array>, purpose: ReadPurpose, place: &Place) -> bool {
    let (Some(value), false) = (t.value.clone(), within_guards(&t.trace)) else { return false };
    let (by, saw, place) = (by.to_string(), saw.clone(), place.clone());
    let read = TracedRead { var: t.var, value, by, saw, purpose, place };
    t.trace.lock().as_mut().map(|state| state.noted.push(read)).is_some()
}

impl TraceState {
    /// A variable as a program of arrays that the trace was given; none if it needs an argument that is not known outside.
    pub(crate) fn expressed(&self, var: Var) -> Option<(Program, Vec<Array>)> {
        let p = self.builder.so_far(var);
        let mut known = vec![false; p.var_count()];
        p.inputs().iter().for_each(|v| known[v.index()] = true);
        let (program, taken) = p.part(&known, p.outputs());
        let captures = self.captures.iter().map(|(a, _)| Some(a));
        let given: Vec<Option<&Array>> = self.given.iter().map(Option::as_ref).chain(captures).collect();
        // The inputs are numbered first.
        let x = taken.iter().map(|v| given[v.index()].cloned()).collect::<Option<Vec<Array>>>()?;
        Some((program, x))
    }

    /// What was read, in terms of the arrays outside.
    pub(crate) fn outer_reads(&mut self) -> Vec<OuterRead> {
        let noted = std::mem::take(&mut self.noted);
        let outer = |read: TracedRead| self.expressed(read.var).map(|(program, x)| OuterRead { read, program, x });
        noted.into_iter().filter_map(outer).collect()
    }
}

impl OuterRead {
    /// Records the read, where the trace has ended.
    pub(crate) fn report(self) -> Result<()> {
        let OuterRead { read: TracedRead { value, by, saw, purpose, place, .. }, program, x } = self;
        let y = match &x[..] {
            [x] if program.equations().is_empty() => x.clone(),
            _ => {
                let x: Vec<&Array> = x.iter().collect();
                inline_known("read", &Arc::new(program), &x, vec![value], place.clone())?.remove(0)
            }
        };
        y.record_read(&by, saw, purpose, &place);
        Ok(())
    }

    /// Records that the arrays were read, and computes nothing: the function did not come to its end.
    pub(crate) fn report_unfinished(&self) {
        for x in &self.x {
            let saw = HostValue::Text { text: UNSHOWN.into(), ty: "str".into() };
            x.record_read(&self.read.by, saw, ReadPurpose::Unknown, &self.read.place);
        }
    }
}
