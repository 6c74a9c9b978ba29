//! Reductions of large programs with planted faults: wrong rewrites of the kinds that compilers have.

use wengert_core::ops::{Binary, Combiner, Reduce, Transpose, Unary};
use wengert_core::{Builder, DType, Op, Program, Shape, Tensor, Type, Var};
use wengert_repro::diff::{ProgramDiff, Sides};
use wengert_repro::{Case, Outcome, Test, reduce};

/// A wrong rewrite: what stands for the results of an equation, if it applies.
type Fault = fn(&mut Builder, &Program, usize, &[Var]) -> Option<Vec<Var>>;

/// The program that a compiler with this fault makes of a program.
fn broken(p: &Program, fault: Fault) -> Program {
    let mut b = Builder::new();
    let mut vars: Vec<Option<Var>> = vec![None; p.var_count()];
    for (&v, new) in p.inputs().iter().zip(b.inputs_of(p)) {
        vars[v.index()] = Some(new);
    }
    for (i, e) in p.equations().iter().enumerate() {
        let x: Vec<Var> = e.inputs.iter().map(|v| vars[v.index()].unwrap()).collect();
        let op = e.op.map_programs(&mut |p| broken(p, fault).into());
        let y = fault(&mut b, p, i, &x).unwrap_or_else(|| b.try_push(op, &x).unwrap().to_vec());
        e.outputs.iter().zip(y).for_each(|(v, new)| vars[v.index()] = Some(new));
    }
    let y: Vec<Var> = p.outputs().iter().map(|v| vars[v.index()].unwrap()).collect();
    b.finish_all(&y)
}

/// Whether results part although those of the reference are finite.
fn differ(case: &Case, fault: Fault) -> bool {
    let run = |p: &Program| wengert_eval::run(p, case.inputs().to_vec()).ok();
    let (Some(want), Some(got)) = (run(case.program()), run(&broken(case.program(), fault))) else { return false };
    let number = |t: &Tensor, i: usize| t.get(i).as_f64().unwrap_or(0.0);
    want.iter().all(|t| (0..t.size()).all(|i| number(t, i).is_finite()))
        && want.iter().zip(&got).any(|(w, g)| {
            (0..w.size()).any(|i| {
                let (w, g) = (number(w, i), number(g, i));
                (w - g).is_nan() || (w - g).abs() > 1e-4 * w.abs().max(1.0)
            })
        })
}

fn made_by(p: &Program, v: Var) -> Option<&Op> {
    p.equations().iter().find(|e| e.outputs.contains(&v)).map(|e| &e.op)
}

/// A negation is dropped where it is fused with a broadcast.
fn neg_of_broadcast(_: &mut Builder, p: &Program, i: usize, x: &[Var]) -> Option<Vec<Var>> {
    let e = &p.equations()[i];
    let fused = matches!(e.op, Op::Unary(Unary::Neg)) && matches!(made_by(p, e.inputs[0]), Some(Op::Broadcast(_)));
    fused.then(|| x.to_vec())
}

/// A permutation of rank 4 is applied the other way round.
fn wrong_permutation(b: &mut Builder, p: &Program, i: usize, x: &[Var]) -> Option<Vec<Var>> {
    let e = &p.equations()[i];
    let Op::Transpose(t) = &e.op else { return None };
    let mut inverse = t.perm.clone();
    t.perm.iter().enumerate().for_each(|(i, &d)| inverse[d] = i);
    let shape = b.shape(x[0]).clone();
    let same = (0..shape.rank()).all(|d| shape[t.perm[d]] == shape[inverse[d]]);
    (t.perm.len() == 4 && same && inverse != t.perm).then(|| vec![b.transpose(x[0], &inverse)])
}

/// The last element is left out of a sum over an odd number above 16.
fn odd_sum(b: &mut Builder, p: &Program, i: usize, x: &[Var]) -> Option<Vec<Var>> {
    let e = &p.equations()[i];
    let Op::Reduce(Reduce { combiner: Combiner::Add, dims, .. }) = &e.op else { return None };
    let n = p.ty(e.inputs[0]).shape[*dims.first()?];
    (dims.len() == 1 && n % 2 == 1 && n > 16).then(|| {
        let cut = b.slice_axis(x[0], dims[0], 0, n - 1);
        vec![b.sum(cut, dims)]
    })
}

