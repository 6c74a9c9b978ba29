//! Attributes read as what an op needs them to be.
//!
//! Each op asks for the attributes that say what it computes; one that MLIR requires must be there, so that no misspelt
//! name is a default. These are known and ignored, wherever they stand, since
//! they say something else:
//! - `mhlo.sharding`, `mhlo.num_partitions`, `mhlo.num_replicas`, `sdy.*`: how arrays are spread over devices;
//! - `mhlo.layout_mode`, `mhlo.memory_kind`, `operand_layouts`, `result_layouts`: how they lie in memory;
//! - `jax.buffer_donor`, `tf.aliasing_output`, `output_operand_aliases`: which memory may be used again;
//! - `jax.result_info`, `jax.arg_info`, `mhlo.frontend_attributes`, `sym_visibility`: names, for people and tools;
//! - `precision_config`, `precision`, `algorithm`, `result_accuracy`: how exact is enough, and ours are exact;
//! - `api_version`, `has_side_effect`, `called_computations`: how a library is called.

use crate::names::Named;
use crate::syntax::{self, Attr, Module};
use std::borrow::Cow;
use wengert_core::{Dims, Error, ErrorKind, Result, Tensor};

/// Attributes with more elements than this are data, and no op takes such.
const MOST: usize = 4096;

/// The attributes of an operation, or of one part of them.
#[derive(Clone, Copy)]
pub(super) struct Fields<'m, 'a> {
    pub module: &'m Module<'a>,
    pub all: &'m [syntax::Named<'a>],
}

fn wrong(name: &str, what: &str) -> Error {
    Error::new(ErrorKind::Text, format!("the attribute `{name}` should be {what}"))
}

impl<'m, 'a> Fields<'m, 'a> {
    /// The attribute with this name.
    pub fn get(&self, name: &str) -> Option<&'m Attr<'a>> {
        self.all.iter().find(|(n, _)| n == name).map(|(_, a)| self.module.resolved(a))
    }

    fn needed(&self, name: &str) -> Result<&'m Attr<'a>> {
        self.get(name).ok_or_else(|| Error::new(ErrorKind::Text, format!("the attribute `{name}` is missing")))
    }

    /// The fields of an attribute that has such.
    pub fn part(&self, name: &str) -> Result<Fields<'m, 'a>> {
        match self.needed(name)? {
            Attr::Dict(all) => Ok(Fields { all, ..*self }),
            _ => Err(wrong(name, "a list of fields")),
        }
    }

    /// Integers, in a list (of lists) or an array.
    pub fn ints(&self, name: &str) -> Result<Option<Vec<i64>>> {
        let Some(attr) = self.get(name) else { return Ok(None) };
        let mut out = Vec::new();
        self.collect(name, attr, &mut out)?;
        Ok(Some(out))
    }

    /// Integers that must be there.
    pub fn needed_ints(&self, name: &str) -> Result<Vec<i64>> {
        self.needed(name)?;
        Ok(self.ints(name)?.unwrap_or_default())
    }

    fn collect(&self, name: &str, attr: &Attr<'a>, out: &mut Vec<i64>) -> Result<()> {
        let int = |n: i128| i64::try_from(n).map_err(|_| wrong(name, "integers of 64 bits"));
        match self.module.resolved(attr) {
            Attr::Int(n) => out.push(int(*n)?),
            Attr::Bool(b) => out.push(*b as i64),
            Attr::List(items) => items.iter().try_for_each(|a| self.collect(name, a, out))?,
            Attr::Dense(dense) => {
                let t = self.module.tensor(dense)?;
                if t.size() > MOST {
                    return Err(wrong(name, "a short list"));
                }
                for i in 0..t.size() {
                    out.push(t.get(i).as_i64().ok_or_else(|| wrong(name, "integers"))?);
                }
            }
            _ => return Err(wrong(name, "integers")),
        }
        Ok(())
    }

    /// Sizes or axes.
    pub fn dims(&self, name: &str) -> Result<Dims> {
        self.needed(name)?;
        self.dims_or_none(name)
    }

