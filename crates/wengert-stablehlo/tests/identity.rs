//! Out and in again is the same program, up to names: every op, loop, branch and call.

use wengert_core::ops::{Cond, Constant, Scan, While};
use wengert_core::transform::{batch, vjp};
use wengert_core::{Equation, Op, Program, Scalar, Type, Var};
use wengert_golden::Golden;
use wengert_stablehlo::{export, parse};
use wengert_testing::{Choices, Recipe, random_program};

/// A value, in two programs that are compared: one repeated number, or one that both define at the same place.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Constant(Type, Scalar),
    Defined(usize),
}

/// The values of the variables of a program.
type Values = Vec<Option<Value>>;

/// Whether two programs do the same equations on the same values in the same order. Regions of loops and branches name
/// what they use from around them, so it makes no difference how and in which order that is handed in.
struct Same {
    defined: usize,
}

impl Same {
    fn fresh(&mut self) -> Option<Value> {
        self.defined += 1;
        Some(Value::Defined(self.defined))
    }

    fn constant(p: &Program, e: &Equation) -> Option<Value> {
        let Op::Constant(Constant { value }) = &e.op else { return None };
        Some(Value::Constant(p.ty(e.outputs[0]).clone(), value.splat_value()?))
    }

    fn programs(p: &Program, q: &Program) -> bool {
        let mut same = Same { defined: 0 };
        let inputs: Vec<Option<Value>> = p.inputs().iter().map(|_| same.fresh()).collect();
        p.input_types() == q.input_types() && same.bodies([p, q], [&inputs, &inputs])
    }

    fn bodies(&mut self, programs: [&Program; 2], inputs: [&[Option<Value>]; 2]) -> bool {
        let mut values: [Values; 2] = programs.map(|p| vec![None; p.var_count()]);
        for k in 0..2 {
            for (v, x) in programs[k].inputs().iter().zip(inputs[k]) {
                values[k][v.index()] = x.clone();
            }
        }
        let mut equations: [Vec<&Equation>; 2] = Default::default();
        for k in 0..2 {
            for e in programs[k].equations() {
                match Same::constant(programs[k], e) {
                    Some(value) => values[k][e.outputs[0].index()] = Some(value),
                    None => equations[k].push(e),
                }
            }
        }
        let [p, q] = &equations;
        let read = |values: &[Values; 2], k: usize, vars: &[Var]| -> Values {
            vars.iter().map(|v| values[k][v.index()].clone()).collect()
        };
        if p.len() != q.len() {
            return false;
        }
        for (e, g) in p.iter().zip(q) {
            let x = [read(&values, 0, &e.inputs), read(&values, 1, &g.inputs)];
            if e.outputs.len() != g.outputs.len() || !self.ops([&e.op, &g.op], [&x[0], &x[1]]) {
                return false;
            }
            for (v, w) in e.outputs.iter().zip(&g.outputs) {
                values[0][v.index()] = self.fresh();
                values[1][w.index()] = values[0][v.index()].clone();
            }
        }
        read(&values, 0, programs[0].outputs()) == read(&values, 1, programs[1].outputs())
    }

    /// A region: its first inputs are what it captures, and those after are its own.
    fn regions(&mut self, programs: [&Program; 2], captured: [&[Option<Value>]; 2]) -> bool {
        let own = programs[0].inputs().len() - captured[0].len();
        if programs[1].inputs().len() - captured[1].len() != own {
            return false;
        }
        let own: Values = (0..own).map(|_| self.fresh()).collect();
        let inputs = captured.map(|c| [c, &own].concat());
        self.bodies(programs, [&inputs[0], &inputs[1]])
    }

