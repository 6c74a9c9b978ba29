//! Python text as `black` lays it out: on one line if it fits, else the content of the last bracket on lines of its own.

/// As long a line may be.
const WIDTH: usize = 88;

/// An expression, or what is assigned to.
#[derive(Clone, Debug)]
pub(super) enum Expr {
    /// Text that is never broken.
    Atom(String),
    /// `head(items)`.
    Call(String, Vec<Expr>),
    /// `[items]`.
    List(Vec<Expr>),
    /// `(items)`.
    Tuple(Vec<Expr>),
    /// Text before an expression: `name=`, `lambda x: `.
    Prefixed(String, Box<Expr>),
}

impl Expr {
    pub(super) fn atom(text: impl ToString) -> Expr {
        Expr::Atom(text.to_string())
    }

    pub(super) fn call(head: impl Into<String>, items: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::Call(head.into(), items.into_iter().collect())
    }

    /// `(1, 2)`.
    pub(super) fn numbers<T: ToString>(items: impl IntoIterator<Item = T>) -> Expr {
        Expr::Tuple(items.into_iter().map(Expr::atom).collect())
    }

    /// `name=value`.
    pub(super) fn keyword(name: &str, value: Expr) -> Expr {
        Expr::Prefixed(format!("{name}="), Box::new(value))
    }

    /// `lambda parameters: value`.
    pub(super) fn lambda(parameters: &str, value: Expr) -> Expr {
        Expr::Prefixed(format!("lambda {parameters}: "), Box::new(value))
    }

    /// All on one line.
    pub(super) fn flat(&self) -> String {
        match self {
            Expr::Atom(text) => text.clone(),
            Expr::Call(head, items) => format!("{head}({})", joined(items)),
            Expr::List(items) => format!("[{}]", joined(items)),
            Expr::Tuple(items) if items.len() == 1 => format!("({},)", items[0].flat()),
            Expr::Tuple(items) => format!("({})", joined(items)),
            Expr::Prefixed(prefix, value) => format!("{prefix}{}", value.flat()),
        }
    }

    /// Writes `before`, the expression and `after` at a depth of indentation.
    fn put(&self, out: &mut String, depth: usize, before: &str, after: &str) {
        let flat = format!("{before}{}{after}", self.flat());
        if fits(depth, &flat) {
            return line(out, depth, &flat);
        }
        match self {
            Expr::Prefixed(prefix, value) => value.put(out, depth, &format!("{before}{prefix}"), after),
            Expr::Call(head, items) if !items.is_empty() => {
                line(out, depth, &format!("{before}{head}("));
                match &items[..] {
                    [one] => one.put(out, depth + 1, "", ""),
                    _ if fits(depth + 1, &joined(items)) => line(out, depth + 1, &joined(items)),
                    _ => each(items, out, depth + 1),
                }
                line(out, depth, &format!("){after}"));
            }
            Expr::List(items) if !items.is_empty() => {
                line(out, depth, &format!("{before}["));
                match &items[..] {
                    [one] => one.put(out, depth + 1, "", ""),
                    _ => each(items, out, depth + 1),
                }
                line(out, depth, &format!("]{after}"));
            }
            Expr::Tuple(items) if !items.is_empty() => self.put_tuple(out, depth, before, after, items),
            _ => line(out, depth, &flat),
        }
    }

    fn put_tuple(&self, out: &mut String, depth: usize, before: &str, after: &str, items: &[Expr]) {
        line(out, depth, &format!("{before}("));
        each(items, out, depth + 1);
        line(out, depth, &format!("){after}"));
    }
}

fn joined(items: &[Expr]) -> String {
    items.iter().map(Expr::flat).collect::<Vec<_>>().join(", ")
}

/// One item a line.
fn each(items: &[Expr], out: &mut String, depth: usize) {
    items.iter().for_each(|item| item.put(out, depth, "", ","));
}