/// A product with a large number is taken for infinite.
fn large_product(b: &mut Builder, p: &Program, i: usize, x: &[Var]) -> Option<Vec<Var>> {
    let e = &p.equations()[i];
    if !matches!(e.op, Op::Binary(Binary::Mul)) || p.ty(e.outputs[0]).rank() == 0 {
        return None;
    }
    let y = b.mul(x[0], x[1]);
    let bound = b.full_like(y, 90.0);
    let zero = b.full_like(y, 0.0);
    let large = b.compare(wengert_core::ops::Direction::Gt, y, bound);
    Some(vec![b.select(large, zero, y)])
}

/// Noise that has nothing to do with a fault, with what it needs in the middle.
fn large_program(equations: usize, plant: impl Fn(&mut Builder, Var) -> Var) -> Case {
    let mut b = Builder::new();
    let types = [Type::new(DType::F32, [6, 17]), Type::new(DType::F32, [17])];
    let (x, y) = (b.input(types[0].clone()), b.input(types[1].clone()));
    let mut pool = vec![x];
    let mut rows = vec![y];
    let mut state = 12345u64;
    let mut draw = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let mut planted = None;
    while b.equation_count() < equations {
        // The newest is used, so that little of it is dead.
        let (p, q, r) = (pool[pool.len() - 1], pool[draw(pool.len())], rows[rows.len() - 1]);
        match draw(9) {
            0 => pool.push(b.unary(Unary::Tanh, p)),
            1 => pool.push(b.unary(Unary::Sin, p)),
            2 => {
                let s = b.add(p, q);
                pool.push(b.unary(Unary::Cos, s));
            }
            3 => {
                let wide = b.broadcast(r, &Shape::from([6, 17]), &[1]);
                pool.push(b.sub(p, wide));
            }
            4 => {
                let m = b.reduce(Combiner::Max, p, &[0]);
                rows.push(b.unary(Unary::Tanh, m));
            }
            5 => pool.push(b.binary(Binary::Max, p, q)),
            6 => {
                let t = b.transpose(p, &[1, 0]);
                let t = b.transpose(t, &[1, 0]);
                pool.push(b.unary(Unary::Abs, t));
            }
            7 => rows.push(b.unary(Unary::Logistic, r)),
            _ => {
                let s = b.scale(p, 0.5);
                pool.push(b.add(s, q));
            }
        }
        if planted.is_none() && b.equation_count() > equations / 2 {
            let v = plant(&mut b, *pool.last().unwrap());
            pool.push(v);
            planted = Some(v);
        }
    }
    let kept = b.add(planted.unwrap(), *pool.last().unwrap());
    let outputs = [b.unary(Unary::Sin, kept), pool[pool.len() / 3], rows[rows.len() - 1]];
    let program = b.finish(&outputs);
    let value = |t: &Type| Tensor::from_bits(t, |i| u128::from(((i as f32 * 0.37).sin() * 1.3).to_bits()));
    Case::new(program, types.iter().map(value).collect()).unwrap()
}

/// Reduces the case, and checks that it ends with so few equations, that nothing more goes, and that it still fails.
fn check(name: &str, case: Case, fault: Fault, equations: usize) {
    assert!(case.size().equations > 150, "{}", case.size());
    let found = reduce(case, &mut |c: &Case| differ(c, fault), &mut |_| true).unwrap();
    let text = found.best.program().to_string();
    assert!(matches!(found.outcome, Outcome::Minimal), "{name}: {:?}", found.outcome);
    assert!(found.best.size().equations <= equations, "{name}: {}\n{text}", found.best.size());
    assert!(differ(&found.best, fault), "{name}\n{text}");
    // Again, nothing more goes.
    let again = reduce(found.best.clone(), &mut |c: &Case| differ(c, fault), &mut |_| true).unwrap();
    assert_eq!(again.best.size(), found.best.size(), "{name}\n{text}");
}

/// The equation that `diff` names for a fault in a large program.
fn named(case: &Case, fault: Fault) -> String {
    let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    let mut wrong = |p: &Program, x: &[Tensor]| wengert_eval::run(&broken(p, fault), x.to_vec());
    let found = ProgramDiff::new(case.program(), case.inputs(), Sides::new(&mut right, &mut wrong, 1e-4)).unwrap();
    assert!(found.runs < 60, "{found:?}");
    let name = |number: usize| case.program().equations()[number].op.name();
    let names: Vec<&str> = found.first.expect("they part").equations.iter().map(|e| name(e.number)).collect();
    names.join(" ")
}

