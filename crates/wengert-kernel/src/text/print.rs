//! Functions as text.

use super::Names;
use crate::half;
use crate::ir::{Address, Block, Callee, Function, Inst, Kind, Signature, Value};
use std::fmt::{self, Display, Formatter};

/// A function as text; functions that are called by the names of the table.
pub fn print(function: &Function, names: Names<'_>) -> String {
    let p = Printer { function, names };
    let mut text = format!("fn {}({}) {{\n", function.name, list(&function.params, |v| p.typed(*v)));
    p.block(&function.body, 1, &mut text);
    text.push_str("}\n");
    text
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self, &[]))
    }
}

/// Each instruction without the blocks it holds, in the order they stand in, each before those of its blocks.
pub fn heads(function: &Function) -> Vec<String> {
    fn walk(p: &Printer<'_>, block: &Block, heads: &mut Vec<String>) {
        for inst in &block.insts {
            heads.push(p.head(inst));
            inst.blocks().into_iter().flatten().for_each(|b| walk(p, b, heads));
        }
    }
    let mut all = Vec::new();
    walk(&Printer { function, names: &[] }, &function.body, &mut all);
    all
}

/// An instruction without the blocks it holds. The function need not be well-formed.
pub(crate) fn head(function: &Function, inst: &Inst, names: Names<'_>) -> String {
    Printer { function, names }.head(inst)
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.base)?;
        if let Some((index, scale)) = self.index {
            write!(f, " + {index}*{scale}")?;
        }
        match self.offset {
            0 => f.write_str("]"),
            n if n < 0 => write!(f, " - {}]", n.unsigned_abs()),
            n => write!(f, " + {n}]"),
        }
    }
}

/// Things with commas between them.
fn list<T, S: Display>(items: &[T], text: impl Fn(&T) -> S) -> String {
    items.iter().map(|x| text(x).to_string()).collect::<Vec<_>>().join(", ")
}

/// A number of a kind, so that it is read back to the bit.
fn number(kind: Option<Kind>, bits: u64) -> String {
    let float = |x: f64, text: String| if x.is_nan() { format!("{bits:#x}") } else { text };
    match kind {
        Some(Kind::Bool) if bits <= 1 => (bits == 1).to_string(),
        Some(Kind::I8) => (bits as i8).to_string(),
        Some(Kind::I16) => (bits as i16).to_string(),
        Some(Kind::I32) => (bits as i32).to_string(),
        Some(Kind::I64) => (bits as i64).to_string(),
        Some(Kind::U8 | Kind::U16 | Kind::U32 | Kind::U64) => bits.to_string(),
        Some(kind @ (Kind::F16 | Kind::BF16 | Kind::F32)) => {
            let x = match kind {
                Kind::F16 => half::f16_to_f32(bits as u16),
                Kind::BF16 => half::bf16_to_f32(bits as u16),
                _ => f32::from_bits(bits as u32),
            };
            float(x.into(), format!("{x:?}"))
        }
        Some(Kind::F64) => {
            let x = f64::from_bits(bits);
            float(x, format!("{x:?}"))
        }
        _ => format!("{bits:#x}"),
    }
}

struct Printer<'a> {
    function: &'a Function,
    names: Names<'a>,
}

