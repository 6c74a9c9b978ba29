//! The table of source places and names that ops refer to.

use super::text::Quoted;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::Arc;
use wengert_core::Place;

/// The number of a place in the table, if it is known.
pub(super) type Location = Option<u32>;

#[derive(Default)]
pub(super) struct Locations {
    /// The lines of the table.
    pub(super) text: String,
    count: u32,
    places: FxHashMap<String, FxHashMap<(u32, u32), u32>>,
    names: FxHashMap<(Arc<str>, Location), u32>,
}

impl Locations {
    fn line(&mut self) -> u32 {
        self.count += 1;
        write!(self.text, "#loc{} = ", self.count).expect("a string");
        self.count
    }

    fn place(&mut self, place: &Place) -> Location {
        let (file, line, column) = place.parts()?;
        if let Some(&n) = self.places.get(file).and_then(|lines| lines.get(&(line, column))) {
            return Some(n);
        }
        let n = self.line();
        writeln!(self.text, "loc({}:{line}:{column})", Quoted(file)).expect("a string");
        self.places.entry(file.to_string()).or_default().insert((line, column), n);
        Some(n)
    }

    /// A place, under a name if there is one.
    pub(super) fn get(&mut self, place: &Place, name: Option<&str>) -> Location {
        let place = self.place(place);
        let Some(name) = name else { return place };
        let key = (Arc::from(name), place);
        if let Some(&n) = self.names.get(&key) {
            return Some(n);
        }
        let n = self.line();
        match place {
            Some(place) => writeln!(self.text, "loc({}(#loc{place}))", Quoted(name)),
            None => writeln!(self.text, "loc({})", Quoted(name)),
        }
        .expect("a string");
        self.names.insert(key, n);
        Some(n)
    }
}
