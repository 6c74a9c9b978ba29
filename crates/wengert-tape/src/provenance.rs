//! What a tape tells of where values came from: what ran as a whole, what the host read and where that went, what was not
//! recorded.

use crate::host::{HostNumber, HostType};
use crate::node::{Node, NodeId, ResultId};
use crate::row::{ABSTRACT, BUILT_IN, FOLLOWED, Kind, NONE, READ, Ref, Row, UNWOUND};
use crate::tape::{Constant, Tape};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use wengert_core::{Error, ErrorKind, Op, Place, Tensor};

/// The name of the node that stands where a context left out what the host decided or read.
pub(crate) const LEFT_OUT: &str = "left out";

/// The error that nothing on the tape says how the value of a node, or of one of its operands, came about.
pub(crate) fn unrecorded(n: Node<'_>) -> Error {
    let (id, function) = (n.id(), n.function());
    let m = match n.kind() {
        _ if n.is_unknown_read() && function == LEFT_OUT => {
            format!(
                "the context left out what the host decided or read here ({id}): a value that changed may have been read there"
            )
        }
        _ if n.is_unknown_read() => {
            format!(
                "the host read values here (`{function}`, {id}) that the tape can't name: they were made where nothing was \
                 recorded, or are many"
            )
        }
        _ if n.lacks_operand() => format!("{id} (`{function}`) uses a value that was made where nothing was recorded"),
        Kind::Call if n.label().unknown.is_some() => return unknown_step(n),
        Kind::Call => format!("`{function}` was not recorded inside ({id})"),
        _ => format!("the value of {id} was made where nothing was recorded"),
    };
    Error::new(ErrorKind::Run, m).at(n.place())
}

/// What to do where an update stops, and a run of the function goes on.
pub(crate) const AGAIN: &str = "`LiveRun::update_or_rerun` runs the function again from there";

/// The error that a node is to be computed again, and nothing on the tape says how.
pub(crate) fn unknown_step(n: Node<'_>) -> Error {
    if !n.is_of_host() {
        let m = format!("{} ran `{}`, and a tape knows only its name", n.id(), n.function());
        let e = Error::new(ErrorKind::Run, m).at(n.place());
        return match n.label().unknown {
            Some(_) if n.is_written_out() => e.note(
                "what to do: record with `Capture::Values`, and with all nodes inside of it: its decomposition is not whole on this tape",
            ),
            Some(_) => e.note(
                "what to do: give the op a decomposition; of a run that was recorded with `Capture::Values`, `wengert emit --to rust` and \
                 `--to jax` write what it gave",
            ),
            None => e.note(format!("what functions with `#[track]` do is followed; {AGAIN}")),
        };
    }
    let (m, followed) = match n.number(0) {
        Some(x) => (
            format!("gave {x} here, by a value that changed, and the tape can't compute it again"),
            "numbers are followed through operators, casts, constants, methods of numbers and tracked functions",
        ),
        None => (
            "was evaluated here, of a value that changed, and is no number: what is inside of it is not followed"
                .to_string(),
            "tuples and lists of numbers are followed where they are taken apart at once, as in `let (a, b) = (v, 2.0)`",
        ),
    };
    Error::new(ErrorKind::Run, format!("`{}` {m} ({})", n.function(), n.id()))
        .at(n.place())
        .note(format!("{followed}; {AGAIN}"))
}

pub(crate) fn flipped(why: String, node: NodeId, place: Place) -> Error {
    Error::new(ErrorKind::Flipped, format!("{why} ({node})")).at(place)
}

/// Whether a value reads as true.
pub(crate) fn truth(t: &Tensor) -> bool {
    t.size() > 0 && {
        let c = t.get(0).as_complex();
        c.re != 0.0 || c.im != 0.0
    }
}

impl Tape {
    /// Whether a reference is to a node whose result is a value of the host, or has one beside its arrays.
    pub(crate) fn is_host_value(&self, r: Ref) -> bool {
        let is_number_or_text = |row: &Row| row.host != 0 || self.keep_of(r).is_none_or(|k| k.ty == 0);
        let row = if r.is_constant() { return false } else { self.row(r.at) };
        is_number_or_text(row) || row.returns().is_some_and(|id| self.row(id).refs_len > row.results_len)
    }

