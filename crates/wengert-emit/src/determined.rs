//! Which results depend on vectors of a decomposition: where its matrix does not determine them, they may be others elsewhere.

use crate::Options;
use crate::tree::{CallTree, Does, FunctionId};
use wengert_core::Op;
use wengert_core::ops::Eigenvectors;

/// The results of an op that a matrix does not always determine: what rounding chooses is as right as any other.
///
/// ```
/// use wengert_core::Op;
/// use wengert_core::ops::Eigh;
/// assert_eq!(wengert_emit::free_results(&Op::Eigh(Eigh { lower: true })), [1]);
/// ```
pub fn free_results(op: &Op) -> &'static [usize] {
    match op {
        Op::Qr(_) => &[0, 1],
        Op::Eigh(_) => &[1],
        Op::Svd(o) if o.compute_uv => &[0, 2],
        // Eigenvalues that repeat may be far from what they are without rounding.
        Op::Eig(o) if o.compute_v == Eigenvectors::Right => &[0, 1],
        Op::Eig(o) if o.compute_v == Eigenvectors::Both => &[0, 1, 2],
        _ => &[],
    }
}

/// What a file says where it compares such results.
pub(crate) const NOTE: &str =
    "These depend on a decomposition that its matrix does not determine: others are as right.";

impl CallTree {
    /// The results that need not be as recorded: none unless a decomposition of the run is known to be not determined.
    pub(crate) fn told_free(&self, options: &Options) -> Vec<usize> {
        if options.undetermined { self.free_results() } else { Vec::new() }
    }

    /// The results of the outermost function that depend on those.
    fn free_results(&self) -> Vec<usize> {
        let mut of_functions: Vec<FreeResults> = Vec::with_capacity(self.functions.len());
        for id in 0..self.functions.len() {
            let found = self.free_results_of(id, &of_functions);
            of_functions.push(found);
        }
        of_functions.pop().map_or_else(Vec::new, |found| found.results)
    }

    /// The same of a function, after all that it uses.
    fn free_results_of(&self, id: FunctionId, of_functions: &[FreeResults]) -> FreeResults {
        let f = &self.functions[id];
        let mut is_free = vec![false; f.variables.len()];
        let mut any = false;
        for step in &f.steps {
            let inherits = step.operands.iter().any(|&v| is_free[v]);
            let has_some = step.does.functions().iter().any(|&id| of_functions[id].any);
            any |= has_some;
            for (i, &v) in step.results.iter().enumerate() {
                is_free[v] = inherits
                    || match &step.does {
                        Does::Primitive(op, inside) if inside.is_empty() => free_results(op).contains(&i),
                        Does::Call(id) => of_functions[*id].results.contains(&i),
                        _ => has_some,
                    };
                any |= is_free[v];
            }
        }
        FreeResults { any, results: (0..f.results.len()).filter(|&i| is_free[f.results[i]]).collect() }
    }
}

/// Which results of a function depend on free ones.
struct FreeResults {
    /// Whether anything in it does.
    any: bool,
    results: Vec<usize>,
}
