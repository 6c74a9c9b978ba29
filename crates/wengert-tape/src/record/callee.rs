//! Which function a call is of, and which one an expression calls: by the names that the compiler gives their types. A function that
//! is not tracked may have the name of the tracked one that it calls, and give the same.

use super::cursor::Cursor;
use super::site::Site;
use wengert_core::Place;

/// A tracked function that is called.
#[derive(Clone, Copy, Default)]
pub struct Callee {
    /// The path of something inside it.
    pub inside: &'static str,
    /// The type of a method; empty if it is none.
    pub owner: &'static str,
}

impl Callee {
    /// Whether it is the function at this path.
    pub(super) fn is_at(&self, path: &str) -> bool {
        self.inside.rsplit_once("::").is_some_and(|(of, _)| of == path)
    }

    /// Whether it is a method of what an expression of this type is, or refers to.
    fn is_method_of(&self, receiver: &str) -> bool {
        let of = receiver.strip_prefix('&').map_or(receiver, |of| of.strip_prefix("mut ").unwrap_or(of));
        !self.owner.is_empty() && self.owner == of
    }

    /// Whether it is a method that a type has by itself. Of one name it may have several by traits, of which nothing tells at a call
    /// which one it is; but one alone of its own, which goes before these.
    fn is_own_method(&self) -> bool {
        let method = self.inside.rsplit_once("::").and_then(|(method, _)| method.rsplit_once("::"));
        let in_impl = |place: &str| {
            place.strip_suffix('>').and_then(|p| p.strip_suffix(self.owner)).is_some_and(|p| p.ends_with("<impl "))
        };
        method.is_some_and(|(place, _)| place == self.owner || in_impl(place))
    }
}

/// What is known of the function that an expression calls.
#[derive(Clone, Copy)]
pub enum Called {
    /// Nothing but its name.
    Unknown,
    /// The name of its type, which is its path.
    Path(&'static str),
    /// It is a method of what is of the type with this name.
    MethodOf(&'static str),
    /// It is a tracked closure that the function itself has made.
    Closure,
}

impl Cursor<'_> {
    /// Whether a call that an expression seems to be may be one that it made inside, beside more.
    pub(super) fn may_be_inside(&mut self) -> bool {
        let (_, callee) = self.frame().last_call;
        matches!(self.frame().called, Called::MethodOf(_)) && !callee.is_own_method()
    }

    /// Whether a call that ended is the one that an expression is, at this place.
    pub(super) fn is_called_by(&mut self, site: &'static Site, call: u32, place: &Place) -> bool {
        let (row, here) = (*self.writer.tape.row(call), self.writer.place(place));
        let label = &self.writer.tape.labels[row.label as usize];
        let (is_named, is_tracked) = (label.is_of(site.label), label.module.is_some());
        let (last, callee) = self.frame().last_call;
        match self.frame().called {
            // Our own functions know where they are called.
            _ if !is_tracked => is_named && row.place == here,
            _ if last != call => false,
            Called::Unknown => false,
            Called::Path(path) => callee.is_at(path),
            Called::MethodOf(receiver) => is_named && callee.is_method_of(receiver),
            Called::Closure => is_named,
        }
    }
}