#[test]
fn d5_the_faulty_equation_is_named() {
    let neg = large_program(300, |b, v| {
        let m = b.reduce(Combiner::Max, v, &[0]);
        let wide = b.broadcast(m, &Shape::from([6, 17]), &[1]);
        b.unary(Unary::Neg, wide)
    });
    assert_eq!(named(&neg, neg_of_broadcast), "broadcast neg");
    let sum = large_program(300, |b, v| {
        let s = b.sum(v, &[1]);
        let wide = b.broadcast(s, &Shape::from([6, 17]), &[0]);
        b.add(v, wide)
    });
    assert_eq!(named(&sum, odd_sum), "reduce");
    // A side that can't run something parts where it can't.
    let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    let mut lacking = |p: &Program, x: &[Tensor]| match p.any(|_, e| e.op.name() == "reduce") {
        true => Err(wengert_core::Error::shape("no sums here")),
        false => wengert_eval::run(p, x.to_vec()),
    };
    let found = ProgramDiff::new(sum.program(), sum.inputs(), Sides::new(&mut right, &mut lacking, 1e-4)).unwrap();
    let first = found.first.expect("they part");
    assert_eq!(sum.program().equations()[first.equations[0].number].op.name(), "reduce");
    assert_eq!(first.error.as_deref(), Some("no sums here"));
    // The same side twice agrees with itself.
    let mut again = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    let found = ProgramDiff::new(sum.program(), sum.inputs(), Sides::new(&mut right, &mut again, 0.0)).unwrap();
    assert!(found.first.is_none() && found.excused.is_empty());
}

#[test]
fn e5_a_negation_dropped_in_a_broadcast() {
    let case = large_program(300, |b, v| {
        let m = b.reduce(Combiner::Max, v, &[0]);
        let wide = b.broadcast(m, &Shape::from([6, 17]), &[1]);
        b.unary(Unary::Neg, wide)
    });
    check("neg", case, neg_of_broadcast, 2);
}

/// As large as programs of real models are; few candidates are needed.
#[test]
fn e5_three_thousand_equations() {
    let case = large_program(3000, |b, v| {
        let m = b.reduce(Combiner::Max, v, &[0]);
        let wide = b.broadcast(m, &Shape::from([6, 17]), &[1]);
        b.unary(Unary::Neg, wide)
    });
    assert!(case.size().equations > 1500, "{}", case.size());
    let found = reduce(case, &mut |c: &Case| differ(c, neg_of_broadcast), &mut |_| true).unwrap();
    assert!(
        found.best.size().equations <= 2 && found.candidates < 120,
        "{}: {}",
        found.candidates,
        found.best.program()
    );
}

#[test]
fn e5_a_permutation_of_rank_four() {
    let case = large_program(300, |b, v| {
        let four = b.reshape(v, &Shape::from([2, 3, 17, 1]));
        let four = b.broadcast(four, &Shape::from([2, 3, 17, 3]), &[0, 1, 2, 3]);
        let cut = b.slice(four, &[0, 0, 0, 0], &[2, 2, 2, 2], &[1, 1, 1, 1]);
        let t = b.one(Transpose { perm: [1, 2, 0, 3].into_iter().collect() }, &[cut]);
        let s = b.sum(t, &[1, 2, 3]);
        let s = b.sum(s, &[0]);
        let first = b.slice(t, &[0, 0, 1, 0], &[1, 1, 2, 1], &[1, 1, 1, 1]);
        let first = b.reshape(first, &Shape::scalar());
        let s = b.add(s, first);
        let wide = b.broadcast(s, &Shape::from([6, 17]), &[]);
        b.add(v, wide)
    });
    check("permutation", case, wrong_permutation, 1);
}

#[test]
fn e5_a_sum_over_an_odd_number_keeps_the_threshold() {
    let case = large_program(300, |b, v| {
        let s = b.sum(v, &[1]);
        let wide = b.broadcast(s, &Shape::from([6, 17]), &[0]);
        b.add(v, wide)
    });
    check("odd", case, odd_sum, 1);
}

