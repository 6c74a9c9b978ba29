//! Loops that one side rounds less often (D5): it keeps in a wider type what the other rounds in each turn. That grows, and is no difference.

use wengert_core::{DType, Program, Result, Tensor};
use wengert_repro::diff::{InnerProgram, ProgramDiff, Sides};

fn run(text: &str, x: &[Tensor]) -> Result<Vec<Tensor>> {
    wengert_eval::run(&Program::parse(text)?, x.to_vec())
}

fn in_type(x: &Tensor, to: DType) -> Tensor {
    let [from, to] = [x.ty(), x.ty().with_dtype(to)];
    let convert = format!("program (x: {from}) {{ y: {to} = convert[dtype={}](x) return y }}", to.dtype);
    run(&convert, std::slice::from_ref(x)).unwrap().remove(0)
}

/// So many turns of a body in a type, which takes `c`, what came of the turn before, `x`, and `i`, the number of the turn; it gives `r`.
fn scan(turns: usize, ty: &str, body: &str) -> String {
    let body = body.replace('T', ty);
    format!(
        "program (x: {ty}[{turns}], i: i32[{turns}]) {{
            y: {ty}[], z: {ty}[{turns}] = scan[length={turns}, consts=0, carries=1, reverse=false,
                body=program (c: {ty}[], x: {ty}[], i: i32[]) {{ {body} return r, c }}](0.0:{ty}[], x, i)
            return y, z }}"
    )
}

/// What is found where the other side runs all of a loop in singles, and rounds what comes of it; `fault` changes the text of its programs.
fn found(text: &str, dtype: DType, seed: usize, fault: &dyn Fn(String) -> String) -> ProgramDiff {
    let p = Program::parse(text).unwrap();
    let turns = p.input_types()[0].shape[0];
    let x: Vec<f32> = (0..turns).map(|k| ((k * 37 + seed * 101) as f32 * 0.7123).sin() * 0.6).collect();
    let x = in_type(&Tensor::new([turns], x).unwrap(), dtype);
    let i = Tensor::new([turns], (0..turns as i32).collect()).unwrap();
    let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    let mut other = |p: &Program, x: &[Tensor]| -> Result<Vec<Tensor>> {
        let (from, wide) =
            (dtype.to_string(), |x: &Tensor| if x.dtype() == dtype { in_type(x, DType::F32) } else { x.clone() });
        let y = run(&fault(p.to_text()).replace(&from, "f32"), &x.iter().map(wide).collect::<Vec<_>>())?;
        Ok(y.iter()
            .zip(p.output_types())
            .map(|(y, t)| if t.dtype == dtype { in_type(y, dtype) } else { y.clone() })
            .collect())
    };
    ProgramDiff::new(&p, &[x, i], Sides::new(&mut right, &mut other, 1e-3)).unwrap()
}

#[test]
fn d5_rounding_less_often_in_a_loop_is_no_difference() {
    for (ty, dtype) in [("bf16", DType::BF16), ("f16", DType::F16)] {
        for body in [
            "a: T[] = mul(c, 1.5:T[]) b: T[] = add(a, x) r: T[] = tanh(b)",
            "a: T[] = mul(c, 0.96875:T[]) r: T[] = add(a, x)",
        ] {
            for seed in 0..3 {
                let found = found(&scan(50, ty, body), dtype, seed, &|text| text);
                assert!(found.first.is_none() && found.is_complete, "{ty}, {seed}, {body}: {:?}", found.first);
            }
        }
    }
}

#[test]
fn d5_a_fault_of_a_loop_that_is_rounded_less_often_is_named() {
    let text = scan(50, "bf16", "a: T[] = mul(c, 1.5:T[]) b: T[] = add(a, x) r: T[] = tanh(b)");
    let replaced = |from: &'static str, to: &'static str| move |text: String| text.replace(from, to);
    let faults: [(&str, &dyn Fn(String) -> String); 3] = [
        ("1.5:bf16[]", &replaced("1.5:", "1.6:")),
        ("add(a, x)", &replaced("= add(a, x)", "= sub(a, x)")),
        ("tanh(b)", &replaced("= tanh(b)", "= sin(b)")),
    ];
    for (named, fault) in faults {
        let first = found(&text, DType::BF16, 0, fault).first.expect(named);
        let inside = first.inside.expect(named);
        assert!(matches!(inside.program, InnerProgram::Turn(0..7)), "{named}: {:?}", inside.program);
        let text = &inside.parting.expect(named).equations[0].text;
        assert!(text.contains(named), "{named}: {text}");
    }
    // From a turn on, where the number of the turn is known.
    let late = |text: String| {
        match text.contains("i: i32[]") {
        true => text.replace(
            "a: bf16[] = mul(c, 1.5:bf16[])",
            "k: bool[] = compare[direction=ge](i, 30:i32[]) f: bf16[] = select(k, 2.0:bf16[], 1.5:bf16[]) a: bf16[] = mul(c, f)",
        ),
        false => text,
    }
    };
    for seed in 0..3 {
        let first = found(&text, DType::BF16, seed, &late).first.expect("they part");
        let turn = first.inside.map(|inside| inside.program);
        assert!(matches!(turn, Some(InnerProgram::Turn(30..))), "{turn:?}");
    }
}
