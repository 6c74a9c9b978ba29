//! What failed, shown as compilers do, and the exit code it means.

use miette::{LabeledSpan, MietteDiagnostic, NamedSource, Report};
use std::process::ExitCode;
use std::sync::Arc;
use wengert_core::{Error, ErrorKind};

/// A mistake, and the text it is in if it is in one.
#[derive(Debug)]
pub struct Failure {
    error: Error,
    text: Option<Arc<(String, String)>>,
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
        Failure { error, text: Some(Arc::new((name.into(), text.into()))), usage: false }
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
        let word = text.1[offset..].char_indices().take_while(|(i, c)| *i < 40 && !c.is_whitespace());
        let length = word.last().map_or(0, |(i, c)| i + c.len_utf8());
        let label = LabeledSpan::at(offset..offset + length, "here");
        let report = MietteDiagnostic::new(message).with_code(code).with_label(label);
        Report::new(report).with_source_code(NamedSource::new(&text.0, text.1.clone()))
    }
}
