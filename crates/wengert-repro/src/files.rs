//! Cases in files: the program in our text with its inputs beside it, and in the other forms that it can be handed on in.

use crate::backend::BackendName;
use crate::case::Case;
use crate::determined::{Roundings, subnormal_results, undetermined_results};
use crate::patience::with_patience;
use crate::sizes::{MOST_BYTES, bytes_of_vars, scales};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wengert_core::ops::{Call, CallKind};
use wengert_core::{Builder, Complex, DType, Error, ErrorKind, Program, Result, Scalar, Tensor, Type, Var};
use wengert_emit::files::{RESULT_MARK, arrays_beside, name_of, save_arrays, save_program, save_text};
use wengert_emit::{CallTree, Emitted, Options, Outcome, Run};

/// Writes `NAME.wg` and `NAME.safetensors` into a folder, each whole or not at all and with a mark, and gives their paths. After its
/// mark, the program has these comments, whole lines each.
///
/// # Errors
/// If they can't be written.
pub fn save(case: &Case, folder: &Path, name: &str, comments: &str) -> Result<[PathBuf; 2]> {
    save_program(folder, name, &format!("// {RESULT_MARK}\n{comments}"), case.program(), case.inputs())
}

/// The case that [`save`] wrote into these files.
///
/// # Errors
/// If they can't be read, or are not a program and its inputs.
///
/// ```
/// use wengert_core::{Program, Tensor};
/// use wengert_repro::Case;
/// use wengert_repro::files::{load, save};
/// let p = Program::parse("program (x: f32[]) { y: f32[] = sin(x) return y }")?;
/// let folder = std::env::temp_dir().join(format!("wengert-load-{}", std::process::id()));
/// std::fs::create_dir_all(&folder).unwrap();
/// let files = save(&Case::new(p.clone(), vec![Tensor::scalar(2.0f32)])?, &folder, "small", "// A sine.\n")?;
/// let back = load(&files)?;
/// assert_eq!((back.program(), back.inputs()[0].get(0).as_f64()), (&p, Some(2.0)));
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), wengert_core::Error>(())
/// ```
pub fn load([text, arrays]: &[PathBuf; 2]) -> Result<Case> {
    let no = |e: std::io::Error| Error::new(ErrorKind::File, e.to_string()).within(text.display());
    let program = Program::parse(&std::fs::read_to_string(text).map_err(no)?).map_err(|e| e.within(text.display()))?;
    let values = wengert::load_safetensors(arrays)?;
    let value = |&v: &Var| {
        let name = program.var_name(v).unwrap_or_default();
        let missing = || Error::new(ErrorKind::File, format!("no array is called `{name}`")).within(arrays.display());
        values.get(name).map(|x| x.to_tensor()).ok_or_else(missing)
    };
    let inputs = program.inputs().iter().map(value).collect::<Result<_>>()?;
    Case::new(program, inputs)
}

/// A program as what is emitted: with what the plain evaluator gives for these inputs.
pub fn run_of(program: &Program, inputs: Vec<Tensor>) -> Run {
    let outcome = Some(outcome(program, &inputs));
    Run { tree: CallTree::of_program(program), inputs, outcome }
}

/// These options, with what the program of a run says of its results on these inputs: which a decomposition does not determine, how
/// far rounding may lead where that is far, and of what size the numbers are that small ones may be left of, unless they say so. What takes too long is not looked at.
pub fn compared_by(run: &Run, program: &Program, inputs: &[Tensor], options: Options) -> Options {
    let Some(Outcome::Results(results)) = &run.outcome else { return options };
    let Some((at, outputs)) = places(program, inputs, results) else { return options };
    let all = |found: Vec<Option<f64>>| -> Vec<Option<f64>> {
        let of = |at: &Option<usize>| at.and_then(|at| found.get(at).copied().flatten());
        if found.iter().any(Option::is_some) { at.iter().map(of).collect() } else { Vec::new() }
    };
    let scales = scales(program, inputs, &outputs);
    // Where a difference is what is looked for, none is excused.
    if options.within.is_some() {
        return Options { scales: all(scales), ..options };
    }
    let narrowest = run.tree.narrowest();
    let of_output =
        |output: usize| at.iter().position(|at| *at == Some(output)).and_then(|i| narrowest.get(i).copied()?);
    let narrow: Vec<Option<DType>> = (0..outputs.len()).map(of_output).collect();
    let (p, x, y) = (program.clone(), inputs.to_vec(), outputs);
    let found = with_patience(move || {
        let mut free = undetermined_results(&p, &x);
        let Roundings { mut lost, mut sizes, chosen } = Roundings::new(&p, &x, &y, &narrow);
        for all in [&mut lost, &mut sizes] {
            all.iter_mut().enumerate().filter(|(i, _)| free.contains(i)).for_each(|(_, known)| *known = None);
        }
        free.extend(chosen);
        (free, lost, sizes, subnormal_results(&p, &x, &y))
    });
    let (free, lost, sizes, subnormal) = found.unwrap_or_default();
    // What is left of numbers that are not there any more says more than the largest number that is.
    let scales = match sizes.iter().any(Option::is_some) {
        true => (0..sizes.len()).map(|i| sizes[i].or(scales.get(i).copied().flatten())).collect(),
        false => scales,
    };
    let of = |found: Vec<usize>| (0..at.len()).filter(|&i| at[i].is_some_and(|at| found.contains(&at))).collect();
    Options { free: of(free), lost: all(lost), scales: all(scales), subnormal: of(subnormal), ..options }
}

