//! Two sides that take a matrix apart otherwise (D5): what is as right is no difference, and what is not is one.

use wengert_core::{Program, Tensor};
use wengert_repro::diff::{Excuse, ProgramDiff, Sides};

/// Eigenvectors of the other sign; and vectors of one matrix of a batch that are none, beside a matrix of far larger numbers.
#[test]
fn d5_signs_of_eigenvectors_are_no_difference() {
    let text = "program (x: f64[2,2,2]) { w: f64[2,2], v: f64[2,2,2] = eigh[lower=true](x) y: f64[2,2,2] = exp(v) return w, y }";
    let x = [Tensor::from_slice([2, 2, 2], &[1e4, 1.0, 1.0, -1e4, 2.0, 1.0, 1.0, 2.5]).unwrap()];
    let p = Program::parse(text).unwrap();
    let on = |factors: &str| {
        let changed = format!(
            "w: f64[2,2], u: f64[2,2,2] = eigh[lower=true](x) v: f64[2,2,2] = mul(u, dense[{factors}]:f64[2,2,2])"
        );
        let to = |p: &Program| p.to_text().replace("w: f64[2,2], v: f64[2,2,2] = eigh[lower=true](x)", &changed);
        let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
        let mut other = |p: &Program, x: &[Tensor]| wengert_eval::run(&Program::parse(&to(p))?, x.to_vec());
        ProgramDiff::new(&p, &x, Sides::new(&mut right, &mut other, 1e-3)).unwrap()
    };
    let found = on("1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0, -1.0");
    assert!(found.first.is_none(), "{:?}", found.first);
    assert_eq!(found.excused.iter().map(|e| e.why).collect::<Vec<_>>(), [Excuse::Undetermined]);
    assert!(on("1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0").first.is_some());
}

/// A side that has another decomposition of a matrix that does not determine it, also in a loop; one that has none; and one that parts after it.
#[test]
fn d5_another_decomposition_that_is_as_right_is_no_difference() {
    let qr = "q: f32[3,3], r: f32[3,3] = qr[full_matrices=false](x)";
    let straight = format!("program (x: f32[3,3]) {{ {qr} y: f32[3,3] = exp(q) z: f32[3,3] = sin(y) return z }}");
    let looped = format!(
        "program (x: f32[3,3]) {{
            y: f32[2,3,3] = scan[length=2, consts=1, carries=0, reverse=false, body=program (x: f32[3,3]) {{ {qr} return q }}](x)
            return y }}"
    );
    let row = |factor: f32| format!("1.0, 1.0, {factor:?}");
    let columns = |factor: f32| format!("dense[{}]:f32[3,3]", [row(factor), row(factor), row(factor)].join(", "));
    let other = |factor: f32| {
        let rows = format!("dense[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, {factor:?}, {factor:?}, {factor:?}]:f32[3,3]");
        format!(
            "q0: f32[3,3], r0: f32[3,3] = qr[full_matrices=false](x) q: f32[3,3] = mul(q0, {}) r: f32[3,3] = mul(r0, {rows})",
            columns(factor)
        )
    };
    let on = |text: &str, x: [f32; 9], to: &dyn Fn(String) -> String| {
        let p = Program::parse(text).unwrap();
        let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
        let mut wrong = |p: &Program, x: &[Tensor]| wengert_eval::run(&Program::parse(&to(p.to_text()))?, x.to_vec());
        let x = [Tensor::from_slice([3, 3], &x).unwrap()];
        ProgramDiff::new(&p, &x, Sides::new(&mut right, &mut wrong, 1e-3)).unwrap()
    };
    let (ones, regular) = ([1.0; 9], [2.0, 1.0, 0.5, 0.0, 3.0, 1.0, 1.0, 0.0, 1.0]);
    for text in [&straight, &looped] {
        let found = on(text, ones, &|p| p.replace(qr, &other(-1.0)));
        assert!(found.first.is_none(), "{:?}", found.first);
        assert_eq!(found.excused.iter().map(|e| e.why).collect::<Vec<_>>(), [Excuse::Undetermined]);
        // A matrix that determines it, and a column that has not the length 1.
        assert!(on(text, regular, &|p| p.replace(qr, &other(-1.0))).first.is_some());
        assert!(on(text, ones, &|p| p.replace(qr, &other(1.1))).first.is_some());
    }
    let found = on(&straight, ones, &|p| p.replace(qr, &other(-1.0)).replace("sin(y)", "cos(y)"));
    assert_eq!(found.first.expect("they part").equations[0].text, "z: f32[3,3] = sin(y)");
    assert_eq!(found.excused.len(), 1);
}

