//! Texts that tests expect, written where they are expected or in files. `BLESS=1` (or `UPDATE_EXPECT=1`)
//! writes there what came out.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// An expected text: `expect!["one line"]`, or several lines that may be indented as the source is:
///
/// ```
/// # use wengert_testing::expect;
/// expect![[r#"
///     one
///       two
/// "#]]
/// .assert_eq("one\n  two\n");
/// ```
#[macro_export]
macro_rules! expect {
    [[$text:literal]] => { $crate::expect![$text] };
    [$text:literal] => {
        $crate::Expect { text: $text, package: env!("CARGO_MANIFEST_DIR"), file: file!(), line: line!(), column: column!() }
    };
}

/// A text that a test expects, and where [`expect!`] is in the sources.
#[derive(Debug)]
pub struct Expect {
    #[doc(hidden)]
    pub text: &'static str,
    #[doc(hidden)]
    pub package: &'static str,
    #[doc(hidden)]
    pub file: &'static str,
    #[doc(hidden)]
    pub line: u32,
    #[doc(hidden)]
    pub column: u32,
}

impl Expect {
    /// Checks that the text came out.
    #[track_caller]
    pub fn assert_eq(&self, actual: &str) {
        let expected = unindented(self.text);
        if expected == actual {
            return;
        }
        if is_updating() {
            return self.update(actual);
        }
        fail(&format!("{}:{}", self.file, self.line), &expected, actual);
    }

    /// Writes another text into the source.
    fn update(&self, actual: &str) {
        static SOURCES: Mutex<BTreeMap<PathBuf, Source>> = Mutex::new(BTreeMap::new());
        // The compiler names files from the workspace, which is a folder above the package.
        let mut paths = Path::new(self.package).ancestors().map(|folder| folder.join(self.file));
        let path = paths.find(|p| p.is_file()).unwrap_or_else(|| panic!("{} is not there", self.file));
        let mut sources = SOURCES.lock().unwrap_or_else(PoisonError::into_inner);
        let source = sources.entry(path.clone()).or_insert_with(|| Source {
            text: fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", self.file)),
            edits: BTreeMap::new(),
        });
        let Some((literal, indent)) = source.find(self.line, self.column) else {
            panic!("{}:{} is not an `expect!` any more: build the test again", self.file, self.line);
        };
        source.edits.insert(literal.start, (literal.end, literal_of(actual, indent)));
        fs::write(&path, source.edited()).unwrap_or_else(|e| panic!("{}: {e}", self.file));
    }
}