impl Printer<'_> {
    fn kind(&self, v: Value) -> Option<Kind> {
        self.function.kinds.get(v.index()).copied()
    }

    /// A value with its kind.
    fn typed(&self, v: Value) -> String {
        format!("{v}: {}", self.kind(v).map_or("?", Kind::name))
    }

    /// Values that blocks give, and are given.
    fn carry(&self, carried: &[Value], start: &[Value]) -> String {
        let pairs: Vec<_> = carried.iter().zip(start).collect();
        if pairs.is_empty() {
            return String::new();
        }
        format!(" carry ({})", list(&pairs, |(v, x)| format!("{} = {x}", self.typed(**v))))
    }

    fn gives(&self, y: &[Value]) -> String {
        if y.is_empty() { String::new() } else { format!(" -> ({})", list(y, |v| self.typed(*v))) }
    }

    /// An instruction up to its first block.
    fn head(&self, inst: &Inst) -> String {
        let define = |y: &Value, text: String| format!("{} = {text}", self.typed(*y));
        match inst {
            Inst::Const { y, bits } => define(y, format!("const {}", number(self.kind(*y), *bits))),
            Inst::Unary { y, op, x } => define(y, format!("{} {x}", op.name())),
            Inst::Binary { y, op, x: [a, b] } => define(y, format!("{} {a}, {b}", op.name())),
            Inst::MulAdd { y, x: [a, b, c], negate } => define(y, format!("{} {a}, {b}, {c}", mul_add(*negate))),
            Inst::Compare { y, op, x: [a, b] } => define(y, format!("{} {a}, {b}", op.name())),
            Inst::Select { y, condition, x: [a, b] } => define(y, format!("select {condition}, {a}, {b}")),
            Inst::Convert { y, x } => define(y, format!("convert {x}")),
            Inst::Bitcast { y, x } => define(y, format!("bitcast {x}")),
            Inst::Load { y, at } => define(y, format!("load {at}")),
            Inst::Store { x, at } => format!("store {x}, {at}"),
            Inst::Prefetch { at, write } => format!("prefetch {}{at}", if *write { "to write " } else { "" }),
            Inst::Pointer { y, at } => define(y, format!("pointer {at}")),
            Inst::Copy { x: [from, to], bytes } => format!("copy {bytes} bytes from {from} to {to}"),
            Inst::CallWhere { y, callee, condition, x, otherwise } => {
                let call = format!("call {}({})", self.callee(callee), list(x, |v| *v));
                define(y, format!("{call} where {condition} else {otherwise}"))
            }
            Inst::Call { callee, x } => format!("call {}({})", self.callee(callee), list(x, |v| *v)),
            Inst::For { index, from, step, count, carried, start, y, .. } => {
                let (carry, gives) = (self.carry(carried, start), self.gives(y));
                format!("for {index} from {from} step {step} count {count}{carry}{gives}")
            }
            Inst::While { carried, start, y, .. } => {
                format!("while{}{}", self.carry(carried, start), self.gives(y))
            }
            Inst::If { condition, y, .. } => format!("if {condition}{}", self.gives(y)),
            Inst::Lanes { index, count, .. } => format!("lanes {index} count {count}"),
        }
    }

    /// The name of a function that is called.
    fn callee(&self, callee: &Callee) -> String {
        match self.names.iter().find(|(_, c)| c == callee) {
            Some((name, _)) => name.to_string(),
            None => format!("{}@{:#x}", signature(callee.signature()), callee.address()),
        }
    }

    fn block(&self, block: &Block, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        let mut marks = block.marks.iter().peekable();
        for (i, inst) in block.insts.iter().enumerate() {
            while let Some((_, mark)) = marks.next_if(|m| m.0 as usize <= i) {
                *text += &format!("{indent}mark {mark}\n");
            }
            let blocks: &[(&str, &Block)] = match inst {
                Inst::For { body, .. } | Inst::Lanes { body, .. } => &[("", body)],
                Inst::While { condition, body, .. } => &[("", condition), ("do ", body)],
                Inst::If { then, otherwise, .. } => &[("", then), ("else ", otherwise)],
                _ => &[],
            };
            *text += &format!("{indent}{}", self.head(inst));
            for (i, (word, block)) in blocks.iter().enumerate() {
                let before = if i == 0 { String::new() } else { format!("{indent}}}") };
                *text += &format!("{before} {word}{{\n");
                self.block(block, depth + 1, text);
            }
            if !blocks.is_empty() {
                *text += &format!("{indent}}}");
            }
            text.push('\n');
        }
        if !block.results.is_empty() {
            *text += &format!("{indent}yield {}\n", list(&block.results, |v| *v));
        }
    }
}

/// The name of a signature.
fn signature(s: Signature) -> &'static str {
    match s {
        Signature::F32 => "f32",
        Signature::F64 => "f64",
        Signature::PairF32 => "pairf32",
        Signature::PairF64 => "pairf64",
        Signature::Kernel => "kernel",
    }
}

/// The name of a product with a sum, by its signs.
fn mul_add(negate: [bool; 2]) -> &'static str {
    match negate {
        [false, false] => "muladd",
        [false, true] => "mulsub",
        [true, false] => "negmuladd",
        [true, true] => "negmulsub",
    }
}
