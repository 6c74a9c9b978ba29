//! Inputs from files, from a tape, from a seed, or ones; outputs to files.

use crate::source::{Source, TextForm};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use wengert::{Array, load_safetensors, random, try_run};
use wengert_core::text::identifier;
use wengert_core::{DType, Element, Error, ErrorKind, Result, Scalar, Tensor, Type, bf16, counted};

/// Where the inputs of a program come from.
pub enum Inputs {
    /// npy files in order, and safetensors files by name; of a run that was recorded, what these leave out is as it was.
    Files(Vec<PathBuf>),
    Random(i64),
    Ones,
}

impl Inputs {
    /// The values for the inputs of a program.
    pub fn values(&self, source: &Source) -> Result<Vec<Tensor>> {
        match self {
            Inputs::Files(files) => from_files(files, source),
            Inputs::Ones => made(source, 1, |_, ty| Ok(Tensor::splat(ty.shape.clone(), Scalar::from_i64(ty.dtype, 1)))),
            Inputs::Random(seed) => {
                let key = random::key(*seed);
                // The random bits, and the arrays that are made of them on the way.
                made(source, 4, |i, ty| try_run(|| drawn(&key.fold_in(i as u32), ty).to_tensor()))
            }
        }
    }
}

/// A value for each input, which takes so many times its size while it is made.
fn made(source: &Source, times: usize, one: impl Fn(usize, &Type) -> Result<Tensor>) -> Result<Vec<Tensor>> {
    let value = |(i, (name, ty)): (usize, (&str, &Type))| {
        let value = fits(ty, times).and_then(|()| one(i, ty));
        value.map_err(|e| e.within(format!("input {i} `{name}`")))
    };
    wanted(source).enumerate().map(value).collect()
}

/// The names and types of a program's inputs.
fn wanted(source: &Source) -> impl Iterator<Item = (&str, &Type)> {
    source.inputs.iter().map(|n| &**n).zip(source.program.inputs().iter().map(|&v| source.program.ty(v)))
}

/// An error if this machine has no memory for so many arrays of a type.
fn fits(ty: &Type, times: usize) -> Result<()> {
    match ty.bytes().and_then(|n| n.checked_mul(times)) {
        Some(n) if wengert_eval::has_room(n) => Ok(()),
        _ => Err(Error::new(ErrorKind::OutOfMemory, format!("this machine has no memory for {ty}"))),
    }
}

/// Normal floats, small integers, fair coins.
fn drawn(key: &random::Key, ty: &Type) -> Array {
    let shape = &ty.shape[..];
    match ty.dtype {
        DType::Bool => random::bernoulli(key, 0.5, shape),
        d if d.is_integer() => random::randint(key, shape, 0, 10, d),
        d => random::normal(key, shape, d),
    }
}

/// Values by name, each with the file it is from.
type NamedValues<'f> = BTreeMap<String, (&'f Path, Array)>;

/// The value with this name; or, since the names of our own form are identifiers, the only one that would be so called.
fn take<'f>(named: &mut NamedValues<'f>, name: &str, inputs: &[String]) -> Option<(&'f Path, Array)> {
    let called = |name: &str| identifier(name.into());
    let mut alike = named.keys().filter(|k| !inputs.contains(k) && called(k) == called(name));
    let key = match (named.contains_key(name), alike.next(), alike.next()) {
        (true, ..) => name.to_string(),
        (false, Some(key), None) => key.clone(),
        _ => return None,
    };
    named.remove(&key)
}