#[test]
fn e5_a_fault_of_values_inside_a_loop() {
    let case = large_program(200, |b, v| {
        let mut body = Builder::new();
        let c = body.input(Type::new(DType::F32, [6, 17]));
        let s = body.unary(Unary::Tanh, c);
        let s = body.offset(s, 40.0);
        let t = body.unary(Unary::Cos, c);
        let t = body.offset(t, 2.0);
        let y = body.mul(s, t);
        let y = body.unary(Unary::Sin, y);
        let body = body.finish(&[y]);
        let scan = wengert_core::ops::Scan { length: 3, consts: 0, carries: 1, reverse: false, body: body.into() };
        b.one(scan, &[v])
    });
    check("loop", case, large_product, 1);
}

#[test]
fn e6_a_case_that_does_not_fail_is_refused() {
    let case = large_program(160, |b, v| b.unary(Unary::Neg, v));
    let e = reduce(case, &mut |_: &Case| false, &mut |_| true).unwrap_err();
    assert!(e.to_string().contains("not interesting to begin with"), "{e}");
}

#[test]
fn e6_stopping_keeps_the_best_so_far() {
    let case = large_program(160, |b, v| b.unary(Unary::Neg, v));
    let start = case.size();
    let has = |c: &Case| c.program().any(|_, e| e.op.name() == "neg");
    let found = reduce(case, &mut { has }, &mut |p| p.candidates < 20).unwrap();
    assert!(matches!(found.outcome, Outcome::Stopped) && found.best.size() < start && has(&found.best));
}

#[test]
fn e5_types_become_narrower_where_they_do_not_matter() {
    let text = "program (x: f64[4], i: i64[4]) {
        y: f64[4] = convert[dtype=f64](i) z: f64[4] = add(x, y) w: f64[4] = neg(z) return w }";
    let program = Program::parse(text).unwrap();
    let inputs =
        vec![Tensor::new([4], vec![0.5f64, 1.5, 2.5, 3.5]).unwrap(), Tensor::new([4], vec![1i64, 2, 3, 4]).unwrap()];
    let has = |c: &Case| c.program().any(|_, e| e.op.name() == "add");
    let found = reduce(Case::new(program, inputs).unwrap(), &mut { has }, &mut |_| true).unwrap();
    let types: Vec<String> = found.best.program().output_types().iter().map(Type::to_string).collect();
    assert_eq!(types, ["f32[]"], "{}", found.best.program());
}

/// Where never to end is the failure, nobody waits for the evaluator.
#[test]
fn e6_a_program_that_never_ends_is_reduced() {
    let text = "program (x: f32[3]) {
        y: f32[3] = sin(x)
        z: f32[3] = while[consts=0, cond=program (a: f32[3]) { t: bool[] = true:bool[] return t },
            body=program (a: f32[3]) { b: f32[3] = cos(a) return b }](y)
        w: f32[3] = tanh(z) return w }";
    let case =
        Case::new(Program::parse(text).unwrap(), vec![Tensor::new([3], vec![1.0f32, 2.0, 3.0]).unwrap()]).unwrap();
    // It is not run: a condition that is always true is enough to know.
    let endless = |c: &Case| {
        c.program().any(|_, e| match &e.op {
            Op::While(w) => matches!(made_by(&w.cond, w.cond.outputs()[0]), Some(Op::Constant(_))),
            _ => false,
        })
    };
    let found = reduce(case, &mut { endless }, &mut |_| true).unwrap();
    assert!(matches!(found.outcome, Outcome::Minimal) && found.best.size().equations == 1, "{}", found.best.program());
}

/// A test that misses failures until it has learned that they come by chance.
struct Learner {
    knows: bool,
}

impl Test for Learner {
    fn is_interesting(&mut self, case: &Case) -> wengert_core::Result<bool> {
        let count = case.program().equations().len();
        Ok(case.program().any(|_, e| e.op.name() == "neg") && (self.knows || count > 100))
    }

    fn confirm(&mut self, _: &Case) -> wengert_core::Result<bool> {
        Ok(!std::mem::replace(&mut self.knows, true))
    }
}

#[test]
fn e6_what_was_missed_by_chance_is_looked_at_again() {
    let case = large_program(160, |b, v| b.unary(Unary::Neg, v));
    let found = reduce(case, &mut Learner { knows: false }, &mut |_| true).unwrap();
    assert!(matches!(found.outcome, Outcome::Minimal) && found.best.size().equations == 1, "{}", found.best.program());
}
