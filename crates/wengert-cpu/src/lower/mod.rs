//! Programs as functions of the kernel language.
//!
//! Equations are taken in their order. Small arrays of plain numbers are scalars, one for each element; what only moves
//! elements is nothing then but other names. Everything else lies in memory, and is computed by a kernel that is called
//! with pointers. Loops and branches of the program are loops and branches of the function.

mod again;
mod ahead;
pub(crate) mod blocks;
mod calls;
mod complex;
mod control;
mod dot;
mod dynamic;
mod elementwise;
mod fold;
mod form;
mod gather;
mod gathered;
mod group;
mod held;
mod lanes;
mod linalg;
mod move_elements;
mod neighbours;
mod nest;
mod parallel;
mod pieces;
mod reduce;
mod rooms;
mod rows;
mod short;
mod stages;
mod tree;
mod view;
mod windows;

pub(crate) use calls::{Context, KernelCall};
pub(crate) use parallel::{PIECE, Parallel};

use crate::compiled::Options;
use blocks::{BlockKind, Blocks, EquationId, Plan, RoomArray};
use form::{Base, Form, Memory, Scalars, kind};
use rooms::Rooms;
use std::any::Any;
use std::rc::Weak;
use std::sync::Arc;
use wengert_core::ops::{Binary, Unary};
use wengert_core::{DType, Equation, Op, Place, Program, Shape, Tensor, Type};
use wengert_kernel::{Address, Builder, Function, Inst, Kind, Value};
use wengert_x86::faults::{Fault, is_planted};

/// The pointers that a function takes.
const WORKSPACE: usize = 0;
const INPUTS: usize = 1;
const OUTPUTS: usize = 2;
const CONTEXT: usize = 3;

/// Something that a function has the address of.
type Record = Arc<dyn Any + Send + Sync>;

/// A program as a function, and what that needs to run.
pub(crate) struct Lowered {
    pub(crate) function: Function,
    /// The blocks that instructions are marked with, and the rooms of temporaries.
    pub(crate) plan: Plan,
    /// Bytes of memory for temporaries.
    pub(crate) workspace: usize,
    /// The calls of kernels, which the function has the addresses of.
    _calls: Vec<Arc<KernelCall>>,
    /// What calls need beside that, which the function has the addresses of.
    _records: Vec<Record>,
    /// The loops that threads share, which the function has the addresses of.
    pub(crate) parallel: Vec<Arc<Parallel>>,
    /// Constants, which the function has the addresses of.
    pub(crate) constants: Vec<Arc<Tensor>>,
    /// Where each result is.
    pub(crate) results: Vec<Returned>,
    /// The inputs that the function writes.
    pub(crate) overwritten: Vec<bool>,
    /// For each result, an input whose memory it may have if nobody else holds that.
    pub(crate) over: Vec<Option<usize>>,
}

/// Where a result is when the function is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Returned {
    /// In the room that it was given for it.
    Own,
    /// In the memory of an input that the function has overwritten.
    Input(usize),
    /// It is one value repeated, which is in the room of one element.
    Splat,
}

/// Arrays of up to this many elements are scalars: fewer, where a program has many.
const SMALL: [usize; 6] = [64, 32, 16, 8, 4, 1];
/// The same in programs that multiply vectors of more elements by matrices: products read and write memory.
const VECTOR: usize = 16;
/// About how many scalars a program may have, if it is short: a long one may have [`EACH`] for each equation.
const SCALARS: usize = 40_000;
const EACH: usize = 8;

/// So many equations a program may become, however few it is written in.
const LONG: usize = 200_000;

/// How many elements an array may have to be scalars.
fn limit(program: &Program) -> usize {
    fn count(program: &Program, limit: usize) -> usize {
        let of = |e: &Equation| -> usize {
            let own = e.outputs.iter().map(|&v| program.ty(v).shape.size()).filter(|&n| n <= limit).sum::<usize>();
            own + e.op.programs().into_iter().map(|p| count(p, limit)).sum::<usize>()
        };
        program.equations().iter().map(of).sum()
    }
    let most = SCALARS.max(EACH * program.equation_count());
    let largest = if dot::multiplies_vectors(program) { VECTOR } else { SMALL[0] };
    SMALL.into_iter().find(|&n| n <= largest && count(program, n) <= most).unwrap_or(1)
}

