//! Programs that JAX exported, with inputs and JAX's outputs: they run here with the same results, and are programs
//! like any other. The cases lie in `tests/conformance/cases`, with the script that made them beside.

use std::fs;
use std::path::{Path, PathBuf};
use wengert::{Array, simplify};
use wengert_core::compare::{ComplexRule, Mismatch, Tolerance};
use wengert_core::{DType, Op, Program, Scalar, Tensor, Type, bf16, transform};
use wengert_repro::BackendName;
use wengert_repro::diff::{ProgramDiff, Sides};
use wengert_stablehlo::Options;

struct Case {
    name: String,
    program: Program,
    inputs: Vec<Tensor>,
    outputs: Vec<Tensor>,
    /// JAX's gradients of the sum of the outputs by the inputs that are floats, where they are kept.
    gradients: Vec<Tensor>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/cases");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|p| case(p)).collect()
}

fn case(folder: &Path) -> Case {
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let text = fs::read_to_string(folder.join("module.mlir")).unwrap();
    let program = wengert_stablehlo::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
    let read = |kind: &str, types: Vec<Type>| -> Vec<Tensor> {
        let one = |(i, ty): (usize, Type)| {
            let x = Array::load_npy(folder.join(format!("{kind}_{i}.npy"))).unwrap().to_tensor();
            if ty.dtype != DType::BF16 {
                return x;
            }
            let bits: Vec<u16> = x.to_vec().unwrap();
            Tensor::new(x.shape().clone(), bits.into_iter().map(bf16::from_bits).collect()).unwrap()
        };
        types.into_iter().enumerate().map(one).collect()
    };
    let (inputs, outputs) = (read("in", program.input_types()), read("out", program.output_types()));
    let files = |kind: &str| (0..).take_while(|i| folder.join(format!("{kind}_{i}.npy")).is_file()).count();
    assert_eq!((files("in"), files("out")), (inputs.len(), outputs.len()), "{name}: inputs and outputs");
    let floats = || program.input_types().into_iter().filter(|t| t.dtype.is_differentiable()).collect();
    let gradients = if folder.join("grad_0.npy").exists() { read("grad", floats()) } else { Vec::new() };
    Case { name, program, inputs, outputs, gradients }
}

/// How far from JAX's a value of this type may be, for numbers around 1.
fn tolerance(d: DType) -> f64 {
    match d {
        DType::BF16 => 3e-2,
        DType::F16 => 4e-3,
        DType::F32 | DType::C64 => 2e-4,
        DType::F64 | DType::C128 => 1e-9,
        _ => 0.0,
    }
}

/// What differs between two arrays, if anything does.
fn difference(got: &Tensor, want: &Tensor) -> Option<Mismatch> {
    Tolerance::near(tolerance(want.dtype())).complex(ComplexRule::AnyNan).check(got, want).err()
}

