//! Whether this machine has the memory that a program asks for, found out before it runs: an allocation that fails
//! ends the whole process.

use crate::kernels::Geometry;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;
use wengert_core::ops::Combiner;
use wengert_core::{Builder, DType, Equation, Error, ErrorKind, Op, Program, Result, Tensor, Type, Var};

/// Up to this many bytes are not asked for beforehand.
const SMALL: usize = 1 << 30;

/// Whether so many bytes can be had at once: this machine has as many, and the system gives them.
pub fn has_room(bytes: usize) -> bool {
    bytes <= SMALL || (machine().is_none_or(|all| bytes <= all) && Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

/// The bytes of memory that this machine has, with what it swaps to, or that this process is let have, where a file says
/// so. A system may promise more than it has, and ends the process that takes it at its word.
fn machine() -> Option<usize> {
    static BYTES: LazyLock<Option<usize>> = LazyLock::new(|| {
        let read = |path: &str| std::fs::read_to_string(path).ok();
        let line = |text: &str, name: &str| -> Option<usize> {
            let kib = text.lines().find_map(|l| l.strip_prefix(name))?.split_whitespace().next()?;
            kib.parse::<usize>().ok()?.checked_mul(1024)
        };
        let text = read("/proc/meminfo")?;
        let all = line(&text, "MemTotal:")?.saturating_add(line(&text, "SwapTotal:").unwrap_or(0));
        let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
        let limit = limits.into_iter().filter_map(|p| read(p)?.trim().parse::<usize>().ok()).min();
        Some(limit.map_or(all, |limit| limit.min(all)))
    });
    *BYTES
}

/// An error for an equation that this machine has no room for.
pub fn check(program: &Program) -> Result<()> {
    within(program, false, &mut FxHashSet::default())
}

/// An error for an op on these operands that this machine has no room for.
pub(crate) fn check_op(op: &Op, x: &[Tensor], results: &[&Type]) -> Result<()> {
    let small = |dtype: DType, size: usize| dtype.bytes_of(size).is_some_and(|n| n <= SMALL);
    let small = x.iter().all(|x| small(x.dtype(), x.size())) && results.iter().all(|t| small(t.dtype, t.shape.size()));
    if small {
        return Ok(());
    }
    let mut b = Builder::new();
    let inputs = b.inputs(&x.iter().map(Tensor::ty).collect::<Vec<_>>());
    let outputs = b.try_push(op.clone(), &inputs)?;
    let program = b.finish_all(&outputs);
    // One number repeated gives one number repeated.
    if matches!(reads(&program, &program.equations()[0]), Reads::Repeated) && x.iter().all(Tensor::is_splat) {
        return Ok(());
    }
    let form = |x: &Tensor| if x.is_splat() { Form::Repeated } else { Form::Dense };
    let forms = x.iter().map(form).collect();
    equations(&program, forms, &mut FxHashSet::default())
}

/// The error of an op that gives arrays of these types, which take so many bytes.
pub(crate) fn no_room(op: &str, gives: &str, bytes: usize) -> Error {
    let gib = bytes as f64 / SMALL as f64;
    let m = format!("{op} gives {gives}: that takes {gib:.0} GiB, and this machine has no memory for it");
    Error::new(ErrorKind::OutOfMemory, m)
}

/// What is known of a value. One number repeated takes no memory, until a kernel spells it out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Dense,
    Repeated,
    /// It is the one or the other, as the program around this one hands it in.
    Either,
}

/// The programs that were checked: by address, and whether an input may be one number repeated.
type Checked = FxHashSet<(*const Program, bool)>;

fn within(program: &Program, repeated_inputs: bool, checked: &mut Checked) -> Result<()> {
    if !checked.insert((std::ptr::from_ref(program), repeated_inputs)) {
        return Ok(());
    }
    let form = if repeated_inputs { Form::Either } else { Form::Dense };
    equations(program, vec![form; program.inputs().len()], checked)
}

/// Checks the equations of a program whose inputs have these forms.
fn equations(program: &Program, inputs: Vec<Form>, checked: &mut Checked) -> Result<()> {
    let mut forms = vec![Form::Dense; program.var_count()];
    program.inputs().iter().zip(inputs).for_each(|(v, form)| forms[v.index()] = form);
    let bytes = |v: Var| program.ty(v).bytes().unwrap_or(usize::MAX);
    for e in program.equations() {
        let repeated = match &e.op {
            Op::Constant(c) => c.value.splat_value().is_some(),
            Op::Broadcast(_) => program.ty(e.inputs[0]).rank() == 0 || forms[e.inputs[0].index()] == Form::Repeated,
            _ => false,
        };
        if repeated {
            e.outputs.iter().for_each(|v| forms[v.index()] = Form::Repeated);
        }
        let (spelled, scratch): (Vec<Var>, usize) = match reads(program, e) {
            Reads::Repeated => (Vec::new(), 0),
            Reads::Dense { scratch } => {
                (e.inputs.iter().copied().filter(|v| forms[v.index()] != Form::Dense).collect(), scratch)
            }
        };
        // A constant is there already.
        let results = if repeated || matches!(e.op, Op::Constant(_)) { &[] } else { &e.outputs[..] };
        let needed = results.iter().chain(&spelled).fold(scratch, |n, &v| n.saturating_add(bytes(v)));
        if !has_room(needed) {
            let types =
                |v: &[Var]| v.iter().map(|&v| program.ty(v)).map(Type::to_string).collect::<Vec<_>>().join(", ");
            let op = match spelled.is_empty() {
                true => format!("`{}`", e.op.name()),
                false => format!("`{}` of {}", e.op.name(), types(&spelled)),
            };
            return Err(no_room(&op, &types(&e.outputs), needed).at(e.place.clone()));
        }
        let repeated = e.inputs.iter().any(|&v| forms[v.index()] != Form::Dense && bytes(v) > SMALL);
        e.op.programs().into_iter().try_for_each(|p| within(p, repeated, checked))?;
    }
    Ok(())
}

/// The bytes that the kernel of an equation takes beside operands and results.
pub fn scratch(program: &Program, e: &Equation) -> usize {
    match reads(program, e) {
        Reads::Repeated => 0,
        Reads::Dense { scratch } => scratch,
    }
}

/// How an op reads its operands.
enum Reads {
    /// One number repeated is read as one number, or handed on to the programs that the op holds.
    Repeated,
    /// One number repeated is spelled out first. The kernel takes `scratch` bytes beside operands and results.
    Dense { scratch: usize },
}

/// How an op reads its operands, for every op. Those that order elements hold a key and a position of each; those that
/// look at a window by a program hold an element and its position for each position of the window; a convolution holds
/// operands and result in the order and type it multiplies, the left one with all that windows see around it.
fn reads(program: &Program, e: &Equation) -> Reads {
    let size = |v: &Var| program.ty(*v).shape.size();
    let scratch = match &e.op {
        Op::Constant(_) | Op::Iota(_) | Op::AxisIndex(_) => return Reads::Repeated,
        Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select(_) | Op::Clamp(_) => return Reads::Repeated,
        Op::MulAdd(_) | Op::ReducePrecision(_) | Op::Convert(_) => return Reads::Repeated,
        Op::Broadcast(_) | Op::Reshape(_) | Op::Transpose(_) | Op::Reverse(_) | Op::Slice(_) => return Reads::Repeated,
        Op::Pad(_) | Op::Concatenate(_) | Op::DynamicSlice(_) | Op::DynamicUpdateSlice(_) => return Reads::Repeated,
        Op::Barrier(_) | Op::StopGradient(_) => return Reads::Repeated,
        Op::Scan(_) | Op::While(_) | Op::Cond(_) | Op::Call(_) | Op::CustomJvp(_) | Op::CustomVjp(_) => {
            return Reads::Repeated;
        }
        Op::LinearSolve(_) | Op::Root(_) => return Reads::Repeated,
        Op::Reduce(op) if !matches!(op.combiner, Combiner::Program(_)) => return Reads::Repeated,
        // The parts of complex numbers are laid out, those of the right operand twice.
        Op::DotGeneral(_) if program.ty(e.outputs[0]).dtype.is_complex() => {
            let numbers = size(&e.inputs[1]).saturating_mul(2).saturating_add(size(&e.inputs[0]));
            numbers.saturating_mul(program.ty(e.outputs[0]).dtype.size())
        }
        Op::Reduce(_) | Op::DotGeneral(_) | Op::Cumulative(_) | Op::Fft(_) => 0,
        Op::Bitcast(_) | Op::Gather(_) | Op::Scatter(_) => 0,
        Op::TriangularSolve(_) | Op::Cholesky(_) | Op::Lu(_) | Op::Qr(_) | Op::Svd(_) | Op::Eigh(_) | Op::Eig(_) => 0,
        Op::Threefry(_) | Op::RngBitGenerator(_) => 0,
        Op::Sort(_) | Op::TopK(_) | Op::ArgReduce(_) => size(&e.inputs[0]).saturating_mul(16),
        Op::ReduceWindow(op) if matches!(op.combiner, Combiner::Program(_)) => size(&e.outputs[0]).saturating_mul(64),
        Op::ReduceWindow(_) => 0,
        Op::SelectAndGather(_) => size(&e.outputs[0]).saturating_mul(64),
        Op::SelectAndScatter(_) => size(&e.inputs[1]).saturating_mul(64),
        Op::Convolution(op) => {
            let [lhs, kernel, out] = [e.inputs[0], e.inputs[1], e.outputs[0]].map(|v| program.ty(v));
            let geometry = Geometry::new(op, &lhs.shape, &kernel.shape, &out.shape);
            let padded = if geometry.may_be_padded(&lhs.shape, &out.shape) { geometry.padded() } else { 0 };
            // Kernels of complex numbers have four parts for each.
            let laid = [lhs, kernel, kernel, kernel, out, out].map(|t| t.shape.size());
            let all = laid.into_iter().fold(padded, usize::saturating_add);
            let wide = if kernel.dtype.is_float() { 4 } else { 8 };
            all.saturating_mul(kernel.dtype.size().max(wide))
        }
        // Refused when they run.
        Op::AllReduce(_) | Op::AllGather(_) | Op::ReduceScatter(_) | Op::AllToAll(_) | Op::CollectivePermute(_) => 0,
        Op::Pullback(_) => 0,
        // What a user's own evaluation takes is not known.
        Op::Custom(_) => 0,
    };
    Reads::Dense { scratch }
}