/// Which output of a program each result of a run is, and the outputs: the next one with the same bits, if there is one. None if the
/// program can't be run.
fn places(program: &Program, inputs: &[Tensor], results: &[Tensor]) -> Option<(Vec<Option<usize>>, Vec<Tensor>)> {
    let types: Vec<Type> = results.iter().map(Tensor::ty).collect();
    if program.output_types() == types {
        return Some(((0..results.len()).map(Some).collect(), results.to_vec()));
    }
    let outputs = BackendName::plain().run(program, inputs).ok()?;
    let mut left: Vec<Option<usize>> = (0..outputs.len()).map(Some).collect();
    let mut place = |y: &Tensor| {
        let is_it = |at: &Option<usize>| at.is_some_and(|at| outputs[at].ty() == y.ty() && outputs[at].same_bits(y));
        left.iter().position(is_it).and_then(|at| left[at].take())
    };
    Some((results.iter().map(&mut place).collect(), outputs))
}

fn outcome(program: &Program, inputs: &[Tensor]) -> Outcome {
    match BackendName::plain().run(program, inputs) {
        Ok(results) => Outcome::Results(results.iter().map(plain_nan).collect()),
        Err(e) => Outcome::Error(e.message().to_string()),
    }
}

/// The array with one kind of NaN, whatever the machine makes: that is how one is written.
fn plain_nan(x: &Tensor) -> Tensor {
    let dtype = x.dtype();
    let has_nan = match dtype {
        DType::F32 => x.elements::<f32>().iter().any(|x| x.is_nan()),
        DType::F64 => x.elements::<f64>().iter().any(|x| x.is_nan()),
        dtype => dtype.is_differentiable(),
    };
    if !has_nan {
        return x.clone();
    }
    let part = |x: f64| if x.is_nan() { f64::NAN } else { x };
    let number = |i| {
        let c = x.get(i).as_complex();
        if c.re.is_nan() || c.im.is_nan() {
            return Scalar::from_complex(dtype, Complex::new(part(c.re), part(c.im))).bits();
        }
        x.get(i).bits()
    };
    match x.splat_value() {
        Some(_) if x.size() > 0 => {
            Tensor::splat(x.shape().clone(), Tensor::from_bits(&Type::scalar(dtype), number).get(0))
        }
        _ => Tensor::from_bits(&x.ty(), number),
    }
}

/// A program that calls this one staged, and does nothing else.
fn staged(program: &Program) -> Program {
    let mut b = Builder::new();
    let x = b.inputs_of(program);
    let y = b.push(Call { program: Arc::new(program.clone()), kind: CallKind::Staged }, &x);
    b.finish(&y).with_name("reduced")
}

/// The files that [`save_all`] writes, by their names; those of forms that can't express a case are removed.
///
/// ```
/// assert!(wengert_repro::files::file_names("small").contains(&"small.wg".to_string()));
/// ```
pub fn file_names(name: &str) -> Vec<String> {
    let ends =
        [".wg", ".safetensors", ".mlir", ".rs", ".py", "-mlir.safetensors", "-rs.safetensors", "-py.safetensors"];
    ends.iter().map(|end| format!("{name}{end}")).collect()
}

