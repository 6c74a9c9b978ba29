//! Conditions on nodes: `op=dot && f32`, `!(kind=argument || nan)`.

use wengert::tape::Kind;
use wengert::{DType, Node, Type};
use wengert_core::text::{Parser, error_at};
use wengert_core::{ErrorKind, Result};

/// A condition on a node.
#[derive(Debug, PartialEq)]
pub enum Condition {
    /// The op has this name, or one that begins with it and a `_`: `dot` is `dot_general` too.
    Op(String),
    /// The name that the user gave.
    Name(String),
    /// The call's name contains this.
    Function(String),
    Kind(Kind),
    /// The place, `src/model.rs:41:9`, contains this.
    Place(String),
    /// A result has this element type.
    DType(DType),
    /// A result has this type.
    Type(Type),
    /// A result has an element that is not a number, as far as that was recorded.
    Nan,
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

/// How deep conditions may be nested.
const DEEPEST: usize = 100;

impl Condition {
    /// Reads a condition; mistakes are reported with their column.
    pub fn parse(text: &str) -> Result<Condition> {
        let mut p = ConditionReader { text, at: 0, depth: 0 };
        let condition = p.either()?;
        match p.rest().is_empty() {
            true => Ok(condition),
            false => Err(p.error("expected `&&`, `||` or the end")),
        }
    }

    /// Whether it asks for values, which may be damaged.
    pub fn asks_values(&self) -> bool {
        match self {
            Condition::Nan => true,
            Condition::Not(a) => a.asks_values(),
            Condition::And(a, b) | Condition::Or(a, b) => a.asks_values() || b.asks_values(),
            _ => false,
        }
    }

    /// Whether the condition holds for a node.
    pub fn holds(&self, n: Node<'_>) -> bool {
        let results = || 0..n.result_count();
        match self {
            Condition::Op(name) => {
                let op = n.op().map(|op| op.name()).or((n.kind() == Kind::Primitive).then(|| n.function()));
                let rest = op.and_then(|op| op.strip_prefix(name.as_str()));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
            }
            Condition::Name(name) => n.name() == Some(name),
            Condition::Function(part) => n.function().contains(part.as_str()),
            Condition::Kind(kind) => n.kind() == *kind,
            Condition::Place(part) => !n.place().is_unknown() && n.place().to_string().contains(part.as_str()),
            Condition::DType(d) => results().any(|i| n.ty(i).is_some_and(|t| t.dtype == *d)),
            Condition::Type(ty) => results().any(|i| n.ty(i) == Some(ty)),
            Condition::Nan => has_nan(n),
            Condition::Not(a) => !a.holds(n),
            Condition::And(a, b) => a.holds(n) && b.holds(n),
            Condition::Or(a, b) => a.holds(n) || b.holds(n),
        }
    }
}

/// Whether the node has a value, or a summary of one, that can't be read.
pub fn is_damaged(n: Node<'_>) -> bool {
    (0..n.result_count()).any(|i| n.has_summary(i) && n.summary(i).is_none())
}

/// Whether a result of the node has an element that is not a number, as far as that was recorded.
pub fn has_nan(n: Node<'_>) -> bool {
    (0..n.result_count()).any(|i| n.summary(i).is_some_and(|s| s.nans > 0))
}

struct ConditionReader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> ConditionReader<'a> {
    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    fn error(&mut self, message: &str) -> wengert_core::Error {
        self.rest();
        error_at(ErrorKind::Text, self.text, self.at, message)
    }