fn from_files(files: &[PathBuf], source: &Source) -> Result<Vec<Tensor>> {
    let (mut ordered, mut named) = (Vec::new(), NamedValues::new());
    for path in files {
        match path.extension().and_then(|e| e.to_str()) {
            Some("safetensors") => {
                named.extend(load_safetensors(path)?.into_iter().map(|(name, x)| (name, (&**path, x))));
            }
            Some("npz") => {
                let m = format!("{}: an npz file holds several arrays, and npy files one each", path.display());
                let todo = "what to do: save each with `np.save`, or all of them by name in a safetensors file";
                return Err(Error::new(ErrorKind::File, m).note(todo));
            }
            _ => ordered.push((&**path, Array::load_npy(path)?)),
        }
    }
    let (count, mut ordered) = (ordered.len(), ordered.into_iter());
    let taken: Vec<_> =
        wanted(source).map(|(name, _)| take(&mut named, name, &source.inputs).or_else(|| ordered.next())).collect();
    let (mut values, mut as_recorded) = (Vec::new(), Vec::new());
    for (i, ((name, ty), taken)) in wanted(source).zip(taken).enumerate() {
        let recorded = source.recorded.as_ref().filter(|_| taken.is_none());
        if let Some(value) = recorded.map(|run| run.input(i)).transpose()?.flatten() {
            as_recorded.push(name);
            values.push(value);
            continue;
        }
        let Some((path, x)) = taken else {
            let m = format!("no value for input {i} `{name}` of type {ty}");
            let e = Error::new(ErrorKind::File, m).note(inputs(source));
            let e = if recorded.is_some() { e.note("the tape did not keep it: `Capture::Values` does") } else { e };
            return Err(e.note(match files.is_empty() {
                true => {
                    "what to do: name files after `--input`, draw the inputs with `--random 0`, or take `--ones`".into()
                }
                false => given(count, &named),
            }));
        };
        let value = typed(x.to_tensor(), ty);
        values.push(value.map_err(|e| e.within(format!("{}: input {i} `{name}`", path.display())))?);
    }
    // A checkpoint may hold more than a program takes; beside values in order, a name is more likely misspelt.
    if let Some(name) = named.keys().next().filter(|_| count > 0) {
        return Err(Error::new(ErrorKind::File, format!("no input is called `{name}`")).note(inputs(source)));
    }
    if !files.is_empty() && !as_recorded.is_empty() {
        eprintln!("{} as recorded: {}", counted(as_recorded.len(), "input"), as_recorded.join(", "));
    }
    let left: Vec<String> = ordered.map(|(path, _)| path.display().to_string()).collect();
    if left.is_empty() {
        return Ok(values);
    }
    let m = format!("{} too many: {}", counted(left.len(), "value"), left.join(", "));
    let e = Error::new(ErrorKind::File, m).note(inputs(source));
    Err(match source.form == Some(TextForm::Stablehlo) {
        true => e.note("JAX leaves out arguments that nothing uses: `jax.jit(f, keep_unused=True)` keeps them"),
        false => e,
    })
}

/// What was given, in words: so many npy files, and the values with names that no input took.
fn given(files: usize, left: &NamedValues<'_>) -> String {
    let given = match files {
        1 => "1 npy file was given".into(),
        n => format!("{n} npy files were given"),
    };
    let left: Vec<&str> = left.keys().map(|n| &**n).collect();
    match left.is_empty() {
        true => given,
        false => format!("{given}, and values that no input took: {}", left.join(", ")),
    }
}

/// The inputs of a program, in words.
fn inputs(source: &Source) -> String {
    let all: Vec<String> = wanted(source).map(|(name, ty)| format!("{name}: {ty}")).collect();
    format!("the program takes {}: {}", counted(all.len(), "input"), all.join(", "))
}

/// The value, its bits read as the type where npy files have no name for that.
fn typed(x: Tensor, ty: &Type) -> Result<Tensor> {
    let x = match (x.dtype(), ty.dtype) {
        (DType::U16, DType::BF16) => {
            let bits: Vec<u16> = x.to_vec()?;
            Tensor::new(x.shape().clone(), bits.into_iter().map(bf16::from_bits).collect())?
        }
        _ => x,
    };
    if x.ty() == *ty {
        return Ok(x);
    }
    let e = Error::dtype(format!("expected {ty}, and got {}", x.ty()));
    Err(match x.shape() == &ty.shape {
        true if ty.dtype == DType::BF16 => e.note("what to do: save the bits of bf16: `x.view(np.uint16)`"),
        true => e.note(format!("what to do: save it as `x.astype(np.{})`", numpy_name(ty.dtype))),
        false => e,
    })
}