    /// The numbers of the host that the result of a call is made of, if all of those in it are among them: each with its node, or
    /// none where it stands in the source.
    pub fn numbers_given_by(&self, call: NodeId) -> Option<Vec<(Option<ResultId>, HostNumber)>> {
        let row = self.row(call.0);
        let arrays = if row.host == 0 { self.results_of(call.0).iter().filter(|k| k.ty != 0).count() } else { 0 };
        let parts = self.refs_of(row.returns()?).get(arrays..)?;
        let number = |&r: &Ref| match r.is_constant() {
            true => match self.constants.get(r.at as usize)? {
                Constant::Host(x) => Some((None, *x)),
                _ => None,
            },
            false => Some((Some(r.id()), self.node(r.at).number(r.out as usize)?)),
        };
        let numbers: Vec<_> = parts.iter().filter_map(number).collect();
        // Beside a value that is no number, one that is may be a part of the result, or the index of one.
        let is_float = |(_, x): &(_, HostNumber)| matches!(x.ty, HostType::F32 | HostType::F64);
        (numbers.len() == parts.len() || numbers.iter().all(is_float)).then_some(numbers)
    }

    /// The numbers of the host to which the return of a call refers.
    pub fn host_values_given_by(&self, call: NodeId) -> impl Iterator<Item = (ResultId, HostNumber)> {
        let refs = self.row(call.0).returns().into_iter().flat_map(|id| self.host_values_of(id));
        refs.filter_map(|r| Some((r.id(), self.node(r.at).number(r.out as usize)?)))
    }

    /// A reference; where it is to what a call gave that is no number and no array, or has numbers beside its arrays, the numbers
    /// that the call made it of.
    pub(crate) fn numbers_behind(&self, r: Ref) -> SmallVec<[Ref; 2]> {
        let mut found = SmallVec::new();
        let mut todo: SmallVec<[Ref; 4]> = SmallVec::from_slice(&[r]);
        let mut seen = FxHashSet::default();
        while let Some(r) = todo.pop() {
            let is_plain = r.is_constant() || !self.is_host_value(r) || self.row(r.at).host != 0;
            match (is_plain, (!r.is_constant()).then(|| self.row(r.at).returns()).flatten()) {
                (false, Some(returned)) => todo.extend(self.host_values_of(returned).filter(|r| seen.insert(*r))),
                (false, None) if let Some(next) = self.step(r) => todo.push(next),
                _ => found.push(r),
            }
        }
        found
    }

    /// The values of the host to which a node refers.
    pub(crate) fn host_values_of(&self, id: u32) -> impl Iterator<Item = Ref> {
        self.refs_of(id).iter().copied().filter(|&r| self.is_host_value(r))
    }
}

