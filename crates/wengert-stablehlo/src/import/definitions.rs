//! Which equation of a program defines a variable.

use wengert_core::{Equation, Op, Program, Var};

/// The equation that defines each variable; none for inputs.
pub(super) struct Definitions<'p>(Vec<Option<&'p Equation>>);

impl<'p> Definitions<'p> {
    pub fn new(p: &'p Program) -> Self {
        let mut all = vec![None; p.var_count()];
        for e in p.equations() {
            e.outputs.iter().for_each(|v| all[v.index()] = Some(e));
        }
        Definitions(all)
    }

    /// The equation that defines a variable.
    pub fn get(&self, v: Var) -> Option<&'p Equation> {
        self.0[v.index()]
    }

    /// The integer that a variable is, if it is such a constant.
    pub fn integer(&self, v: Var) -> Option<i64> {
        match &self.get(v)?.op {
            Op::Constant(c) if c.value.shape().rank() == 0 => c.value.get(0).as_i64(),
            _ => None,
        }
    }
}