/// Checks that the text of a file came out.
#[track_caller]
pub fn expect_file(path: impl AsRef<Path>, actual: &str) {
    let path = path.as_ref();
    let expected = fs::read_to_string(path).unwrap_or_default();
    if expected == actual {
        return;
    }
    if !is_updating() {
        fail(&path.display().to_string(), &expected, actual);
    }
    fs::write(path, actual).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

fn is_updating() -> bool {
    ["BLESS", "UPDATE_EXPECT"].iter().any(|name| std::env::var_os(name).is_some())
}

#[track_caller]
fn fail(place: &str, expected: &str, actual: &str) -> ! {
    let same = expected.lines().zip(actual.lines()).take_while(|(e, a)| e == a).count();
    panic!(
        "not what is expected at {place}, from line {} of the text on; `BLESS=1` writes there what came out\n\
         ---- expected\n{expected}\n---- actual\n{actual}\n----",
        same + 1
    );
}

/// The text without the indentation that its lines have in common, and without the line break before the first.
fn unindented(text: &str) -> String {
    if !text.contains('\n') {
        return text.to_string();
    }
    let text = text.strip_prefix('\n').unwrap_or(text);
    let indents = text.lines().filter(|l| !l.trim().is_empty()).map(indent_of);
    let indent = indents.min().unwrap_or(0);
    text.split_inclusive('\n').map(|line| &line[indent.min(indent_of(line))..]).collect()
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// A source as it was compiled, and what to write instead of some of its literals: from a position to another.
struct Source {
    text: String,
    edits: BTreeMap<usize, (usize, String)>,
}

impl Source {
    /// The literal of the `expect!` at this place, and how far its line is indented.
    fn find(&self, line: u32, column: u32) -> Option<(Range<usize>, usize)> {
        let mut lines = self.text.split_inclusive('\n');
        let before: usize = lines.by_ref().take(line as usize - 1).map(str::len).sum();
        let line = lines.next()?;
        let at = before + line.char_indices().nth(column as usize - 1)?.0;
        let (path, argument) = self.text[at..].split_once("expect!")?;
        if path.contains(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
            return None;
        }
        let literal = argument.trim_start_matches(|c: char| c.is_whitespace() || "[({".contains(c));
        let start = self.text.len() - literal.len();
        Some((start..start + literal_length(literal)?, indent_of(line)))
    }

    fn edited(&self) -> String {
        let (mut text, mut at) = (String::new(), 0);
        for (&start, (end, literal)) in &self.edits {
            text += &self.text[at..start];
            text += literal;
            at = *end;
        }
        text + &self.text[at..]
    }
}

/// The bytes of the string literal that a text begins with.
fn literal_length(text: &str) -> Option<usize> {
    if let Some(raw) = text.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let end = format!("\"{}", "#".repeat(hashes));
        let inside = raw[hashes..].strip_prefix('"')?;
        return Some(1 + hashes + 1 + inside.find(&end)? + end.len());
    }
    let mut inside = text.strip_prefix('"')?.char_indices();
    while let Some((at, c)) = inside.next() {
        match c {
            '"' => return Some(1 + at + 1),
            '\\' => drop(inside.next()),
            _ => {}
        }
    }
    None
}

/// A literal of this text, in a line that is indented so far.
fn literal_of(text: &str, indent: usize) -> String {
    if !text.contains(['\n', '"', '\\']) {
        return format!("\"{text}\"");
    }
    let mut inside = text.to_string();
    if text.contains('\n') {
        let line = |l: &str| if l.trim().is_empty() { l.to_string() } else { format!("{:1$}{l}", "", indent + 4) };
        inside = format!("\n{}", text.split_inclusive('\n').map(line).collect::<String>());
        inside += &" ".repeat(if text.ends_with('\n') { indent } else { 0 });
    }
    let fits = |hashes: &String| !text.contains(&format!("\"{hashes}"));
    let hashes = (1..).map(|n| "#".repeat(n)).find(fits).expect("a text ends");
    format!("r{hashes}\"{inside}\"{hashes}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_does_not_count() {
        for (text, expected) in [
            ("  one line ", "  one line "),
            ("\n    a\n      b\n\n    c\n", "a\n  b\n\nc\n"),
            ("\n    a\n    ", "a\n"),
            ("\n        a\n      b", "  a\nb"),
            ("\n", ""),
            ("a\n  b", "a\n  b"),
        ] {
            assert_eq!(unindented(text), expected, "{text:?}");
        }
    }

    #[test]
    #[should_panic(expected = "from line 2 of the text on")]
    fn another_text_is_a_failure() {
        expect![[r#"
            one
            two
        "#]]
        .assert_eq("one\n2\n");
    }

    /// The source with the literals of all its `expect!` written anew, each in the place where the compiler sees it.
    fn updated(text: &str, actual: &[&str]) -> String {
        let mut source = Source { text: text.into(), edits: BTreeMap::new() };
        let places = text.lines().zip(1..).flat_map(|(l, i)| {
            let columns: Vec<u32> =
                l.match_indices("wt::expect!").map(|(at, _)| l[..at].chars().count() as u32 + 1).collect();
            columns.into_iter().map(move |c| (i, c))
        });
        for ((line, column), actual) in places.zip(actual) {
            let (range, indent) = source.find(line, column).expect("a literal");
            source.edits.insert(range.start, (range.end, literal_of(actual, indent)));
        }
        source.edited()
    }

    #[test]
    fn literals_are_written_anew() {
        let text = "fn f() {\n    é(wt::expect![\"a\\\"]\"], wt::expect![[r##\"\"# x\n \"##]]);\n    wt::expect![\n\"b\"];\n}\n";
        let expected = "fn f() {\n    é(wt::expect![\"c\"], wt::expect![[r#\"\n        d\n\n          e\n    \"#]]);\n    \
            wt::expect![\nr##\"\"#\\\"##];\n}\n";
        let actual = ["c", "d\n\n  e\n", "\"#\\"];
        assert_eq!(updated(text, &actual), expected);
        // What was written reads as what came out.
        assert_eq!(updated(expected, &actual), expected);
        assert_eq!(unindented("\n        d\n\n          e\n    "), actual[1]);
        let source = Source { text: text.into(), edits: BTreeMap::new() };
        assert_eq!((source.find(1, 1), source.find(2, 1), source.find(9, 1)), (None, None, None));
    }
}