/// Collects what fails, so that one run tells all of it.
fn all(check: impl Fn(&Case) -> Result<(), String>) {
    let cases = cases();
    assert!(cases.len() > 150, "only {} cases", cases.len());
    let failures: Vec<String> =
        cases.iter().filter_map(|c| check(c).err().map(|e| format!("{}: {e}", c.name))).collect();
    assert!(failures.is_empty(), "{} of {} fail:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn compare(program: &Program, case: &Case) -> Result<(), String> {
    compare_with(program, case.inputs.clone(), &case.outputs)
}

fn run_on_cpu(program: &Program, inputs: Vec<Tensor>) -> wengert_core::Result<Vec<Tensor>> {
    wengert::Device::cpu().compile(program.clone().into())?.run_on_host(inputs)
}

fn compare_with(program: &Program, inputs: Vec<Tensor>, outputs: &[Tensor]) -> Result<(), String> {
    let got = run_on_cpu(program, inputs).map_err(|e| e.to_string())?;
    let wrong = got.iter().zip(outputs).enumerate();
    match wrong.filter_map(|(i, (g, w))| difference(g, w).map(|d| format!("output {i}: {d}"))).next() {
        Some(d) => Err(d),
        None => Ok(()),
    }
}

#[test]
fn outputs_are_jaxs() {
    all(|case| compare(&case.program, case));
}

#[test]
fn simplified_programs_give_the_same() {
    all(|case| compare(&simplify(&case.program), case));
}

#[test]
fn programs_are_sound_and_their_text_reads_back() {
    all(|case| {
        case.program.verify().map_err(|e| e.to_string())?;
        let back = Program::parse(&case.program.to_text()).map_err(|e| e.to_string())?;
        if back == case.program { Ok(()) } else { Err("the text form reads back as another program".into()) }
    });
}

/// Programs with an op that has no derivative: scatters by a program or by products that may meet, the next float,
/// eigenvectors of general matrices, and all singular vectors of matrices that are not square.
fn has_no_derivative(name: &str) -> bool {
    let kinds = ["scatter_apply", "scatter_multiply", "floats_", "linalg_eig_left", "linalg_complex_eig_left"];
    let names = ["linalg_eig", "linalg_svd_signs", "linalg_complex_svd_signs", "segments"];
    kinds.iter().any(|k| name.starts_with(k)) || names.contains(&name)
}

#[test]
fn programs_have_derivatives_and_batches() {
    all(|case| {
        let p = &case.program;
        let moving: Vec<bool> = p.input_types().iter().map(|t| t.dtype.is_differentiable()).collect();
        if moving.contains(&true) && !has_no_derivative(&case.name) {
            let (dual, _) = transform::jvp(p, &moving).map_err(|e| format!("jvp: {e}"))?;
            dual.verify().map_err(|e| format!("jvp: {e}"))?;
        }
        let some = |n: usize| vec![true; n];
        let (batched, _) = transform::batch(p, 2, None, &some(p.inputs().len()), &some(p.outputs().len()))
            .map_err(|e| format!("batch: {e}"))?;
        batched.verify().map_err(|e| format!("batch: {e}"))
    });
}

#[test]
fn what_goes_out_comes_in_again() {
    all(|case| {
        // Names count in the text, but it is the same only up to them.
        let bare = Options { locations: false, ..Options::default() };
        let export = |p: &Program| wengert_stablehlo::export_with(p, &bare).map_err(|e| format!("out: {e}"));
        let text = export(&case.program)?;
        let back = wengert_stablehlo::parse(&text).map_err(|e| format!("in: {e}"))?;
        compare(&back, case)?;
        if export(&back)? == text { Ok(()) } else { Err("out, in and out again is another text".into()) }
    });
}

/// How many scans and other loops a program has.
fn loops(p: &Program) -> (usize, usize) {
    let (mut scans, mut whiles) = (0, 0);
    p.visit(&mut |e| match e.op {
        Op::Scan(_) => scans += 1,
        Op::While(_) => whiles += 1,
        _ => (),
    });
    (scans, whiles)
}

/// The vector-Jacobian product for ones: the gradient of the sum of the outputs that are floats.
fn gradient(p: &Program) -> Result<Program, String> {
    let moving: Vec<bool> = p.input_types().iter().map(|t| t.dtype.is_differentiable()).collect();
    Ok(simplify(&transform::vjp(p, &moving).map_err(|e| e.to_string())?))
}

/// The cases with loops whose number of steps depends on a value; a counted loop that somebody wrote as `while` is one.
const WHILES: [(&str, usize); 19] = [
    ("conjugate_gradients", 1),
    ("linalg_complex_schur", 1),
    ("linalg_complex_schur_order", 1),
    ("linalg_complex_tridiagonal_perturbed", 4),
    ("linalg_schur", 1),
    ("linalg_schur_signs", 1),
    ("linalg_sqrtm", 3),
    ("linalg_sylvester", 2),
    ("linalg_tridiagonal_perturbed", 6),
    ("linalg_tridiagonal_singular", 12),
    ("linalg_tridiagonal_small", 24),
    ("loop_while", 1),
    ("loop_while_counted", 1),
    ("ode", 1),
    ("random_gamma", 2),
    ("special_betainc", 1),
    ("special_gammainc", 2),
    ("while_captures", 1),
    ("while_collatz", 1),
];

/// JAX's scans, maps and loops over known ranges come in as scans (A3), and nothing else does.
#[test]
fn loops_of_known_length_are_scans() {
    let (mut scans, mut whiles) = (0, Vec::new());
    for case in cases() {
        let (known, others) = loops(&case.program);
        scans += known;
        whiles.extend(Some((case.name, others)).filter(|_| others > 0));
    }
    println!("{scans} scans, {} others", whiles.iter().map(|w| w.1).sum::<usize>());
    assert_eq!(whiles, WHILES.map(|(name, n)| (name.to_string(), n)));
}

/// Gradients of what came in, taken here, are those that JAX takes of what it exported (A6).
#[test]
fn gradients_are_jaxs() {
    all(|case| {
        if case.gradients.is_empty() {
            return Ok(());
        }
        let back = gradient(&case.program)?;
        if loops(&back).1 > 0 {
            return Err("the gradient has a loop that is no scan".into());
        }
        let one = |t: Type| Tensor::splat(t.shape, Scalar::from_f64(t.dtype, 1.0));
        let outputs = case.program.output_types().into_iter();
        let ones = outputs.filter(|t| t.dtype.is_differentiable()).map(one);
        let inputs = case.inputs.iter().cloned().chain(ones).collect();
        let expected: Vec<Tensor> = case.outputs.iter().chain(&case.gradients).cloned().collect();
        compare_with(&back, inputs, &expected)
    });
}

/// What JAX wrote as a scan and what is written here are one program, and so are their gradients.
#[test]
fn a_scan_of_jaxs_is_ours() {
    let ours = "program (c: f32[3], xs: f32[5,3], w: f32[3,3]) {
      y: f32[3], s: f32[5] = scan[length=5, consts=1, carries=1, reverse=false,
        body=program (w: f32[3,3], h: f32[3], x: f32[3]) {
          a: f32[3] = dot_general[contract=([1], [0]), batch=([], [])](w, h)
          b: f32[3] = add(a, x)
          c: f32[3] = tanh(b)
          s: f32[] = reduce[combiner=add, dims=[0]](c)
          return c, s
        }](w, c, xs)
      return y, s
    }";
    let ours = Program::parse(ours).unwrap();
    let theirs = cases().into_iter().find(|c| c.name == "loop_scan").unwrap().program;
    assert_eq!(simplify(&theirs), ours, "{theirs}");
    assert_eq!(gradient(&theirs).unwrap(), gradient(&ours).unwrap());
}

/// Where the compiler rounds otherwise than the evaluator does, that is no difference (D5), however far it grew.
#[test]
fn d5_rounding_alone_is_never_reported_of_jax_programs() {
    let [eval, cpu] = ["eval", "cpu"].map(|n| n.parse::<BackendName>().unwrap());
    all(|case| {
        let mut left = |p: &Program, x: &[Tensor]| eval.run(p, x);
        let mut right = |p: &Program, x: &[Tensor]| cpu.run(p, x);
        let found = ProgramDiff::new(&case.program, &case.inputs, Sides::new(&mut left, &mut right, 1e-3));
        match found.map_err(|e| e.to_string())? {
            ProgramDiff { first: None, is_complete: true, .. } => Ok(()),
            ProgramDiff { first, .. } => Err(format!("{first:?}")),
        }
    });
}
