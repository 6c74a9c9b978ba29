//! Sums of products by letters, `ab,bc->ca`: each axis has one, and those that the result lacks are summed over.

use super::body::{Body, Handler};
use super::dot::widened;
use crate::syntax::Operation;
use wengert_core::ops::{Combiner, DotGeneral, Reduce, Transpose};
use wengert_core::{Dims, Error, ErrorKind, Result, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    match name {
        "stablehlo.einsum" | "stablehlo.unary_einsum" => Some(einsum),
        _ => None,
    }
}

/// The letters of one operand or of the result.
fn letters(term: &str) -> Result<Vec<char>> {
    let letters: Vec<char> = term.chars().filter(|c| !c.is_whitespace()).collect();
    let once = letters.iter().enumerate().all(|(i, l)| !letters[..i].contains(l));
    match once && letters.iter().all(char::is_ascii_alphabetic) {
        true => Ok(letters),
        false => Err(Error::new(ErrorKind::Unsupported, format!("`{term}` in `einsum` is not supported"))),
    }
}

/// The axes with these letters.
fn axes(term: &[char], letters: &[char]) -> Result<Dims> {
    let axis = |l: &char| {
        let missing = || Error::new(ErrorKind::Text, format!("no operand of `einsum` has an axis `{l}`"));
        term.iter().position(|t| t == l).ok_or_else(missing)
    };
    letters.iter().map(axis).collect()
}

fn einsum<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let config = c.fields(op).text("einsum_config")?;
    let malformed =
        || Error::new(ErrorKind::Text, format!("`{config}` does not say what the operands and the result are"));
    let (operands, result) = config.split_once("->").ok_or_else(malformed)?;
    let result = letters(result)?;
    let mut terms = operands.split(',').map(letters).collect::<Result<Vec<_>>>()?;
    if terms.len() != x.len() || x.iter().zip(&terms).any(|(&v, t)| c.b.shape(v).rank() != t.len()) {
        return Err(malformed());
    }
    // What only one operand has, and the result has not, goes first.
    let mut summed = Vec::new();
    for (i, &v) in x.iter().enumerate() {
        let shared = |l: &char| terms.iter().enumerate().any(|(j, t)| j != i && t.contains(l));
        let (kept, alone): (Vec<char>, Vec<char>) = terms[i].iter().partition(|l| result.contains(l) || shared(l));
        let dims = axes(&terms[i], &alone)?;
        let reduce = Reduce { combiner: Combiner::Add, dims };
        summed.push(if alone.is_empty() { v } else { c.one(reduce, &[v])? });
        terms[i] = kept;
    }
    let (product, term) = match (&summed[..], &terms[..]) {
        ([one], [term]) => (*one, term.clone()),
        ([_, _], [left, right]) => {
            let (both, first): (Vec<char>, Vec<char>) = left.iter().partition(|l| right.contains(l));
            let (batch, contract): (Vec<char>, Vec<char>) = both.iter().partition(|l| result.contains(l));
            let pair = |letters: &[char]| Ok::<_, Error>((axes(left, letters)?, axes(right, letters)?));
            let dot = DotGeneral { contract: pair(&contract)?, batch: pair(&batch)? };
            let second = right.iter().copied().filter(|l| !both.contains(l));
            let term = batch.iter().copied().chain(first).chain(second).collect();
            (widened(c, op, &summed, dot.into())?[0], term)
        }
        _ => return Err(malformed()),
    };
    c.push(Transpose { perm: axes(&term, &result)? }, &[product])
}