/// What is found in a program whose other side has other equations in the place of the first.
fn on(equation: &str, given_back: &str, other: &str, x: Tensor) -> ProgramDiff {
    let text = format!("program (x: {}) {{ {equation} return {given_back} }}", x.ty());
    let p = Program::parse(&text).unwrap();
    let to = |p: &Program| p.to_text().replace(equation, other);
    assert_ne!(to(&p), p.to_text());
    let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    let mut wrong = |p: &Program, x: &[Tensor]| wengert_eval::run(&Program::parse(&to(p))?, x.to_vec());
    ProgramDiff::new(&p, &[x], Sides::new(&mut right, &mut wrong, 1e-3)).unwrap()
}

fn matrix(x: [f32; 4]) -> Tensor {
    Tensor::from_slice([2, 2], &x).unwrap()
}

#[track_caller]
fn check(found: ProgramDiff, is_as_right: bool) {
    assert_eq!(found.first.is_none(), is_as_right, "{:?}", found.first);
    let why: Vec<Excuse> = found.excused.iter().map(|e| e.why).collect();
    assert_eq!(why, if is_as_right { vec![Excuse::Undetermined] } else { vec![] });
}

#[test]
fn d5_the_order_of_eigenvalues_is_no_difference() {
    let (eig, x) = ("w: c64[2], v: c64[2,2] = eig[compute_v=true](x)", matrix([1.0, 2.0, 3.0, 4.0]));
    let reversed = "a: c64[2], b: c64[2,2] = eig[compute_v=true](x) w: c64[2] = reverse[dims=[0]](a) v: c64[2,2] = reverse[dims=[DIMS]](b)";
    check(on(eig, "w, v", &reversed.replace("DIMS", "1"), x.clone()), true);
    // The vectors do not go with their values.
    check(on(eig, "w, v", &reversed.replace("DIMS", "0"), x.clone()), false);
    let values = "w: c64[2] = eig[compute_v=false](x)";
    let other = "a: c64[2] = eig[compute_v=false](x) b: c64[2] = mul(a, c) w: c64[2] = reverse[dims=[0]](b)";
    let factors = |by: &str| format!("r: f32[2] = dense[1.0, {by}]:f32[2] c: c64[2] = convert[dtype=c64](r) {other}");
    check(on(values, "w", &factors("1.0"), x.clone()), true);
    check(on(values, "w", &factors("1.1"), x), false);
}

#[test]
fn d5_eigenvectors_that_merely_repeat_are_a_difference() {
    let eig = "w: c64[2], v: c64[2,2] = eig[compute_v=true](x)";
    let repeated = "w: c64[2], b: c64[2,2] = eig[compute_v=true](x) s: c64[2,1] = slice[start=[0, 0], limit=[2, 1], strides=[1, 1]](b)
        v: c64[2,2] = concatenate[dim=1](s, s)";
    // Of a matrix that is defective, and has two more values, a side has one value and its vector alone.
    let numbers = [-1.0f32, 1.0, 0.0, 0.0, -4.0, 3.0, 0.0, 0.0, -7.0, 4.0, 0.0, 0.0, -21.0, 12.0, -4.0, 2.0];
    let one = "r: f32[4] = 1.0:f32[4] w: c64[4] = convert[dtype=c64](r)
        s: f32[4] = dense[0.37796447, 0.75592893, 0.37796447, 0.37796447]:f32[4] c: c64[4] = convert[dtype=c64](s)
        v: c64[4,4] = broadcast[shape=[4,4], dims=[0]](c)";
    let larger = "w: c64[4], v: c64[4,4] = eig[compute_v=true](x)";
    check(on(larger, "w, v", one, Tensor::from_slice([4, 4], &numbers).unwrap()), false);
    // Of one, the reference has two vectors; of the other, which is defective, there is only one.
    check(on(eig, "w, v", repeated, matrix([1.0, 0.0, 0.0, 1.0])), false);
    assert!(on(eig, "w, v", repeated, matrix([1.0, 1.0, 0.0, 1.0])).first.is_none());
}

