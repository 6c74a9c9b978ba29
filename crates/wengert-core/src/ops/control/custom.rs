//! Ops that users add: the trait they implement, and the op that carries one through programs.

use super::custom_jvp::check_signature;
use super::opaque::{OPAQUE, Opaque};
use super::{cotangents, known, present};
use crate::attr::{Attributes, ProgramMap, Read};
use crate::builder::Builder;
use crate::error::{Error, ErrorKind, Result};
use crate::host::Tensor;
use crate::op::{Linearity, Op, Rules, no_rule};
use crate::program::{Program, Var};
use crate::text::{Parser, Printer, of_user};
use crate::transform::{self, Batched, Batcher, Dual, Mode, Operand};
use crate::types::Type;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock, OnceLock, RwLock};

/// The name of the op that prints what goes through it, in the text that its attributes are.
pub const PRINT: &str = "wengert.print";

/// An op of the user's. It gives the rules it has; those it does not give follow from its decomposition, if it has one.
/// With [`CustomOp::decompose`] alone an op works under every transform and backend.
///
/// The rules mean what they do in [`Rules`].
pub trait CustomOp: fmt::Debug + Send + Sync {
    /// The name in the text form: a word, which may have dots (`mylib.softcap`).
    fn name(&self) -> &str;

    /// The attributes as text. Two ops with the same name and attributes are the same op.
    fn attributes(&self) -> String {
        String::new()
    }

    /// The programs that the op holds: the body of a loop, the function of a solver. They are a part of what the op is, and are
    /// printed, searched and simplified like those of any other op.
    fn programs(&self) -> Vec<&Arc<Program>> {
        Vec::new()
    }

    /// The same op with these in place of the programs that it holds; each takes and gives the same types. Without it they stay
    /// as they are.
    fn with_programs(&self, programs: Vec<Arc<Program>>) -> Option<Custom> {
        let _ = programs;
        None
    }

    /// The program that this op is short for, on operands of these types.
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        let _ = x;
        None
    }

    /// The types of the results. Follows from the decomposition.
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        match self.decompose(x) {
            Some(program) => Ok(program?.output_types()),
            None => Err(no_rule(self.name(), "typed", "it has neither a typing rule nor a decomposition")),
        }
    }

    /// The same op with results of these types, where it holds their types and [`CustomOp::infer`] looks at no operands: reductions
    /// make arrays smaller. Without it the types are what `infer` says of the smaller operands.
    fn with_result_types(&self, types: &[Type]) -> Option<Custom> {
        let _ = types;
        None
    }

    /// The results on this machine.
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        let _ = x;
        None
    }

    /// Whether recordings have a node for its evaluation: not where an op was written into a program to look at what that does.
    fn is_recorded(&self) -> bool {
        true
    }

    /// In which operands the op is linear; tangents follow from that.
    fn linearity(&self) -> Linearity {
        Linearity::None
    }

    /// Whether each result element depends on the operands' elements at the same position alone, all shapes equal;
    /// batching follows from that.
    fn elementwise(&self) -> bool {
        false
    }

    /// The tangents of the results.
    fn tangents(&self, b: &mut Builder, x: &[Var], y: &[Var], t: &[Option<Var>]) -> Option<Result<Vec<Option<Var>>>> {
        let _ = (b, x, y, t);
        None
    }

    /// The cotangents of the linear operands.
    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Option<Result<Vec<Option<Var>>>> {
        let _ = (b, x, ct);
        None
    }

    /// StableHLO for operands of these types: the lines of a function's body, whose arguments are `%arg0`, `%arg1`… and
    /// whose last line is `return`. The programs that the op holds are functions of these names: `call @name(…)`. Without it the
    /// decomposition goes out.
    fn stablehlo(&self, x: &[Type], functions: &[String]) -> Option<Result<String>> {
        let _ = (x, functions);
        None
    }

    /// The op over a batch.
    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Option<Result<Vec<Batched>>> {
        let _ = (b, x);
        None
    }
}

/// A user's op, as a program holds it.
#[derive(Clone, Debug)]
pub struct Custom(Arc<dyn CustomOp>);

impl PartialEq for Custom {
    fn eq(&self, other: &Custom) -> bool {
        self.0.name() == other.0.name()
            && self.0.attributes() == other.0.attributes()
            && self.0.programs() == other.0.programs()
    }
}
impl Eq for Custom {}

impl Hash for Custom {
    fn hash<H: Hasher>(&self, h: &mut H) {
        self.0.name().hash(h);
        self.0.attributes().hash(h);
        self.0.programs().hash(h);
    }
}

/// Makes an op from the text of its attributes and the programs that it holds.
type Reader = Arc<dyn Fn(&str, Vec<Arc<Program>>) -> Result<Arc<dyn CustomOp>> + Send + Sync>;

/// An evaluation that failed: the op, and what it was given.
pub type FailedOp = (Custom, Vec<Tensor>);

