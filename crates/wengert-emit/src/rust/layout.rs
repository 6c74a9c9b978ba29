//! Rust text laid out as `rustfmt` does: what fits stands in one line, what does not is broken at its brackets.

/// How long lines are.
pub(crate) const WIDTH: usize = 100;
/// Brackets whose content is wider than this are broken, though the line were not full.
const CONTENT: usize = 60;
/// The same for what an attribute says.
const ATTRIBUTE: usize = 70;
/// The same for the fields of a struct.
const FIELDS: usize = 18;
/// The same for calls of methods one after the other, where there are two at least.
const CHAIN: usize = 60;
/// The last of these calls is broken alone where that takes so many lines at least.
const MANY_LINES: usize = 5;
/// Lists of names and numbers that are all this short are filled line by line.
const SHORT: usize = 10;

/// A piece of Rust text.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// Text that is not broken.
    Text(String),
    /// Pieces between brackets, with what stands before: `lax::slice(`…`)`, `&[`…`]`.
    List { open: String, items: Vec<Piece>, close: String, kind: ListKind },
    /// `Name { field: value }`.
    Fields { name: &'static str, fields: Vec<(&'static str, Piece)> },
}

/// What stands between brackets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ListKind {
    Values,
    Pattern,
    /// A pattern between parentheses.
    Tuple,
    Parameters,
}

impl ListKind {
    /// How much of it stands in one line.
    fn width(self) -> usize {
        if matches!(self, ListKind::Parameters | ListKind::Tuple) { WIDTH } else { CONTENT }
    }
}

pub(crate) fn text(s: impl Into<String>) -> Piece {
    Piece::Text(s.into())
}

/// `name(items)`.
pub(crate) fn call(name: &str, items: Vec<Piece>) -> Piece {
    Piece::List { open: format!("{name}("), items, close: ")".into(), kind: ListKind::Values }
}

/// `before[items]`.
pub(crate) fn list(before: &str, items: Vec<Piece>) -> Piece {
    Piece::List { open: format!("{before}["), items, close: "]".into(), kind: ListKind::Values }
}

/// A pattern: `[items]`, `(items)`.
pub(crate) fn pattern(open: &str, items: Vec<Piece>, close: &str) -> Piece {
    let kind = if open == "(" { ListKind::Tuple } else { ListKind::Pattern };
    Piece::List { open: open.into(), items, close: close.into(), kind }
}

/// `(a, b)`, `(a,)`.
pub(crate) fn tuple(items: Vec<Piece>) -> Piece {
    match <[Piece; 1]>::try_from(items) {
        // Both brackets are broken as one.
        Ok([Piece::List { open, items, close, kind }]) => {
            Piece::List { open: format!("({open}"), items, close: format!("{close},)"), kind }
        }
        Ok([one]) => text(format!("({},)", one.line())),
        Err(items) => call("", items),
    }
}

impl Piece {
    /// In one line, whatever its length.
    pub(crate) fn line(&self) -> String {
        match self {
            Piece::Text(s) => s.clone(),
            Piece::List { open, items, close, kind } => {
                let comma = if *kind == ListKind::Tuple && items.len() == 1 { "," } else { "" };
                format!("{open}{}{comma}{close}", joined(items))
            }
            Piece::Fields { name, fields } => format!("{name} {{ {} }}", fields_line(fields)),
        }
    }

    /// Whether it is a short number or name.
    fn is_short(&self) -> bool {
        matches!(self, Piece::Text(s) if s.len() <= SHORT && !s.contains([':', '(', '[']))
    }

    /// Whether it is a list of values with nothing before its brackets: `[a, b]`, `&[a, b]`.
    fn is_bare(&self) -> bool {
        matches!(self, Piece::List { open, kind: ListKind::Values, .. } if ["[", "&[", "(", "(["].contains(&&**open))
    }

    /// Whether it may stand in one line that has so much room.
    pub(crate) fn fits(&self, room: usize) -> bool {
        let inside = match self {
            Piece::Text(_) => true,
            // Where the brackets of one list are all that stands between others, its content alone is measured.
            Piece::List { items, kind: ListKind::Values, .. } if matches!(&items[..], [only] if only.is_bare()) => {
                items[0].fits(WIDTH)
            }
            Piece::List { items, kind, .. } => {
                joined(items).chars().count() <= kind.width() && items.iter().all(|p| p.fits(WIDTH))
            }
            Piece::Fields { fields, .. } => {
                fields_line(fields).chars().count() <= FIELDS && fields.iter().all(|(_, p)| p.fits(WIDTH))
            }
        };
        inside && self.line().chars().count() <= room
    }

