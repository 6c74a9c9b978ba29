//! Forward mode: a program and its tangents.

use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Linearity, Op, no_rule};
use crate::program::{Equation, Program, Var, Vars};
use rustc_hash::FxHashMap;

/// Values and their tangents; `None` is a tangent of zero.
#[derive(Clone, Debug)]
pub struct Dual {
    /// The values.
    pub primals: Vec<Var>,
    /// Their tangents.
    pub tangents: Vec<Option<Var>>,
}

impl Dual {
    /// Both lists, the tangents that are zero left out.
    pub fn flat(&self) -> Vec<Var> {
        self.primals.iter().copied().chain(self.tangents.iter().copied().flatten()).collect()
    }
}

/// Which rule [`differentiate`] asks of each op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// [`Rules::jvp`](crate::Rules::jvp): values and tangents computed side by side.
    Jvp,
    /// [`Rules::linearize`](crate::Rules::linearize): the linear part in equations of its own.
    Linearize,
}

/// Adds the equations of a program and of its tangents.
pub fn differentiate(
    b: &mut Builder,
    mode: Mode,
    program: &Program,
    args: &[Var],
    tangents: &[Option<Var>],
) -> Result<Dual> {
    differentiate_all(b, mode, program, args, tangents).map(|(dual, _)| dual)
}

/// [`differentiate`], and for each variable of the program the one that has its value.
pub(super) fn differentiate_all(
    b: &mut Builder,
    mode: Mode,
    program: &Program,
    args: &[Var],
    tangents: &[Option<Var>],
) -> Result<(Dual, Vec<Var>)> {
    let mut primal: Vec<Option<Var>> = vec![None; program.var_count()];
    let mut tangent: Vec<Option<Var>> = vec![None; program.var_count()];
    for (i, v) in program.inputs().iter().enumerate() {
        primal[v.index()] = Some(args[i]);
        tangent[v.index()] = tangents[i];
    }
    for e in program.equations() {
        let y = differentiate_one(b, mode, program, e, &primal, &tangent)?;
        for (i, v) in e.outputs.iter().enumerate() {
            primal[v.index()] = Some(y.primals[i]);
            if program.ty(*v).dtype.is_differentiable() {
                tangent[v.index()] = y.tangents[i];
            }
            b.copy_name(program, *v, y.primals[i]);
        }
    }
    let primal: Vec<Var> = primal.into_iter().map(|v| v.expect("every variable is defined")).collect();
    let dual = Dual {
        primals: program.outputs().iter().map(|v| primal[v.index()]).collect(),
        tangents: program.outputs().iter().map(|v| tangent[v.index()]).collect(),
    };
    Ok((dual, primal))
}

/// Adds an equation and its tangents.
fn differentiate_one(
    b: &mut Builder,
    mode: Mode,
    program: &Program,
    e: &Equation,
    primal: &[Option<Var>],
    tangent: &[Option<Var>],
) -> Result<Dual> {
    b.set_place(e.place.clone());
    let x: Vars = e.inputs.iter().map(|v| primal[v.index()].expect("defined before use")).collect();
    let t: Vec<Option<Var>> = e.inputs.iter().map(|v| tangent[v.index()]).collect();
    let differentiable = e.outputs.iter().any(|&v| program.ty(v).dtype.is_differentiable());
    if differentiable && t.iter().any(Option::is_some) {
        let y = match mode {
            Mode::Jvp => e.op.rules().jvp(b, &x, &t),
            Mode::Linearize => e.op.rules().linearize(b, &x, &t),
        };
        return y.map_err(|err| err.at(e.place.clone()));
    }
    let types = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
    let y = b.push_typed(e.op.clone(), &x, types);
    Ok(Dual { tangents: vec![None; y.len()], primals: y.to_vec() })
}

/// The variables of a program whose values are known when it is differentiated: the derivative takes them as inputs.
pub struct KnownVars<'a>(pub &'a dyn Fn(Var) -> bool);

impl KnownVars<'_> {
    /// Nothing is known.
    pub const NONE: KnownVars<'static> = KnownVars(&|_| false);

    /// The known variables that a derivative may take, each with its variable in `b`: neither inputs nor constants.
    pub(super) fn of(&self, b: &Builder, program: &Program, primal: &[Var]) -> Vec<(Var, Var)> {
        let computed = |e: &&Equation| !matches!(e.op, Op::Constant(_));
        let vars = program.equations().iter().filter(computed).flat_map(|e| e.outputs.iter().copied());
        let known = vars.filter(|v| self.0(*v)).map(|v| (v, primal[v.index()]));
        known.filter(|(_, new)| b.definition(*new).is_some()).collect()
    }
}

