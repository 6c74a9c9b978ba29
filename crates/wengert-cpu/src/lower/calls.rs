//! Calls of kernels from a function: one record for each, whose address the function has.

use super::blocks::BlockKind;
use super::form::{Form, Memory};
use super::{CONTEXT, Lowering};
use crate::kernels::Fast;
use smallvec::SmallVec;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, OnceLock};
use wengert_core::{Error, Op, Place, Result, Tensor, Type, View, ViewMut};
use wengert_eval::{Kernels, Plan, kernels, nested_plans, overwritable};
use wengert_kernel::{Callee, Inst, Kind, Signature, Value};

/// An equation that a kernel computes.
pub(crate) struct KernelCall {
    op: Op,
    inputs: Vec<Type>,
    /// Which inputs are one value repeated.
    splat: Vec<bool>,
    outputs: Vec<Type>,
    /// The plans of the programs that the op holds.
    nested: Vec<Plan>,
    /// Whether the op is run on tensors: it is a user's.
    on_tensors: bool,
    /// The plan of the decomposition of a user's op, once it was needed.
    decomposed: OnceLock<Option<Plan>>,
    /// Whether there may be a faster kernel than the plain one.
    is_fast: bool,
    place: Place,
}

/// What a run keeps beside memory: why it ended early.
#[derive(Default)]
pub(crate) struct Context {
    failure: Option<Failure>,
}

enum Failure {
    Error(Error),
    Panic(Box<dyn Any + Send>),
}

impl Context {
    /// Reports what ended the run early; a panic goes on.
    pub(crate) fn failed(self) -> Error {
        match self.failure {
            Some(Failure::Error(e)) => e,
            Some(Failure::Panic(p)) => resume_unwind(p),
            None => unreachable!("a run that ends early says why"),
        }
    }
}

/// Runs a kernel with pointers to its operands, then to its results.
///
/// # Safety
/// They lie where the record says, for as long as this runs; nothing else writes them.
unsafe extern "C" fn run(call: *const KernelCall, pointers: *const *mut u8, context: *mut Context) -> bool {
    // SAFETY: the function that calls was made with these, and is run with a context.
    let (call, context) = unsafe { (&*call, &mut *context) };
    // SAFETY: there is a pointer for each operand and result.
    let result = catch_unwind(AssertUnwindSafe(|| unsafe { call.run(pointers) }));
    context.failure = Some(match result {
        Ok(Ok(())) => return true,
        Ok(Err(e)) => Failure::Error(e.at(call.place.clone())),
        Err(p) => Failure::Panic(p),
    });
    false
}