impl Node<'_> {
    /// Whether it ran as a whole: an op, or a call whose children have no part in its value.
    pub(crate) fn is_whole(self) -> bool {
        let row = self.tape.row(self.id);
        match row.kind() {
            Kind::Primitive => true,
            Kind::Call => self.is_written_out() || self.op().is_some() && (row.has(ABSTRACT) || row.extra == NONE),
            _ => false,
        }
    }

    /// Whether a part of its op is code of the user's, which may use more than the operands.
    pub(crate) fn runs_code_of_users(self) -> bool {
        let custom = |op: &Op| matches!(op, Op::Custom(_));
        self.is_written_out()
            || self.op().is_some_and(|op| custom(op) || op.programs().iter().any(|p| p.any(|_, e| custom(&e.op))))
    }

    /// Whether the host read an array here: from one array (or one that was left out) comes what it saw, as text. A
    /// branch on what was read elsewhere refers to the reads, which are no arrays.
    pub(crate) fn is_read(self) -> bool {
        self.tape.row(self.id).has(READ) && !self.tape.refs_of(self.id).is_empty()
    }

    /// Whether the host read something here, and nothing on the tape says what.
    pub(crate) fn is_unknown_read(self) -> bool {
        self.tape.row(self.id).has(READ) && self.tape.refs_of(self.id).is_empty()
    }

    /// Whether it is a read of one number that is used as the nodes that refer to it say.
    pub(crate) fn is_followed_read(self) -> bool {
        let row = self.tape.row(self.id);
        row.has(FOLLOWED) && row.kind() == Kind::Special && self.is_read() && self.host_type().is_some()
    }

    /// Whether the host evaluated something here, which gave no array and of which no op is known.
    pub(crate) fn is_of_host(self) -> bool {
        let gives_array = || (0..self.result_count()).any(|out| self.ty(out).is_some()) && self.host_type().is_none();
        self.kind() == Kind::Primitive && self.op().is_none() && self.label().unknown.is_none() && !gives_array()
    }

    /// Whether what it did may hang on the elements of arrays that it refers to. What the host looks at of them is a read of its own
    /// otherwise.
    pub(crate) fn sees_arrays(self) -> bool {
        match self.kind() {
            Kind::Return => false,
            Kind::Branch => self.is_read(),
            _ => !self.is_of_host(),
        }
    }

    /// Of an op in a function that was traced, the numbers of the host that stand in programs made of the function.
    pub(crate) fn built_in(self) -> impl Iterator<Item = Ref> {
        let row = self.tape.row(self.id);
        let is_built_in = row.kind() == Kind::Primitive && row.has(BUILT_IN);
        let refs = self.tape.refs_of(self.id).iter().filter(move |r| is_built_in && r.is_constant());
        refs.filter_map(|r| match self.tape.constants.get(r.at as usize) {
            Some(Constant::Linked(from, _)) => Some(from.reference()),
            _ => None,
        })
    }

    /// Whether it is a call whose result is used as the nodes that refer to it say, or the run itself.
    pub(crate) fn is_followed_call(self) -> bool {
        self.id == 0 || self.tape.row(self.id).has(FOLLOWED)
    }

    /// Whether it is the return of a call that gave values of the host to code that is not tracked.
    fn tells_host(self) -> bool {
        let is_own = |call: &Self| self.tape.row(call.id).returns() == Some(self.id);
        let call = self.parent().filter(is_own);
        call.is_some_and(|call| !call.is_followed_call()) && self.tape.host_values_of(self.id).next().is_some()
    }

    /// Whether a program that is run on other values must see here what the run saw: the host decided by it, read it, or
    /// did something with it that no op says.
    pub(crate) fn is_guarded(self) -> bool {
        let row = self.tape.row(self.id);
        let given = row.refs_len > 0;
        match row.kind() {
            Kind::Special => self.is_unknown_read() || self.is_read() && !self.is_followed_read(),
            Kind::Branch => self.is_read() || given && row.results_len > 0,
            Kind::Primitive => row.has(BUILT_IN) || given && self.op().is_none() && row.results_len > 0,
            Kind::Argument => row.refs_len > 1,
            Kind::Return => self.tells_host(),
            _ => self.may_use_anything(),
        }
    }

    /// Whether it gave values, and nothing on the tape says how: a call that was not recorded inside, or what was made
    /// where nothing was recorded.
    pub(crate) fn is_unrecorded(self) -> bool {
        let row = self.tape.row(self.id);
        match row.kind() {
            _ if row.results_len == 0 => false,
            // What came from a file says from which.
            Kind::Special => row.refs_len == 0,
            Kind::Call => self.op().is_none() && !self.is_written_out() && row.returns().is_none() && !row.has(UNWOUND),
            _ => false,
        }
    }

    /// Whether it is a call that was not recorded inside, of a function that is not our own: beyond what it was given it
    /// may have used anything, and what the host does next, or a program made inside, may hang on that.
    pub(crate) fn may_use_anything(self) -> bool {
        let nothing = self.result_count() == 1 && self.type_name(0).as_deref() == Some("()");
        self.kind() == Kind::Call && self.is_unrecorded() && !nothing && !self.is_own()
    }

    /// Whether a context left out an array that it uses: what is not an array stands there.
    pub(crate) fn lacks_operand(self) -> bool {
        let constant = |r: &Ref| r.is_constant().then(|| self.tape.constants.get(r.at as usize)).flatten();
        let text = |r: &Ref| constant(r).is_some_and(|c| c.text().is_some());
        self.tape.refs_of(self.id).iter().enumerate().any(|(i, r)| text(r) && self.takes_array(i))
    }

    /// Whether an operand is an array.
    fn takes_array(self, i: usize) -> bool {
        match self.kind() {
            Kind::Argument => self.ty(i).is_some(),
            Kind::Return => self.parent().is_some_and(|p| p.ty(i).is_some()),
            Kind::Primitive | Kind::Call => self.is_whole() && self.op().is_some(),
            _ => i == 0 && self.is_read(),
        }
    }
}
