//! Names that a language takes, for names that may be anything.

use crate::tree::{CallTree, Does, FunctionId};
use rustc_hash::FxHashSet;
use wengert_core::Op;

/// Our functions that what is emitted calls by their names, and that messages name.
pub(crate) const OWN_FUNCTIONS: &[&str] = &[
    "jit",
    "grad",
    "value_and_grad",
    "jvp",
    "vjp",
    "linearize",
    "jacfwd",
    "jacrev",
    "hessian",
    "hvp",
    "vmap",
    "scan",
    "while_loop",
    "cond",
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "debug_print",
    "axis_index",
    "psum",
    "pmax",
    "pmin",
    "psum_scatter",
    "all_gather",
    "all_to_all",
    "ppermute",
];

/// The names that are taken in a part of the text.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    taken: FxHashSet<String>,
}

impl Names {
    /// None taken but these: words of the language, and what the text uses itself.
    pub(crate) fn new(reserved: &[&str]) -> Names {
        Names { taken: reserved.iter().map(|s| s.to_string()).collect() }
    }

    /// This name is taken.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_string());
    }

    /// A name that is not taken yet, as near to the wanted one as can be: letters, digits and `_`, in lower case. `f` and `f_2` become
    /// `f_2` and `f_3` where `f` is taken, as `f` and another `f` do: the names of a text are wanted where it is recorded again.
    pub(crate) fn fresh(&mut self, wanted: &str) -> String {
        let mut name = identifier(wanted);
        let base = match name.rsplit_once('_') {
            Some((base, n)) if !base.is_empty() && n.parse().is_ok_and(|n: u32| n > 1) => base.to_string(),
            _ => name.clone(),
        };
        let mut n = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}_{n}");
            n += 1;
        }
        name
    }
}

impl CallTree {
    /// A name for each function: the user's, or, of a part of an op that has none, what it is there for. The rules of a function have
    /// its name where they are recorded, and are named for what they are.
    pub(crate) fn function_names(&self, names: &mut Names) -> Vec<String> {
        let mut wanted: Vec<&str> = self.functions.iter().map(|f| &*f.name).collect();
        for step in self.functions.iter().flat_map(|f| &f.steps) {
            if let Does::Primitive(op, inside) = &step.does {
                let roles = roles(op).iter().cycle();
                let keeps = matches!(op, Op::Scan(_) | Op::While(_) | Op::Cond(_));
                for (&id, role) in inside.iter().zip(roles).filter(|(_, role)| !role.is_empty()) {
                    if !keeps || wanted[id].is_empty() {
                        wanted[id] = role;
                    }
                }
            }
        }
        // What is written where it is used has no name, and takes none from others.
        let fresh = |(id, wanted): (FunctionId, &str)| match wanted {
            _ if self.is_inline(id) => String::new(),
            "" => names.fresh("run"),
            wanted => names.fresh(wanted),
        };
        wanted.into_iter().enumerate().map(fresh).collect()
    }
}

/// What the programs of an op are there for; nothing where they keep their own names.
fn roles(op: &Op) -> &'static [&'static str] {
    match op {
        Op::Scan(_) => &["scan_body"],
        Op::While(_) => &["while_cond", "while_body"],
        Op::Cond(_) => &["branch"],
        Op::CustomJvp(_) => &["", "jvp_rule"],
        Op::CustomVjp(_) => &["", "forward_rule", "backward_rule"],
        Op::LinearSolve(_) => &["solve", "matvec", "transpose_solve"],
        Op::Root(_) => &["solve", "equation", "tangent_solve"],
        Op::Sort(_) => &["before"],
        Op::Call(_) => &[""],
        _ => &["combine"],
    }
}

/// A name of at most 40 letters, digits and `_` that begins with a letter or has one after `_`. `f` if nothing is left.
pub(crate) fn identifier(wanted: &str) -> String {
    let (mut name, mut before) = (String::new(), ' ');
    for c in wanted.chars() {
        let begins_word = before.is_ascii_lowercase();
        before = c;
        match c {
            'a'..='z' | '0'..='9' => name.push(c),
            // `toHost` is `to_host`, `HTTP` is `http`.
            'A'..='Z' => {
                if begins_word {
                    name.push('_');
                }
                name.push(c.to_ascii_lowercase());
            }
            _ if !name.ends_with('_') => name.push('_'),
            _ => {}
        }
        if name.len() >= 40 {
            break;
        }
    }
    let name = name.trim_end_matches('_');
    match name.trim_start_matches('_').chars().next() {
        None => "f".into(),
        Some('0'..='9') => format!("n{}", name.trim_start_matches('_')),
        Some(_) => name.trim_start_matches('_').into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_and_apart_whatever_was_wanted() {
        let mut names = Names::new(&["fn", "lambda"]);
        let got: Vec<String> =
            ["loss", "loss", "fn", "{{closure}}", "1st", "Ünï", "a; import os", "", "_", "sumOf", "HTTP"]
                .map(|wanted| names.fresh(wanted))
                .to_vec();
        assert_eq!(
            got,
            ["loss", "loss_2", "fn_2", "closure", "n1st", "n", "a_import_os", "f", "f_2", "sum_of", "http"]
        );
    }

    /// Whatever one language takes and the other does not: names that one gave are wanted when its text is recorded, and the other
    /// has the same for them as for the first.
    #[test]
    fn e7_names_of_a_text_are_the_same_when_it_is_recorded() {
        let wanted = ["f", "f", "g", "step", "f", "g_2", "g", "g_2"];
        for (rust, jax) in
            [(&[][..], &[][..]), (&["step"], &["step"]), (&[], &["f", "g"]), (&["g"], &["f", "g", "g_3"])]
        {
            let names = |reserved: &[&str], wanted: &[&str]| {
                let mut names = Names::new(reserved);
                wanted.iter().map(|wanted| names.fresh(wanted)).collect::<Vec<String>>()
            };
            let first = names(rust, &wanted);
            let again: Vec<&str> = first.iter().map(String::as_str).collect();
            assert_eq!(names(rust, &again), first);
            assert_eq!(names(jax, &again), names(jax, &wanted), "{rust:?} {jax:?}");
        }
    }
}
