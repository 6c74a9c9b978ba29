//! What must hold of every program, checked: the specification that programs are held against between passes.

use crate::error::{Error, Result};
use crate::program::{Equation, Program, Var};
use crate::text::Names;
use crate::types::Type;
use rustc_hash::FxHashSet;
use std::fmt;

impl Program {
    /// Checks that the program is well formed, and those nested in it; the error names the equation and its place.
    ///
    /// - Variables are numbered as they are defined: the inputs first, then the results of each equation in turn. So
    ///   each is defined once, and none before the equations that it depends on.
    /// - Every operand is defined before its use, and every output is defined.
    /// - Each op takes operands of the types it gets, and its results have the types that it infers.
    /// - Every type is that of an array that can be addressed.
    /// - Names can be written in the text form.
    pub fn verify(&self) -> Result<()> {
        Verifier::default().program(self)
    }
}

/// The programs already found to be well formed, so that one nested in many places is read once.
#[derive(Default)]
struct Verifier {
    seen: FxHashSet<*const Program>,
}

impl Verifier {
    fn program(&mut self, p: &Program) -> Result<()> {
        if !self.seen.insert(p) {
            return Ok(());
        }
        let names = Names::new(p);
        let mut defined = 0;
        for &v in &p.inputs {
            define(p, &names, &mut defined, v).map_err(|e| e.within("an input"))?;
            p.ty(v).check().map_err(|e| e.within(format!("the input `{}`", names.var(v))))?;
        }
        for (i, e) in p.equations.iter().enumerate() {
            self.equation(p, &names, &mut defined, e).map_err(|err| {
                let head = EquationHead { names: &names, equation: e };
                err.within(format!("equation {i}, `{head}`")).at(e.place.clone())
            })?;
        }
        for &v in &p.outputs {
            used(&names, defined, v).map_err(|e| e.within("an output"))?;
        }
        if defined < p.vars.len() {
            return Err(malformed(format!("`{}` is never defined", names.var(Var(defined as u32)))));
        }
        Ok(())
    }

    fn equation(&mut self, p: &Program, names: &Names<'_>, defined: &mut usize, e: &Equation) -> Result<()> {
        e.inputs.iter().try_for_each(|&v| used(names, *defined, v))?;
        for nested in e.op.programs() {
            let called = |e: Error| match nested.name() {
                "" => e.within("in its program"),
                name => e.within(format!("in its program `{name}`")),
            };
            self.program(nested).map_err(called)?;
        }
        let x: Vec<Type> = e.inputs.iter().map(|&v| p.ty(v).clone()).collect();
        let y = e.op.result_types(&x)?;
        if y.len() != e.outputs.len() {
            let m = format!("the op has {} results, and {} variables stand for them", y.len(), e.outputs.len());
            return Err(malformed(m));
        }
        for (&v, ty) in e.outputs.iter().zip(&y) {
            define(p, names, defined, v)?;
            if p.ty(v) != ty {
                return Err(malformed(format!("`{}` has type {}, and the op gives {ty}", names.var(v), p.ty(v))));
            }
        }
        Ok(())
    }
}

fn malformed(message: String) -> Error {
    Error::malformed(message)
}

fn used(names: &Names<'_>, defined: usize, v: Var) -> Result<()> {
    if v.index() < defined {
        return Ok(());
    }
    Err(malformed(format!("`{}` is used before it is defined", names.var(v))))
}

/// Counts `v` as defined; it must be the next one.
fn define(p: &Program, names: &Names<'_>, defined: &mut usize, v: Var) -> Result<()> {
    let shown = names.var(v);
    if v.index() < *defined {
        return Err(malformed(format!("`{shown}` is defined twice")));
    }
    if v.index() >= p.vars.len() {
        return Err(malformed(format!("`{shown}` is not one of the program's {} variables", p.vars.len())));
    }
    if v.index() > *defined {
        return Err(malformed(format!("`{shown}` is defined out of order: %{defined} comes next")));
    }
    if let Some(name) = &p.vars[v.index()].name
        && (name.is_empty() || crate::text::identifier(name.clone()) != *name)
    {
        return Err(malformed(format!("%{} has the name {name:?}, which can't be written", v.index())));
    }
    *defined += 1;
    Ok(())
}

/// An equation without its attributes, even one that makes no sense.
struct EquationHead<'a> {
    names: &'a Names<'a>,
    equation: &'a Equation,
}

