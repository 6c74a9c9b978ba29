//! Text to functions.

use super::Names;
use crate::half;
use crate::ir::{Address, Binary, Block, Compare, Function, Inst, Kind, Unary, Value};

/// The largest number of a value that is read, so that a slip of the pen does not take all memory.
const MOST_VALUES: u64 = 1 << 24;

/// The function that a text says; functions that are called by the names of the table. It may not be well-formed:
/// [`verify`](crate::verify()) says whether it is. An error names the line.
///
/// ```
/// use wengert_kernel::text;
///
/// let f = text::parse("fn double(%0: ptr) {\n  %1: f64 = load [%0]\n  %2: f64 = add %1, %1\n}", &[]).unwrap();
/// assert_eq!(f.body.insts.len(), 2);
/// let error = text::parse("fn double(%0: ptr) {\n  %1: f64 = twice %0\n}", &[]).unwrap_err();
/// assert_eq!(error, "line 2: there is no `twice`");
/// ```
pub fn parse(text: &str, names: Names<'_>) -> Result<Function, String> {
    let mut p = Parser { rest: text, line: 1, names, kinds: Vec::new() };
    p.function().map_err(|e| format!("line {}: {e}", p.line))
}

struct Parser<'a> {
    rest: &'a str,
    line: usize,
    names: Names<'a>,
    kinds: Vec<Kind>,
}

type Parsed<T> = Result<T, String>;

impl<'a> Parser<'a> {
    fn skip(&mut self) {
        let rest = self.rest.trim_start();
        self.line += self.rest[..self.rest.len() - rest.len()].matches('\n').count();
        self.rest = rest;
    }

