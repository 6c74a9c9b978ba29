//! Runs and programs with nothing of the user's in them: no names, no places, no words of theirs, and no data.

use crate::names::OWN_FUNCTIONS;
use crate::tree::{CallTree, Does, FunctionId, OWN, Step, Transform};
use crate::{Outcome, Run};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wengert_core::ops::{AllGather, AllReduce, AllToAll, AxisIndex, CollectivePermute, ReduceScatter};
use wengert_core::{Builder, DType, Error, ErrorKind, Op, Place, Program, Result, Scalar, Tensor, Type, Var};

/// What stands for the message of an error that came from code of the user's.
const ERROR_OF_USER: &str = "an error of the user's";

/// Constants of at most this many elements that are no fractions are part of the program: indices, masks, sizes.
const SMALL: usize = 32;

/// Numbers in the place of the user's, the same for the same seed: small ones, exact in each element type. Fractions are positive: a
/// loop that multiplies until something is large ends, and roots and logarithms are numbers.
///
/// ```
/// use wengert_core::{DType, Type};
/// let t = wengert_emit::drawn(1, &Type::new(DType::BF16, [3]));
/// assert!(t.same_bits(&wengert_emit::drawn(1, &Type::new(DType::BF16, [3]))));
/// ```
pub fn drawn(seed: u64, ty: &Type) -> Tensor {
    // The generator called SplitMix64.
    let mut state = seed.wrapping_mul(0xd129_0b26_8c39_a1f7);
    let mut next = |below: u64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    };
    let fraction = |next: &mut dyn FnMut(u64) -> u64| (next(16) as f64 + 0.5) / 8.0;
    Tensor::from_bits(ty, |_| {
        let x = match ty.dtype {
            d if d.is_complex() => {
                let (re, im) = (fraction(&mut next), fraction(&mut next));
                Scalar::from_complex(d, wengert_core::Complex::new(re, im))
            }
            d if d.is_float() => Scalar::from_f64(d, fraction(&mut next)),
            DType::Bool => Scalar::Bool(next(2) == 1),
            d => Scalar::from_i64(d, next(4) as i64),
        };
        x.bits()
    })
}

/// Whether a constant is data, and not a part of the program.
fn is_data(t: &Tensor) -> bool {
    let first = || t.get(0).bits();
    let is_repeated = t.is_splat() || (1..t.size()).all(|i| t.get(i).bits() == first());
    let is_fraction = t.dtype().is_float() || t.dtype().is_complex();
    t.size() > 1 && !is_repeated && (is_fraction || t.size() > SMALL)
}

impl Run {
    /// Whether an error that the run ended in, or went on after, may depend on its values: it came while an op ran that its operands
    /// fit.
    pub fn needs_values(&self) -> bool {
        let caught = |s: &Step| matches!(s.does, Does::Caught(id, _) if failed_running(&self.tree, id));
        if self.tree.functions.iter().flat_map(|f| &f.steps).any(caught) {
            return true;
        }
        match &self.outcome {
            Some(Outcome::Error(_)) => match self.tree.main().fails {
                Some(_) => failed_running(&self.tree, self.tree.functions.len() - 1),
                None => true,
            },
            _ => false,
        }
    }

    /// The run on numbers that are made from a seed, with nothing that it would give: inputs, and constants that are data (fractions
    /// that are not all the same, and whatever has more than 32 elements). A run that [needs its values](Run::needs_values) keeps
    /// them.
    pub fn without_values(mut self) -> Run {
        if self.needs_values() {
            return self;
        }
        for (i, t) in self.inputs.iter_mut().enumerate() {
            *t = drawn(i as u64, &t.ty());
        }
        let constants = self.tree.functions.iter_mut().flat_map(|f| &mut f.steps).filter_map(|s| match &mut s.does {
            Does::Primitive(Op::Constant(c), _) if is_data(&c.value) => Some(c),
            _ => None,
        });
        for (i, c) in constants.enumerate() {
            c.value = drawn(!(i as u64), &c.value.ty());
        }
        self.outcome = self.outcome.filter(|o| matches!(o, Outcome::Error(_)));
        self
    }

