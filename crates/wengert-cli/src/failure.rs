//! What failed, shown as compilers do, and the exit code it means.

use miette::{
    LabeledSpan, MietteDiagnostic, MietteError, MietteSpanContents, Report, SourceCode, SourceSpan, SpanContents,
};
use std::process::ExitCode;
use std::sync::Arc;
use wengert_core::{Error, ErrorKind};

/// Of longer lines, the part around a mistake is shown.
const LONGEST: usize = 300;
/// How many characters of these stand before and after it.
const AROUND: usize = 60;

/// A mistake, and the text it is in if it is in one.
#[derive(Debug)]
pub struct Failure {
    error: Error,
    text: Option<Arc<ShownText>>,
    /// Whether the command itself is what is wrong.
    usage: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { error, text: None, usage: false }
    }
}

impl Failure {
    /// A mistake in a text, which has this name.
    pub fn within(error: Error, name: &str, text: &str) -> Failure {
        // A terminal may take control characters for commands. Each becomes one of as many bytes.
        let plain = |c: char| match c {
            '\n' | '\r' | '\t' => c,
            c if c.is_control() => {
                if c.is_ascii() {
                    '?'
                } else {
                    '·'
                }
            }
            c => c,
        };
        let text = ShownText { name: name.into(), text: text.chars().map(plain).collect() };
        Failure { error, text: Some(Arc::new(text)), usage: false }
    }

    /// A mistake in the text of an argument of the command.
    pub fn in_argument(error: Error, name: &str, text: &str) -> Failure {
        Failure { usage: true, ..Failure::within(error, name, text) }
    }

    /// Shows the mistake, and says how the command ends.
    pub fn report(self) -> ExitCode {
        let code = match self.error.kind() {
            _ if self.usage => 2,
            ErrorKind::Unsupported => 3,
            _ => 1,
        };
        eprintln!("{:?}", self.into_report());
        ExitCode::from(code)
    }

    fn into_report(self) -> Report {
        let error = self.error;
        let unsupported = error.kind() == ErrorKind::Unsupported;
        let code = if unsupported { "unsupported" } else { "error" };
        let (Some(offset), Some(text)) = (error.offset(), self.text) else {
            let mut help: Vec<String> = error.notes().to_vec();
            if !error.place().is_unknown() {
                help.insert(0, format!("at {}", error.place()));
            }
            let report = MietteDiagnostic::new(error.message()).with_code(code);
            return Report::new(if help.is_empty() { report } else { report.with_help(help.join("\n")) });
        };
        // The line and column stand in the frame around the text.
        let message = error.message();
        let message = message.split_once(": ").filter(|(at, _)| at.starts_with("line ")).map_or(message, |(_, m)| m);
        let word = text.text[offset..].char_indices().take_while(|(i, c)| *i < 40 && !c.is_whitespace());
        let length = word.last().map_or(0, |(i, c)| i + c.len_utf8());
        let label = LabeledSpan::at(offset..offset + length, "here");
        let report = MietteDiagnostic::new(message).with_code(code).with_label(label);
        Report::new(report).with_source_code(text)
    }
}

/// A text with a name, of which the lines around a mistake are shown, or a part of its line if there are long ones.
#[derive(Debug)]
struct ShownText {
    name: String,
    text: String,
}

impl SourceCode for ShownText {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let here = self.text.as_str().read_span(span, 0, 0)?;
        let mut shown = self.text.as_str().read_span(span, before, after)?;
        let (mut data, mut whole) = (shown.data(), *shown.span());
        if data.split(|&c| c == b'\n').any(|line| line.len() > LONGEST) {
            let (start, end) = (span.offset(), span.offset() + span.len());
            let left = self.text[..start].chars().rev().take_while(|&c| c != '\n').take(AROUND);
            let right = self.text[end..].chars().take_while(|&c| c != '\n').take(AROUND);
            let length = |part: &mut dyn Iterator<Item = char>| part.map(char::len_utf8).sum::<usize>();
            let (from, to) = (start - length(&mut { left }), end + length(&mut { right }));
            (data, whole, shown) = (&self.text.as_bytes()[from..to], (from..to).into(), here);
        }
        let (line, column) = (shown.line(), shown.column());
        let contents = MietteSpanContents::new_named(self.name.clone(), data, whole, line, column, shown.line_count());
        Ok(Box::new(contents))
    }
}
