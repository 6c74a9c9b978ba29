//! Ops of ours that run as ops of the user's: what they become once all transforms are done.

use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, RwLock};
use wengert_core::ops::Custom;
use wengert_core::{Builder, Error, ErrorKind, Op, Program, Result, Type};

/// The user's op in place of one of ours on operands of these types, if it is to be replaced there.
type Lowering = Arc<dyn Fn(&Op, &[Type]) -> Option<Custom> + Send + Sync>;

static LOWERINGS: LazyLock<RwLock<FxHashMap<String, Lowering>>> = LazyLock::new(Default::default);

/// Whether there is any: those who never ask for it do not pay.
static ANY: AtomicBool = AtomicBool::new(false);

/// Has an op run as one of the user's wherever `by` gives one for its attributes and the types of its operands: by its own
/// evaluation on the CPU, by its own StableHLO on other devices, or by its decomposition. Derivatives and batching are those of
/// the op that is replaced.
///
/// It counts for what is compiled or run from then on, in the whole process; what is compiled already stays. The last word on a
/// name counts. `by` gives `None` where the op is to run as it does.
///
/// ```
/// use wengert::custom::{lower, Custom, CustomOp};
/// use wengert::{grad, jit, Array, DType, Result, Tensor, Type};
///
/// /// The cube root by the host's own function.
/// #[derive(Debug)]
/// struct HostCbrt;
/// impl CustomOp for HostCbrt {
///     fn name(&self) -> &str {
///         "doc.cbrt"
///     }
///     fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
///         Ok(x.to_vec())
///     }
///     fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
///         let roots = |v: Vec<f64>| Tensor::new(x[0].shape().clone(), v.iter().map(|x| x.cbrt()).collect());
///         Some(x[0].to_vec::<f64>().and_then(roots).map(|y| vec![y]))
///     }
/// }
/// lower("cbrt", |_, x| (x[0].dtype == DType::F64).then(|| Custom::new(HostCbrt)))?;
/// assert_eq!(jit(|x: Array| x.cbrt())(Array::from(27.0)).item::<f64>(), 3.0);
/// assert_eq!(grad(|x: Array| x.cbrt())(Array::from(8.0)).item::<f64>(), 1.0 / 12.0);
/// # Ok::<(), wengert::Error>(())
/// ```
///
/// # Errors
/// If there is no op of this name.
pub fn lower(name: &str, by: impl Fn(&Op, &[Type]) -> Option<Custom> + Send + Sync + 'static) -> Result<()> {
    if !Op::names().contains(&name) {
        return Err(Error::malformed(format!("there is no op `{name}` that could run another way"))
            .note("the names are those that programs are printed with"));
    }
    LOWERINGS.write().unwrap_or_else(|e| e.into_inner()).insert(name.into(), Arc::new(by));
    ANY.store(true, Ordering::Release);
    Ok(())
}

/// The program as it is run: with the user's ops in place of those that [`lower`] names. For who exports it.
///
/// ```
/// use std::sync::Arc;
/// use wengert::custom::lowered;
/// use wengert::{make_program, Array};
/// let p = Arc::new(make_program(|x: Array| x.sin(), (Array::from(0.0f32),)));
/// assert_eq!(lowered(p.clone())?, p);
/// # Ok::<(), wengert::Error>(())
/// ```
///
/// # Errors
/// If an op of the user's does not give what the op that it stands for does.
pub fn lowered(program: Arc<Program>) -> Result<Arc<Program>> {
    if !ANY.load(Ordering::Acquire) {
        return Ok(program);
    }
    let table = LOWERINGS.read().unwrap_or_else(|e| e.into_inner()).clone();
    of_program(&table, &program)
}

/// The same of one op, on operands of these types; none if it runs as it is.
pub(crate) fn lowered_op(op: &Op, types: impl FnOnce() -> Vec<Type>) -> Result<Option<Op>> {
    if !ANY.load(Ordering::Acquire) {
        return Ok(None);
    }
    let table = LOWERINGS.read().unwrap_or_else(|e| e.into_inner()).clone();
    of_op(&table, op, types)
}

type Table = FxHashMap<String, Lowering>;

fn of_op(table: &Table, op: &Op, types: impl FnOnce() -> Vec<Type>) -> Result<Option<Op>> {
    if let Some(by) = table.get(op.name()) {
        let types = types();
        return by(op, &types).map(|new| replaced(op, new, &types)).transpose();
    }
    let is_named = |p: &Arc<Program>| p.any(|_, e| table.contains_key(e.op.name()));
    if !op.programs().into_iter().any(is_named) {
        return Ok(None);
    }
    let mut failed = None;
    let op = op.map_programs(&mut |p| {
        of_program(table, p).unwrap_or_else(|e| {
            failed = Some(e);
            p.clone()
        })
    });
    failed.map_or(Ok(Some(op)), Err)
}

/// The user's op, which must give what ours does.
fn replaced(op: &Op, new: Custom, types: &[Type]) -> Result<Op> {
    let (wanted, new) = (op.rules().infer(types)?, Op::from(new));
    let gives =
        new.rules().infer(types).map_err(|e| e.within(format!("`{}` in place of `{}`", new.name(), op.name())))?;
    match gives == wanted {
        true => Ok(new),
        false => {
            let m =
                format!("`{}` in place of `{}` must give {wanted:?} here, and gives {gives:?}", new.name(), op.name());
            Err(Error::new(ErrorKind::Shape, m))
        }
    }
}

fn of_program(table: &Table, program: &Arc<Program>) -> Result<Arc<Program>> {
    if !program.any(|_, e| table.contains_key(e.op.name())) {
        return Ok(program.clone());
    }
    let (b, outputs) = Builder::rewritten(program, |b, e, x| {
        let types = || e.inputs.iter().map(|&v| program.ty(v).clone()).collect();
        let op = of_op(table, &e.op, types).map_err(|err| err.at(e.place.clone()))?;
        let y = b.try_push(op.unwrap_or_else(|| e.op.clone()), x)?;
        e.outputs.iter().zip(&y).for_each(|(&v, &new)| b.copy_name(program, v, new));
        Ok::<_, Error>(y)
    })?;
    Ok(Arc::new(b.finish_all(&outputs).with_name(program.name())))
}
