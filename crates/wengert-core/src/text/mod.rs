//! The text form: a program prints to text that parses back to the same program.

mod literal;
mod parse;
mod print;

pub(crate) use literal::scalar as scalar_text;
pub(crate) use parse::of_user;
pub use parse::{Parser, error_at};
pub(crate) use print::Names;
pub use print::Printer;

use crate::error::Result;
use crate::host::Tensor;
use crate::op::Op;
use crate::program::Program;
use std::fmt;
use std::sync::Arc;

/// Words that mean something by themselves where an operand may stand.
const RESERVED: [&str; 7] = ["return", "true", "false", "inf", "NaN", "none", "dense"];

/// The name with what an identifier can't hold replaced by `_`.
pub fn identifier(name: Arc<str>) -> Arc<str> {
    if name.chars().all(parse::word_char) && name.chars().next().is_none_or(parse::starts_word) {
        return name;
    }
    let kept: String = name.chars().map(|c| if parse::word_char(c) { c } else { '_' }).collect();
    if kept.starts_with(parse::starts_word) { kept.into() } else { format!("_{kept}").into() }
}

impl Program {
    /// The whole program as text, with places and every constant spelled out: what [`Program::parse`] reads back.
    ///
    /// ```
    /// use wengert_core::Program;
    /// let text = "program f(x: f32[3]) {\n  %2: f32[3] = mul(x, 2.0:f32[3]) @ src/lib.rs:1:2\n  return %2\n}\n";
    /// assert_eq!(Program::parse(text).unwrap().to_text(), text);
    /// ```
    pub fn to_text(&self) -> String {
        Printer::text(self, true)
    }

    /// Each equation on a line of its own, for people to read: short constants where they are used, without the programs
    /// that ops hold.
    ///
    /// ```
    /// use wengert_core::Program;
    /// let p = Program::parse("program (x: f32[3]) { y: f32[3] = mul(x, 2.0:f32[3]) return y }").unwrap();
    /// assert_eq!(p.lines(), ["%1: f32[3] = 2.0:f32[3]", "y: f32[3] = mul(x, 2.0:f32[3])"]);
    /// ```
    pub fn lines(&self) -> Vec<String> {
        Printer::lines(self)
    }

    /// Reads a program from its text form; mistakes are reported with line and column.
    pub fn parse(text: &str) -> Result<Program> {
        Parser::new(text).whole()
    }

    /// [`Program::parse`] of the text of a file: equations that say no place have the one where they stand there.
    ///
    /// ```
    /// use wengert_core::Program;
    /// let p = Program::parse_file("program (x: f32[]) {\n  y: f32[] = sin(x)\n  return y\n}", "f.wg").unwrap();
    /// assert_eq!(p.equations()[0].place.to_string(), "f.wg:2:3");
    /// ```
    pub fn parse_file(text: &str, name: &str) -> Result<Program> {
        Parser::new(text).in_file(name).whole()
    }
}

impl Op {
    /// The op with its attributes, every constant spelled out: what [`Op::parse`] reads back.
    pub fn to_text(&self) -> String {
        Printer::op(self)
    }

    /// Reads an op and its attributes.
    ///
    /// ```
    /// use wengert_core::Op;
    /// assert_eq!(Op::parse("top_k[k=3]").unwrap().to_text(), "top_k[k=3]");
    /// ```
    pub fn parse(text: &str) -> Result<Op> {
        Parser::new(text).whole_op()
    }
}

impl Tensor {
    /// The value as constants are written in programs, every element spelled out: what [`Tensor::parse`] reads back.
    pub fn to_text(&self) -> String {
        Printer::value(self)
    }

    /// Reads a value as constants are written in programs.
    ///
    /// ```
    /// use wengert_core::Tensor;
    /// assert_eq!(Tensor::parse("dense[1.0, -2.5]:f32[2]").unwrap().to_text(), "dense[1.0, -2.5]:f32[2]");
    /// ```
    pub fn parse(text: &str) -> Result<Tensor> {
        Parser::new(text).whole_tensor()
    }
}

impl fmt::Display for Program {
    /// The program for people to read: without places, long constants cut, no line end after the last line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Printer::text(self, false).trim_end())
    }
}