    fn ops(&mut self, ops: [&Op; 2], x: [&[Option<Value>]; 2]) -> bool {
        match ops {
            [Op::Cond(Cond { branches: a }), Op::Cond(Cond { branches: b })] => {
                let mut each = a.iter().zip(b);
                x[0][0] == x[1][0] && a.len() == b.len() && each.all(|(a, b)| self.regions([a, b], x.map(|x| &x[1..])))
            }
            [Op::While(a), Op::While(b)] => {
                let consts = |w: &While| w.consts;
                let captured = [&x[0][..consts(a)], &x[1][..consts(b)]];
                x[0][consts(a)..] == x[1][consts(b)..]
                    && self.regions([&a.cond, &b.cond], captured)
                    && self.regions([&a.body, &b.body], captured)
            }
            [Op::Scan(a), Op::Scan(b)] => {
                // A loop over no arrays has no direction.
                let rows = x[0].len() > a.consts + a.carries || a.body.outputs().len() > a.carries;
                let counts = |s: &Scan| (s.length, s.carries, s.reverse && rows);
                counts(a) == counts(b)
                    && x[0][a.consts..] == x[1][b.consts..]
                    && self.regions([&a.body, &b.body], [&x[0][..a.consts], &x[1][..b.consts]])
            }
            [Op::Call(a), Op::Call(b)] => x[0] == x[1] && a.kind == b.kind && Same::programs(&a.program, &b.program),
            [a, b] => a == b && x[0] == x[1],
        }
    }
}

fn check(cases: impl Iterator<Item = (String, Program)>) {
    let (mut same, mut exactly, mut failures) = (0, 0, Vec::new());
    for (name, p) in cases {
        let text = export(&p).unwrap_or_else(|e| panic!("{name}: {e}"));
        let back = parse(&text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        exactly += (back == p) as usize;
        match Same::programs(&back, &p) {
            true => same += 1,
            false => failures.push(format!("{name} comes back as\n{back}\nand was\n{p}")),
        }
    }
    println!("{same} programs come back the same, {exactly} of them number by number");
    assert!(failures.is_empty(), "{} do not:\n\n{}", failures.len(), failures.join("\n\n"));
}

/// The programs of the reference values: each op on each element type, batched, and backward.
#[test]
fn every_op() {
    let mut cases = Vec::new();
    for family in crate::reader::Family::all() {
        for case in &family.cases {
            let Some(text) = case.text("program") else { continue };
            let program = Program::parse(text).expect("a program");
            let all = |n: usize| vec![true; n];
            let (inputs, outputs) = (program.inputs().len(), program.outputs().len());
            if let Ok((over, _)) = batch(&program, 2, None, &all(inputs), &all(outputs)) {
                cases.push((format!("{} batch", case.name), over));
            }
            let active: Vec<bool> = program.input_types().iter().map(|t| t.dtype.is_differentiable()).collect();
            cases.extend(vjp(&program, &active).ok().map(|p| (format!("{} vjp", case.name), p)));
            cases.push((case.name.clone(), program));
        }
    }
    check(cases.into_iter());
}

/// The test programs, and what their steps make of them: loops, branches, calls, checkpoints, and the rules that users give
/// for derivatives, which go along.
#[test]
fn every_structure() {
    let mut cases = Vec::new();
    for golden in Golden::all() {
        // Some are there because they are refused.
        let _ = golden.run(|step, stage| {
            let name = format!("{} {step}", golden.name());
            cases.extend(stage.programs().iter().map(|p| (name.clone(), p.clone())));
        });
    }
    check(cases.into_iter());
}

#[test]
fn random_programs() {
    let numbers = |seed: u64| {
        let mut state = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (0..250).map(move |_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as u16
        })
    };
    check((0..400).map(|seed| {
        let choices: Vec<u16> = numbers(seed).collect();
        (format!("random {seed}"), random_program(&Recipe::any(), &mut Choices::new(&choices)))
    }));
}

/// JAX's windows that accumulate come in as what they accumulate; ours stay windows.
#[test]
fn windows_that_accumulate() {
    let cases = ["add", "mul", "max", "min"].into_iter().flat_map(|combiner| {
        [("(3, 0)", "false"), ("(0, 3)", "true")].map(|(padding, reverse)| {
            let text = format!(
                "program (x: f32[2,4]) {{
                y: f32[2,4] = reduce_window[combiner={combiner}, window=[size=[1, 4], strides=[1, 1],
                    padding=[(0, 0), {padding}], base_dilation=[1, 1], window_dilation=[1, 1]]](x)
                z: f32[2,4] = cumulative[kind=logsumexp, dim=1, reverse={reverse}](y)
                return z }}"
            );
            (format!("{combiner} {padding}"), Program::parse(&text).expect("a program"))
        })
    });
    check(cases);
}
