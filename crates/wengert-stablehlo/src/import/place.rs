//! Places and names from locations.

use crate::syntax::{DEEPEST, Loc, Module, Operation};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wengert_core::Place;

/// The places of a module's locations, each found once.
pub(super) struct Places<'m, 'a> {
    module: &'m Module<'a>,
    known: FxHashMap<&'a str, Place>,
    file: Option<TextFile>,
}

/// The file that a module is the text of, and where its lines begin.
struct TextFile {
    name: Arc<str>,
    lines: Vec<usize>,
}

impl<'m, 'a> Places<'m, 'a> {
    pub fn new(module: &'m Module<'a>) -> Self {
        Places { module, known: FxHashMap::default(), file: None }
    }

    /// Operations without a location have the one where they stand in this file.
    pub fn in_file(self, name: &str) -> Self {
        let ends = self.module.text().match_indices('\n').map(|(i, _)| i + 1);
        let file = TextFile { name: name.into(), lines: [0].into_iter().chain(ends).collect() };
        Places { file: Some(file), ..self }
    }

    /// The innermost file, line and column the location of an operation tells.
    pub fn find(&mut self, op: &Operation<'a>) -> Place {
        match (self.find_within(&op.loc, 0), &self.file) {
            (place, Some(file)) if place.is_unknown() => {
                let line = file.lines.partition_point(|&start| start <= op.at);
                let before = self.module.text().get(file.lines[line - 1]..op.at).unwrap_or_default();
                Place::named(file.name.clone(), line as u32, before.chars().count() as u32 + 1)
            }
            (place, _) => place,
        }
    }

    fn find_within(&mut self, loc: &Loc<'a>, depth: usize) -> Place {
        if depth > DEEPEST {
            return Place::unknown();
        }
        match loc {
            Loc::Unknown => Place::unknown(),
            Loc::File(file, line, column) => Place::named(&**file, *line, *column),
            Loc::Named(_, inner) => inner.as_ref().map_or(Place::unknown(), |l| self.find_within(l, depth + 1)),
            Loc::CallSite(both) => match self.find_within(&both.0, depth + 1) {
                place if place.is_unknown() => self.find_within(&both.1, depth + 1),
                place => place,
            },
            Loc::Fused(list) => {
                let mut found = list.iter().map(|l| self.find_within(l, depth + 1));
                found.find(|p| !p.is_unknown()).unwrap_or_default()
            }
            Loc::Alias(name) => {
                if let Some(place) = self.known.get(name) {
                    return place.clone();
                }
                let module = self.module;
                let place = module.location(name).map_or(Place::unknown(), |l| self.find_within(l, depth + 1));
                self.known.insert(name, place.clone());
                place
            }
        }
    }

    /// The name a location gives.
    pub fn name<'l>(&'l self, loc: &'l Loc<'a>) -> Option<&'l str> {
        match loc {
            Loc::Named(name, _) => Some(name),
            Loc::Alias(alias) => match self.module.location(alias) {
                Some(Loc::Named(name, _)) => Some(name),
                _ => None,
            },
            _ => None,
        }
    }

    /// The name a location gives, if it can name a variable: those that JAX gives say how an op came to be.
    pub fn plain_name<'l>(&'l self, loc: &'l Loc<'a>) -> Option<&'l str> {
        let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        self.name(loc).filter(|name| name.chars().all(plain) && !name.starts_with(|c: char| c.is_numeric()))
    }
}