/// Whether a program has one value repeated so often that it can't be spelled out, of a type that has no scalars here.
pub(crate) fn repeats_too_much(program: &Program) -> bool {
    program.any(|p, e| match &e.op {
        Op::Constant(c) => {
            kind(c.value.dtype()).is_none()
                && c.value.is_splat()
                && p.ty(e.outputs[0]).bytes().is_none_or(|n| n > 1 << 24)
        }
        _ => false,
    })
}

/// Whether a program becomes very much longer when every call and branch is spelled out.
pub(crate) fn unfolds_too_much(program: &Program) -> bool {
    let written = std::cell::Cell::new(0usize);
    program.any(|_, _| {
        written.set(written.get() + 1);
        false
    });
    program.equation_count() > 4 * written.get() + LONG
}

/// A program as a function.
pub(crate) fn lower(program: &Arc<Program>, options: Options) -> Lowered {
    let mut l = Lowering {
        b: Builder::new(4),
        rooms: Rooms::default(),
        blocks: Blocks::new(),
        place: Place::default(),
        calls: Vec::new(),
        records: Vec::new(),
        constants: Vec::new(),
        parallel: Vec::new(),
        threads: options.threads.unwrap_or_else(wengert_eval::kernels::parallel::threads),
        piece: options.piece,
        own: None,
        limit: limit(program).min(options.small),
        groups: group::Groups::default(),
        views: Vec::new(),
        targets: Vec::new(),
        again: false,
        extra: SCALARS,
        overwritten: vec![false; program.inputs().len()],
        over: vec![None; program.outputs().len()],
        inputs: program.input_types(),
    };
    let inputs = program.inputs().iter().enumerate().map(|(i, &v)| {
        let memory = Memory::fixed(Base::Input(i), 0).owned();
        Form::memory(program.ty(v).clone(), memory)
    });
    let inputs: Vec<Form> = inputs.collect();
    let targets = targets(program);
    let results = l.program(program, inputs, &targets);
    l.open_block(BlockKind::Results, Vec::new());
    let mut returned = Vec::new();
    for (k, form) in results.into_iter().enumerate() {
        let input = form.memory.as_ref().and_then(|m| match m.base {
            Base::Input(i) if program.ty(program.inputs()[i]) == &form.ty => Some(i),
            _ => None,
        });
        let room = Memory::fixed(Base::Output(k), 0);
        returned.push(match (input, form.splat_scalar()) {
            (Some(i), _) => Returned::Input(i),
            (None, Some(v)) if form.memory.is_none() && form.ty.shape.size() != 1 => {
                let at = l.address(&room, 0);
                l.b.store(v, at);
                Returned::Splat
            }
            _ => {
                l.put(&form, &room);
                Returned::Own
            }
        });
    }
    let rooms = l.rooms.uses();
    Lowered {
        plan: l.blocks.finish(rooms),
        function: l.b.finish(if program.name().is_empty() { "program" } else { program.name() }),
        workspace: l.rooms.bytes(),
        _calls: l.calls,
        _records: l.records,
        parallel: l.parallel,
        constants: l.constants,
        results: returned,
        overwritten: l.overwritten,
        over: l.over,
    }
}

/// For each variable the result of the program that it is, the first if it is several.
fn targets(program: &Program) -> Vec<Option<usize>> {
    let mut targets = vec![None; program.var_count()];
    for (k, v) in program.outputs().iter().enumerate().rev() {
        targets[v.index()] = Some(k);
    }
    targets
}

struct Lowering {
    b: Builder,
    rooms: Rooms,
    blocks: Blocks,
    /// Where in the user's source the equation comes from that is being written.
    place: Place,
    calls: Vec<Arc<KernelCall>>,
    records: Vec<Record>,
    constants: Vec<Arc<Tensor>>,
    parallel: Vec<Arc<Parallel>>,
    /// How many threads there are, and about how many nanoseconds of work one takes at a time.
    threads: usize,
    piece: usize,
    /// The memory of its own that a thread has, inside of what threads share.
    own: Option<Value>,
    limit: usize,
    /// Loops that are put off.
    groups: group::Groups,
    /// Values that are read where others lie.
    views: Vec<Weak<view::View>>,
    /// For each result of the equation that is being written, the result of the program that it is.
    targets: Vec<Option<usize>>,
    /// Whether the result of the equation that is being written may be computed again where it is used later.
    again: bool,
    /// How many more instructions products may become.
    extra: usize,
    overwritten: Vec<bool>,
    over: Vec<Option<usize>>,
    inputs: Vec<Type>,
}

