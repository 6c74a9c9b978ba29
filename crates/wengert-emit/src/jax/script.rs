//! What a file does when it is run: the inputs, the call, and what came of it when it was recorded.

use super::File;
use super::effort::Effort;
use super::helpers::Helper;
use super::layout::{self, Expr};
use super::literal;
use crate::precision::{Allowed, AllowedResults};
use crate::{OF_FINITE, Outcome, Run, determined};
use wengert_core::{Tensor, Type};

/// Writes the last part of a file.
pub(super) fn script(file: &mut File<'_>, run: &Run, outermost: &str) -> String {
    let mut text = String::from("if __name__ == \"__main__\":\n");
    let inputs: Vec<Expr> = run.inputs.iter().enumerate().map(|(i, t)| input(file, i, t)).collect();
    let effort = Effort::of(file.tree);
    let one_by_one = effort.is_for_one_by_one(file.tree.is_eager);
    let is_nan = matches!(&run.outcome, Some(Outcome::Error(message)) if message.contains(OF_FINITE));
    let one_by_one = one_by_one || is_nan;
    let called = if one_by_one { outermost.to_string() } else { format!("jax.jit({outermost})") };
    let call = |arguments: &str| Expr::call(called.clone(), [Expr::atom(arguments)]);
    layout::assign(&mut text, 1, &Expr::atom("inputs"), &Expr::List(inputs));
    if file.tree.is_eager && !one_by_one {
        let why = format!(
            "# It ran op by op. JAX compiles each op by itself then, and {} different ones take long.",
            effort.different
        );
        layout::line(&mut text, 1, &why);
    }
    let give = |value: Expr| match run.tree.main().results.len() {
        1 => Expr::List(vec![value]),
        _ => value,
    };
    match &run.outcome {
        Some(Outcome::Error(message)) => {
            file.uses_sys = true;
            layout::line(&mut text, 1, &format!("# Recorded: {}", literal::comment(message)));
            layout::line(&mut text, 1, "try:");
            // Then nothing says that JAX fails at the op that was recorded.
            let may_be_given = is_nan && run.inputs.iter().any(not_finite_flags(message).1);
            if is_nan {
                let (flags, _) = not_finite_flags(message);
                layout::line(
                    &mut text,
                    2,
                    "# Else JAX goes on with such numbers, and looks at none inside of what it compiles.",
                );
                if may_be_given {
                    layout::line(
                        &mut text,
                        2,
                        "# An input has some: JAX fails at the first op that gives one, which may be made of it.",
                    );
                }
                layout::line(&mut text, 2, &format!("with {flags}, jax.disable_jit():"));
            }
            let depth = if is_nan { 3 } else { 2 };
            layout::statement(&mut text, depth, &Expr::call("jax.block_until_ready", [call("*inputs")]));
            let error = if is_nan { "FloatingPointError" } else { "Exception" };
            layout::line(&mut text, 1, &format!("except {error} as error:"));
            let failed =
                if may_be_given { "failed, at a number of the kind that was recorded" } else { "failed, as recorded" };
            if !is_nan {
                let checked = file.check_error(file.tree.functions.len() - 1);
                layout::statement(&mut text, 2, &checked);
            }
            layout::line(&mut text, 2, &format!("print(f\"{failed}: {{error}}\")"));
            layout::line(&mut text, 1, "else:");
            layout::line(&mut text, 2, "sys.exit(\"no error, and one was recorded\")");
        }
        Some(Outcome::Results(results)) if file.options.fake_data.is_none() => {
            file.helper(Helper::Check);
            file.uses_sys = true;
            let allowed = AllowedResults::of(file.tree, results, file.options);
            let results = results.iter().map(|t| file.array("result", t)).collect();
            layout::assign(&mut text, 1, &Expr::atom("expected"), &Expr::List(results));
            layout::assign(&mut text, 1, &Expr::atom("results"), &give(call("*inputs")));
            let mut given: Vec<Expr> = ["results", "expected"].into_iter().map(Expr::atom).collect();
            given.extend(told(&allowed, part));
            let free = &file.options.free;
            if !free.is_empty() {
                layout::line(&mut text, 1, &format!("# {}", determined::NOTE));
                given.push(Expr::keyword("free", Expr::List(free.iter().map(Expr::atom).collect())));
            }
            given.extend(told(&allowed, narrowest).map(|d| Expr::keyword("narrowest", d)));
            let scales = &file.options.scales;
            if scales.iter().any(Option::is_some) {
                let one = |s: &Option<f64>| Expr::atom(s.map_or("None".into(), |s| format!("{s:?}")));
                given.push(Expr::keyword("scales", Expr::List(scales.iter().map(one).collect())));
            }
            let subnormal = &file.options.subnormal;
            if !subnormal.is_empty() {
                layout::line(&mut text, 1, "# Numbers that are subnormal are zero here, and decide these results.");
                given.push(Expr::keyword("subnormal", Expr::List(subnormal.iter().map(Expr::atom).collect())));
            }
            layout::statement(&mut text, 1, &Expr::call("check", given));
        }
        _ => {
            file.helper(Helper::TypeName);
            layout::assign(&mut text, 1, &Expr::atom("results"), &give(call("*inputs")));
            layout::line(&mut text, 1, "for i, result in enumerate(results):");
            layout::line(&mut text, 2, "print(f\"result {i}: {type_name(result)}\", result, sep=\"\\n\")");
        }
    }
    text
}

