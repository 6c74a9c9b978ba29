//! The list of all ops, and the rules each one has.
//!
//! An op is a struct of attributes in its family's file under `ops/`, where it implements [`Rules`]. Adding one is: the
//! struct and its rules there, its name in the list below, and an arm in each crate that the compiler asks; `ARCHITECTURE.md`
//! has all of it in order.

use crate::attr::{Attributes, ProgramMap, Read};
use crate::builder::Builder;
use crate::error::{Error, ErrorKind, Result};
use crate::ops::*;
use crate::program::{Program, Var};
use crate::simplify::{NarrowedOp, Narrower};
use crate::text::{Parser, Printer};
use crate::transform::{Batched, Batcher, Dual, Operand};
use crate::types::Type;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

macro_rules! ops {
    ($($(#[$meta:meta])* $variant:ident,)*) => {
        /// One kind of instruction, with its attributes. Ops have StableHLO's meaning.
        #[derive(Clone, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Op { $($(#[$meta])* $variant($variant),)* }

        $(impl From<$variant> for Op {
            fn from(op: $variant) -> Op {
                Op::$variant(op)
            }
        })*

        impl Op {
            /// The rules of this op.
            pub fn rules(&self) -> &dyn Rules {
                match self { $(Op::$variant(op) => op,)* }
            }

            /// The names of all ops in the text form. Custom ops have names of their own.
            pub fn names() -> Vec<&'static str> {
                [$($variant::names(),)*].concat()
            }

            /// Reads the attributes of the op with this name.
            pub(crate) fn read(name: &str, p: &mut Parser<'_>) -> Result<Option<Box<Op>>> {
                // A list, and not one branch for each op, keeps the stack small where programs are nested deep; so does
                // the box.
                const READERS: &[Reader] = &[$(read_one::<$variant>,)*];
                for read in READERS {
                    if let Some(op) = read(name, p)? {
                        return Ok(Some(op));
                    }
                }
                Ok(None)
            }
        }
    };
}

ops! {
    Constant,
    Iota,
    Unary,
    Binary,
    Compare,
    Select,
    Clamp,
    MulAdd,
    Convert,
    Bitcast,
    ReducePrecision,
    Broadcast,
    Reshape,
    Transpose,
    Reverse,
    Slice,
    Pad,
    Concatenate,
    DynamicSlice,
    DynamicUpdateSlice,
    Gather,
    Scatter,
    Reduce,
    DotGeneral,
    Cumulative,
    Convolution,
    ReduceWindow,
    SelectAndScatter,
    SelectAndGather,
    ArgReduce,
    Sort,
    TopK,
    Fft,
    TriangularSolve,
    Cholesky,
    Lu,
    Qr,
    Svd,
    Eigh,
    Eig,
    Threefry,
    RngBitGenerator,
    Scan,
    Cond,
    While,
    Call,
    CustomJvp,
    CustomVjp,
    LinearSolve,
    Root,
    Pullback,
    Barrier,
    StopGradient,
    AxisIndex,
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    CollectivePermute,
    Custom,
}

type Reader = fn(&str, &mut Parser<'_>) -> Result<Option<Box<Op>>>;

fn read_one<T: Read + Into<Op>>(name: &str, p: &mut Parser<'_>) -> Result<Option<Box<Op>>> {
    Ok(T::read(name, p)?.map(|op| Box::new(op.into())))
}

impl Op {
    /// The name in the text form.
    pub fn name(&self) -> &str {
        self.rules().name()
    }

    /// The types of the results for operands of these types, or what does not fit.
    pub fn result_types(&self, x: &[Type]) -> Result<Vec<Type>> {
        let results = self.rules().infer(x)?;
        for t in &results {
            t.check().map_err(|e| e.within(format!("`{}`", self.name())))?;
        }
        Ok(results)
    }

    /// The programs this op holds.
    pub fn programs(&self) -> Vec<&Arc<Program>> {
        self.rules().programs()
    }

    /// The same op with other programs.
    pub fn map_programs(&self, f: ProgramMap<'_>) -> Op {
        self.rules().map_programs(f)
    }

    /// Whether passes must leave the op alone, and two of it are never made one.
    pub fn is_opaque(&self) -> bool {
        self.rules().opaque()
    }

    /// Whether this op, or one inside it, communicates over this named axis.
    pub fn mentions_axis(&self, axis: &str) -> bool {
        self.rules().axis_name() == Some(axis) || self.programs().iter().any(|p| p.mentions_axis(axis))
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        f.write_str(&Printer::attributes_of(self))
    }
}

/// In which operands an op is linear. It gives the tangent of such ops without a rule of their own.
#[derive(Clone, Copy, Debug)]
pub enum Linearity {
    /// In none; the op has its own tangent rule, or no derivative.
    None,
    /// In all of these operands taken together, the others fixed: `op(x + y) = op(x) + op(y)`.
    Jointly(fn(operand: usize) -> bool),
    /// In each of these operands with all others fixed: products.
    Each(fn(operand: usize) -> bool),
}

/// How the operands of a loop are divided. The op and all its programs take the constants, then the carries, then what is
/// different at each step; the last program gives the next carries first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopOperands {
    /// How many operands are constants.
    pub consts: usize,
    /// How many operands after these are carries.
    pub carries: usize,
}

/// What an op means to the system: its typing rule and its rule for each transform.
///
/// Families give most of it. The defaults cover elementwise ops (batching) and linear ones (tangents).
pub trait Rules: Attributes {
    /// The types of the results, or what does not fit.
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>>;

    /// In which operands the op is linear.
    fn linearity(&self) -> Linearity {
        Linearity::None
    }

    /// Whether each result element depends on the operands' elements at the same position alone, all shapes equal.
    fn elementwise(&self) -> bool {
        false
    }

    /// The named axis the op communicates over.
    fn axis_name(&self) -> Option<&str> {
        None
    }

    /// Whether passes must leave the op alone: it stands there to keep them from moving or merging work.
    fn opaque(&self) -> bool {
        false
    }

    /// How its operands are divided, if the op is a loop.
    fn as_loop(&self) -> Option<LoopOperands> {
        None
    }

    /// For loops: the same loop with its operands divided otherwise, and other programs.
    fn with_loop(&self, parts: LoopOperands, programs: Vec<Arc<Program>>) -> Option<Op> {
        let _ = (parts, programs);
        None
    }

    /// For ops that hold programs: which operands the programs get unchanged at each run, as their first inputs.
    fn passed(&self) -> Range<usize> {
        0..self.as_loop().map_or(0, |l| l.consts)
    }

    /// For ops that hold programs: the op without results that are not wanted, and without operands that nothing uses
    /// then. `None` where nothing can go.
    fn narrow(&self, wanted: &[bool], n: &mut Narrower<'_>) -> Option<NarrowedOp> {
        n.narrow_loop(&self.to_op(), self.as_loop()?, wanted)
    }

    /// The tangents `y'` of the results, given operands `x`, their tangents `t` (`None` is zero) and results `y`.
    /// Called only if some tangent is there. The default follows from [`Rules::linearity`].
    fn tangents(&self, b: &mut Builder, x: &[Var], y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let _ = y;
        crate::transform::linear_tangents(self.to_op(), self.linearity(), b, x, t)
    }

    /// Results and tangents together. Ops that hold programs override this; others state [`Rules::tangents`].
    fn jvp(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let y = b.push(self.to_op(), x);
        let tangents = self.tangents(b, x, &y, t)?;
        Ok(Dual { primals: y.to_vec(), tangents })
    }

    /// Like [`Rules::jvp`], with the known part and the linear part in separate equations, so that the linear part can
    /// be transposed. Ops that hold programs override this.
    fn linearize(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        self.jvp(b, x, t)
    }

    /// The cotangents of the linear operands, given those of the results (`None` is zero).
    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let _ = (b, x, ct);
        Err(no_rule(self.name(), "transposed", "it is not linear"))
    }

    /// The op over a batch. Batched operands have the batch as axis 0, and so must batched results.
    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        if self.elementwise() {
            return Ok(b.elementwise(self.to_op(), x));
        }
        Err(no_rule(self.name(), "batched", "no batching rule"))
    }
}

/// An op that a transform can't go through.
pub(crate) fn no_rule(op: &str, transformed: &str, why: &str) -> Error {
    Error::new(ErrorKind::NoRule, format!("`{op}` can't be {transformed}: {why}"))
}
