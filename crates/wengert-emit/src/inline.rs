//! Functions that nobody named, and do nothing but call what a transform makes of another: they are written where they are used, as `vmap(grad(f))`,
//! in every language, and so have no name that a recording of the text could not know.

use crate::rust::MOST_ARGUMENTS;
use crate::tree::{CallTree, Does, FunctionId, Step, Transform};

impl CallTree {
    /// The transform that makes a function, and of which: if the function does nothing but call what comes of it, and is no tracked
    /// one.
    pub(crate) fn made_by(&self, id: FunctionId) -> Option<(&Transform, FunctionId)> {
        let f = &self.functions[id];
        let [Step { does: Does::Transform { by, function, held: 0 }, operands, results, .. }] = &f.steps[..] else {
            return None;
        };
        let own = f.parameters.len();
        let whole = *results == f.results || f.fails == Some(results.len());
        if f.is_tracked || *operands != f.parameters || !whole || own == 0 || own > MOST_ARGUMENTS {
            return None;
        }
        let gives_one = self.functions[*function].gives() == 1;
        let is_expression = match by {
            Transform::Jit | Transform::Vmap { .. } => true,
            Transform::Jacobian { wrt: 1, .. } | Transform::Grad { wrt: 1, value: false } => gives_one,
            _ => false,
        };
        is_expression.then_some((by, *function))
    }

    /// Whether a function is written where it is used, and nowhere else.
    pub(crate) fn is_inline(&self, id: FunctionId) -> bool {
        let users = self.functions.iter().flat_map(|f| &f.steps).filter(|s| s.does.functions().contains(&id));
        let by_transform = |s: &Step| match &s.does {
            Does::Transform { function, held: 0, by } => {
                let own = self.functions[*function].parameters.len();
                let loss = matches!(by, Transform::Grad { .. }) && self.functions[*function].gives() > 1;
                let grouped = match by {
                    Transform::Grad { wrt, .. } | Transform::Jacobian { wrt, .. } => *wrt != 1 && *wrt != own,
                    Transform::Hvp => own != 1,
                    _ => false,
                };
                !loss && !grouped
            }
            _ => false,
        };
        self.made_by(id).is_some() && id + 1 < self.functions.len() && users.into_iter().all(by_transform)
    }
}