    /// The next word or sign, without taking it.
    fn peek(&mut self) -> &'a str {
        self.skip();
        let word = self.rest.find(|c: char| !(c.is_alphanumeric() || "_.%".contains(c))).unwrap_or(self.rest.len());
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        match word {
            0 if self.rest.starts_with("->") => "->",
            0 => &self.rest[..first],
            n => &self.rest[..n],
        }
    }

    fn next(&mut self) -> &'a str {
        let token = self.peek();
        self.rest = &self.rest[token.len()..];
        token
    }

    /// Takes a word if it comes.
    fn takes(&mut self, word: &str) -> bool {
        let comes = self.peek() == word;
        if comes {
            self.next();
        }
        comes
    }

    fn expect(&mut self, word: &str) -> Parsed<()> {
        if self.takes(word) { Ok(()) } else { Err(format!("expected `{word}`, found `{}`", self.peek())) }
    }

    fn value(&mut self) -> Parsed<Value> {
        let token = self.peek();
        let number = token.strip_prefix('%').and_then(|n| n.parse::<u64>().ok());
        let number = number.ok_or_else(|| format!("expected a value such as `%0`, found `{token}`"))?;
        if number >= MOST_VALUES {
            return Err(format!("`{token}`: numbers of values end at {MOST_VALUES}"));
        }
        self.next();
        Ok(Value(number as u32))
    }

    fn define(&mut self, v: Value, kind: Kind) {
        if self.kinds.len() <= v.index() {
            // What is not defined in the end is not used either, or the function is not well-formed.
            self.kinds.resize(v.index() + 1, Kind::Bool);
        }
        self.kinds[v.index()] = kind;
    }

    /// A value and its kind.
    fn typed(&mut self) -> Parsed<Value> {
        let v = self.value()?;
        self.expect(":")?;
        let name = self.next();
        let kind = Kind::from_name(name).ok_or_else(|| format!("there is no kind `{name}`"))?;
        self.define(v, kind);
        Ok(v)
    }

    /// Things with commas between them, up to a sign.
    fn list<T>(&mut self, end: &str, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.takes(end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.takes(end) {
                return Ok(items);
            }
            self.expect(",")?;
        }
    }

    /// A number, with its sign.
    fn number(&mut self) -> String {
        let sign = if self.takes("-") { "-" } else { "" };
        let mut digits = self.next().to_string();
        // The sign of an exponent ends a word.
        if digits.ends_with('e') && !digits.starts_with("0x") && self.rest.starts_with('-') {
            self.rest = &self.rest[1..];
            digits = format!("{digits}-{}", self.next());
        }
        format!("{sign}{digits}")
    }

    fn integer<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        let digits = self.number();
        digits.parse().map_err(|_| format!("expected an integer, found `{digits}`"))
    }

    /// The bits of a number of a kind.
    fn bits(&mut self, kind: Kind) -> Parsed<u64> {
        let digits = self.number();
        if let Some(hex) = digits.strip_prefix("0x") {
            return u64::from_str_radix(hex, 16).map_err(|_| format!("expected bits, found `{digits}`"));
        }
        macro_rules! read {
            ($T:ident) => {
                digits.parse::<$T>().ok().map(|x| x as u64)
            };
            ($T:ident $U:ident) => {
                digits.parse::<$T>().ok().map(|x| x as $U as u64)
            };
        }
        let bits = match kind {
            Kind::Bool => read!(bool),
            Kind::I8 => read!(i8 u8),
            Kind::I16 => read!(i16 u16),
            Kind::I32 => read!(i32 u32),
            Kind::I64 => read!(i64),
            Kind::U8 => read!(u8),
            Kind::U16 => read!(u16),
            Kind::U32 => read!(u32),
            Kind::U64 => read!(u64),
            Kind::F16 => digits.parse().ok().map(|x| half::f16_from_f32(x) as u64),
            Kind::BF16 => digits.parse().ok().map(|x| half::bf16_from_f32(x) as u64),
            Kind::F32 => digits.parse::<f32>().ok().map(|x| x.to_bits() as u64),
            Kind::F64 => digits.parse::<f64>().ok().map(f64::to_bits),
            Kind::Ptr => None,
        };
        bits.ok_or_else(|| format!("`{digits}` is no {}", kind.name()))
    }

    fn address(&mut self) -> Parsed<Address> {
        self.expect("[")?;
        let mut at = Address::at(self.value()?, 0);
        let mut sign = self.next();
        if sign == "+" && self.peek().starts_with('%') {
            let index = self.value()?;
            self.expect("*")?;
            at.index = Some((index, self.integer()?));
            sign = self.next();
        }
        match sign {
            "]" => return Ok(at),
            "+" => at.offset = self.integer()?,
            "-" => {
                let digits = self.next();
                at.offset =
                    format!("-{digits}").parse().map_err(|_| format!("expected an integer, found `{digits}`"))?;
            }
            sign => return Err(format!("expected `+`, `-` or `]`, found `{sign}`")),
        }
        self.expect("]")?;
        Ok(at)
    }

    fn function(&mut self) -> Parsed<Function> {
        self.expect("fn")?;
        let name = self.next().to_string();
        self.expect("(")?;
        let params = self.list(")", Self::typed)?;
        let body = self.block()?;
        match self.peek() {
            "" => Ok(Function { name, params, kinds: std::mem::take(&mut self.kinds), body }),
            more => Err(format!("the function has ended, and `{more}` follows")),
        }
    }

    fn block(&mut self) -> Parsed<Block> {
        self.expect("{")?;
        let mut block = Block::default();
        while !self.takes("}") {
            if self.takes("yield") {
                block.results = self.list("}", Self::value)?;
                break;
            }
            if self.takes("mark") {
                block.marks.push((block.insts.len() as u32, self.integer()?));
                continue;
            }
            block.insts.push(self.inst()?);
        }
        Ok(block)
    }

    fn values<const N: usize>(&mut self) -> Parsed<[Value; N]> {
        let mut x = [Value(0); N];
        for (i, x) in x.iter_mut().enumerate() {
            if i > 0 {
                self.expect(",")?;
            }
            *x = self.value()?;
        }
        Ok(x)
    }

    /// `carry (%1: f32 = %0)`, as what is carried and what it starts with.
    fn carry(&mut self) -> Parsed<(Vec<Value>, Vec<Value>)> {
        if !self.takes("carry") {
            return Ok(Default::default());
        }
        self.expect("(")?;
        let pairs = self.list(")", |p| {
            let v = p.typed()?;
            p.expect("=")?;
            Ok((v, p.value()?))
        })?;
        Ok(pairs.into_iter().unzip())
    }

    /// `-> (%1: f32)`.
    fn gives(&mut self) -> Parsed<Vec<Value>> {
        if !self.takes("->") {
            return Ok(Vec::new());
        }
        self.expect("(")?;
        self.list(")", Self::typed)
    }

    /// The number of a loop.
    fn index(&mut self) -> Parsed<Value> {
        let index = self.value()?;
        self.define(index, Kind::I64);
        Ok(index)
    }

    fn inst(&mut self) -> Parsed<Inst> {
        if self.peek().starts_with('%') {
            let y = self.typed()?;
            self.expect("=")?;
            return self.definition(y);
        }
        match self.next() {
            "store" => {
                let x = self.value()?;
                self.expect(",")?;
                Ok(Inst::Store { x, at: self.address()? })
            }
            "prefetch" => {
                let write = self.peek() == "to";
                if write {
                    self.expect("to")?;
                    self.expect("write")?;
                }
                Ok(Inst::Prefetch { at: self.address()?, write })
            }
            "copy" => {
                let bytes = self.integer()?;
                self.expect("bytes")?;
                self.expect("from")?;
                let from = self.value()?;
                self.expect("to")?;
                Ok(Inst::Copy { x: [from, self.value()?], bytes })
            }
            "call" => self.call(None),
            "for" => {
                let index = self.index()?;
                self.expect("from")?;
                let from = self.integer()?;
                self.expect("step")?;
                let step = self.integer()?;
                self.expect("count")?;
                let count = self.integer()?;
                let (carried, start) = self.carry()?;
                let y = self.gives()?;
                Ok(Inst::For { index, from, step, count, carried, start, body: self.block()?, y })
            }
            "while" => {
                let (carried, start) = self.carry()?;
                let y = self.gives()?;
                let condition = self.block()?;
                self.expect("do")?;
                Ok(Inst::While { carried, start, condition, body: self.block()?, y })
            }
            "if" => {
                let condition = self.value()?;
                let y = self.gives()?;
                let then = self.block()?;
                self.expect("else")?;
                Ok(Inst::If { condition, then, otherwise: self.block()?, y })
            }
            "lanes" => {
                let index = self.index()?;
                self.expect("count")?;
                Ok(Inst::Lanes { index, count: self.integer()?, body: self.block()? })
            }
            word => Err(format!("expected an instruction, found `{word}`")),
        }
    }

    fn definition(&mut self, y: Value) -> Parsed<Inst> {
        match self.next() {
            "const" => Ok(Inst::Const { y, bits: self.bits(self.kinds[y.index()])? }),
            name @ ("muladd" | "mulsub" | "negmuladd" | "negmulsub") => {
                Ok(Inst::MulAdd { y, x: self.values()?, negate: [name.starts_with("neg"), name.ends_with("sub")] })
            }
            "select" => self.values().map(|[condition, a, b]| Inst::Select { y, condition, x: [a, b] }),
            "convert" => Ok(Inst::Convert { y, x: self.value()? }),
            "bitcast" => Ok(Inst::Bitcast { y, x: self.value()? }),
            "load" => Ok(Inst::Load { y, at: self.address()? }),
            "pointer" => Ok(Inst::Pointer { y, at: self.address()? }),
            "call" => self.call(Some(y)),
            name => {
                if let Some(op) = Unary::from_name(name) {
                    Ok(Inst::Unary { y, op, x: self.value()? })
                } else if let Some(op) = Binary::from_name(name) {
                    Ok(Inst::Binary { y, op, x: self.values()? })
                } else if let Some(op) = Compare::from_name(name) {
                    Ok(Inst::Compare { y, op, x: self.values()? })
                } else {
                    Err(format!("there is no `{name}`"))
                }
            }
        }
    }

    fn call(&mut self, y: Option<Value>) -> Parsed<Inst> {
        let name = self.next();
        let named = self.names.iter().find(|(n, _)| *n == name);
        let &(_, callee) = named.ok_or_else(|| format!("no function is named `{name}`"))?;
        self.expect("(")?;
        let x = self.list(")", Self::value)?;
        let Some(y) = y else { return Ok(Inst::Call { callee, x }) };
        self.expect("where")?;
        let condition = self.value()?;
        self.expect("else")?;
        Ok(Inst::CallWhere { y, callee, condition, x, otherwise: self.value()? })
    }
}