impl fmt::Display for EquationHead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (e, names) = (self.equation, self.names);
        if !e.outputs.is_empty() {
            write!(f, "{} = ", names.list(&e.outputs))?;
        }
        write!(f, "{}({})", e.op.name(), names.list(&e.inputs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Place;
    use crate::types::DType;
    use std::sync::Arc;
    use wengert_testing::{Expect, expect};

    const TEXT: &str = "program f(x: f32[3], y: f32[3]) {
  a: f32[3] = add(x, y) @ user.rs:4:5
  %3: f32[3] = neg(a) @ user.rs:5:5
  return %3
}
";

    /// Breaks a good program, and checks what is said of it.
    fn check(text: &str, spoil: impl FnOnce(&mut Program), message: Expect) {
        let mut p = Program::parse(text).unwrap();
        p.verify().unwrap();
        spoil(&mut p);
        message.assert_eq(&p.verify().unwrap_err().to_string());
    }

    #[test]
    fn malformed_programs_are_refused() {
        check(
            TEXT,
            |p| p.equations[0].inputs[1] = Var(3),
            expect![[r#"
            equation 0, `a = add(x, %3)`: `%3` is used before it is defined
              at user.rs:4:5"#]],
        );
        check(
            TEXT,
            |p| p.equations[1].inputs[0] = Var(77),
            expect![[r#"
            equation 1, `%3 = neg(%77)`: `%77` is used before it is defined
              at user.rs:5:5"#]],
        );
        check(
            TEXT,
            |p| p.equations[1].outputs[0] = Var(2),
            expect![[r#"
            equation 1, `a = neg(a)`: `a` is defined twice
              at user.rs:5:5"#]],
        );
        check(
            TEXT,
            |p| p.equations[1].outputs[0] = Var(9),
            expect![[r#"
            equation 1, `%9 = neg(a)`: `%9` is not one of the program's 4 variables
              at user.rs:5:5"#]],
        );
        check(
            TEXT,
            |p| p.equations.swap(0, 1),
            expect![[r#"
            equation 0, `%3 = neg(a)`: `a` is used before it is defined
              at user.rs:5:5"#]],
        );
        check(TEXT, |p| p.equations.truncate(1), expect!["an output: `%3` is used before it is defined"]);
        check(TEXT, |p| p.outputs[0] = Var(4), expect!["an output: `%4` is used before it is defined"]);
        check(TEXT, |p| p.inputs[1] = Var(0), expect!["an input: `x` is defined twice"]);
        check(
            TEXT,
            |p| p.inputs.truncate(1),
            expect![[r#"
            equation 0, `a = add(x, y)`: `y` is used before it is defined
              at user.rs:4:5"#]],
        );
        check(TEXT, |p| p.vars.push(p.vars[0].clone()), expect!["`x%4` is never defined"]);
        check(
            TEXT,
            |p| p.vars[2].name = Some("a b".into()),
            expect![[r#"
            equation 0, `a b = add(x, y)`: %2 has the name "a b", which can't be written
              at user.rs:4:5"#]],
        );
    }

    #[test]
    fn wrong_types_are_refused() {
        check(
            TEXT,
            |p| p.vars[3].ty = Type::new(DType::F64, [3]),
            expect![[r#"
            equation 1, `%3 = neg(a)`: `%3` has type f64[3], and the op gives f32[3]
              at user.rs:5:5"#]],
        );
        check(
            TEXT,
            |p| p.vars[1].ty = Type::new(DType::F32, [4]),
            expect![[r#"
            equation 0, `a = add(x, y)`: `add` needs operands of one shape, and got f32[3] and f32[4]
              at user.rs:4:5"#]],
        );
        check(
            TEXT,
            |p| p.equations[0].inputs.truncate(1),
            expect![[r#"
            equation 0, `a = add(x)`: `add` takes 2 operands, and got 1
              at user.rs:4:5"#]],
        );
        check(
            TEXT,
            |p| p.equations[1].outputs.clear(),
            expect![[r#"
            equation 1, `neg(a)`: the op has 1 results, and 0 variables stand for them
              at user.rs:5:5"#]],
        );
        check(
            TEXT,
            |p| p.vars[0].ty = Type::new(DType::F32, [1 << 40, 1 << 40, 0]),
            expect!["the input `x`: an array of type f32[1099511627776,1099511627776,0] is too large to address"],
        );
    }

    #[test]
    fn nested_programs_are_verified() {
        let nested = "program f(x: f32[]) {
  y: f32[] = call[program=program g(x: f32[]) {
    a: f32[] = neg(x) @ user.rs:9:9
    return a
  }, kind=staged](x) @ user.rs:4:5
  return y
}
";
        let spoil = |p: &mut Program| {
            p.equations[0].op = p.equations[0].op.map_programs(&mut |g| {
                let mut g = Program::clone(g);
                g.equations[0].inputs[0] = Var(1);
                Arc::new(g)
            });
        };
        check(
            nested,
            spoil,
            expect![[r#"
            equation 0, `y = call(x)`: in its program `g`: equation 0, `a = neg(a)`: `a` is used before it is defined
              at user.rs:9:9"#]],
        );
    }

    #[test]
    fn a_program_shared_many_times_is_read_once() {
        // 2^60 calls, if each were followed.
        let mut p = Program::parse("program f(x: f32[]) {\n  return x\n}").unwrap();
        for _ in 0..60 {
            let program = Arc::new(p);
            let mut b = crate::Builder::new();
            b.set_place(Place::caller());
            let x = b.input(Type::scalar(DType::F32));
            let call = crate::ops::Call { program, kind: crate::ops::CallKind::Staged };
            let y = b.one(call.clone(), &[x]);
            let y = b.one(call, &[y]);
            p = b.finish(&[y]);
        }
        p.verify().unwrap();
        assert_eq!(p, p.clone());
    }
}
