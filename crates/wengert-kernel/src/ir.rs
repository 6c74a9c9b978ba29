//! Functions of the kernel language.
//!
//! Every value is defined once, by one instruction or as an input of a block around it, and used only after that, in the
//! same block or in blocks inside of it.
//!
//! # What instructions give
//!
//! - Integers wrap. Division by zero gives all bits set, the remainder by zero gives the dividend, and the smallest
//!   number divided by -1 gives itself, with remainder zero. Shifts take the second operand as unsigned: by the width or
//!   more they give zero, or for the arithmetic shift right copies of the sign.
//! - Floats are IEEE's, rounded to nearest, ties to even; subnormal numbers are kept. Which NaN an operation gives is not
//!   said. [`Binary::Max`] and [`Binary::Min`] give NaN if an operand is NaN; the positive zero is larger than the
//!   negative one.
//! - Comparisons of floats are false where an operand is NaN, but for [`Compare::Ne`], which is true then.
//! - [`Inst::Convert`]: integers to narrower ones keep the low bits, to wider ones extend by their own sign; to floats
//!   they round. Floats to integers are cut towards zero, to the nearest where they do not fit, NaN to zero. Anything to
//!   [`Kind::Bool`] is whether it is not zero (NaN is not); booleans are 0 and 1. `f64` to `f32` rounds.
//! - Floats of 16 bits are converted from and to `f32`, and else only moved: nothing is computed with them.
//! - A boolean in memory is a byte, 0 or 1.
//!
//! [Marks](Block::marks) beside instructions say what they were made from. They change nothing of what is computed.

use std::collections::HashMap;

/// The kind of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// True or false.
    Bool,
    /// A signed integer of 8 bits.
    I8,
    /// A signed integer of 16 bits.
    I16,
    /// A signed integer of 32 bits.
    I32,
    /// A signed integer of 64 bits.
    I64,
    /// An unsigned integer of 8 bits.
    U8,
    /// An unsigned integer of 16 bits.
    U16,
    /// An unsigned integer of 32 bits.
    U32,
    /// An unsigned integer of 64 bits.
    U64,
    /// A float of 16 bits as IEEE has it, with 11 that count.
    F16,
    /// The upper half of a float of 32 bits.
    BF16,
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
    /// Where something lies in memory.
    Ptr,
}

impl Kind {
    /// How many bytes it takes in memory.
    pub fn bytes(self) -> usize {
        match self {
            Kind::Bool | Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 | Kind::F16 | Kind::BF16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::I64 | Kind::U64 | Kind::F64 | Kind::Ptr => 8,
        }
    }

    /// Whether it is a float that is computed with.
    pub fn is_float(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64)
    }

    /// Whether it is a float of 16 bits.
    pub fn is_half(self) -> bool {
        matches!(self, Kind::F16 | Kind::BF16)
    }

    /// Whether it is an integer with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64)
    }

    /// Whether it is an integer; a boolean is none.
    pub fn is_integer(self) -> bool {
        !self.is_float() && !self.is_half() && !matches!(self, Kind::Bool | Kind::Ptr)
    }

    /// Its name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::I8 => "i8",
            Kind::I16 => "i16",
            Kind::I32 => "i32",
            Kind::I64 => "i64",
            Kind::U8 => "u8",
            Kind::U16 => "u16",
            Kind::U32 => "u32",
            Kind::U64 => "u64",
            Kind::F16 => "f16",
            Kind::BF16 => "bf16",
            Kind::F32 => "f32",
            Kind::F64 => "f64",
            Kind::Ptr => "ptr",
        }
    }
}

/// A value of a function, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

impl Value {
    /// Its number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operations on one scalar, which give one of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-x`; of integers and floats.
    Neg,
    /// The absolute value; of signed integers (the smallest gives itself) and floats.
    Abs,
    /// All bits turned; of integers. Of booleans, the other one.
    Not,
    /// The square root, correctly rounded; of floats.
    Sqrt,
    /// The integer at or below; of floats.
    Floor,
    /// The integer at or above; of floats.
    Ceil,
    /// The integer towards zero; of floats.
    Trunc,
    /// The nearest integer, ties to even; of floats.
    RoundEven,
}