thread_local! {
    /// The evaluation that failed last, where [`Custom::with_failed`] asks for it.
    static FAILED: Cell<Option<Option<FailedOp>>> = const { Cell::new(None) };
}

/// Told of an evaluation that ended well: the op, what it was given, and what it gave.
type EvaluationObserver = fn(&Custom, &[Tensor], &[Tensor]);

static OBSERVER: OnceLock<EvaluationObserver> = OnceLock::new();

static READERS: LazyLock<RwLock<FxHashMap<String, Reader>>> = LazyLock::new(Default::default);

impl Custom {
    /// An op that is this one, in a program.
    pub fn new(op: impl CustomOp + 'static) -> Custom {
        Custom(Arc::new(op))
    }

    /// The user's op.
    pub fn get(&self) -> &dyn CustomOp {
        &*self.0
    }

    /// The results on this machine, if the op evaluates them; an error if they are of other types than they must be. Of an evaluation that fails, [`Custom::with_failed`] knows what
    /// it was given.
    pub fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        /// Keeps what an evaluation was given, where it ends by a panic.
        struct Given<'a>(&'a Custom, &'a [Tensor]);
        impl Drop for Given<'_> {
            fn drop(&mut self) {
                // A thread that ends keeps none any more, here and in `with_failed`.
                _ = FAILED.try_with(|f| f.set(f.take().map(|_| Some((self.0.clone(), self.1.to_vec())))));
            }
        }
        let given = Given(self, x);
        let y = self.0.evaluate(x).map(|y| y.and_then(|y| self.checked(x, y)));
        if !matches!(y, Some(Err(_))) {
            std::mem::forget(given);
        }
        if let (Some(observer), Some(Ok(y))) = (OBSERVER.get(), &y)
            && self.0.is_recorded()
        {
            observer(self, x, y);
        }
        y
    }

    /// What an evaluation gave, if it is of the types that it must have.
    fn checked(&self, x: &[Tensor], y: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let types: Vec<Type> = x.iter().map(Tensor::ty).collect();
        let (given, wanted) = (y.iter().map(Tensor::ty).collect::<Vec<Type>>(), self.infer(&types)?);
        if given == wanted {
            return Ok(y);
        }
        let m = format!("`{}` must give {wanted:?} here, and its evaluation gave {given:?}", self.0.name());
        Err(Error::new(ErrorKind::Run, m))
    }

    /// Has evaluations observed from now on, in the whole process. The first that asks is told.
    pub fn observe(observer: fn(&Custom, &[Tensor], &[Tensor])) {
        OBSERVER.get_or_init(|| observer);
    }

    /// Runs something that does not unwind, and gives beside what it gives the evaluation that failed last in it, on this
    /// thread.
    pub fn with_failed<T>(f: impl FnOnce() -> T) -> (T, Option<FailedOp>) {
        let around = FAILED.try_with(|f| f.replace(Some(None))).ok().flatten();
        let y = f();
        (y, FAILED.try_with(|f| f.replace(around)).ok().flatten().flatten())
    }

    /// Tells the process how to read ops of this name from text, given the text of their attributes. The last word
    /// counts. Programs that are never read from text do not need it.
    pub fn register<O: CustomOp + 'static>(
        name: &str,
        read: impl Fn(&str) -> Result<O> + Send + Sync + 'static,
    ) -> Result<()> {
        let word: Arc<str> = name.into();
        Custom::register_holding(name, move |text, programs| match programs.is_empty() {
            true => read(text),
            false => Err(Error::malformed(format!("`{word}` holds no programs"))),
        })
    }

    /// The same for ops that hold programs.
    pub fn register_holding<O: CustomOp + 'static>(
        name: &str,
        read: impl Fn(&str, Vec<Arc<Program>>) -> Result<O> + Send + Sync + 'static,
    ) -> Result<()> {
        if Parser::new(name).ident().ok() != Some(name) {
            return Err(Error::malformed(format!("`{name}` can't name an op: a name is one word")));
        }
        if Op::names().contains(&name) {
            return Err(Error::malformed(format!("there is an op `{name}` already")));
        }
        let reader: Reader = Arc::new(move |text, programs| Ok(Arc::new(read(text, programs)?)));
        READERS.write().unwrap_or_else(|e| e.into_inner()).insert(name.to_string(), reader);
        Ok(())
    }

    fn reader(name: &str) -> Option<Reader> {
        if name == OPAQUE {
            return Some(Arc::new(|text, _| Ok(Arc::new(Opaque::read(text)?))));
        }
        READERS.read().unwrap_or_else(|e| e.into_inner()).get(name).cloned()
    }

    /// Whether other processes may know how to read it: it is registered here, or ours.
    pub fn is_readable(&self) -> bool {
        self.0.name() == PRINT || Custom::reader(self.0.name()).is_some()
    }

    /// The op as text, also of one whose name alone is here.
    pub fn text(&self) -> String {
        let opaque = || Opaque::text_of(&self.0.attributes());
        let own = || Op::from(self.clone()).to_string();
        if self.is_name_alone() { opaque().unwrap_or_else(own) } else { own() }
    }

    /// Whether its code is in another process, and nothing is here but its name and types.
    pub fn is_name_alone(&self) -> bool {
        self.0.name() == OPAQUE
    }

    /// The text of the op that prints, if it is that.
    pub fn printed_text(&self) -> Option<String> {
        (self.0.name() == PRINT).then(|| self.0.attributes())
    }

    /// The program this op is short for, on operands of these types, if it says so.
    pub fn program(&self, types: &[Type]) -> Option<Result<Program>> {
        let checked =
            |p: Program| check_signature(self.name(), "decomposition", &p, types, &self.infer(types)?).map(|()| p);
        Some(self.0.decompose(types)?.and_then(checked))
    }

    fn differentiate(&self, b: &mut Builder, mode: Mode, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        // Whether there is a rule shows when it is asked, and for that it needs the results.
        let y = b.push(self.clone(), x);
        if let Some(tangents) = self.0.tangents(b, x, &y, t) {
            return Ok(Dual { primals: y.to_vec(), tangents: tangents? });
        }
        if !matches!(self.0.linearity(), Linearity::None) {
            let tangents = transform::linear_tangents(self.to_op(), self.0.linearity(), b, x, t)?;
            return Ok(Dual { primals: y.to_vec(), tangents });
        }
        let types: Vec<Type> = x.iter().map(|&v| b.ty(v).clone()).collect();
        let program = self.program(&types).ok_or_else(|| self.missing("differentiated", "tangent rule"))??;
        transform::differentiate(b, mode, &program, x, t)
    }

    /// The error for an op that has neither this rule nor a decomposition.
    pub fn missing(&self, transformed: &str, rule: &str) -> Error {
        no_rule(self.0.name(), transformed, &format!("it has neither a {rule} nor a decomposition"))
    }
}

