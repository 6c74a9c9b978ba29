//! What a reduction was asked, as the smallest case in its folder says: `--resume` goes on with that, and with nothing else.

use crate::failure::Failure;
use std::fs::File;
use std::path::Path;
use wengert_core::{Error, ErrorKind, Result};
use wengert_emit::files::checksum;

/// What stands before the program's content, and before what is looked for, each in a comment of its own.
const HEADS: [&str; 2] = ["// Reduced from a program of ", "// Asked for: "];

/// The content of the program to reduce, wherever it lies, and the arguments that say what is looked for.
pub struct Question([String; 2]);

impl Question {
    /// The question about a file; `text` is what was read of it if it can't be read again.
    pub fn new(file: &Path, text: Option<&str>, asked: &[String]) -> Result<Question> {
        let content = match text {
            Some(text) => checksum(text.as_bytes()),
            None => File::open(file).and_then(checksum),
        };
        let no = |e: std::io::Error| Error::new(ErrorKind::File, e.to_string()).within(file.display());
        let (bytes, sum) = content.map_err(no)?;
        let asked = asked.join(" ").escape_debug().to_string();
        Ok(Question([format!("{bytes} bytes with checksum {sum}"), asked]))
    }

    /// The question as comments of a program.
    pub fn comments(&self) -> String {
        HEADS.iter().zip(&self.0).map(|(head, line)| format!("{head}{line}\n")).collect()
    }

    /// An error if the case in a folder, by its text, is of another question.
    pub fn check(&self, case: &str, folder: &Path, file: &Path) -> Result<(), Failure> {
        let earlier =
            HEADS.map(|head| case.lines().find_map(|line| line.strip_prefix(head)).unwrap_or("what is not known"));
        let [program, asked] = &self.0;
        let (folder, file) = (folder.display(), file.display());
        let m = if earlier[0] != program {
            format!(
                "`{folder}` has a case of another program than `{file}`: of {}, and this one has {program}",
                earlier[0]
            )
        } else if earlier[1] != asked {
            format!(
                "`{folder}` has a case of another failure: it was asked for `{}`, and now for `{asked}`",
                earlier[1]
            )
        } else {
            return Ok(());
        };
        let way = "what to do: ask for the same again, name another folder with `--out-dir`, or begin anew without `--resume`";
        Err(Failure::of_usage(Error::new(ErrorKind::File, m).note(way)))
    }
}