/// Operations on two scalars of one kind, which give one of that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// The sum; of numbers.
    Add,
    /// The difference; of numbers.
    Sub,
    /// The product; of numbers.
    Mul,
    /// The quotient; of integers cut towards zero.
    Div,
    /// The remainder, with the sign of the dividend; of integers.
    Rem,
    /// The larger; of numbers.
    Max,
    /// The smaller; of numbers.
    Min,
    /// Bits in both; of integers and booleans.
    And,
    /// Bits in one or both; of integers and booleans.
    Or,
    /// Bits in one of both; of integers and booleans.
    Xor,
    /// A shift to the left; of integers.
    Shl,
    /// A shift to the right that fills in zeros, whatever the sign; of integers.
    ShrLogical,
    /// A shift to the right that fills in the highest bit, whatever the kind; of integers.
    ShrArithmetic,
    /// The absolute value of the first with the sign of the second; of floats.
    CopySign,
    /// The first if it is less than the second, else the second, also where one is NaN; of floats.
    MinOrSecond,
    /// The first if it is greater than the second, else the second, also where one is NaN; of floats.
    MaxOrSecond,
    /// The first times two to the power of the second, rounded once; of floats. The first is NaN, or a number from 1/4 to
    /// 4, of either sign; the second NaN, or a whole number of not more than 250 (in `f64`, 2000) of either sign. Of
    /// others it is not said what it gives.
    Scale,
}

/// Comparisons of two scalars of one kind: integers, floats that are computed with, and booleans with false below true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

/// A place in memory: `base + index · scale + offset`, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// A pointer.
    pub base: Value,
    /// An `i64`, and the bytes for each one of it.
    pub index: Option<(Value, i64)>,
    /// More bytes.
    pub offset: i64,
}

impl Address {
    /// The place that a pointer gives, and some bytes further.
    pub fn at(base: Value, offset: i64) -> Address {
        Address { base, index: None, offset }
    }
}

/// What a function that is called takes and gives, in the C calling convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signature {
    /// One `f32` to one `f32`.
    F32,
    /// One `f64` to one `f64`.
    F64,
    /// Two `f32` to one `f32`.
    PairF32,
    /// Two `f64` to one `f64`.
    PairF64,
    /// Pointers and `i64`, at most six, to a `bool` that says whether to go on. If it is `false`, the function that calls
    /// ends at once, with `false`.
    Kernel,
}

/// A function outside of the language that can be called. It never unwinds, and keeps no pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Callee {
    /// Where its code lies.
    address: usize,
    /// What it takes and gives.
    signature: Signature,
}

impl Callee {
    /// The function at this address.
    ///
    /// # Safety
    /// It has this signature, and does what is said above.
    pub unsafe fn new(address: *const (), signature: Signature) -> Callee {
        Callee { address: address as usize, signature }
    }

    /// A function of one `f32` that depends on nothing else.
    pub fn f32(f: extern "C" fn(f32) -> f32) -> Callee {
        Callee { address: f as usize, signature: Signature::F32 }
    }

    /// A function of one `f64` that depends on nothing else.
    pub fn f64(f: extern "C" fn(f64) -> f64) -> Callee {
        Callee { address: f as usize, signature: Signature::F64 }
    }

    /// A function of two `f32` that depends on nothing else.
    pub fn pair_f32(f: extern "C" fn(f32, f32) -> f32) -> Callee {
        Callee { address: f as usize, signature: Signature::PairF32 }
    }

    /// A function of two `f64` that depends on nothing else.
    pub fn pair_f64(f: extern "C" fn(f64, f64) -> f64) -> Callee {
        Callee { address: f as usize, signature: Signature::PairF64 }
    }

    /// Where its code lies.
    pub fn address(&self) -> usize {
        self.address
    }