    /// Laid out at an indentation, after `before` characters of the line and before `after` more.
    fn write(&self, out: &mut String, indent: usize, before: usize, after: usize) {
        match self.fits(WIDTH.saturating_sub(before + after)) {
            true => out.push_str(&self.line()),
            false => self.write_broken(out, indent),
        }
    }

    /// How long its first line is where it is broken.
    fn first_line(&self) -> usize {
        let mut broken = String::new();
        self.write_broken(&mut broken, 0);
        broken.lines().next().map_or(0, |line| line.chars().count())
    }

    /// In several lines.
    fn write_broken(&self, out: &mut String, indent: usize) {
        let inner = indent + 4;
        match self {
            Piece::Text(s) => out.push_str(s),
            Piece::List { open, items, close, kind } => {
                out.push_str(open);
                let is_value = *kind == ListKind::Values;
                if let [only] = &items[..]
                    && is_value
                    && matches!(only, Piece::List { .. } | Piece::Fields { .. })
                {
                    // Both brackets are broken as one.
                    only.write_broken(out, indent);
                } else {
                    let short = items.len() > 1 && items.iter().all(Piece::is_short);
                    if short && is_value {
                        fill(out, items, inner);
                    } else {
                        for p in items {
                            out.push('\n');
                            out.push_str(&" ".repeat(inner));
                            p.write(out, inner, inner, 1);
                            out.push(',');
                        }
                    }
                    out.push('\n');
                    out.push_str(&" ".repeat(indent));
                }
                out.push_str(close);
            }
            Piece::Fields { name, fields } => {
                out.push_str(&format!("{name} {{\n"));
                for (field, p) in fields {
                    out.push_str(&format!("{}{field}: ", " ".repeat(inner)));
                    p.write(out, inner, inner + field.len() + 2, 1);
                    out.push_str(",\n");
                }
                out.push_str(&format!("{}}}", " ".repeat(indent)));
            }
        }
    }
}