    /// The run without names, places and words of the user's.
    pub(crate) fn without_names(mut self) -> Run {
        let is_users: Vec<bool> = (0..self.tree.functions.len()).map(|id| raises(&self.tree, id)).collect();
        let nameless = |id: FunctionId, message: &str| match is_users[id] {
            true => ERROR_OF_USER.into(),
            false => without_names(message),
        };
        if let Some(Outcome::Error(message)) = &mut self.outcome {
            *message = nameless(is_users.len() - 1, message);
        }
        let mut axes = Anonymizer::default();
        for (i, f) in self.tree.functions.iter_mut().enumerate() {
            (f.name, f.place) = (format!("f{i}"), Place::unknown());
            f.variables.iter_mut().for_each(|v| v.name = None);
            for s in &mut f.steps {
                s.place = Place::unknown();
                match &mut s.does {
                    Does::Raise(message) => *message = ERROR_OF_USER.into(),
                    Does::Caught(id, message) => *message = nameless(*id, message),
                    Does::Primitive(op, _) => axes.rename(op),
                    Does::Transform { by: Transform::Vmap { name: Some(name), .. }, .. } => *name = axes.axis(name),
                    _ => {}
                }
            }
        }
        self
    }
}

/// Whether a function failed while an op ran that its operands fit.
fn failed_running(tree: &CallTree, id: FunctionId) -> bool {
    let Some((step, inside)) = tree.failed_step(id) else { return false };
    match (&step.does, inside) {
        (_, Some(inside)) => failed_running(tree, inside),
        (Does::Primitive(op, _), None) => {
            let variables = &tree.functions[id].variables;
            let types: Vec<Type> = step.operands.iter().map(|&v| variables[v].ty.clone()).collect();
            op.rules().infer(&types).is_ok()
        }
        // What fails to be transformed fails by its types.
        (Does::Transform { by, .. }, None) => *by == Transform::Jit,
        (Does::Recorded(_), None) => true,
        (Does::Call(_) | Does::Caught(..) | Does::Returned(_) | Does::Own(_) | Does::Raise(_), None) => false,
    }
}

/// Whether a function failed in code of the user's.
fn raises(tree: &CallTree, id: FunctionId) -> bool {
    match tree.failed_step(id) {
        Some((_, Some(inside))) => raises(tree, inside),
        Some((step, None)) => matches!(step.does, Does::Raise(_)),
        None => false,
    }
}

/// The first line of a message of ours. Names stand in `` ` ``, and become `_` unless they are ours.
fn without_names(message: &str) -> String {
    let ops = Op::names();
    let is_own =
        |word: &str| ops.contains(&word) || OWN_FUNCTIONS.contains(&word) || OWN.iter().any(|own| own.name == word);
    let part = |(i, part): (usize, &str)| if i % 2 == 0 || is_own(part) { part.to_string() } else { "_".into() };
    let line = message.lines().next().unwrap_or_default();
    line.split('`').enumerate().map(part).collect::<Vec<_>>().join("`")
}

/// The program without names, places and words of the user's, and with data made from a seed, as [`Run::without_values`] has it.
/// Named axes have other names, and an op of the user's is what it decomposes into.
///
/// ```
/// use wengert_core::Program;
/// let p = Program::parse("program secret(key: f32[2]) { y: f32[2] = add(key, dense[1.5, 7.5]:f32[2]) return y }")?;
/// let text = wengert_emit::anonymous(&p)?.to_text();
/// assert!(text.contains("add(") && ["secret", "key", "7.5"].iter().all(|word| !text.contains(word)));
/// # Ok::<(), wengert_core::Error>(())
/// ```
///
/// # Errors
/// If an op of the user's has no decomposition: its name is all there is of it.
pub fn anonymous(program: &Program) -> Result<Program> {
    Ok(Arc::unwrap_or_clone(Anonymizer::default().program(&Arc::new(program.clone()))?))
}

/// What was found on the way through a program.
#[derive(Default)]
struct Anonymizer {
    /// Programs by their address: one that is held twice stays one.
    programs: FxHashMap<*const Program, (Arc<Program>, Arc<Program>)>,
    axes: Vec<Arc<str>>,
    constants: u64,
}

