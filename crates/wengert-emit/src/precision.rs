//! The floats that a run computes with: what rounding may do to a result is known by the narrowest, which may not be its own.

use crate::Options;
use crate::tree::{CallTree, Does, Function, FunctionId, Step, Transform, VariableId};
use rustc_hash::FxHashMap;
use wengert_core::{DType, Op, Tensor};

/// How many binary digits a float of this type has; none if it is no float.
fn digits(dtype: DType) -> Option<u32> {
    match dtype.real() {
        DType::BF16 => Some(8),
        DType::F16 => Some(11),
        DType::F32 => Some(24),
        DType::F64 => Some(53),
        _ => None,
    }
}

/// The narrower one of two floats.
fn narrower(a: Option<DType>, b: Option<DType>) -> Option<DType> {
    [a, b].into_iter().flatten().min_by_key(|&d| digits(d))
}

impl CallTree {
    /// For each result of the outermost function, the narrowest float that something it depends on is rounded to, if that is narrower
    /// than its own.
    ///
    /// ```
    /// use wengert_core::{DType, Program};
    /// let text = "program (x: f32[]) { h: bf16[] = convert[dtype=bf16](x) y: f32[] = convert[dtype=f32](h) z: f32[] = sin(x) return y, z }";
    /// let tree = wengert_emit::CallTree::of_program(&Program::parse(text)?);
    /// assert_eq!(tree.narrowest(), [Some(DType::BF16), None]);
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn narrowest(&self) -> Vec<Option<DType>> {
        let mut whole: Vec<Option<DType>> = Vec::with_capacity(self.functions.len());
        for f in &self.functions {
            let own = f.steps.iter().flat_map(|s| s.results.iter().map(|&v| rounded(f, s, v)));
            let inside = f.steps.iter().flat_map(|s| s.does.functions()).map(|id| whole[id]);
            let narrowest = own.chain(inside).fold(None, narrower);
            whole.push(narrowest);
        }
        let main = self.main();
        let given = vec![None; main.parameters.len()];
        let found = Floats { tree: self, whole, known: FxHashMap::default() }.of(self.functions.len() - 1, given);
        let own = main.results.iter().map(|&v| digits(main.variables[v].ty.dtype));
        own.zip(found).map(|(own, found)| found.filter(|&d| own > digits(d))).collect()
    }
}

/// The float that a result of a step is rounded to.
fn rounded(f: &Function, step: &Step, v: VariableId) -> Option<DType> {
    let is_made = matches!(step.does, Does::Primitive(Op::Constant(_), _)) || f.variables[v].function.is_some();
    Some(f.variables[v].ty.dtype.real()).filter(|&d| !is_made && digits(d).is_some())
}

/// For each of some variables, the narrowest float behind it.
type Behind = Vec<Option<DType>>;

/// The narrowest floats behind the results of functions.
struct Floats<'t> {
    tree: &'t CallTree,
    /// Of each function, the narrowest of all.
    whole: Behind,
    /// What is known, by the function and what is behind its arguments.
    known: FxHashMap<(FunctionId, Behind), Behind>,
}

impl Floats<'_> {
    fn of(&mut self, id: FunctionId, given: Behind) -> Behind {
        if let Some(found) = self.known.get(&(id, given.clone())) {
            return found.clone();
        }
        let tree = self.tree;
        let f = &tree.functions[id];
        let mut behind = vec![None; f.variables.len()];
        f.parameters.iter().zip(&given).for_each(|(&v, d)| behind[v] = *d);
        for step in &f.steps {
            let operands: Vec<_> = step.operands.iter().map(|&v| behind[v]).collect();
            let called = match &step.does {
                Does::Call(id) | Does::Transform { by: Transform::Jit, function: id, .. } => Some(*id),
                Does::Primitive(Op::Call(_), inside) => inside.first().copied(),
                _ => None,
            };
            let found = match called {
                Some(id) => self.of(id, operands),
                // Each result depends on all that there is.
                None => {
                    let inside = step.does.functions().into_iter().map(|id| self.whole[id]);
                    vec![operands.into_iter().chain(inside).fold(None, narrower); step.results.len()]
                }
            };
            for (&v, found) in step.results.iter().zip(found) {
                behind[v] = narrower(found, rounded(f, step, v));
            }
        }
        let found: Vec<_> = f.results.iter().map(|&v| behind[v]).collect();
        self.known.insert((id, given), found.clone());
        found
    }
}

/// How far apart the numbers of a result may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Allowed {
    /// What rounding does, to floats of this type if that is narrower than their own.
    Rounding(Option<DType>),
    /// A part of the largest number of the array.
    Part(f64),
}

/// What goes for the results of a run.
pub(crate) enum AllowedResults {
    /// The same for all.
    Same(Allowed),
    /// One for each.
    Each(Vec<Allowed>),
}

impl AllowedResults {
    /// What goes for these results of a run.
    pub(crate) fn of(tree: &CallTree, results: &[Tensor], options: &Options) -> AllowedResults {
        if let Some(part) = options.within {
            return AllowedResults::Same(Allowed::Part(part));
        }
        let lost = |i: usize| options.lost.get(i).copied().flatten();
        let narrowest = tree.narrowest();
        let one = |i: usize| lost(i).map_or(Allowed::Rounding(narrowest.get(i).copied().flatten()), Allowed::Part);
        let each: Vec<Allowed> = (0..results.len()).map(one).collect();
        // Integers are compared exactly, and a float that is narrower than another is compared by itself.
        let floats = || each.iter().zip(results).filter(|(_, y)| y.dtype().is_differentiable());
        let common = match floats().map(|(a, _)| *a).reduce(|a, b| match (a, b) {
            (Allowed::Rounding(a), Allowed::Rounding(b)) => Allowed::Rounding(narrower(a, b)),
            (a, _) => a,
        }) {
            None => Allowed::Rounding(None),
            Some(common) => common,
        };
        let by = |allowed: Allowed, y: &Tensor| match allowed {
            Allowed::Rounding(d) => Allowed::Rounding(narrower(d, Some(y.dtype().real()))),
            part => part,
        };
        match floats().all(|(a, y)| by(*a, y) == by(common, y)) {
            true => AllowedResults::Same(common),
            false => AllowedResults::Each(each),
        }
    }
}