    /// Sizes or axes; none if the attribute is missing.
    pub fn dims_or_none(&self, name: &str) -> Result<Dims> {
        Ok(self.dims_if(name)?.unwrap_or_default())
    }

    /// Sizes or axes, where given.
    pub fn dims_if(&self, name: &str) -> Result<Option<Dims>> {
        let size = |n| usize::try_from(n).map_err(|_| wrong(name, "integers that are not negative"));
        self.ints(name)?.map(|list| list.into_iter().map(size).collect()).transpose()
    }

    /// One number for each of `n` axes, the same one for all if the attribute is missing.
    pub fn each(&self, name: &str, n: usize, default: usize) -> Result<Dims> {
        Ok(self.dims_if(name)?.unwrap_or_else(|| Dims::from_elem(default, n)))
    }

    /// What is put before and after, for each of `n` axes.
    pub fn padding(&self, name: &str, n: usize) -> Result<Vec<(i64, i64)>> {
        let Some(all) = self.ints(name)? else { return Ok(vec![(0, 0); n]) };
        if all.len() % 2 != 0 {
            return Err(wrong(name, "pairs of integers"));
        }
        Ok(all.chunks_exact(2).map(|p| (p[0], p[1])).collect())
    }

    /// One size or axis.
    pub fn size(&self, name: &str) -> Result<usize> {
        match self.needed(name)? {
            Attr::Int(n) => usize::try_from(*n).map_err(|_| wrong(name, "an integer that is not negative")),
            _ => Err(wrong(name, "an integer")),
        }
    }

    /// One size or axis; 0 where it is missing.
    pub fn size_or_zero(&self, name: &str) -> Result<usize> {
        if self.get(name).is_some() { self.size(name) } else { Ok(0) }
    }

    /// A number.
    pub fn number(&self, name: &str) -> Result<f64> {
        match self.needed(name)? {
            Attr::Float(x) => Ok(*x),
            Attr::Int(n) => Ok(*n as f64),
            _ => Err(wrong(name, "a number")),
        }
    }

    /// A truth value.
    pub fn flag(&self, name: &str) -> Result<bool> {
        match self.needed(name)? {
            Attr::Bool(b) => Ok(*b),
            Attr::Int(n) => Ok(*n != 0),
            Attr::Unit => Ok(true),
            _ => Err(wrong(name, "true or false")),
        }
    }

    /// A truth value, or what stands for it where it is missing.
    pub fn flag_or(&self, name: &str, default: bool) -> Result<bool> {
        if self.get(name).is_some() { self.flag(name) } else { Ok(default) }
    }

    /// A word such as `LT`.
    pub fn word(&self, name: &str) -> Result<Option<&'m str>> {
        self.get(name).map(|_| self.needed_word(name)).transpose()
    }

    /// A word that must be there.
    pub fn needed_word(&self, name: &str) -> Result<&'m str> {
        match self.needed(name)? {
            Attr::Word(word) => Ok(word),
            _ => Err(wrong(name, "a word")),
        }
    }

    /// What a word of the table names.
    pub fn choice<T: Named>(&self, name: &str, what: &str) -> Result<T> {
        let word = self.needed_word(name)?;
        T::spelled(word).ok_or_else(|| Error::new(ErrorKind::Text, format!("`{word}` is not {what}")))
    }

    /// A name of a function, or any text.
    pub fn text(&self, name: &str) -> Result<&'m str> {
        match self.needed(name)? {
            Attr::Symbol(text) | Attr::Text(text) => match text {
                Cow::Borrowed(s) => Ok(s),
                Cow::Owned(s) => Ok(s),
            },
            _ => Err(wrong(name, "a name")),
        }
    }

    /// An array.
    pub fn tensor(&self, name: &str) -> Result<Tensor> {
        match self.needed(name)? {
            Attr::Dense(dense) => self.module.tensor(dense),
            _ => Err(wrong(name, "an array")),
        }
    }
}