fn fits(depth: usize, text: &str) -> bool {
    4 * depth + text.chars().count() <= WIDTH
}

/// One line, as it is.
pub(super) fn line(out: &mut String, depth: usize, text: &str) {
    out.extend(std::iter::repeat_n("    ", depth));
    out.push_str(text);
    out.push('\n');
}

/// An expression as a statement.
pub(super) fn statement(out: &mut String, depth: usize, value: &Expr) {
    value.put(out, depth, "", "");
}

/// `target = value`. A tuple of targets stands without its brackets where it fits. The name `outputs` is for use here.
pub(super) fn assign(out: &mut String, depth: usize, target: &Expr, value: &Expr) {
    let bare = match target {
        Expr::Tuple(items) if items.len() > 1 => joined(items),
        target => target.flat(),
    };
    let head = match value {
        Expr::Call(head, items) if !items.is_empty() => format!("{bare} = {head}("),
        value => format!("{bare} = {}", value.flat()),
    };
    match target {
        Expr::Tuple(items) if !fits(depth, &head) => {
            // A value of two brackets is broken at the first of them after a bracket of targets, where it is long, or all up to there
            // fits in a line.
            if let Expr::Call(head, _) = value
                && let Some((first, _)) = head.split_once('(')
                && (fits(depth, &format!("({bare},) = {first}(")) || !fits(depth, &format!(") = {}", value.flat())))
            {
                value.put(out, depth, "outputs = ", "");
                return assign(out, depth, target, &Expr::atom("outputs"));
            }
            line(out, depth, "(");
            each(items, out, depth + 1);
            value.put(out, depth, ") = ", "");
        }
        _ => value.put(out, depth, &format!("{bare} = "), ""),
    }
}

/// The line that ends a function.
pub(super) fn give_back(out: &mut String, depth: usize, values: &[Expr]) {
    match values {
        [] => line(out, depth, "return ()"),
        [one] => one.put(out, depth, "return ", ""),
        many if fits(depth, &format!("return {}", joined(many))) => {
            line(out, depth, &format!("return {}", joined(many)));
        }
        many => Expr::Tuple(many.to_vec()).put_tuple(out, depth, "return ", "", many),
    }
}

/// The line that begins a function.
pub(super) fn define(out: &mut String, name: &str, parameters: &[String]) {
    let (one, all) = (format!("def {name}({}):", parameters.join(", ")), parameters.join(", "));
    if fits(0, &one) || parameters.is_empty() {
        return line(out, 0, &one);
    }
    line(out, 0, &format!("def {name}("));
    match parameters.len() > 1 && fits(1, &all) {
        true => line(out, 1, &all),
        false => parameters.iter().for_each(|p| line(out, 1, &format!("{p},"))),
    }
    line(out, 0, "):");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `black` has them.
    #[test]
    fn e2_many_results_of_a_call_of_two_brackets() {
        let assigned = |results: usize, head: &str| {
            let mut out = String::new();
            let target = Expr::Tuple((2..2 + results).map(|i| Expr::atom(format!("v{i}"))).collect());
            assign(&mut out, 1, &target, &Expr::call(head, [Expr::atom("a0"), Expr::atom("a1")]));
            out
        };
        let targets = |n: usize, join: &str| (2..2 + n).map(|i| format!("v{i}")).collect::<Vec<_>>().join(join);
        let one_line = format!("    {} = jax.jit(gg)(a0, a1)\n", targets(8, ", "));
        assert_eq!(assigned(8, "jax.jit(gg)"), one_line);
        let apart = format!("    outputs = jax.jit(ggggggggg)(a0, a1)\n    {} = outputs\n", targets(16, ", "));
        assert_eq!(assigned(16, "jax.jit(ggggggggg)"), apart);
        let broken = format!("    (\n        {},\n    ) = jax.jit(g)(a0, a1)\n", targets(24, ",\n        "));
        assert_eq!(assigned(24, "jax.jit(g)"), broken);
    }
}