/// A derivative, and the known variables of the original program that are its last inputs.
pub struct WithKnown<T> {
    /// The derivative.
    pub derivative: T,
    /// The variables, in order.
    pub known: Vec<Var>,
}

/// The program with these outputs, which takes known variables as its last inputs.
pub(super) fn finish_known(
    b: Builder,
    program: &Program,
    outputs: &[Var],
    known: &KnownVars<'_>,
    primal: &[Var],
) -> WithKnown<Program> {
    let mut old: FxHashMap<Var, Var> = FxHashMap::default();
    let mut handed = Vec::new();
    for (v, new) in known.of(&b, program, primal) {
        if old.insert(new, v).is_none() {
            handed.push(new);
        }
    }
    let (derivative, taken) = b.finish_with_known(outputs, &handed);
    WithKnown {
        derivative: derivative.with_name(program.name.clone()),
        known: taken.iter().map(|new| old[new]).collect(),
    }
}

/// The program that computes values and tangents: its inputs are those of `program`, then a tangent for each input with
/// `active`; its outputs those of `program`, then a tangent for each output that has one. The list says which.
pub fn jvp(program: &Program, active: &[bool]) -> Result<(Program, Vec<bool>)> {
    jvp_known(program, active, &KnownVars::NONE).map(|(handed, moving)| (handed.derivative, moving))
}

/// [`jvp`] of a program with known variables: the result takes these after the tangents.
pub fn jvp_known(program: &Program, active: &[bool], known: &KnownVars<'_>) -> Result<(WithKnown<Program>, Vec<bool>)> {
    let mut b = Builder::new();
    let args = b.inputs_of(program);
    let tangents: Vec<Option<Var>> =
        args.iter().zip(active).map(|(&v, &on)| on.then(|| b.input_like(v, ".t"))).collect();
    let (dual, primal) = differentiate_all(&mut b, Mode::Jvp, program, &args, &tangents)?;
    let moving = dual.tangents.iter().map(Option::is_some).collect();
    Ok((finish_known(b, program, &dual.flat(), known, &primal), moving))
}

/// Like [`jvp`], by the rules of either mode. Outputs with `demand` get a tangent even if it is zero, as the carries of
/// loops need.
pub fn dual(program: &Program, mode: Mode, active: &[bool], demand: &[bool]) -> Result<(Program, Vec<bool>)> {
    let mut b = Builder::new();
    let args = b.inputs_of(program);
    let tangents: Vec<Option<Var>> =
        args.iter().zip(active).map(|(&v, &on)| on.then(|| b.input_like(v, ".t"))).collect();
    let mut dual = differentiate(&mut b, mode, program, &args, &tangents)?;
    for ((t, &y), _) in dual.tangents.iter_mut().zip(&dual.primals).zip(demand).filter(|(_, demand)| **demand) {
        *t = t.or_else(|| Some(b.full_like(y, 0.0)));
    }
    let moving = dual.tangents.iter().map(Option::is_some).collect();
    Ok((b.finish(&dual.flat()).with_name(program.name.clone()), moving))
}

/// The tangents of an op that is linear in some of its operands.
pub fn linear_tangents(
    op: Op,
    linearity: Linearity,
    b: &mut Builder,
    x: &[Var],
    t: &[Option<Var>],
) -> Result<Vec<Option<Var>>> {
    match linearity {
        Linearity::None => Err(no_rule(op.name(), "differentiated", "it has no derivative rule")),
        Linearity::Jointly(linear) => {
            let x: Vars = (0..x.len())
                .map(|i| match t[i] {
                    _ if !linear(i) => x[i],
                    Some(t) => t,
                    None => b.full_like(x[i], 0.0),
                })
                .collect();
            Ok(b.push(op, &x).iter().map(|&v| Some(v)).collect())
        }
        Linearity::Each(linear) => {
            let mut sum: Vec<Option<Var>> = Vec::new();
            for i in (0..x.len()).filter(|&i| linear(i)) {
                let Some(t) = t[i] else { continue };
                let mut x: Vars = x.into();
                x[i] = t;
                let terms = b.push(op.clone(), &x);
                sum.resize(terms.len(), None);
                for (s, term) in sum.iter_mut().zip(terms) {
                    *s = b.add_some(*s, Some(term));
                }
            }
            Ok(sum)
        }
    }
}