/// Rows whose elements are as large: either is the pivot.
#[test]
fn d5_another_pivot_that_is_as_large_is_no_difference() {
    let lu = "f: f32[2,2], p: i32[2], q: i32[2] = lu(x)";
    let other = |factors: &str, pivots: &str| {
        format!(
            "f: f32[2,2] = dense[{factors}]:f32[2,2] p: i32[2] = dense[{pivots}, 1]:i32[2] q: i32[2] = dense[1, 0]:i32[2]"
        )
    };
    let x = || matrix([1.0, 2.0, -1.0, 3.0]);
    check(on(lu, "f, p, q", &other("-1.0, 3.0, -1.0, 5.0", "1"), x()), true);
    // Other factors, exchanges that are not the permutation, and a pivot that is smaller.
    check(on(lu, "f, p, q", &other("-1.0, 3.0, -1.0, 5.5", "1"), x()), false);
    check(on(lu, "f, p, q", &other("-1.0, 3.0, -1.0, 5.0", "0"), x()), false);
    check(on(lu, "f, p, q", &other("1.0, 3.0, 2.0, -4.0", "1"), matrix([2.0, 2.0, 1.0, 3.0])), false);
}

/// A matrix with few digits to spare: the factors of two libraries are as right, and so is what is made of either. Other factors are not.
#[test]
fn d5_factors_that_reproduce_an_ill_conditioned_matrix_are_no_difference() {
    let lu = "f: f32[6,6], p: i32[6], q: i32[6] = lu(x)";
    let hilbert = || Tensor::new([6, 6], (0..36).map(|k| 1.0 / (k / 6 + k % 6 + 1) as f32).collect()).unwrap();
    let solve = "triangular_solve[left_side=true, lower=LOWER, unit_diagonal=LOWER, transpose_a=no]";
    let [lower, upper] = ["true", "false"].map(|is_lower| solve.replace("LOWER", is_lower));
    let text = format!(
        "program (x: f32[6,6], e: f32[6,6]) {{ {lu} a: f32[6,6] = {lower}(f, e) y: f32[6,6] = {upper}(f, a) return y }}"
    );
    let p = Program::parse(&text).unwrap();
    // Those of LAPACK, in singles; the evaluator's are rounded once.
    let factors = |third: &str| {
        let rows = [
            "1.0, 0.5, 0.33333334, 0.25, 0.2, 0.16666667, 0.5, 0.08333334, 0.08333333, 0.075, 0.06666667, 0.059523813",
            third,
            "0.71428573, 0.009920634, 0.015873007, 0.019047618, 0.020614304",
            "0.33333334, 0.9999999, 0.5600015, -0.0005555749, -0.0011428744, -0.001623407",
            "0.25, 0.9, 0.84000075, 0.8570969, -2.0459294e-5, -5.159527e-5, 0.2, 0.79999995, 0.96000147, 0.42857528, 0.88747275, -6.034970e-7",
        ];
        let (f, p, q) = (rows.join(", "), "0, 1, 5, 5, 5, 5", "0, 1, 5, 2, 3, 4");
        format!("f: f32[6,6] = dense[{f}]:f32[6,6] p: i32[6] = dense[{p}]:i32[6] q: i32[6] = dense[{q}]:i32[6]")
    };
    let identity = Tensor::new([6, 6], (0..36).map(|k| f32::from(u8::from(k % 7 == 0))).collect()).unwrap();
    let on = |to: &dyn Fn(String) -> String| {
        let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
        let mut other = |p: &Program, x: &[Tensor]| wengert_eval::run(&Program::parse(&to(p.to_text()))?, x.to_vec());
        ProgramDiff::new(&p, &[hilbert(), identity.clone()], Sides::new(&mut right, &mut other, 1e-3)).unwrap()
    };
    let lapack = factors("0.16666667");
    let found = on(&|p| p.replace(lu, &lapack));
    assert!(found.first.is_none(), "{:?}", found.first);
    assert_eq!(found.excused[0].why, Excuse::Undetermined);
    let found = on(&|p| p.replace(lu, &factors("0.16766667")));
    assert_eq!(found.first.expect("they part").equations[0].text, lu);
    let found =
        on(&|p| p.replace(lu, &lapack).replace("lower=false, unit_diagonal=false", "lower=false, unit_diagonal=true"));
    assert_eq!(found.first.expect("they part").equations[0].text, format!("y: f32[6,6] = {upper}(f, a)"));
}