impl Attributes for Custom {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn print_attributes(&self, p: &mut Printer) {
        let (text, programs) = (self.0.attributes(), self.0.programs());
        if text.is_empty() && programs.is_empty() {
            return;
        }
        p.begin_attributes();
        if !text.is_empty() {
            p.attribute("attributes", &Arc::<str>::from(text));
        }
        if !programs.is_empty() {
            p.attribute("programs", &programs.into_iter().cloned().collect::<Vec<_>>());
        }
        p.end_attributes();
    }
    fn programs(&self) -> Vec<&Arc<Program>> {
        self.0.programs()
    }
    fn map_programs(&self, f: ProgramMap<'_>) -> Op {
        let programs: Vec<Arc<Program>> = self.0.programs().into_iter().map(f).collect();
        match programs.is_empty() {
            true => self.to_op(),
            false => self.0.with_programs(programs).unwrap_or_else(|| self.clone()).into(),
        }
    }
    fn to_op(&self) -> Op {
        self.clone().into()
    }
}

impl Read for Custom {
    fn names() -> Vec<&'static str> {
        Vec::new()
    }
    fn read(name: &str, p: &mut Parser<'_>) -> Result<Option<Self>> {
        let Some(reader) = Custom::reader(name) else { return Ok(None) };
        let at = p.position();
        p.begin_attributes()?;
        let text: Arc<str> = if p.next_attribute_is("attributes") { p.attribute("attributes")? } else { "".into() };
        let programs = if p.next_attribute_is("programs") { p.attribute("programs")? } else { Vec::new() };
        p.end_attributes()?;
        of_user(name, || reader(&text, programs)).map(|op| Some(Custom(op))).map_err(|e| p.error_at(at, e.message()))
    }
}

impl Rules for Custom {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        self.0.infer(x)
    }

    fn elementwise(&self) -> bool {
        self.0.elementwise()
    }

    fn linearity(&self) -> Linearity {
        self.0.linearity()
    }

    fn jvp(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        self.differentiate(b, Mode::Jvp, x, t)
    }

    fn linearize(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        self.differentiate(b, Mode::Linearize, x, t)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        if let Some(ct) = self.0.transpose(b, x, ct) {
            return ct;
        }
        let types: Vec<Type> = x.iter().map(|x| x.ty(b).clone()).collect();
        let program = self.program(&types).ok_or_else(|| self.missing("transposed", "transpose rule"))??;
        let linear: Vec<bool> = x.iter().map(Operand::is_linear).collect();
        let (back, have) = transform::transpose(&program, &linear, &present(ct))?;
        let args: Vec<Var> = known(x).into_iter().chain(ct.iter().copied().flatten()).collect();
        let y = b.inline(&back, &args);
        Ok(cotangents(&linear, &have, &y))
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        if let Some(y) = self.0.batch(b, x) {
            return y;
        }
        if self.0.elementwise() {
            return Ok(b.elementwise(self.to_op(), x));
        }
        let types: Vec<Type> = x.iter().map(|x| b.inner_type(*x)).collect();
        let program = self.program(&types).ok_or_else(|| self.missing("batched", "batching rule"))??;
        b.batch_inline(&program, x)
    }
}