/// Writes a case in all forms: `save`, then `NAME.mlir`, `NAME.rs` and `NAME.py`; arrays that are too large for the last two
/// lie in `NAME-rs.safetensors` and `NAME-py.safetensors`. These say whether results are as expected, within a part of the largest
/// number if there is one to go by ([`Symptom::within`](crate::Symptom::within)), unless they take more than
/// 256 MiB. Gives a line for each form that can't express it, whose file is not there then.
///
/// # Errors
/// If a file can't be written.
///
/// ```
/// use wengert_core::{Program, Tensor};
/// use wengert_repro::{Case, files::save_all};
/// let p = Program::parse("program (x: f32[]) { y: f32[] = sin(x) return y }")?;
/// let folder = std::env::temp_dir().join(format!("wengert-forms-{}", std::process::id()));
/// std::fs::create_dir_all(&folder).unwrap();
/// let missing = save_all(&Case::new(p, vec![Tensor::scalar(1.0f32)])?, &folder, "small", "", None)?;
/// assert!(missing.is_empty());
/// assert!(std::fs::read_to_string(folder.join("small.py")).unwrap().contains("lax.sin("));
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), wengert_core::Error>(())
/// ```
pub fn save_all(case: &Case, folder: &Path, name: &str, comments: &str, within: Option<f64>) -> Result<Vec<String>> {
    save(case, folder, name, comments)?;
    let same = case.clone();
    let is_small = bytes_of_vars(case.program(), case.program().outputs()) <= MOST_BYTES;
    let outcome = with_patience(move || is_small.then(|| outcome(same.program(), same.inputs()))).flatten();
    let run = Run { tree: CallTree::of_program(case.program()), inputs: case.inputs().to_vec(), outcome };
    // Compiled as a whole, as it was when it failed; what is written for JAX is so by itself.
    let whole = Run { tree: CallTree::of_program(&staged(case.program())), ..run.clone() };
    let text_file = |end: &str| folder.join(format!("{name}.{end}"));
    let data_file = |end: &str| name_of(&arrays_beside(&text_file(end)));
    let compared = compared_by(&run, case.program(), case.inputs(), Options { within, ..Options::default() });
    let options = |end: &str| Options { data_file: data_file(end), ..compared.clone() };
    let module = wengert_stablehlo::export(case.program()).map(|text| format!("// {RESULT_MARK}\n{text}"));
    let module = module.map(|text| Emitted { text, data: Vec::new(), notes: Vec::new() });
    let rust = wengert_emit::rust(&whole, &options("rs"));
    let jax = wengert_emit::jax(&run, &options("py"));
    save_forms(folder, name, [("StableHLO", "mlir", module), ("Rust", "rs", rust), ("JAX", "py", jax)])
}

/// Writes the calls of a run as `NAME.rs` and `NAME.py`, with the arrays that are too large for these beside them, and removes what
/// [`save_all`] wrote under that name. Gives a line for each form that can't express it.
///
/// # Errors
/// If a file can't be written.
pub fn save_calls(run: &Run, folder: &Path, name: &str) -> Result<Vec<String>> {
    [".wg", ".safetensors", ".mlir"]
        .iter()
        .for_each(|end| _ = std::fs::remove_file(folder.join(format!("{name}{end}"))));
    let options = |end: &str| {
        let arrays = arrays_beside(&folder.join(format!("{name}.{end}")));
        Options { data_file: name_of(&arrays), ..Options::default() }
    };
    let rust = wengert_emit::rust(run, &options("rs"));
    let jax = wengert_emit::jax(run, &options("py"));
    save_forms(folder, name, [("Rust", "rs", rust), ("JAX", "py", jax)])
}

/// Writes what was emitted in some forms: their names, the ends of their files, and the text with its arrays.
fn save_forms<'a>(
    folder: &Path,
    name: &str,
    forms: impl IntoIterator<Item = (&'a str, &'a str, Result<Emitted>)>,
) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    for (form, end, emitted) in forms {
        let text = folder.join(format!("{name}.{end}"));
        let arrays = arrays_beside(&text);
        // What an earlier program left is not of this one, and goes when there is another.
        let remove = |old: &Path| _ = std::fs::remove_file(old);
        match emitted {
            Ok(emitted) => {
                let has_arrays = !emitted.data.is_empty();
                if has_arrays {
                    save_arrays(&arrays, emitted.data)?;
                }
                save_text(&text, &emitted.text)?;
                if !has_arrays {
                    remove(&arrays);
                }
            }
            Err(e) => {
                [&text, &arrays].into_iter().for_each(|old| remove(old));
                missing.push(format!("no {form} of it: {}", e.message()));
            }
        }
    }
    Ok(missing)
}
