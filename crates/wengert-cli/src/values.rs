//! Inputs from files, from a seed, or ones; outputs to files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wengert::{Array, load_safetensors, random};
use wengert_core::text::identifier;
use wengert_core::{DType, Element, Error, ErrorKind, Program, Result, Tensor, Type, Var, bf16};

/// Where the inputs of a program come from.
pub enum Inputs {
    /// npy files in order, and safetensors files by name.
    Files(Vec<PathBuf>),
    Random(i64),
    Ones,
}

impl Inputs {
    /// The values for the inputs of a program.
    pub fn values(&self, program: &Program) -> Result<Vec<Tensor>> {
        match self {
            Inputs::Files(files) => from_files(files, program),
            Inputs::Ones => Ok(program.input_types().iter().map(ones).collect()),
            Inputs::Random(seed) => {
                let key = random::key(*seed);
                let types = program.input_types();
                Ok(types.iter().enumerate().map(|(i, ty)| drawn(&key.fold_in(i as u32), ty).to_tensor()).collect())
            }
        }
    }
}

fn ones(ty: &Type) -> Tensor {
    Tensor::splat(ty.shape.clone(), wengert_core::Scalar::from_i64(ty.dtype, 1))
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

fn from_files(files: &[PathBuf], program: &Program) -> Result<Vec<Tensor>> {
    let (mut ordered, mut named) = (Vec::new(), BTreeMap::new());
    for path in files {
        match path.extension().and_then(|e| e.to_str()) {
            Some("safetensors") => {
                named.extend(load_safetensors(path)?.into_iter().map(|(name, x)| (identifier(name.into()), x)));
            }
            _ => ordered.push(Array::load_npy(path)?),
        }
    }
    let (count, mut ordered) = (ordered.len(), ordered.into_iter());
    let mut values = Vec::new();
    for (i, &v) in program.inputs().iter().enumerate() {
        let name = program.var_name(v).unwrap_or_default();
        let Some(x) = named.remove(name).or_else(|| ordered.next()) else {
            let m = format!("no value for input {i} `{name}` of type {}", program.ty(v));
            let left: Vec<&str> = named.keys().map(|n| &**n).collect();
            let e = Error::new(ErrorKind::File, m).note(inputs(program)).note(match left.is_empty() {
                true => format!("{count} npy files were given"),
                false => format!("{count} npy files were given, and values that no input took: {}", left.join(", ")),
            });
            return Err(e);
        };
        values.push(typed(x.to_tensor(), program.ty(v)).map_err(|e| e.within(format!("input {i} `{name}`")))?);
    }
    // A checkpoint may hold more than a program takes; beside values in order, a name is more likely misspelt.
    if let Some(name) = named.keys().next().filter(|_| count > 0) {
        return Err(Error::new(ErrorKind::File, format!("no input is called `{name}`")).note(inputs(program)));
    }
    match ordered.len() {
        0 => Ok(values),
        n => Err(Error::new(ErrorKind::File, format!("{n} values too many")).note(inputs(program))),
    }
}

/// What a program takes, in words.
fn inputs(program: &Program) -> String {
    let one = |&v: &Var| format!("{}: {}", program.var_name(v).unwrap_or("_"), program.ty(v));
    let all: Vec<String> = program.inputs().iter().map(one).collect();
    format!("the program takes {} inputs: {}", all.len(), all.join(", "))
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
    if x.ty() != *ty {
        return Err(Error::dtype(format!("expected {ty}, and got {}", x.ty())));
    }
    Ok(x)
}

/// Writes `out_0.npy`, `out_1.npy`, …: `bf16` as its bits.
pub fn write(dir: &Path, outputs: &[Tensor]) -> Result<()> {
    let failed = |e: std::io::Error| Error::new(ErrorKind::File, format!("{}: {e}", dir.display()));
    std::fs::create_dir_all(dir).map_err(failed)?;
    for (i, x) in outputs.iter().enumerate() {
        let x = match x.dtype() {
            DType::BF16 => {
                let values: Vec<bf16> = x.to_vec()?;
                Tensor::new(x.shape().clone(), values.into_iter().map(|x| x.bits() as u16).collect())?
            }
            _ => x.clone(),
        };
        Array::from_tensor(x).save_npy(dir.join(format!("out_{i}.npy")))?;
    }
    Ok(())
}
