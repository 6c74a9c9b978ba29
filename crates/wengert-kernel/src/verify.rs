//! What a function must be so that it can be run: values defined once and used where they are seen, of the kinds that
//! instructions take.

use crate::ir::{Address, Binary, Block, Function, Inst, Kind, Signature, Unary, Value};

/// How many parameters a function has, and how many arguments a kernel takes, at most.
const MOST_PARAMS: usize = 6;

/// Whether a function is well-formed; if not, it names the instruction, and says what is wrong with it.
///
/// ```
/// use wengert_kernel::{text, verify};
///
/// let f = text::parse("fn f(%0: ptr) {\n %1: f32 = load [%0]\n %2: f32 = not %1\n}", &[]).unwrap();
/// assert_eq!(verify(&f).unwrap_err(), "fn f: `%2: f32 = not %1`: `not` is not of f32");
/// ```
pub fn verify(function: &Function) -> Result<(), String> {
    let count = function.kinds.len();
    let (defined, seen) = (vec![false; count], vec![false; count]);
    let mut v = Verifier { function, defined, seen, in_sight: Vec::new(), in_lanes: false };
    let checked = v.params().and_then(|()| v.insts(&function.body));
    checked.map_err(|e| format!("fn {}: {e}", function.name))
}

/// An error unless something holds.
fn check(holds: bool, error: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(error()) }
}

struct Verifier<'f> {
    function: &'f Function,
    /// Whether a value was defined so far, anywhere.
    defined: Vec<bool>,
    /// Whether a value is seen by the instruction that comes.
    seen: Vec<bool>,
    /// The values that are seen, in the order they came.
    in_sight: Vec<Value>,
    in_lanes: bool,
}