impl Anonymizer {
    fn program(&mut self, p: &Arc<Program>) -> Result<Arc<Program>> {
        if let Some((_, done)) = self.programs.get(&Arc::as_ptr(p)) {
            return Ok(done.clone());
        }
        let mut b = Builder::new();
        let args = b.inputs(&p.input_types());
        let all = b.inline_by(p, &args, |b, e, x| {
            b.set_place(Place::unknown());
            match &e.op {
                Op::Custom(op) => {
                    let types: Vec<Type> = x.iter().map(|&v| b.ty(v).clone()).collect();
                    let Some(program) = op.get().decompose(&types) else { return Err(nothing_but_a_name(&e.place)) };
                    let program = self.program(&Arc::new(program?))?;
                    Ok(b.inline(&program, x))
                }
                op => {
                    let op = self.op(op)?;
                    Ok(b.push_typed(op, x, e.outputs.iter().map(|&v| p.ty(v).clone()).collect()).to_vec())
                }
            }
        })?;
        let outputs: Vec<Var> = p.outputs().iter().map(|v| all[v.index()]).collect();
        let done = Arc::new(b.finish_all(&outputs));
        // The old one is kept, so that nothing else gets its address.
        self.programs.insert(Arc::as_ptr(p), (p.clone(), done.clone()));
        Ok(done)
    }

    fn op(&mut self, op: &Op) -> Result<Op> {
        let mut op = op.clone();
        match &mut op {
            Op::Constant(c) if is_data(&c.value) => {
                self.constants += 1;
                c.value = drawn(!self.constants, &c.value.ty());
            }
            op => self.rename(op),
        }
        let mut failed = None;
        let op = op.map_programs(&mut |p| match self.program(p) {
            Ok(done) => done,
            Err(e) => {
                failed.get_or_insert(e);
                p.clone()
            }
        });
        failed.map_or(Ok(op), Err)
    }

    /// Another name for the axis that an op is over.
    fn rename(&mut self, op: &mut Op) {
        match op {
            Op::AxisIndex(AxisIndex { axis, .. })
            | Op::AllReduce(AllReduce { axis, .. })
            | Op::AllGather(AllGather { axis, .. })
            | Op::ReduceScatter(ReduceScatter { axis, .. })
            | Op::AllToAll(AllToAll { axis, .. })
            | Op::CollectivePermute(CollectivePermute { axis, .. }) => *axis = self.axis(axis),
            _ => {}
        }
    }

    fn axis(&mut self, name: &Arc<str>) -> Arc<str> {
        let i = self.axes.iter().position(|a| a == name).unwrap_or_else(|| {
            self.axes.push(name.clone());
            self.axes.len() - 1
        });
        format!("axis{i}").into()
    }
}