impl Lowering {
    /// Takes some of the instructions that may be spent, if there are as many.
    fn spend(&mut self, count: usize) -> bool {
        let left = self.extra.checked_sub(count);
        self.extra = left.unwrap_or(self.extra);
        left.is_some()
    }

    /// Whether arrays of this type are scalars.
    fn is_small(&self, ty: &Type) -> bool {
        ty.shape.size() <= self.limit && kind(ty.dtype).is_some()
    }

    /// Writes the equations of a program of these inputs, and gives its results. `targets` are the results of the whole
    /// function that its variables are; empty, if none is.
    fn program(&mut self, program: &Program, inputs: Vec<Form>, targets: &[Option<usize>]) -> Vec<Form> {
        let outside = self.enter_program(program);
        // The equation that uses a variable last; for results there is none, but they are used.
        let mut last: Vec<Option<usize>> = vec![None; program.var_count()];
        for (i, e) in program.equations().iter().enumerate() {
            e.inputs.iter().for_each(|v| last[v.index()] = Some(i));
        }
        program.outputs().iter().for_each(|v| last[v.index()] = Some(usize::MAX));
        let again = self.may_be_computed_again(program);
        let mut env: Vec<Option<Form>> = vec![None; program.var_count()];
        for (v, form) in program.inputs().iter().zip(inputs) {
            env[v.index()] = Some(form);
        }
        for (i, e) in program.equations().iter().enumerate() {
            self.begin_equation(i);
            // Scalars that are read from memory once are there for all that follows.
            for v in &e.inputs {
                let form = env[v.index()].as_mut().expect("a verified program defines before use");
                let waits = form.slot.as_ref().is_some_and(|s| self.is_line_put_off(s));
                if self.is_small(&form.ty) && form.scalars.is_none() && !waits && reads_scalars(&e.op) {
                    form.scalars = Some(Scalars::Each(self.scalars(form).into()));
                }
            }
            // What follows loops is there when something is computed of it.
            if !matches!(e.op, Op::Reshape(_) | Op::Transpose(_) | Op::Broadcast(_)) {
                for v in &e.inputs {
                    self.write_followed(env[v.index()].as_ref().expect("a verified program defines before use"));
                }
            }
            let mut x: Vec<Form> = Vec::with_capacity(e.inputs.len());
            for (k, v) in e.inputs.iter().enumerate() {
                let slot = &mut env[v.index()];
                let again = e.inputs[k + 1..].contains(v);
                let form = if last[v.index()] == Some(i) && !again { slot.take() } else { slot.clone() };
                x.push(form.expect("a verified program defines before use").settled());
            }
            let types: Vec<Type> = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
            self.place = e.place.clone();
            self.targets = e.outputs.iter().map(|v| targets.get(v.index()).copied().flatten()).collect();
            self.again = e.outputs.first().is_some_and(|v| again[v.index()]);
            let y = self.equation(e, x, &types);
            self.end_equation();
            for (v, form) in e.outputs.iter().zip(y) {
                debug_assert_eq!(form.ty, *program.ty(*v), "{}", e.op.name());
                env[v.index()] = last[v.index()].map(|_| form);
            }
        }
        let results: Vec<Form> = program.outputs().iter().map(|v| env[v.index()].clone().expect("defined")).collect();
        drop(env);
        // What a block puts off is written in that block.
        self.write_loops();
        self.leave_program(outside);
        results.into_iter().map(Form::settled).collect()
    }