/// NumPy's name of an element type.
fn numpy_name(dtype: DType) -> String {
    let (kind, bits) = match dtype {
        DType::Bool => return "bool_".into(),
        d if d.is_complex() => ("complex", d.bits()),
        d if d.is_float() => ("float", d.bits()),
        d if d.is_signed() => ("int", d.bits()),
        d => ("uint", d.bits()),
    };
    format!("{kind}{bits}")
}

/// An error if this is not a folder and can't become one, or if an input is among the files that are written or removed
/// there: there may be long runs between asking and writing.
pub fn may_take_outputs(dir: &Path, inputs: &[PathBuf]) -> Result<()> {
    if let Some(p) = dir.ancestors().find(|p| p.symlink_metadata().is_ok()).filter(|p| !p.is_dir()) {
        return Err(Error::new(ErrorKind::File, format!("--out-dir: `{}` is not a folder", p.display())));
    }
    let Ok(dir) = dir.canonicalize() else { return Ok(()) };
    let is_output = |p: &&PathBuf| {
        let p = p.canonicalize().unwrap_or_default();
        p.parent() == Some(&dir) && p.file_name().and_then(output_number).is_some()
    };
    match inputs.iter().find(is_output) {
        None => Ok(()),
        Some(input) => {
            let m = format!("--out-dir: the input `{}` has the name of an output, and would be lost", input.display());
            Err(Error::new(ErrorKind::File, m).note("what to do: name another folder, or give the input another name"))
        }
    }
}

/// Which output a file is, by its name.
fn output_number(name: &OsStr) -> Option<usize> {
    name.to_str()?.strip_prefix("out_")?.strip_suffix(".npy")?.parse().ok()
}

/// Writes `out_0.npy`, `out_1.npy`, …: `bf16` as its bits. None of these is ever there in part, none is written
/// before all have room, and none that an earlier run wrote stays beside them.
pub fn write(dir: &Path, outputs: &[Tensor]) -> Result<()> {
    for (i, x) in outputs.iter().enumerate() {
        fits(&x.ty(), 1).map_err(|e| e.within(format!("out_{i}")))?;
    }
    std::fs::create_dir_all(dir).map_err(|e| failed(dir, e))?;
    let part = |i: usize| dir.join(format!("out_{i}.npy.part"));
    let write = |(i, x): (usize, &Tensor)| Array::from_tensor(storable(x)?).save_npy(part(i));
    let publish = |i: usize| {
        let path = dir.join(format!("out_{i}.npy"));
        std::fs::rename(part(i), &path).map_err(|e| failed(&path, e))
    };
    let written = outputs.iter().enumerate().try_for_each(write);
    if let Err(e) = written.and_then(|()| (0..outputs.len()).try_for_each(publish)) {
        for i in 0..outputs.len() {
            // The first mistake is the one to tell.
            let _ = std::fs::remove_file(part(i));
        }
        return Err(e);
    }
    let mut old = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(|e| failed(dir, e))? {
        let name = entry.map_err(|e| failed(dir, e))?.file_name();
        old.extend(output_number(&name).filter(|&n| n >= outputs.len()).map(|n| (n, dir.join(&name))));
    }
    old.sort();
    old.iter().try_for_each(|(_, path)| std::fs::remove_file(path).map_err(|e| failed(path, e)))?;
    match &old[..] {
        [] => {}
        [(_, path)] => eprintln!("removed {}: this program has no such output", path.display()),
        [(_, first), .., (last, _)] => eprintln!(
            "removed {} to out_{last}.npy ({} files): this program has no such outputs",
            first.display(),
            old.len()
        ),
    }
    Ok(())
}

/// An error of the system about a file.
fn failed(path: &Path, e: std::io::Error) -> Error {
    Error::new(ErrorKind::File, format!("{}: {e}", path.display()))
}

/// The value as npy files can hold it.
fn storable(x: &Tensor) -> Result<Tensor> {
    let bits = |x: bf16| x.bits() as u16;
    match (x.dtype(), x.splat_value()) {
        (DType::BF16, Some(value)) => Ok(Tensor::splat(x.shape().clone(), Scalar::U16(value.bits() as u16))),
        (DType::BF16, None) => Tensor::new(x.shape().clone(), x.to_vec()?.into_iter().map(bits).collect()),
        _ => Ok(x.clone()),
    }
}