    fn accept(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn either(&mut self) -> Result<Condition> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("this is nested too deep"));
        }
        let mut a = self.both()?;
        while self.accept("||") {
            a = Condition::Or(a.into(), self.both()?.into());
        }
        self.depth -= 1;
        Ok(a)
    }

    fn both(&mut self) -> Result<Condition> {
        let mut a = self.one()?;
        while self.accept("&&") {
            a = Condition::And(a.into(), self.one()?.into());
        }
        Ok(a)
    }

    fn one(&mut self) -> Result<Condition> {
        let mut not = false;
        while self.accept("!") {
            not = !not;
        }
        let a = if self.accept("(") {
            let a = self.either()?;
            if !self.accept(")") {
                return Err(self.error("expected `)`"));
            }
            a
        } else {
            self.test()?
        };
        Ok(if not { Condition::Not(a.into()) } else { a })
    }

    /// Up to a space or an operator; spaces between brackets or quotes belong to it.
    fn word(&mut self) -> Result<&'a str> {
        let rest = self.rest();
        let (mut brackets, mut quote) = (0, None);
        let end = rest.char_indices().find(|&(i, c)| {
            match c {
                '"' => quote = if quote.is_none() { Some(i) } else { None },
                '[' => brackets += 1,
                ']' => brackets -= 1,
                _ => {}
            }
            quote.is_none() && brackets <= 0 && (c.is_whitespace() || "&|!()=".contains(c))
        });
        let word = &rest[..end.map_or(rest.len(), |(i, _)| i)];
        if let Some(open) = quote {
            return Err(error_at(ErrorKind::Text, self.text, self.at + open, "this quote is not closed"));
        }
        self.at += word.len();
        Ok(word.trim_matches('"'))
    }

    fn test(&mut self) -> Result<Condition> {
        self.rest();
        let start = self.at;
        let word = self.word()?;
        if !self.accept("=") {
            return match (word, DType::from_name(word)) {
                ("nan", _) => Ok(Condition::Nan),
                (_, Some(d)) => Ok(Condition::DType(d)),
                (word, _) if word.contains('[') => Parser::new(word)
                    .ty()
                    .map(Condition::Type)
                    .map_err(|_| error_at(ErrorKind::Text, self.text, start, format!("`{word}` is not a type"))),
                _ => {
                    self.at = start;
                    let keys = "op=, name=, function=, kind=, place=";
                    Err(self.error(&format!("expected one of {keys}, an element type, a type like f32[2,3], or nan")))
                }
            };
        }
        self.rest();
        let at = self.at;
        let value = self.word()?.to_string();
        if value.is_empty() {
            return Err(self.error(&format!("expected what `{word}` has to be")));
        }
        match word {
            "op" => Ok(Condition::Op(value)),
            "name" => Ok(Condition::Name(value)),
            "function" => Ok(Condition::Function(value)),
            "place" => Ok(Condition::Place(value)),
            "kind" => Kind::ALL.into_iter().find(|k| k.name() == value).map(Condition::Kind).ok_or_else(|| {
                let kinds = Kind::ALL.map(Kind::name).join(", ");
                error_at(ErrorKind::Text, self.text, at, format!("`{value}` is not one of {kinds}"))
            }),
            _ => Err(error_at(ErrorKind::Text, self.text, start, format!("nothing is known of `{word}`"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_bind_as_in_rust() {
        let c = |text: &str| Condition::parse(text).unwrap();
        assert_eq!(c("op=dot && f32 || nan"), c("(op=dot && f32) || nan"));
        assert_ne!(c("op=dot && (f32 || nan)"), c("op=dot && f32 || nan"));
        assert_eq!(c("!nan&&f32"), c("(!nan) && f32"));
        assert_eq!(c("!!nan"), Condition::Nan);
        assert_eq!(c("f32[2, 3]"), c("f32[2,3]"));
        assert_eq!(c("name=\"a b\""), Condition::Name("a b".into()));
        assert_eq!(c("place=src/model.rs:41"), Condition::Place("src/model.rs:41".into()));
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        let says = |text: &str, at: &str| {
            let e = Condition::parse(text).unwrap_err();
            assert!(e.message().starts_with(at), "{text}: {e}");
        };
        says("op=dot f32", "line 1, column 8: expected `&&`");
        says("op=", "line 1, column 4: expected what `op`");
        says("kind=verb", "line 1, column 6: `verb` is not one of argument");
        says("f33", "line 1, column 1: expected one of");
        says("f32[x]", "line 1, column 1: `f32[x]` is not a type");
        says("f32 && name=\"a b", "line 1, column 13: this quote is not closed");
        says("name=\"", "line 1, column 6: this quote is not closed");
        says("\"nan", "line 1, column 1: this quote is not closed");
        says("(nan", "line 1, column 5: expected `)`");
        says("colour=red", "line 1, column 1: nothing is known of `colour`");
        says("", "line 1, column 1: expected one of");
        says(&"(".repeat(1000), "line 1, column 101: this is nested");
    }
}