    /// Writes one equation.
    fn equation(&mut self, e: &Equation, mut x: Vec<Form>, types: &[Type]) -> Vec<Form> {
        // Only ops that hold programs may have no result.
        let none = Type::scalar(DType::Bool);
        let y = types.first().unwrap_or(&none);
        let one = |form: Form| vec![form];
        // What a loop still reads can't be overwritten, and no loop is put off into a block.
        if !e.op.programs().is_empty() || matches!(e.op, Op::DynamicUpdateSlice(_) | Op::Scatter(_)) {
            self.write_loops();
            x = x.into_iter().map(Form::settled).collect();
            self.write_views_of(&x);
        }
        if !e.op.programs().is_empty() {
            x = x.into_iter().map(|form| self.in_memory(form)).collect();
        }
        match &e.op {
            Op::Constant(op) => return one(self.constant(&op.value)),
            op if x.first().is_some_and(|x| is_reshape(op, &x.ty.shape, &y.shape)) => {
                let form = x.remove(0);
                return one(self.reshaped(form, &y.shape));
            }
            Op::Barrier(_) | Op::StopGradient(_) => return x,
            Op::Convert(_) | Op::Bitcast(_) if x[0].ty == *y => return one(x.remove(0)),
            Op::Call(op) => return self.program(&op.program, x, &[]),
            Op::CustomJvp(_) | Op::CustomVjp(_) | Op::LinearSolve(_) | Op::Root(_) => {
                let program = e.op.programs()[0].clone();
                return self.program(&program, x, &[]);
            }
            Op::Scan(op) => {
                return self.as_block(BlockKind::Scan { steps: op.length }, |l| l.scan(op, x, types));
            }
            Op::While(op) => return self.as_block(BlockKind::While, |l| l.while_loop(op, x)),
            Op::Cond(op) => {
                let kind = BlockKind::Branches { count: op.branches.len() };
                return self.as_block(kind, |l| l.cond(op, x, types));
            }
            _ => {}
        }
        if let Some(form) = self.elementwise(&e.op, &x, y) {
            return form;
        }
        let small = types.iter().all(|t| self.is_small(t));
        if is_planted(Fault::PanicOfPad) && matches!(&e.op, Op::Pad(p) if p.interior.iter().any(|&n| n > 0)) {
            panic!("the plan of rooms has a hole of {} bytes", y.shape.size());
        }
        if is_planted(Fault::HangOfArgReduce) && matches!(&e.op, Op::ArgReduce(a) if a.dim == 1) {
            loop {
                std::thread::sleep(std::time::Duration::from_secs(1));
            }
        }
        let native = match &e.op {
            Op::Iota(_)
            | Op::Broadcast(_)
            | Op::Transpose(_)
            | Op::Reverse(_)
            | Op::Slice(_)
            | Op::Pad(_)
            | Op::Concatenate(_) => match self.moved(&e.op, &x, y, small) {
                None if matches!(e.op, Op::Pad(_) | Op::Concatenate(_)) => self.parts(&e.op, &x, y),
                None => self.put_off_move(&e.op, &x, y),
                form => form,
            },
            Op::DynamicSlice(_) if small => self.dynamic_slice(&x, y),
            Op::DynamicSlice(_) => self.put_off_dynamic_slice(&x, y),
            Op::DynamicUpdateSlice(_) => self.dynamic_update_slice(&mut x, y),
            Op::Unary(Unary::Real) => self.part(0, &x[0], y),
            Op::Unary(Unary::Imag) => self.part(1, &x[0], y),
            Op::Binary(Binary::Complex) => self.complex(&x, y),
            Op::DotGeneral(op) => self.dot(op, &x, y),
            Op::TriangularSolve(_) | Op::Cholesky(_) => self.small_matrices(&e.op, &x, y),
            Op::Gather(op) => match self.gather(op, &x, y) {
                None => match self.put_off_gather(op, &x, y) {
                    None => self.gather_runs(op, &x, y),
                    form => form,
                },
                form => form,
            },
            Op::Reduce(op) if op.combiner.binary().is_some() => self.reduce(op, &x, y),
            Op::Reduce(op) if small => match self.reduce_by_program(op, &x, types) {
                Some(forms) => return forms,
                None => None,
            },
            Op::ArgReduce(op) if small => self.arg_reduce(op, &x[0], y),
            Op::Scatter(op) => match self.scatter(op, &mut x, types) {
                Some(forms) => return forms,
                None => self.scatter_runs(op, &mut x, y),
            },
            _ => None,
        };
        match native {
            Some(form) => one(form),
            None => self.kernel(&e.op, x, types),
        }
    }