fn nothing_but_a_name(place: &Place) -> Error {
    let m = "an op of the user's that is no program of others can't be written without its name";
    Error::new(ErrorKind::Unsupported, m).at(place.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, jax, rust};
    use wengert_core::ops::Custom;

    #[derive(Debug)]
    struct Secret(bool);

    impl wengert_core::ops::CustomOp for Secret {
        fn name(&self) -> &str {
            "secret.op"
        }
        fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
            Ok(x.to_vec())
        }
        fn decompose(&self, _: &[Type]) -> Option<Result<Program>> {
            self.0.then(|| Program::parse("program secret(hidden: f32[2]) { w: f32[2] = sin(hidden) return w }"))
        }
    }

    fn custom(is_program: bool) -> Program {
        let mut b = Builder::new();
        let x = b.input(Type::new(DType::F32, [2]));
        b.set_name(x, "secret");
        let y = b.one(Op::Custom(Custom::new(Secret(is_program))), &[x]);
        b.finish(&[y])
    }

    #[test]
    fn ops_and_axes_of_the_users_have_no_names() {
        let text = anonymous(&custom(true)).unwrap().to_text();
        assert!(text.contains("sin(") && !text.contains("secret") && !text.contains("hidden"), "{text}");
        let e = anonymous(&custom(false)).unwrap_err();
        assert!(e.kind() == ErrorKind::Unsupported && !e.to_string().contains("secret"), "{e}");
        let run = Run {
            tree: CallTree::of_program(&custom(true)),
            inputs: vec![Tensor::zeros(&Type::new(DType::F32, [2]))],
            outcome: None,
        };
        let options = Options { anonymous: true, ..Options::default() };
        for text in [rust(&run, &options).unwrap().text, jax(&run, &options).unwrap().text] {
            assert!(text.contains("sin(") && !text.contains("secret") && !text.contains("hidden"), "{text}");
        }
        let text = "program (x: f32[]) {\n  i: i32[] = axis_index[axis=\"secret\", size=2]()\n  \
                    y: f32[] = all_reduce[axis=\"other\", size=2, reduction=add](x)\n  return i, y\n}\n";
        let text = anonymous(&Program::parse(text).unwrap()).unwrap().to_text();
        assert!(
            text.contains("axis=\"axis0\"") && text.contains("axis=\"axis1\"") && !text.contains("secret"),
            "{text}"
        );
    }

    #[test]
    fn a_program_that_is_held_twice_stays_one() {
        let inner = Arc::new(Program::parse("program inner(a: f32[]) { b: f32[] = sin(a) return b }").unwrap());
        let mut b = Builder::new();
        let x = b.input(Type::scalar(DType::F32));
        let call = || wengert_core::ops::Call { program: inner.clone(), kind: wengert_core::ops::CallKind::Staged };
        let y = b.push(call(), &[x]);
        let z = b.push(call(), &y);
        let p = anonymous(&b.finish(&z)).unwrap();
        let programs: Vec<*const Program> =
            p.equations().iter().flat_map(|e| e.op.programs()).map(Arc::as_ptr).collect();
        assert!(programs.len() == 2 && programs[0] == programs[1]);
    }

    #[test]
    fn data_is_drawn_and_what_the_program_is_stays() {
        let text = "program (x: f32[3]) {\n  a: f32[3] = mul(x, 0.125:f32[3])\n  b: f32[3] = add(a, dense[5.5, 6.5, 7.5]:f32[3])\n  \
                    i: i32[2] = dense[2, 1]:i32[2]\n  m: f32[] = 9.5:f32[]\n  return b, i, m\n}\n";
        let p = Program::parse(text).unwrap();
        let got = anonymous(&p).unwrap().to_text();
        assert!(["0.125", "dense[2, 1]", "9.5"].iter().all(|stays| got.contains(stays)), "{got}");
        assert!(["5.5", "6.5", "7.5"].iter().all(|goes| !got.contains(goes)), "{got}");
        let x = Tensor::new([3], vec![100.5f32, 101.5, 102.5]).unwrap();
        let outcome = Some(Outcome::Results(vec![x.clone()]));
        let run = Run { tree: CallTree::of_program(&p), inputs: vec![x.clone()], outcome };
        let run = run.without_values();
        assert!(run.outcome.is_none() && !run.inputs[0].same_bits(&x) && run.inputs[0].ty() == x.ty());
        // An error that came while a program ran may come of its values.
        let outcome = Some(Outcome::Error("it fails".into()));
        let run = Run { tree: CallTree::of_program(&p), inputs: vec![x.clone()], outcome };
        assert!(run.needs_values() && run.without_values().inputs[0].same_bits(&x));
    }

    #[test]
    fn messages_keep_words_of_ours_alone() {
        let message = "`grad` needs `secret::loss` at `add` of f32[2]\n at /home/secret/a.rs";
        assert_eq!(without_names(message), "`grad` needs `_` at `add` of f32[2]");
    }

    #[test]
    fn numbers_are_exact_in_all_types_and_not_all_the_same() {
        for dtype in DType::ALL {
            let t = drawn(3, &Type::new(dtype, [40]));
            assert!((1..40).any(|i| t.get(i).bits() != t.get(0).bits()), "{dtype}");
            let wide = drawn(3, &Type::new(DType::C128, [40]));
            let same = |i: usize| !dtype.is_complex() || t.get(i).as_complex() == wide.get(i).as_complex();
            assert!((0..40).all(same), "{dtype}");
        }
    }
}