    /// What it takes and gives.
    pub fn signature(&self) -> Signature {
        self.signature
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Inst {
    /// A number by its bits, as many as its kind has.
    Const {
        /// The result.
        y: Value,
        /// The bits, zero-extended.
        bits: u64,
    },
    /// An operation on one scalar.
    Unary {
        /// The result.
        y: Value,
        /// Which.
        op: Unary,
        /// The operand.
        x: Value,
    },
    /// An operation on two scalars.
    Binary {
        /// The result.
        y: Value,
        /// Which.
        op: Binary,
        /// The operands.
        x: [Value; 2],
    },
    /// `x[0] · x[1] + x[2]`, rounded once; of floats.
    MulAdd {
        /// The result.
        y: Value,
        /// The operands.
        x: [Value; 3],
        /// Whether the product, and whether the last operand, is taken with the other sign.
        negate: [bool; 2],
    },
    /// A comparison, which gives a boolean.
    Compare {
        /// The result.
        y: Value,
        /// Which.
        op: Compare,
        /// The operands.
        x: [Value; 2],
    },
    /// The first value if the condition holds, else the second.
    Select {
        /// The result.
        y: Value,
        /// A boolean.
        condition: Value,
        /// The values, of any kind.
        x: [Value; 2],
    },
    /// The number in the kind of `y`. Pointers are not converted, and floats of 16 bits only from and to `f32`.
    Convert {
        /// The result.
        y: Value,
        /// The operand.
        x: Value,
    },
    /// The bits in the kind of `y`, which has as many.
    Bitcast {
        /// The result.
        y: Value,
        /// The operand.
        x: Value,
    },
    /// Reads a scalar from memory, which need not be aligned.
    Load {
        /// The result.
        y: Value,
        /// Where.
        at: Address,
    },
    /// Writes a scalar to memory, which need not be aligned.
    Store {
        /// What.
        x: Value,
        /// Where.
        at: Address,
    },
    /// Memory at this place will be read or written soon: says so to the machine. Nothing is read, and there need not be any
    /// memory.
    Prefetch {
        /// Where.
        at: Address,
        /// Whether it will be written.
        write: bool,
    },
    /// The pointer to a place.
    Pointer {
        /// The result.
        y: Value,
        /// Which place.
        at: Address,
    },
    /// Copies bytes from one place to another, which do not overlap.
    Copy {
        /// The pointers: from, to.
        x: [Value; 2],
        /// How many bytes.
        bytes: usize,
    },
    /// Calls a kernel.
    Call {
        /// Which; a [`Signature::Kernel`].
        callee: Callee,
        /// The arguments.
        x: Vec<Value>,
    },
    /// Calls a function of one or two floats where a condition holds; elsewhere the result is another float. In lanes the
    /// function is called for those lanes only, and where there are none, that costs next to nothing.
    CallWhere {
        /// The result.
        y: Value,
        /// A function of floats that depends on nothing else.
        callee: Callee,
        /// A boolean.
        condition: Value,
        /// The arguments.
        x: Vec<Value>,
        /// The result where the condition does not hold.
        otherwise: Value,
    },
    /// Runs a block for each number from `from`, `count` times, each larger by `step`; results of the block are its
    /// carried values the next time.
    For {
        /// The number, an `i64`: an input of the block.
        index: Value,
        /// The first.
        from: i64,
        /// From one to the next.
        step: i64,
        /// How often.
        count: u64,
        /// What is carried: inputs of the block, of the kinds of `start`.
        carried: Vec<Value>,
        /// What they start with.
        start: Vec<Value>,
        /// The block; it gives the next carried values.
        body: Block,
        /// What is carried in the end.
        y: Vec<Value>,
    },
    /// Runs a block as long as a condition holds of what is carried.
    While {
        /// What is carried: inputs of both blocks.
        carried: Vec<Value>,
        /// What they start with.
        start: Vec<Value>,
        /// Gives one boolean.
        condition: Block,
        /// Gives the next carried values.
        body: Block,
        /// What is carried in the end.
        y: Vec<Value>,
    },
    /// Runs one of two blocks, which give values of the same kinds.
    If {
        /// A boolean.
        condition: Value,
        /// If it holds.
        then: Block,
        /// If not.
        otherwise: Block,
        /// What the block gave.
        y: Vec<Value>,
    },
    /// Runs a block for each number from 0, `count` times, in any order, several at a time: nothing the block reads is
    /// written by it for another number. The block gives nothing, and holds no loops, branches, or calls of kernels.
    /// A value that is defined outside is the same in every lane. An address may use the number as its index; another
    /// index that differs from lane to lane is a gather or scatter.
    Lanes {
        /// The number, an `i64`: an input of the block.
        index: Value,
        /// How often.
        count: u64,
        /// The block; it gives nothing.
        body: Block,
    },
}

impl Inst {
    /// The blocks that it holds, in the order they stand in.
    pub fn blocks(&self) -> [Option<&Block>; 2] {
        match self {
            Inst::For { body, .. } | Inst::Lanes { body, .. } => [Some(body), None],
            Inst::While { condition, body, .. } => [Some(condition), Some(body)],
            Inst::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
            _ => [None, None],
        }
    }

    fn blocks_mut(&mut self) -> [Option<&mut Block>; 2] {
        match self {
            Inst::For { body, .. } | Inst::Lanes { body, .. } => [Some(body), None],
            Inst::While { condition, body, .. } => [Some(condition), Some(body)],
            Inst::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
            _ => [None, None],
        }
    }

    /// Whether a block in it has marks.
    pub(crate) fn has_marks(&self) -> bool {
        self.blocks().into_iter().flatten().any(|b| !b.marks.is_empty())
    }

    /// Whether no instruction in it has another mark than this one.
    fn is_marked_only(&self, mark: Option<u32>) -> bool {
        let only = |b: &Block| b.marks.iter().all(|m| Some(m.1) == mark) && !b.insts.iter().any(Inst::has_marks);
        matches!(self, Inst::Lanes { .. }) || self.blocks().into_iter().flatten().all(only)
    }
}

/// Instructions one after the other, and what they give.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The instructions.
    pub insts: Vec<Inst>,
    /// What the block gives to the instruction that holds it.
    pub results: Vec<Value>,
    /// Positions of instructions, ascending, each with a number for whoever made the function: from there on to the next
    /// one, instructions belong to that part of his. Instructions that hold blocks with marks are followed by a mark.
    pub marks: Vec<(u32, u32)>,
}

/// A function: it takes pointers, and gives whether it ran to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name, for listings and profiles.
    pub name: String,
    /// What it takes, at most six pointers.
    pub params: Vec<Value>,
    /// The kind of each value.
    pub kinds: Vec<Kind>,
    /// What it does; it gives nothing.
    pub body: Block,
}