    /// An elementwise op on scalars.
    fn elementwise(&mut self, op: &Op, x: &[Form], y: &Type) -> Option<Vec<Form>> {
        let dtypes_known = x.iter().all(|x| kind(x.ty.dtype).is_some()) && kind(y.dtype).is_some();
        let known = dtypes_known
            && match op {
                Op::Unary(op) => elementwise::has_unary(*op, x[0].ty.dtype),
                Op::Binary(op) => elementwise::has_binary(*op, x[0].ty.dtype),
                Op::Compare(_) | Op::Select(_) | Op::Clamp(_) | Op::Convert(_) | Op::Threefry(_) => true,
                Op::MulAdd(_) => true,
                Op::Bitcast(_) => x[0].ty.dtype.bits() == y.dtype.bits() && y.dtype.bits() > 1,
                _ => false,
            };
        if !known {
            return None;
        }
        // One value repeated stays one value.
        let splats: Option<Vec<Value>> = x.iter().map(Form::splat_scalar).collect();
        let results = if matches!(op, Op::Threefry(_)) { 2 } else { 1 };
        if let Some(x) = splats.filter(|_| y.shape.size() != 1) {
            let forgotten = matches!(op, Op::Unary(Unary::Neg)) && is_planted(Fault::NegatedSplat);
            let v = if forgotten { [x[0]; 2] } else { self.element(op, &x, kind(y.dtype)?) };
            return Some(v[..results].iter().map(|&v| Form::splat(y.clone(), v)).collect());
        }
        if !self.is_small(y) || self.is_of_rows(x, y.shape.size()) {
            return Some(self.put_off(op, x, y));
        }
        let n = y.shape.size();
        let lists: Vec<Vec<Value>> = x.iter().map(|x| self.scalars(x)).collect();
        let mut out = vec![Vec::with_capacity(n); results];
        for i in 0..n {
            // A scalar among arrays is the same for all.
            let x: Vec<Value> = lists.iter().map(|v| if v.len() == 1 { v[0] } else { v[i] }).collect();
            let v = self.element(op, &x, kind(y.dtype)?);
            out.iter_mut().zip(v).for_each(|(out, v)| out.push(v));
        }
        Some(out.into_iter().map(|v| Form::each(y.clone(), v)).collect())
    }

    /// One element of an elementwise op that [`Lowering::elementwise`] knows.
    fn element(&mut self, op: &Op, x: &[Value], to: Kind) -> [Value; 2] {
        let b = &mut self.b;
        let y = match op {
            Op::Unary(op) => elementwise::unary(b, *op, x[0]),
            Op::Binary(op) => elementwise::binary(b, *op, x[0], x[1]),
            Op::Compare(op) => elementwise::compare(b, op.direction, x[0], x[1]),
            Op::Select(_) => b.select(x[0], x[1], x[2]),
            Op::Clamp(_) if to == Kind::F64 && is_planted(Fault::CrashOfClamp) => {
                let nowhere = b.constant(Kind::Ptr, 0);
                b.load(to, Address::at(nowhere, 0))
            }
            Op::Clamp(_) => elementwise::clamp(b, [x[0], x[1], x[2]]),
            Op::MulAdd(_) => b.mul_add([x[0], x[1], x[2]]),
            Op::Convert(_) => elementwise::convert(b, x[0], to),
            Op::Bitcast(_) => b.bitcast(x[0], to),
            Op::Threefry(_) => return elementwise::threefry(b, [x[0], x[1]], [x[2], x[3]]),
            op => unreachable!("`{}` is not elementwise", op.name()),
        };
        [y, y]
    }

    /// A constant: scalars, or memory that lies where it is.
    fn constant(&mut self, value: &Tensor) -> Form {
        let ty = value.ty();
        if is_planted(Fault::SlowConstant) && !value.is_splat() && value.size() > 1000 {
            std::thread::sleep(std::time::Duration::from_millis(10 * value.size() as u64));
        }
        if let Some(kind) = kind(ty.dtype) {
            if let Some(s) = value.splat_value() {
                let v = elementwise::element(&mut self.b, kind, s);
                return Form::splat(ty, v);
            }
            if self.is_small(&ty) {
                let v = (0..value.size()).map(|i| elementwise::element(&mut self.b, kind, value.get(i))).collect();
                return Form::each(ty, v);
            }
        }
        let value = Arc::new(value.dense());
        let start = value.view().start() as usize;
        self.constants.push(value);
        Form::memory(ty, Memory::fixed(Base::Fixed(start), 0))
    }

