//! Places and names from locations.

use crate::syntax::{DEEPEST, Loc, Module};
use rustc_hash::FxHashMap;
use wengert_core::Place;

/// The places of a module's locations, each found once.
pub(super) struct Places<'m, 'a> {
    module: &'m Module<'a>,
    known: FxHashMap<&'a str, Place>,
}

impl<'m, 'a> Places<'m, 'a> {
    pub fn new(module: &'m Module<'a>) -> Self {
        Places { module, known: FxHashMap::default() }
    }

    /// The innermost file, line and column a location tells.
    pub fn find(&mut self, loc: &Loc<'a>) -> Place {
        self.find_within(loc, 0)
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
