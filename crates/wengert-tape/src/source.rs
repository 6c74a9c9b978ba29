//! The source of tracked functions, and of the statements that their nodes are from.

use crate::node::Node;
use crate::row::Kind;

/// The source of a tracked function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FunctionSource {
    pub(crate) text: String,
    /// The line and column where the text begins, from 1.
    pub(crate) start: [u32; 2],
    /// Where its statements begin and end: line and column of both.
    pub(crate) statements: Vec<[u32; 4]>,
}

/// Where in the source a node is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source<'t> {
    /// The statement.
    pub statement: &'t str,
    /// The function that it is in.
    pub function: &'t str,
}

impl FunctionSource {
    /// Where a place lies in the text, if it is in it.
    fn offset(&self, [line, column]: [u32; 2]) -> Option<usize> {
        let below = line.checked_sub(self.start[0])?;
        let mut at = 0;
        for _ in 0..below {
            at += self.text[at..].find('\n')? + 1;
        }
        let columns = if below == 0 { column.checked_sub(self.start[1])? } else { column.checked_sub(1)? };
        let line = self.text[at..].split('\n').next().unwrap_or_default();
        let inside = match line.char_indices().nth(columns as usize) {
            Some((i, _)) => i,
            None if line.chars().count() == columns as usize => line.len(),
            None => return None,
        };
        Some(at + inside)
    }

    /// The innermost statement that a place is in.
    fn statement(&self, place: [u32; 2]) -> Option<&str> {
        let contains = |s: &&[u32; 4]| [s[0], s[1]] <= place && place < [s[2], s[3]];
        let inner =
            self.statements.iter().filter(contains).max_by_key(|s| ([s[0], s[1]], std::cmp::Reverse([s[2], s[3]])))?;
        let (from, to) = (self.offset([inner[0], inner[1]])?, self.offset([inner[2], inner[3]])?);
        self.text.get(from..to)
    }
}

impl<'t> Node<'t> {
    /// The text of the statement that it is from, and of the function that this is in, if that is tracked.
    pub fn source(self) -> Option<Source<'t>> {
        let around = self.ancestors().find(|n| n.kind() == Kind::Call)?;
        let source = around.function_source()?;
        let (_, line, column) =
            self.tape().places.get((self.tape().row(self.id).place as usize).checked_sub(1)?)?.parts()?;
        Some(Source { statement: source.statement([line, column])?, function: &source.text })
    }

    /// Of a call of a tracked function, the text of that function.
    pub fn body(self) -> Option<&'t str> {
        self.function_source().map(|s| &*s.text)
    }

    fn function_source(self) -> Option<&'t FunctionSource> {
        self.tape().sources_of.get(&self.tape().row(self.id).label)
    }
}