    /// The scalars of a small array, one for each element or one for all.
    fn scalars(&mut self, form: &Form) -> Vec<Value> {
        match &form.scalars {
            Some(Scalars::Each(v)) => v.to_vec(),
            Some(Scalars::Splat(v)) => vec![*v; form.ty.shape.size()],
            None if form.view.as_ref().is_some_and(|v| v.written().is_none()) => {
                let view = form.view.clone().expect("it is one");
                self.scalars_of_view(&view)
            }
            None => {
                let memory = self.memory(form);
                let kind = kind(form.ty.dtype).expect("an array of plain numbers");
                (0..form.ty.shape.size()).map(|i| self.load(kind, &memory, i)).collect()
            }
        }
    }

    /// Where memory lies, and some bytes further.
    fn address(&mut self, memory: &Memory, more: i64) -> Address {
        let offset = memory.offset + more;
        match memory.base {
            Base::Workspace => Address::at(self.own.unwrap_or(self.b.param(WORKSPACE)), offset),
            Base::Pointer(p) => Address::at(p, offset),
            Base::Fixed(at) => {
                let p = self.b.constant(Kind::Ptr, at as u64);
                Address::at(p, offset)
            }
            Base::Input(i) => {
                let p = self.b.load(Kind::Ptr, Address::at(self.b.param(INPUTS), 8 * i as i64));
                Address::at(p, offset)
            }
            Base::Output(i) => {
                let p = self.b.load(Kind::Ptr, Address::at(self.b.param(OUTPUTS), 8 * i as i64));
                Address::at(p, offset)
            }
        }
    }

    fn load(&mut self, kind: Kind, memory: &Memory, i: usize) -> Value {
        let at = self.address(memory, (i * kind.bytes()) as i64);
        self.b.load(kind, at)
    }

    /// The place for a result of the equation that is being written: where the function gives it, or a new one.
    fn room_of(&mut self, result: usize, ty: &Type) -> Memory {
        match self.targets.get(result).copied().flatten() {
            Some(k) => Memory::fixed(Base::Output(k), 0).owned(),
            None => self.room(ty),
        }
    }

    /// Says that a result of the function may have the memory of an input, which nothing reads once it is written.
    fn may_go_over(&mut self, result: usize, memory: &Memory, ty: &Type) {
        if let Base::Input(i) = memory.base
            && memory.offset == 0
            && self.inputs[i] == *ty
            && !self.over.contains(&Some(i))
        {
            self.over[result] = Some(i);
        }
    }

    /// Whether memory may be written: all but inputs that the run has not to itself.
    fn is_ours(&self, memory: &Memory) -> bool {
        !matches!(memory.base, Base::Input(i) if !self.overwritten[i])
    }

    /// Where a value lies that a result of the equation is made of by overwriting: its own place if nothing else is the
    /// value, else a copy of it.
    fn overwritable_place(&mut self, form: Form, result: usize) -> Memory {
        match &form.memory {
            Some(m) if m.is_alone() || is_planted(Fault::InPlaceHazard) => {
                self.overwrite(m);
                m.clone()
            }
            _ => {
                let room = self.room_of(result, &form.ty);
                self.put(&form, &room);
                room
            }
        }
    }

    /// Says that memory is overwritten.
    fn overwrite(&mut self, memory: &Memory) {
        if let Base::Input(i) = memory.base {
            self.overwritten[i] = true;
        }
    }

    /// A new place of so many bytes, for what is no array.
    fn temporary(&self, bytes: usize) -> Memory {
        let room = self.rooms.take(bytes);
        Memory { base: Base::Workspace, offset: room.start as i64, room: Some(room), owner: None }
    }

    /// A new place for a temporary of this type, of the equation that is being written.
    fn room(&mut self, ty: &Type) -> Memory {
        self.room_for(ty, self.blocks.at, false)
    }