/// Whether an array has a number that JAX fails at.
type Fails = fn(&Tensor) -> bool;

/// What makes JAX fail at numbers of the kind that a message is about, and whether an array has some.
fn not_finite_flags(message: &str) -> (&'static str, Fails) {
    let [is_nan, is_infinite] = [message.contains("gives NaN"), message.contains("gives an infinity")];
    match (is_nan, is_infinite) {
        (true, false) => ("jax.debug_nans(True)", |t| has(t, f64::is_nan)),
        (false, true) => ("jax.debug_infs(True)", |t| has(t, f64::is_infinite)),
        _ => ("jax.debug_nans(True), jax.debug_infs(True)", |t| has(t, |x| !x.is_finite())),
    }
}

fn has(t: &Tensor, is: fn(f64) -> bool) -> bool {
    let n = if t.is_splat() { t.size().min(1) } else { t.size() };
    t.dtype().is_differentiable() && (0..n).map(|i| t.get(i).as_complex()).any(|c| is(c.re) || is(c.im))
}

/// What is told of the results by one argument: one value for all, or a list; nothing, where there is nothing to tell.
fn told(allowed: &AllowedResults, tell: impl Fn(&Allowed) -> Option<Expr>) -> Option<Expr> {
    match allowed {
        AllowedResults::Same(one) => tell(one),
        AllowedResults::Each(all) if all.iter().all(|a| tell(a).is_none()) => None,
        AllowedResults::Each(all) => {
            Some(Expr::List(all.iter().map(|a| tell(a).unwrap_or_else(|| Expr::atom("None"))).collect()))
        }
    }
}

fn part(allowed: &Allowed) -> Option<Expr> {
    match allowed {
        Allowed::Part(part) => Some(Expr::atom(format!("{part:?}"))),
        Allowed::Rounding(_) => None,
    }
}

fn narrowest(allowed: &Allowed) -> Option<Expr> {
    match allowed {
        Allowed::Rounding(Some(dtype)) => Some(Expr::atom(format!("\"{}\"", literal::dtype_name(*dtype)))),
        _ => None,
    }
}

/// An input: its elements, or some like them from the seed.
fn input(file: &mut File<'_>, i: usize, t: &Tensor) -> Expr {
    match file.options.fake_data {
        Some(seed) if t.size() > file.options.inline => fake(seed.wrapping_add(i as u64), &t.ty()),
        _ => file.array("input", t),
    }
}

/// Random numbers: normal ones, small integers, or either of the bools.
fn fake(seed: u64, ty: &Type) -> Expr {
    let d = ty.dtype;
    // Seeds of JAX are numbers of 32 bits where no larger are allowed.
    let key = Expr::call("jax.random.key", [Expr::atom(seed % (1 << 31))]);
    let shape = Expr::numbers(ty.shape.iter());
    match d {
        d if d.is_differentiable() => Expr::call("jax.random.normal", [key, shape, literal::dtype(d)]),
        d if d.is_integer() => {
            Expr::call("jax.random.randint", [key, shape, Expr::atom(0), Expr::atom(4), literal::dtype(d)])
        }
        _ => Expr::call("jax.random.bernoulli", [key, Expr::keyword("shape", shape)]),
    }
}