/// Short items, as many in a line as fit.
fn fill(out: &mut String, items: &[Piece], indent: usize) {
    let mut column = WIDTH;
    let mut lines = 0;
    for (i, p) in items.iter().enumerate() {
        let item = p.line();
        // The comma of the last one is not counted in the first line.
        let comma = usize::from(i + 1 < items.len() || lines > 1);
        if column + 1 + item.len() + comma >= WIDTH {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
            lines += 1;
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(&item);
        out.push(',');
        column += item.len() + 1;
    }
}

fn joined(items: &[Piece]) -> String {
    items.iter().map(Piece::line).collect::<Vec<_>>().join(", ")
}

fn fields_line(fields: &[(&'static str, Piece)]) -> String {
    fields.iter().map(|(name, p)| format!("{name}: {}", p.line())).collect::<Vec<_>>().join(", ")
}

/// `let pattern = value;`
pub(crate) fn binding(indent: usize, pattern: &Piece, value: &Piece) -> String {
    let pad = " ".repeat(indent);
    let mut out = format!("{pad}let ");
    // As if a semicolon came next.
    pattern.write(&mut out, indent, indent + 4, 1);
    let before = last_line(&out) + 3;
    let next = WIDTH.saturating_sub(indent + 4 + 1);
    if !value.fits(WIDTH.saturating_sub(before + 1)) && value.fits(next) {
        out.push_str(&format!(" =\n{pad}    {};\n", value.line()));
        return out;
    }
    // A text that does not fit there either stays.
    if before + value.first_line() > WIDTH && !matches!(value, Piece::Text(_)) {
        out.push_str(&format!(" =\n{pad}    "));
        value.write_broken(&mut out, indent + 4);
        out.push_str(";\n");
        return out;
    }
    out.push_str(" = ");
    value.write(&mut out, indent, before, 1);
    out.push_str(";\n");
    out
}

/// Calls of methods one after the other: `vmap(f).in_axes([None, Some(0)]).out_axis(1)`.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    /// What the first is called on.
    pub(crate) root: String,
    /// The calls, each with the point before it.
    pub(crate) calls: Vec<Piece>,
}

impl Chain {
    /// In one line, whatever its length.
    pub(crate) fn line(&self) -> String {
        self.calls.iter().fold(self.root.clone(), |line, call| line + &call.line())
    }

    /// Whether it stands in one line, wherever it is the only thing.
    fn fits(&self, room: usize) -> bool {
        let room = if self.calls.len() > 1 { room.min(CHAIN) } else { room };
        self.line().chars().count() <= room && self.calls.iter().all(|call| call.fits(WIDTH))
    }

    /// `let name = root.call.call;`
    pub(crate) fn binding(&self, indent: usize, name: &str) -> String {
        let pad = " ".repeat(indent);
        let head = format!("{pad}let {name} =");
        if self.fits(WIDTH - indent - 4 - 1) {
            return binding(indent, &text(name), &text(self.line()));
        }
        let (last, before) = self.calls.split_last().expect("what is too long has calls");
        let joined: String = before.iter().fold(self.root.clone(), |line, call| line + &call.line());
        let mut broken = format!("{head} {joined}");
        last.write_broken(&mut broken, indent);
        // The last call alone is broken, at its own brackets, where it must be, or where it is all there is.
        let alone = match before.is_empty() {
            true => broken.lines().count() >= MANY_LINES,
            false => !last.fits(WIDTH) && joined.chars().count() + last.first_line() <= CHAIN,
        };
        if alone && before.iter().all(|call| call.fits(WIDTH)) {
            return broken + ";\n";
        }
        let mut out = format!("{head} {}", self.root);
        for call in &self.calls {
            out.push_str(&format!("\n{pad}    "));
            call.write(&mut out, indent + 4, indent + 4, 1);
        }
        out + ";\n"
    }
}

/// An expression in a line of its own, with what ends it.
pub(crate) fn expression(indent: usize, value: &Piece, end: &str) -> String {
    let mut out = " ".repeat(indent);
    value.write(&mut out, indent, indent, end.len());
    out + end + "\n"
}

/// `#[name(said)]`
pub(crate) fn attribute(name: &str, said: &[String]) -> String {
    let line = said.join(", ");
    match line.chars().count() <= ATTRIBUTE {
        true => format!("#[{name}({line})]\n"),
        false => format!("#[{name}(\n    {}\n)]\n", said.join(",\n    ")),
    }
}

/// The first line of a function.
pub(crate) fn signature(name: &str, parameters: Vec<Piece>, result: &str) -> String {
    let mut out = String::new();
    let end = if result == "()" { " {\n".to_string() } else { format!(" -> {result} {{\n") };
    let open = format!("fn {name}(");
    let head = Piece::List { open, items: parameters, close: ")".into(), kind: ListKind::Parameters };
    head.write(&mut out, 0, 0, end.len() - 1);
    out + &end
}

fn last_line(s: &str) -> usize {
    s.rsplit('\n').next().map_or(0, |l| l.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(n: usize, name: impl Fn(usize) -> String) -> Vec<Piece> {
        (10..10 + n).map(|i| text(name(i))).collect()
    }

    /// As `rustfmt` has them.
    #[test]
    fn e2_long_lists() {
        let copies = list("", names(6, |i| format!("v{i}.clone()")));
        let plain = list("", names(13, |i| format!("v{i}")));
        let value = call("jvp", vec![text("f"), tuple(vec![copies]), tuple(vec![plain.clone()])]);
        let target = pattern("(", vec![pattern("[", names(13, |i| format!("v{i}")), "]")], ")");
        let expected = "    let y = jvp(
        f,
        ([
            v10.clone(),
            v11.clone(),
            v12.clone(),
            v13.clone(),
            v14.clone(),
            v15.clone(),
        ],),
        ([
            v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22,
        ],),
    );
";
        assert_eq!(binding(4, &text("y"), &value), expected);
        let lines: String = (10..23).map(|i| format!("            v{i},\n")).collect();
        let expected = format!("    let (\n        [\n{lines}        ],\n    ) = x;\n");
        assert_eq!(binding(4, &target, &text("x")), expected);
        let short = call("f", names(12, |i| format!("v1000{i}")));
        let expected = "    let y = f(
        v100010, v100011, v100012, v100013, v100014, v100015, v100016, v100017, v100018, v100019,
        v100020, v100021,
    );
";
        assert_eq!(binding(4, &text("y"), &short), expected);
    }
}
