//! The stages `kernel`, the function of the kernel language, and `machine`, the machine code beside its instructions.
//!
//! Addresses differ from run to run. In these texts they are numbered in the order they come up: `#1`.

use super::Shown;
use std::collections::HashMap;
use std::fmt::Write;
use wengert_kernel::{Function, text};
use wengert_x86::Code;

/// Addresses have at least so many digits.
const DIGITS: usize = 9;
/// Bytes of machine code on a line.
const BYTES: usize = 12;

impl Shown<'_> {
    /// The function, and those of pieces that threads share; each mark with the block that it is of.
    pub(super) fn kernel(&self) -> String {
        let mut addresses = Addresses::default();
        let mut out = String::new();
        let pieces = self.lowered.parallel.iter().map(|p| &p.function);
        let all: Vec<String> = std::iter::once(&self.lowered.function).chain(pieces).map(|f| f.to_string()).collect();
        for line in all.iter().flat_map(|text| text.lines()) {
            let line = addresses.numbered(line);
            let mark = line.trim_start().strip_prefix("mark ").and_then(|n| n.parse::<usize>().ok());
            let block = mark.and_then(|m| self.plan.blocks.get(m));
            let _ = match block {
                Some(b) => writeln!(out, "{line}  // {}", self.name(b)),
                None => writeln!(out, "{line}"),
            };
        }
        out
    }

    /// The machine code beside the instructions that it came from, under the equations that those came from.
    pub(super) fn machine(&self, code: Option<&Code>) -> String {
        let Some(code) = code else { return "// there is no machine code: the function is interpreted\n".into() };
        let mut addresses = Addresses::default();
        let mut out = format!("// {} bytes of machine code\n", code.bytes().len());
        self.code(&self.lowered.function, code, &mut addresses, &mut out);
        for p in &self.lowered.parallel {
            if let Some(code) = p.runner().and_then(|r| r.code()) {
                let _ = writeln!(out, "// {} bytes of machine code: {}", code.bytes().len(), p.function.name);
                self.code(&p.function, code, &mut addresses, &mut out);
            }
        }
        out
    }

    fn code(&self, function: &Function, code: &Code, addresses: &mut Addresses, out: &mut String) {
        let (bytes, heads) = (code.bytes(), text::heads(function));
        let mut marks = code.marks().iter().peekable();
        let starts = std::iter::once((0, None)).chain(code.listing().iter().map(|&(at, n)| (at, Some(n as usize))));
        let mut starts = starts.peekable();
        while let Some((from, number)) = starts.next() {
            let to = starts.peek().map_or(bytes.len(), |next| next.0 as usize);
            while let Some(&(_, mark)) = marks.next_if(|m| m.0 <= from) {
                self.heading(mark, out);
            }
            let head = number.and_then(|n| heads.get(n)).map_or("", String::as_str);
            let head = addresses.numbered(head);
            let code = &bytes[from as usize..to];
            for (i, row) in code.chunks(BYTES).enumerate() {
                let hex: Vec<String> = row.iter().map(|b| format!("{b:02x}")).collect();
                let head = if i == 0 { head.as_str() } else { "" };
                let line = format!("{:06x}  {:<w$}  {head}", from as usize + i * BYTES, hex.join(" "), w = 3 * BYTES);
                let _ = writeln!(out, "{}", line.trim_end());
            }
        }
    }

    /// What a block is, and its equations.
    fn heading(&self, mark: u32, out: &mut String) {
        let Some(block) = self.plan.blocks.get(mark as usize) else { return };
        let _ = writeln!(out, "// block {mark}: {}", self.name(block));
        for &e in &block.equations {
            let _ = writeln!(out, "//   {}", self.equations.line(e));
        }
    }
}

/// Addresses, by the order they came up in.
#[derive(Default)]
struct Addresses(HashMap<String, usize>);

impl Addresses {
    /// A text with numbers in place of addresses.
    fn numbered(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(at) = rest.find("0x") {
            let (before, from) = rest.split_at(at);
            let end = from[2..].find(|c: char| !c.is_ascii_hexdigit()).map_or(from.len(), |n| n + 2);
            let (address, after) = from.split_at(end);
            out += before;
            // Numbers that are no pointers are left as they are.
            if end - 2 >= DIGITS && (before.ends_with("ptr = const ") || before.ends_with('@')) {
                let next = self.0.len() + 1;
                let n = *self.0.entry(address.to_string()).or_insert(next);
                let _ = write!(out, "#{n}");
            } else {
                out += address;
            }
            rest = after;
        }
        out + rest
    }
}