impl Verifier<'_> {
    /// What holds of the function as a whole.
    fn params(&mut self) -> Result<(), String> {
        let params = &self.function.params;
        check(params.len() <= MOST_PARAMS, || format!("at most {MOST_PARAMS} parameters"))?;
        params.iter().try_for_each(|&x| self.define(x, Kind::Ptr))?;
        check(self.function.body.results.is_empty(), || "a function gives nothing".into())
    }

    /// A value comes to be.
    fn define(&mut self, v: Value, kind: Kind) -> Result<(), String> {
        let Some(&own) = self.function.kinds.get(v.index()) else {
            return Err(format!("%{} has no kind", v.0));
        };
        check(own == kind, || format!("%{} is to be {}, not {}", v.0, kind.name(), own.name()))?;
        check(!self.defined[v.index()], || format!("%{} is defined twice", v.0))?;
        self.defined[v.index()] = true;
        self.seen[v.index()] = true;
        self.in_sight.push(v);
        Ok(())
    }

    /// All values but the first so many go out of sight.
    fn forget(&mut self, but: usize) {
        for v in self.in_sight.drain(but..) {
            self.seen[v.index()] = false;
        }
    }

    /// The kind of a value that is used.
    fn kind(&self, v: Value) -> Result<Kind, String> {
        match self.seen.get(v.index()) {
            Some(true) => Ok(self.function.kind(v)),
            Some(false) if self.defined[v.index()] => Err(format!("%{} is not seen here", v.0)),
            _ => Err(format!("%{} is not defined", v.0)),
        }
    }

    /// A value that is used is of a kind.
    fn expect(&self, v: Value, kind: Kind) -> Result<(), String> {
        let own = self.kind(v)?;
        check(own == kind, || format!("%{} is to be {}, not {}", v.0, kind.name(), own.name()))
    }

    /// The kind that a result has.
    fn own(&self, y: Value) -> Result<Kind, String> {
        self.function.kinds.get(y.index()).copied().ok_or_else(|| format!("%{} has no kind", y.0))
    }

    fn address(&self, at: &Address) -> Result<(), String> {
        self.expect(at.base, Kind::Ptr)?;
        at.index.map_or(Ok(()), |(index, _)| self.expect(index, Kind::I64))
    }

    /// As many of one as of the other, and of the same kinds.
    fn agree(&self, what: &str, x: &[Value], y: &[Value]) -> Result<(), String> {
        check(x.len() == y.len(), || format!("{what}: {} values for {}", x.len(), y.len()))?;
        for (&x, &y) in x.iter().zip(y) {
            self.expect(x, self.own(y)?).map_err(|e| format!("{what}: {e}"))?;
        }
        Ok(())
    }

    fn define_all(&mut self, values: &[Value]) -> Result<(), String> {
        values.iter().try_for_each(|&v| self.define(v, self.own(v)?))
    }

    /// The instructions of a block; what they define stays in sight.
    fn insts(&mut self, block: &Block) -> Result<(), String> {
        let (marks, count) = (&block.marks, block.insts.len());
        check(marks.is_sorted() && marks.last().is_none_or(|m| (m.0 as usize) < count), || {
            "marks are in order, each before an instruction".into()
        })?;
        check(!self.in_lanes || marks.is_empty(), || "lanes hold no marks".into())?;
        for inst in &block.insts {
            self.head(inst).map_err(|e| self.name(inst, &e))?;
            self.blocks(inst)?;
        }
        Ok(())
    }

    /// An error about an instruction.
    fn name(&self, inst: &Inst, error: &str) -> String {
        format!("`{}`: {error}", crate::text::head(self.function, inst, &[]))
    }

    /// An instruction without its blocks, and without what it gives where it holds blocks.
    fn head(&mut self, inst: &Inst) -> Result<(), String> {
        match inst {
            Inst::Const { y, bits } => {
                let kind = self.own(*y)?;
                let fits = match kind {
                    Kind::Bool => *bits <= 1,
                    _ => kind.bytes() == 8 || bits >> (kind.bytes() * 8) == 0,
                };
                check(fits, || format!("{bits:#x} is no {}", kind.name()))?;
                self.define(*y, kind)
            }
            Inst::Unary { y, op, x } => {
                let kind = self.kind(*x)?;
                check(op.takes(kind), || format!("`{}` is not of {}", op.name(), kind.name()))?;
                self.define(*y, kind)
            }
            Inst::Binary { y, op, x } => {
                let kind = self.kind(x[0])?;
                self.expect(x[1], kind)?;
                check(op.takes(kind), || format!("`{}` is not of {}", op.name(), kind.name()))?;
                self.define(*y, kind)
            }
            Inst::MulAdd { y, x, .. } => {
                let kind = self.kind(x[0])?;
                check(kind.is_float(), || format!("`muladd` is not of {}", kind.name()))?;
                x.iter().try_for_each(|&x| self.expect(x, kind))?;
                self.define(*y, kind)
            }
            Inst::Compare { y, op, x } => {
                let kind = self.kind(x[0])?;
                let taken = kind != Kind::Ptr && !kind.is_half();
                check(taken, || format!("`{}` is not of {}", op.name(), kind.name()))?;
                self.expect(x[1], kind)?;
                self.define(*y, Kind::Bool)
            }
            Inst::Select { y, condition, x } => {
                self.expect(*condition, Kind::Bool)?;
                let kind = self.kind(x[0])?;
                self.expect(x[1], kind)?;
                self.define(*y, kind)
            }
            Inst::Convert { y, x } => {
                let (from, to) = (self.kind(*x)?, self.own(*y)?);
                check(from != Kind::Ptr && to != Kind::Ptr, || "pointers are not converted".into())?;
                let through = |half: Kind, other: Kind| !half.is_half() || other == Kind::F32 || other == half;
                check(through(from, to) && through(to, from), || {
                    format!("{} is not converted to {}, but for through f32", from.name(), to.name())
                })?;
                self.define(*y, to)
            }
            Inst::Bitcast { y, x } => {
                let (from, to) = (self.kind(*x)?, self.own(*y)?);
                let number = |k: Kind| k.is_integer() || k.is_float() || k.is_half();
                check(number(from) && number(to) && from.bytes() == to.bytes(), || {
                    format!("the bits of {} are no {}", from.name(), to.name())
                })?;
                self.define(*y, to)
            }
            Inst::Load { y, at } => {
                self.address(at)?;
                self.define(*y, self.own(*y)?)
            }
            Inst::Store { x, at } => {
                self.kind(*x)?;
                self.address(at)
            }
            Inst::Prefetch { at, .. } => self.address(at),
            Inst::Pointer { y, at } => {
                self.address(at)?;
                self.define(*y, Kind::Ptr)
            }
            Inst::Copy { x, .. } => x.iter().try_for_each(|&x| self.expect(x, Kind::Ptr)),
            Inst::Call { callee, x } => self.call_kernel(callee.signature(), x),
            Inst::CallWhere { y, callee, condition, x, otherwise } => {
                let (count, kind) = match callee.signature() {
                    Signature::F32 => (1, Kind::F32),
                    Signature::F64 => (1, Kind::F64),
                    Signature::PairF32 => (2, Kind::F32),
                    Signature::PairF64 => (2, Kind::F64),
                    Signature::Kernel => return Err("kernels give no value".into()),
                };
                check(x.len() == count, || format!("{} arguments for {count}", x.len()))?;
                x.iter().chain([otherwise]).try_for_each(|&x| self.expect(x, kind))?;
                self.expect(*condition, Kind::Bool)?;
                self.define(*y, kind)
            }
            Inst::For { carried, start, .. } | Inst::While { carried, start, .. } => {
                self.control_flow()?;
                self.agree("carry", start, carried)
            }
            Inst::If { condition, .. } => {
                self.control_flow()?;
                self.expect(*condition, Kind::Bool)
            }
            Inst::Lanes { .. } => self.control_flow(),
        }
    }

    fn control_flow(&self) -> Result<(), String> {
        check(!self.in_lanes, || "lanes hold no loops and branches".into())
    }

    fn call_kernel(&mut self, signature: Signature, x: &[Value]) -> Result<(), String> {
        check(signature == Signature::Kernel, || "the function gives a value".into())?;
        check(!self.in_lanes, || "lanes call no kernels".into())?;
        check(x.len() <= MOST_PARAMS, || format!("at most {MOST_PARAMS} arguments"))?;
        for &x in x {
            let kind = self.kind(x)?;
            check(matches!(kind, Kind::Ptr | Kind::I64), || format!("kernels take no {}", kind.name()))?;
        }
        Ok(())
    }

    /// The blocks of an instruction, and what it gives.
    fn blocks(&mut self, inst: &Inst) -> Result<(), String> {
        let give = match inst {
            Inst::For { index, carried, body, y, .. } => {
                self.block(inst, body, &[&[*index], carried], |v| {
                    v.expect(*index, Kind::I64)?;
                    v.agree("yield", &body.results, carried)
                })?;
                (carried, y)
            }
            Inst::While { carried, condition, body, y, .. } => {
                // Both blocks see what is carried: it is in sight until the second ends.
                let outer = self.in_sight.len();
                self.define_all(carried).map_err(|e| self.name(inst, &e))?;
                self.block(inst, condition, &[], |v| match condition.results[..] {
                    [c] => v.expect(c, Kind::Bool),
                    _ => Err("a condition gives one value".into()),
                })?;
                self.block(inst, body, &[], |v| v.agree("yield", &body.results, carried))?;
                self.forget(outer);
                (carried, y)
            }
            Inst::If { then, otherwise, y, .. } => {
                for block in [then, otherwise] {
                    self.block(inst, block, &[], |v| v.agree("yield", &block.results, y))?;
                }
                (y, y)
            }
            Inst::Lanes { index, body, .. } => {
                self.in_lanes = true;
                self.block(inst, body, &[&[*index]], |v| {
                    v.expect(*index, Kind::I64)?;
                    check(body.results.is_empty(), || "lanes give nothing".into())
                })?;
                self.in_lanes = false;
                return Ok(());
            }
            _ => return Ok(()),
        };
        let (like, y) = give;
        let same = like.len() == y.len() && like.iter().zip(y).all(|(a, b)| self.own(*a) == self.own(*b));
        check(same, || "it gives what it carries, of the same kinds".into())
            .and_then(|()| self.define_all(y))
            .map_err(|e| self.name(inst, &e))
    }

    /// A block with its inputs; what it gives is checked before its values go out of sight.
    fn block(
        &mut self,
        inst: &Inst,
        block: &Block,
        inputs: &[&[Value]],
        results: impl FnOnce(&Self) -> Result<(), String>,
    ) -> Result<(), String> {
        let outer = self.in_sight.len();
        for values in inputs {
            self.define_all(values).map_err(|e| self.name(inst, &e))?;
        }
        self.insts(block)?;
        results(self).map_err(|e| self.name(inst, &e))?;
        self.forget(outer);
        Ok(())
    }
}

impl Unary {
    /// Whether it is of scalars of a kind.
    pub fn takes(self, kind: Kind) -> bool {
        match self {
            Unary::Neg => kind.is_integer() || kind.is_float(),
            Unary::Abs => kind.is_signed() || kind.is_float(),
            Unary::Not => kind.is_integer() || kind == Kind::Bool,
            Unary::Sqrt | Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven => kind.is_float(),
        }
    }
}

impl Binary {
    /// Whether it is of scalars of a kind.
    pub fn takes(self, kind: Kind) -> bool {
        match self {
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Max | Binary::Min => {
                kind.is_integer() || kind.is_float()
            }
            Binary::And | Binary::Or | Binary::Xor => kind.is_integer() || kind == Kind::Bool,
            Binary::Rem | Binary::Shl | Binary::ShrLogical | Binary::ShrArithmetic => kind.is_integer(),
            Binary::CopySign | Binary::MinOrSecond | Binary::MaxOrSecond | Binary::Scale => kind.is_float(),
        }
    }
}