    /// A new place for a temporary of this type, which is a result of an equation; perhaps one value repeated.
    fn room_for(&mut self, ty: &Type, equation: Option<EquationId>, repeated: bool) -> Memory {
        let room = self.rooms.take(ty.bytes().expect("checked when the program was made"));
        self.rooms.is_for(&room, RoomArray { ty: ty.clone(), equation, repeated });
        let offset = room.start as i64;
        Memory { base: Base::Workspace, offset, room: Some(room), owner: None }.owned()
    }

    /// The memory of a value: where it is, or where its scalars are put.
    fn memory(&mut self, form: &Form) -> Memory {
        match (&form.memory, &form.slot, &form.view) {
            (Some(memory), ..) => memory.clone(),
            (None, Some(slot), _) => {
                self.write_loop_of(slot);
                slot.memory()
            }
            (None, None, Some(view)) => self.memory_of_view(view),
            (None, None, None) => {
                let repeated = matches!(form.scalars, Some(Scalars::Splat(_)));
                let room = self.room_for(&form.ty, self.blocks.at, repeated);
                self.put(form, &room);
                room
            }
        }
    }

    /// A view as memory of its own, and anything else as it is.
    fn in_memory(&mut self, form: Form) -> Form {
        match &form.view {
            Some(view) if view.written().is_none() => {
                let room = self.room(&form.ty);
                self.write_view(view, &room);
                Form::memory(form.ty.clone(), room)
            }
            _ => form.settled(),
        }
    }

    /// Writes a value to a place.
    fn put(&mut self, form: &Form, to: &Memory) {
        let n = form.ty.shape.size();
        if n == 0 || form.memory.as_ref().is_some_and(|m| m.is(to)) {
            return;
        }
        match &form.scalars {
            Some(Scalars::Splat(v)) if n > self.limit => {
                let (v, bytes) = (*v, self.b.kind(*v).bytes() as i64);
                let at = self.address(to, 0);
                let base = self.b.pointer(at);
                self.b.begin();
                let index = self.b.value(Kind::I64);
                self.b.store(v, Address { base, index: Some((index, bytes)), offset: 0 });
                let body = self.b.end(Vec::new());
                self.b.push(Inst::Lanes { index, count: n as u64, body });
            }
            Some(_) => {
                let at = self.address(to, 0);
                for (i, v) in self.scalars(form).into_iter().enumerate() {
                    let bytes = self.b.kind(v).bytes();
                    self.b.store(v, Address { offset: at.offset + (i * bytes) as i64, ..at });
                }
            }
            None if form.view.as_ref().is_some_and(|v| v.written().is_none()) => {
                let view = form.view.clone().expect("it is one");
                self.write_view(&view, to);
            }
            None => {
                let from = self.memory(form);
                let bytes = form.ty.bytes().expect("checked when the program was made");
                let (from, to) = (self.address(&from, 0), self.address(to, 0));
                let x = [self.b.pointer(from), self.b.pointer(to)];
                self.b.push(Inst::Copy { x, bytes });
            }
        }
    }
}

/// Whether an op whose operands are small reads them as scalars, if its results are small too.
fn reads_scalars(op: &Op) -> bool {
    matches!(
        op,
        Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare(_)
            | Op::Select(_)
            | Op::Clamp(_)
            | Op::MulAdd(_)
            | Op::Convert(_)
            | Op::Bitcast(_)
            | Op::Threefry(_)
            | Op::Reduce(_)
            | Op::ArgReduce(_)
            | Op::Broadcast(_)
            | Op::Transpose(_)
            | Op::Reverse(_)
            | Op::Slice(_)
            | Op::Pad(_)
            | Op::Concatenate(_)
    )
}

/// Whether an op gives its operand's elements in their order: a reshape, or a broadcast or transpose that only adds, drops or
/// moves axes of size 1.
fn is_reshape(op: &Op, x: &Shape, y: &Shape) -> bool {
    let in_order = |to: &[usize]| {
        let axes = to.iter().zip(&**x).filter(|(_, size)| **size != 1);
        axes.map(|(to, _)| to).is_sorted()
    };
    match op {
        Op::Reshape(_) => true,
        Op::Broadcast(op) => x.size() == y.size() && in_order(&op.dims),
        Op::Transpose(op) => op.perm.iter().filter(|&&d| x[d] != 1).is_sorted(),
        _ => false,
    }
}