impl Function {
    /// The kind of a value.
    pub fn kind(&self, v: Value) -> Kind {
        self.kinds[v.index()]
    }
}

/// Writes a function, instruction by instruction, into the innermost block that was begun.
#[derive(Debug, Default)]
pub struct Builder {
    kinds: Vec<Kind>,
    params: Vec<Value>,
    blocks: Vec<Open>,
    /// What the next instructions are marked with.
    mark: Option<u32>,
    written: usize,
    /// Floats that are others with the other sign.
    negated: HashMap<Value, Value>,
    /// Constants with their bits, ascending.
    constants: Vec<(Value, u64)>,
}

/// A block that is being written.
#[derive(Debug, Default)]
struct Open {
    block: Block,
    /// The mark that holds for the next instruction.
    mark: Option<u32>,
}

impl Builder {
    /// A function without instructions, of this many pointers.
    pub fn new(pointers: usize) -> Builder {
        let mut b = Builder { blocks: vec![Open::default()], ..Builder::default() };
        b.params = (0..pointers).map(|_| b.value(Kind::Ptr)).collect();
        b
    }

    /// A parameter.
    pub fn param(&self, i: usize) -> Value {
        self.params[i]
    }

    /// The kind of a value.
    pub fn kind(&self, v: Value) -> Kind {
        self.kinds[v.index()]
    }

    /// A value that an instruction is to define.
    pub fn value(&mut self, kind: Kind) -> Value {
        self.kinds.push(kind);
        Value(self.kinds.len() as u32 - 1)
    }

    /// Adds an instruction.
    pub fn push(&mut self, mut inst: Inst) {
        let open = self.blocks.last_mut().expect("a block is begun");
        if open.mark != self.mark
            && let Some(mark) = self.mark
            && !matches!(inst, Inst::Const { .. })
        {
            open.block.marks.push((open.block.insts.len() as u32, mark));
            open.mark = self.mark;
        }
        if inst.has_marks() {
            if inst.is_marked_only(self.mark) {
                inst.blocks_mut().into_iter().flatten().for_each(|b| b.marks.clear());
            } else {
                open.mark = None;
            }
        }
        self.written += !matches!(inst, Inst::Const { .. }) as usize;
        open.block.insts.push(inst);
    }

    /// How many instructions were added so far, in all blocks, constants left out.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Marks the instructions that follow, in this block and in those that are begun.
    pub fn mark(&mut self, mark: u32) {
        self.mark = Some(mark);
    }

    /// Begins a block.
    pub fn begin(&mut self) {
        self.blocks.push(Open::default());
    }

    /// Adds the instructions of a block as if they had been written here, and gives its results.
    pub fn append(&mut self, block: Block) -> Vec<Value> {
        let open = self.blocks.last_mut().expect("a block is begun");
        let before = open.block.insts.len() as u32;
        open.block.marks.extend(block.marks.iter().map(|&(at, mark)| (before + at, mark)));
        open.block.insts.extend(block.insts);
        open.mark = None;
        block.results
    }

