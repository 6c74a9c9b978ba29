//! Recordings that ended inside another, as a part of it: what they used of it, and where their nodes are.

use super::copy::{ContextPolicy, NodeMap, OuterRefs, Visibility};
use super::cursor::Cursor;
use super::origin::{CallValue, Origin, Recorded};
use super::scope::Frame;
use super::shared::FinishedRecording;
use super::writer::NodeHeader;
use crate::api::UNWINDING;
use crate::context::Enter;
use crate::host::HostType;
use crate::row::{KeptValue, Kind, NONE, Ref, ResultRow};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use wengert_core::Place;

impl Cursor<'_> {
    /// The arrays of this recording that one which ended inside it used, by the nodes that these are there.
    pub(super) fn given_here(&self, inner: &FinishedRecording) -> BTreeMap<u32, Ref> {
        let mut given: BTreeMap<u32, Ref> = BTreeMap::new();
        for &(node, origin) in &inner.outside.foreign {
            // Of a recording around this one, what is an argument here may be one of a call that is open.
            let here = self.of_origin(origin).or_else(|| self.writer.outside.by_origin.get(&origin).copied());
            if let Some(r) = here {
                given.insert(node, r);
            }
        }
        for (id, r) in &inner.outside.by_id {
            if inner.tape.row(r.at).kind() == Kind::Constant
                && let Some(&here) = self.writer.outside.by_id.get(id)
            {
                given.entry(r.at).or_insert(here);
            }
        }
        for (node, origin, id) in &inner.outside.arguments {
            let of_id = || id.and_then(|id| self.writer.outside.by_id.get(&id).copied());
            let here = self.of_origin(*origin).or_else(|| self.writer.outside.by_origin.get(origin).copied());
            given.extend(here.or_else(of_id).map(|r| (*node, r)));
        }
        given.values_mut().for_each(|r| *r = self.alias(*r));
        given
    }

    /// The arguments of a recording that ended inside this one, which were from outside of both: they are so here.
    fn arguments_from_outside(&mut self, inner: &FinishedRecording, given: &BTreeMap<u32, Ref>, node_map: &NodeMap) {
        let label = self.writer.label("constant", None);
        for &(node, origin, id) in inner.outside.arguments.iter().filter(|(node, ..)| !given.contains_key(node)) {
            let Some(at) = node_map.get(node) else { continue };
            let row = self.writer.row_mut(at);
            (row.kind, row.label) = (Kind::Constant as u8, label);
            if origin != Origin::default() {
                self.writer.outside.foreign.push((at, origin));
            } else if let Some(id) = id {
                self.writer.outside.by_id.entry(id).or_insert(Ref { at, out: 0 });
            }
        }
    }

    /// Makes the nodes of a recording that ended inside this one the children of a call; `outer` has what these are given here.
    /// Arrays that come from the inner recording, or were seen there first, are known here from now on.
    pub(super) fn copy_inside(
        &mut self,
        call: u32,
        id: u32,
        inner: &FinishedRecording,
        outer: OuterRefs,
        visibility: Visibility,
    ) -> NodeMap {
        let first = self.writer.tape.rows.len() as u32;
        let copied = self.copy_descendants(&inner.tape, 0, (call, visibility), &outer, ContextPolicy::Consult);
        let node_map = match self.writer.settings.context {
            None if outer.left_out.is_empty() => NodeMap::Offset(first),
            _ => NodeMap::Table(copied.iter().map(|f| f.here).collect()),
        };
        // What the inner recording has of others is known here by itself, or was made where nothing was recorded.
        let foreign: FxHashSet<u32> = inner.outside.foreign.iter().map(|(node, _)| *node).collect();
        for (&id, r) in inner.outside.by_id.iter().filter(|(_, r)| !foreign.contains(&r.at)) {
            if let Some(at) = node_map.get(r.at) {
                self.writer.outside.by_id.entry(id).or_insert(Ref { at, out: r.out });
            }
        }
        self.writer.outside.absorbed.extend(inner.outside.absorbed.iter().map(|(&id, m)| (id, m.then(&node_map))));
        let is_unknown = |node: &u32| !outer.arguments.contains_key(node) && !outer.left_out.contains_key(node);
        let unknown = inner.outside.foreign.iter().filter(|(node, _)| is_unknown(node));
        self.writer.outside.foreign.extend(unknown.filter_map(|&(node, origin)| Some((node_map.get(node)?, origin))));
        self.arguments_from_outside(inner, &outer.arguments, &node_map);
        if let Some(limited) = inner.tape.limited.and_then(|n| node_map.get(n)) {
            self.writer.limited_at(limited);
        }
        self.writer.outside.absorbed.insert(id, node_map.clone());
        node_map
    }

    /// Keeps what an inner recording gave, if that kept less of its values than this one does; `found` gives its results here.
    fn keep_results<A: Recorded>(
        &mut self,
        inner: &FinishedRecording,
        results: &[CallValue<'_, A>],
        found: impl Fn(Ref) -> Option<Ref>,
    ) {
        let capture = self.writer.settings.capture;
        for (out, r) in (0..).zip(results).filter(|_| capture > inner.settings.capture) {
            let from = inner.tape.resolve(Ref { at: 0, out });
            let (CallValue::Array(x), Some(here)) = (r, found(from).filter(|_| !from.is_constant())) else { continue };
            let row = *self.writer.tape.row(here.at);
            if row.kind() != Kind::Argument && here.out < row.results_len {
                let kept = self.writer.keep(capture, || x.tensor().cloned(), here.at);
                self.writer.tape.results.to_mut()[(row.results + here.out) as usize].kept = kept.pack();
            }
        }
    }

    /// Adds a recording that ended inside this one, as a call. Arrays of this recording that the inner one used are arguments
    /// of the call, and arrays that it gave are results of the call. Gives the call, unless the context left it out.
    pub(super) fn absorb<A: Recorded>(
        &mut self,
        id: u32,
        inner: &FinishedRecording,
        results: &[CallValue<'_, A>],
        place: &Place,
    ) -> Option<u32> {
        for r in results {
            if let CallValue::Array(x) = r {
                self.meet(*x);
            }
        }
        let given = self.given_here(inner);
        let refs: SmallVec<[Ref; 4]> = given.values().copied().collect();
        let label = self.writer.label(inner.tape.root().function(), None);
        let (_, call, enter) = self.open_call(&NodeHeader::new(Kind::Call, label, place), &refs);
        self.frames.pop();
        let call = call?;
        if inner.tape.root().meta(UNWINDING) == Some(true) {
            self.writer.set_unwinding(call);
        }
        let silent = enter != Enter::Everything;
        if enter != Enter::Nothing {
            let visibility = self.visibility(enter == Enter::Tracked);
            let node_map = self.copy_inside(call, id, inner, OuterRefs::of_arguments(given), visibility);
            let found = |r: Ref| Some(Ref { at: node_map.get(r.at)?, out: r.out });
            let end = inner.tape.row(0).extra;
            if !silent && end != NONE {
                self.writer.row_mut(call).extra = node_map.get_or_none(end);
                for (out, &r) in inner.tape.refs_of(end).iter().take(results.len()).enumerate() {
                    // An array from outside keeps its node.
                    if !r.is_constant()
                        && inner.tape.row(r.at).kind() != Kind::Constant
                        && let Some(r) = found(r)
                    {
                        self.frame().aliases.insert(r, Ref { at: call, out: out as u32 });
                    }
                }
                self.keep_results(inner, results, found);
            }
        }
        let mut kept: SmallVec<[ResultRow; 2]> = SmallVec::new();
        for (out, r) in results.iter().enumerate() {
            kept.push(match r {
                CallValue::Text(t) => self.writer.text_result(t),
                CallValue::Number(x) => self.writer.number_result(*x),
                CallValue::Shown(t, ty) => self.writer.shown_result(t, ty),
                // An array that was not recorded inside the call comes from the call.
                CallValue::Array(x) if silent && self.of_origin(x.origin()).is_none() => {
                    if let Some(id) = x.id() {
                        self.writer.outside.by_id.insert(id, Ref { at: call, out: out as u32 });
                    }
                    self.writer.array_result(&x.ty(), || x.tensor().cloned(), call)
                }
                CallValue::Array(x) => ResultRow { ty: self.writer.ty(&x.ty()), kept: KeptValue::Nothing.pack() },
            });
        }
        self.writer.set_results(call, &kept);
        if let [CallValue::Number(x)] = results {
            self.writer.row_mut(call).host = HostType::code(Some(x.ty));
        }
        Some(call)
    }

    /// Adds what a recording of our own did that ended inside this one, as if it had not been there. `aliases` are those of its root.
    pub(super) fn dissolve(&mut self, id: u32, inner: &FinishedRecording, aliases: &FxHashMap<Ref, Ref>) {
        let Frame { node, silent, searched, .. } = *self.frame();
        if node == NONE || silent && !searched {
            return;
        }
        let known = self.given_here(inner).into_iter().map(|(node, r)| (node, Some(r)));
        let end = Some((inner.tape.row(0).extra, None));
        let outer = OuterRefs { left_out: known.chain(end).collect(), ..OuterRefs::default() };
        let first = self.writer.tape.rows.len() as u32;
        let visibility = self.visibility(searched);
        let node_map = self.copy_inside(node, id, inner, outer, visibility);
        let found = |r: Ref| Some(Ref { at: node_map.get(r.at)?, out: r.out });
        self.frame().aliases.extend(aliases.iter().filter_map(|(&from, &to)| found(from).zip(found(to))));
        if inner.tape.root().meta(UNWINDING) == Some(true) {
            let all = first..self.writer.tape.rows.len() as u32;
            let own: Vec<u32> = all.filter(|&id| self.writer.tape.row(id).parent == node).collect();
            own.into_iter().for_each(|id| self.writer.set_unwinding(id));
        }
    }
}
