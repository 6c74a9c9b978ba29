//! The lines of a text around a mistake, with a mark under it.

use crate::screen::{Ink, MARK, Screen};
use std::io;
use unicode_width::UnicodeWidthChar;

/// Of longer lines, in bytes, the part around a mistake is shown.
const LONGEST: usize = 300;
/// How many characters of these stand before and after it.
const AROUND: usize = 60;
/// At most so many bytes are marked.
const MARKED: usize = 40;
/// The distance of tab stops.
const TAB: usize = 4;

/// What is shown of a text.
pub struct Excerpt {
    /// The line and the column of the mistake, in characters, from 1.
    pub line: usize,
    pub column: usize,
    /// Lines and their numbers, of which one has the mistake.
    lines: Vec<(usize, String)>,
    /// How far the mark is from the left, and how long, in columns of a terminal.
    mark: (usize, usize),
}

impl Excerpt {
    /// What is shown of a mistake at this position, in bytes.
    pub fn new(text: &str, offset: usize) -> Excerpt {
        let at = (0..=offset.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
        let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
        let (before, rest) = (&text[start..at], text[at..].lines().next().unwrap_or(""));
        let word = rest.char_indices().find(|(i, c)| *i >= MARKED || c.is_whitespace());
        let (word, after) = rest.split_at(word.map_or(rest.len(), |(i, _)| i));
        let line = text[..start].matches('\n').count() + 1;

        // The line with the mistake, or a part of it.
        let long = before.len() + rest.len() > LONGEST;
        let left = before.char_indices().rev().nth(AROUND).filter(|_| long);
        let right = after.char_indices().nth(AROUND).filter(|_| long);
        let before = left.map_or(before.into(), |(i, c)| format!("…{}", &before[i + c.len_utf8()..]));
        let after = right.map_or(after.into(), |(i, _)| format!("{}…", &after[..i]));
        let (from, to) = (width(&laid_out(&before)), width(&laid_out(&format!("{before}{word}"))));

        // The line before it and the one after it, unless they are long.
        let above = text[..start].lines().next_back().map(|l| (line - 1, l));
        let below = text[at..].split_once('\n').and_then(|(_, t)| t.lines().next()).map(|l| (line + 1, l));
        let [above, below] = [above, below].map(|l| l.filter(|(_, l)| l.len() <= LONGEST));
        let whole = format!("{before}{word}{after}");
        let lines = above.into_iter().chain([(line, whole.as_str())]).chain(below);
        Excerpt {
            line,
            column: text[start..at].chars().count() + 1,
            lines: lines.map(|(n, l)| (n, laid_out(l))).collect(),
            mark: (from, (to - from).max(1)),
        }
    }

    /// Shows the lines.
    pub fn show(&self, s: &mut Screen) -> io::Result<()> {
        let digits = self.lines.iter().map(|(n, _)| n.to_string().len()).max().unwrap_or(1);
        let gutter = |s: &mut Screen, number: &str| s.put(Ink::Faint, &format!("{number:>digits$} |"));
        gutter(s, "")?;
        s.end()?;
        for (number, line) in &self.lines {
            gutter(s, &number.to_string())?;
            s.put(Ink::Plain, &format!(" {line}"))?;
            s.end()?;
            if *number == self.line {
                let (from, length) = self.mark;
                gutter(s, "")?;
                s.put(Ink::Alarm, &format!(" {}{} here", " ".repeat(from), "^".repeat(length)))?;
                s.end()?;
            }
        }
        Ok(())
    }
}

/// A line as a terminal shows it: tabs are spaces, and what could move the cursor is a mark.
fn laid_out(line: &str) -> String {
    let (mut out, mut column) = (String::new(), 0);
    for c in line.chars() {
        let from = out.len();
        match c {
            '\t' => out += &" ".repeat(TAB - column % TAB),
            c if c.is_control() => out += MARK,
            c => out.push(c),
        }
        column += width(&out[from..]);
    }
    out
}

/// How many columns of a terminal a text without control characters takes.
fn width(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines, and under the one with the mistake the mark.
    fn picture(text: &str, mistake: &str) -> String {
        let excerpt = Excerpt::new(text, text.find(mistake).unwrap());
        let mut out = format!("{}:{}", excerpt.line, excerpt.column);
        for (number, line) in &excerpt.lines {
            out += &format!("\n{number} {line}");
            if *number == excerpt.line {
                out += &format!("\n  {}{}", " ".repeat(excerpt.mark.0), "^".repeat(excerpt.mark.1));
            }
        }
        out
    }

    #[test]
    fn lines_around_are_shown() {
        assert_eq!(picture("a\nb\nc d e\nf\ng", "d"), "3:3\n2 b\n3 c d e\n    ^\n4 f");
        assert_eq!(picture("a bc\r\nd\r\n", "bc"), "1:3\n1 a bc\n    ^^\n2 d");
        assert_eq!(picture("a\r\n\r\nbc\r\n", "bc"), "3:1\n2 \n3 bc\n  ^^");
        assert_eq!(picture("a", "a"), "1:1\n1 a\n  ^");
    }

    #[test]
    fn the_end_has_a_mark() {
        let end = |text: &str| {
            let excerpt = Excerpt::new(text, usize::MAX);
            (excerpt.line, excerpt.column, excerpt.mark, excerpt.lines.len())
        };
        assert_eq!(end(""), (1, 1, (0, 1), 1));
        assert_eq!(end("ab"), (1, 3, (2, 1), 1));
        assert_eq!(end("ab\n"), (2, 1, (0, 1), 2));
        assert_eq!(picture("ab\nc", "\n"), "1:3\n1 ab\n    ^\n2 c");
    }

    #[test]
    fn the_mark_stands_under_the_mistake() {
        assert_eq!(picture("\ta\tbc d", "bc"), "1:4\n1     a   bc d\n          ^^");
        assert_eq!(picture("日本 x日 y", "x日"), "1:4\n1 日本 x日 y\n       ^^^");
        assert_eq!(picture("日\tx", "x"), "1:3\n1 日  x\n      ^");
        assert_eq!(picture("e\u{301} x", "x"), "1:4\n1 e\u{301} x\n    ^");
        assert_eq!(picture("\x1b[31m\r\u{9b} x", "x"), "1:9\n1 \u{fffd}[31m\u{fffd}\u{fffd} x\n          ^");
        // In the middle of a character.
        assert_eq!(Excerpt::new("aé", 2).column, 2);
    }

    #[test]
    fn of_long_lines_a_part_is_shown() {
        let zeros = "0, ".repeat(1000);
        let text = format!("{zeros}\n{zeros}é x {zeros}\nend");
        let (left, right) = ("0, ".repeat(19), "0, ".repeat(19));
        let column = zeros.len() + 3;
        let mark = " ".repeat(1 + AROUND);
        assert_eq!(picture(&text, "x"), format!("2:{column}\n2 … {left}é x {right}0,…\n  {mark}^\n3 end"));
        // A word without an end.
        let word = "é".repeat(1000);
        let excerpt = Excerpt::new(&word, 0);
        assert_eq!(excerpt.mark, (0, MARKED / 2));
        assert_eq!(excerpt.lines[0].1, "é".repeat(MARKED / 2 + AROUND) + "…");
    }
}