impl KernelCall {
    /// # Safety
    /// As [`run`].
    unsafe fn run(&self, pointers: *const *mut u8) -> Result<()> {
        // SAFETY: as the caller says.
        let pointers = unsafe { std::slice::from_raw_parts(pointers, self.inputs.len() + self.outputs.len()) };
        let (x, y) = pointers.split_at(self.inputs.len());
        // Filled where they are: collected, they would be moved, which waits for what was just written.
        let mut inputs: SmallVec<[View<'_>; 4]> = SmallVec::new();
        for ((ty, &splat), &p) in self.inputs.iter().zip(&self.splat).zip(x) {
            // SAFETY: as the caller says.
            inputs.push(unsafe { View::from_raw(ty.dtype, &ty.shape, splat, p) });
        }
        let mut outputs: SmallVec<[ViewMut<'_>; 2]> = SmallVec::new();
        for (ty, &p) in self.outputs.iter().zip(y) {
            // SAFETY: as the caller says.
            outputs.push(unsafe { ViewMut::from_raw(ty.dtype, &ty.shape, p) });
        }
        let (x, y) = (&inputs[..], &mut outputs[..]);
        if self.on_tensors {
            return self.run_on_tensors(x, y);
        }
        if self.is_fast && Fast.run(&self.op, x, y, &mut None) {
            return Ok(());
        }
        kernels::run(&self.op, x, y, &self.nested)
    }

    fn run_on_tensors(&self, x: &[View<'_>], y: &mut [ViewMut<'_>]) -> Result<()> {
        let tensor = |x: &View<'_>| {
            let mut t = Tensor::room(&x.ty());
            t.view_mut().expect("nothing shares it").copy_from(*x);
            t
        };
        let x = x.iter().map(tensor).collect();
        let plan = || self.decomposed.get_or_init(|| nested_plans(&self.op, &self.inputs, &Fast).into_iter().next());
        let results = match &self.op {
            Op::Custom(op) => wengert_eval::run_custom(op, x, || plan().clone())?,
            op => wengert_eval::run_op(op, x)?,
        };
        y.iter_mut().zip(&results).for_each(|(y, result)| y.copy_from(result.view()));
        Ok(())
    }
}

impl Lowering {
    /// Calls the kernel of an op.
    pub(super) fn kernel(&mut self, op: &Op, x: Vec<Form>, types: &[Type]) -> Vec<Form> {
        let inputs: Vec<Type> = x.iter().map(|x| x.ty.clone()).collect();
        // One value repeated is handed over as one.
        let one = |form: &Form| form.memory.is_none() && form.splat_scalar().is_some();
        let splat: Vec<bool> = x.iter().map(one).collect();
        let mut from: Vec<Memory> = Vec::with_capacity(x.len());
        for (form, &splat) in x.iter().zip(&splat) {
            let memory = match form.splat_scalar().filter(|_| splat) {
                Some(v) => {
                    let scalar = Form::splat(Type::scalar(form.ty.dtype), v);
                    self.memory(&scalar)
                }
                None => self.memory(form),
            };
            from.push(memory);
        }
        drop(x);
        let equation = self.blocks.take();
        let interrupted = self.open_block(BlockKind::Kernel, equation.into_iter().collect());
        // A result may go over an operand that nothing else is.
        let mut to: Vec<Memory> = Vec::with_capacity(types.len());
        for (k, ty) in types.iter().enumerate() {
            let fits = |&i: &usize| {
                let taken = to.iter().any(|t| from[i].is(t));
                inputs[i] == *ty && !splat[i] && ty.shape.size() > 1 && !taken && from[i].is_alone()
            };
            // What would be copied first may be an input of the program too, which the run then has to itself.
            let copied = matches!(op, Op::DynamicUpdateSlice(_) | Op::Scatter(_));
            let over = overwritable(op, k).filter(|&i| i < from.len() && (copied || self.is_ours(&from[i]))).find(fits);
            to.push(match over {
                Some(i) => {
                    self.overwrite(&from[i]);
                    from[i].owned()
                }
                None => {
                    if let Some(Some(result)) = self.targets.get(k).copied()
                        && let Some(i) = overwritable(op, k).filter(|i| *i < from.len()).find(fits)
                    {
                        self.may_go_over(result, &from[i], ty);
                    }
                    self.room_of(k, ty)
                }
            });
        }
        let call = Arc::new(KernelCall {
            op: op.clone(),
            nested: if matches!(op, Op::Custom(_)) { Vec::new() } else { nested_plans(op, &inputs, &Fast) },
            on_tensors: matches!(op, Op::Custom(_) | Op::Pullback(_)) || op.rules().axis_name().is_some(),
            decomposed: OnceLock::new(),
            is_fast: Fast::has(op),
            inputs,
            splat,
            outputs: types.to_vec(),
            place: self.place.clone(),
        });
        let places: Vec<&Memory> = from.iter().chain(&to).collect();
        self.push_call(&call, &places);
        self.calls.push(call);
        self.close_block(interrupted);
        types.iter().zip(to).map(|(ty, to)| Form::memory(ty.clone(), to)).collect()
    }

    /// Writes the pointers to these places into a list, and calls a kernel with it.
    fn push_call(&mut self, call: &Arc<KernelCall>, places: &[&Memory]) {
        let list = self.temporary(8 * places.len());
        for (i, place) in places.iter().enumerate() {
            let at = self.address(place, 0);
            let pointer = self.b.pointer(at);
            let to = self.address(&list, 8 * i as i64);
            self.b.store(pointer, to);
        }
        let at = self.address(&list, 0);
        let record = self.b.constant(Kind::Ptr, Arc::as_ptr(call) as u64);
        let x: Vec<Value> = vec![record, self.b.pointer(at), self.b.param(CONTEXT)];
        // SAFETY: it takes three pointers, gives a boolean, catches panics and keeps none of the pointers.
        let callee = unsafe { Callee::new(run as *const (), Signature::Kernel) };
        self.b.push(Inst::Call { callee, x });
    }
}