    /// Ends the innermost block.
    pub fn end(&mut self, results: Vec<Value>) -> Block {
        assert!(self.blocks.len() > 1, "the function's own block ends with it");
        Block { results, ..self.blocks.pop().expect("a block is begun").block }
    }

    /// The function.
    pub fn finish(mut self, name: impl Into<String>) -> Function {
        assert_eq!(self.blocks.len(), 1, "all blocks but the function's own are ended");
        let body = self.blocks.pop().expect("the function's own").block;
        Function { name: name.into(), params: self.params, kinds: self.kinds, body }
    }

    /// A number by its bits.
    pub fn constant(&mut self, kind: Kind, bits: u64) -> Value {
        let y = self.value(kind);
        self.constants.push((y, bits));
        self.push(Inst::Const { y, bits });
        y
    }

    /// The bits of a value that is a constant.
    pub(crate) fn constant_bits(&self, v: Value) -> Option<u64> {
        let at = self.constants.binary_search_by_key(&v.0, |c| c.0.0);
        at.ok().map(|i| self.constants[i].1)
    }

    /// An operation on one scalar.
    pub fn unary(&mut self, op: Unary, x: Value) -> Value {
        let y = self.value(self.kind(x));
        if op == Unary::Neg && self.kind(x).is_float() {
            self.negated.insert(y, x);
        }
        self.push(Inst::Unary { y, op, x });
        y
    }

    /// An operation on two scalars.
    pub fn binary(&mut self, op: Binary, a: Value, b: Value) -> Value {
        debug_assert_eq!(self.kind(a), self.kind(b), "{op:?} of one kind");
        let y = self.value(self.kind(a));
        self.push(Inst::Binary { y, op, x: [a, b] });
        y
    }

    /// `x[0] · x[1] + x[2]`, rounded once. Operands that were negated are taken as they were before, with the other sign.
    pub fn mul_add(&mut self, x: [Value; 3]) -> Value {
        let y = self.value(self.kind(x[0]));
        let before = x.map(|v| self.negated.get(&v).copied());
        let [a, b, c] = before.map(|v| v.is_some());
        let x = std::array::from_fn(|i| before[i].unwrap_or(x[i]));
        self.push(Inst::MulAdd { y, x, negate: [a != b, c] });
        y
    }

    /// A comparison.
    pub fn compare(&mut self, op: Compare, a: Value, b: Value) -> Value {
        debug_assert_eq!(self.kind(a), self.kind(b), "{op:?} of one kind");
        let y = self.value(Kind::Bool);
        self.push(Inst::Compare { y, op, x: [a, b] });
        y
    }

    /// The first value if the condition holds, else the second.
    pub fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        let y = self.value(self.kind(a));
        self.push(Inst::Select { y, condition, x: [a, b] });
        y
    }

    /// What a function of floats gives where a condition holds, else another float.
    pub fn call_where(&mut self, callee: Callee, condition: Value, x: &[Value], otherwise: Value) -> Value {
        let y = self.value(self.kind(otherwise));
        self.push(Inst::CallWhere { y, callee, condition, x: x.to_vec(), otherwise });
        y
    }

    /// The number in another kind.
    pub fn convert(&mut self, x: Value, to: Kind) -> Value {
        if self.kind(x) == to {
            return x;
        }
        let y = self.value(to);
        self.push(Inst::Convert { y, x });
        y
    }

    /// The bits in another kind.
    pub fn bitcast(&mut self, x: Value, to: Kind) -> Value {
        if self.kind(x) == to {
            return x;
        }
        let y = self.value(to);
        self.push(Inst::Bitcast { y, x });
        y
    }

    /// Reads a scalar.
    pub fn load(&mut self, kind: Kind, at: Address) -> Value {
        let y = self.value(kind);
        self.push(Inst::Load { y, at });
        y
    }

    /// Writes a scalar.
    pub fn store(&mut self, x: Value, at: Address) {
        self.push(Inst::Store { x, at });
    }

    /// Says that a place will be read or written soon.
    pub fn prefetch(&mut self, at: Address, write: bool) {
        self.push(Inst::Prefetch { at, write });
    }

    /// The pointer to a place.
    pub fn pointer(&mut self, at: Address) -> Value {
        if at.index.is_none() && at.offset == 0 {
            return at.base;
        }
        let y = self.value(Kind::Ptr);
        self.push(Inst::Pointer { y, at });
        y
    }
}
