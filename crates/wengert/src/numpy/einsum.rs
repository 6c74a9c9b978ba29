//! Einstein's summation: any product of arrays summed over any axes, named by letters.

use super::dot::dot_general;
use super::operators::{Operand, unify_dtypes};
use super::structure::Arrays;
use crate::array::Array;
use crate::dispatch::try_bind;
use crate::fail::ok;
use crate::tape::composite;
use wengert_core::ops::{Combiner, Reduce};
use wengert_core::{Dims, Error, Place, Result};

/// An axis by name: a letter, or one of those an ellipsis stands for, counted from the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Ellipsis(std::cmp::Reverse<usize>),
    Letter(char),
}

/// An array whose axes have names.
struct Term {
    array: Array,
    labels: Vec<Label>,
}

/// The sum of products that an equation names: `"ij,jk->ik"` is the matrix product.
///
/// Axes with one letter go together; a letter that is not in the output is summed over; a letter twice in one operand
/// takes the diagonal. `...` stands for any further axes, which broadcast. Without `->`, the output has the letters that
/// stand once, in alphabetical order. Operands are contracted two at a time, those that leave the least first.
///
/// ```
/// use wengert::{einsum, Array, DType};
/// let x = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
/// assert_eq!(einsum("ij,jk->ik", [&x, &x]), x.matmul(&x));
/// assert_eq!(einsum("ii", [&x]).item::<f32>(), 5.0);
/// assert_eq!(einsum("ij->ji", [&x]), x.t());
/// let batch = Array::ones([7, 5, 2, 2], DType::F32);
/// assert_eq!(einsum("...ij,jk,kl->...il", [&batch, &x, &x]).shape()[..], [7, 5, 2, 2]);
/// ```
#[composite]
#[track_caller]
pub fn einsum(equation: &str, arrays: impl Arrays) -> Array {
    let place = Place::caller();
    let arrays: Vec<Operand> = arrays.into_iter().map(|x| Operand::Array(x.into())).collect();
    ok(try_einsum(equation, arrays, &place)
        .map_err(|e| e.within(format!("`einsum` of \"{equation}\"")).at(place.clone())))
}

/// The names in one side of an equation for an array with this many axes.
fn parse(text: &str, rank: Option<usize>, broadcast: usize) -> Result<Vec<Label>> {
    let wrong = |why: String| Error::shape(why);
    let mut labels = Vec::new();
    let mut rest = text;
    let mut seen_ellipsis = false;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("...") {
            if std::mem::replace(&mut seen_ellipsis, true) {
                return Err(wrong(format!("`...` stands twice in \"{text}\"")));
            }
            let letters = text.chars().filter(|c| *c != '.').count();
            let n = match rank {
                None => broadcast,
                Some(rank) => rank
                    .checked_sub(letters)
                    .ok_or_else(|| wrong(format!("\"{text}\" names {letters} axes, and the array has {rank}")))?,
            };
            labels.extend((0..n).rev().map(|i| Label::Ellipsis(std::cmp::Reverse(i))));
            rest = after;
        } else if c.is_alphabetic() {
            labels.push(Label::Letter(c));
            rest = &rest[c.len_utf8()..];
        } else {
            return Err(wrong(format!("`{c}` in \"{text}\" names no axis: axes are letters")));
        }
    }
    match rank {
        Some(rank) if rank != labels.len() => {
            Err(wrong(format!("\"{text}\" names {} axes, and the array has {rank}", labels.len())))
        }
        _ => Ok(labels),
    }
}

#[track_caller]
fn try_einsum(equation: &str, arrays: Vec<Operand>, place: &Place) -> Result<Array> {
    let equation: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
    let (inputs, output) = match equation.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (equation.as_str(), None),
    };
    let inputs: Vec<&str> = inputs.split(',').collect();
    if inputs.len() != arrays.len() {
        return Err(Error::shape(format!("{} operands are named, and {} given", inputs.len(), arrays.len())));
    }
    let mut terms = Vec::new();
    for (text, array) in inputs.iter().zip(unify_dtypes(arrays, place)?) {
        terms.push(Term { labels: parse(text, Some(array.rank()), 0)?, array });
    }
    let mut all: Vec<Label> = terms.iter().flat_map(|t| t.labels.clone()).collect();
    all.sort();
    let once = |l: &&Label| all.iter().filter(|m| m == l).count() == 1 || matches!(l, Label::Ellipsis(_));
    let output = match output {
        Some(text) => parse(text, None, all.iter().filter_map(ellipsis_axes).max().unwrap_or(0))?,
        None => {
            let mut kept: Vec<Label> = all.iter().filter(once).copied().collect();
            kept.dedup();
            kept
        }
    };
    for (i, l) in output.iter().enumerate() {
        if !all.contains(l) || output[..i].contains(l) {
            let why = if all.contains(l) { "twice" } else { "but in no operand" };
            return Err(Error::shape(format!("the axis {} is in the output {why}", name(*l))));
        }
    }
    drop_single(&mut terms, place)?;
    for i in 0..terms.len() {
        diagonals(&mut terms[i]);
        let mut kept = output.clone();
        terms.iter().enumerate().filter(|(j, _)| *j != i).for_each(|(_, t)| kept.extend(&t.labels));
        sum_others(&mut terms[i], &kept, place)?;
    }
    while terms.len() > 1 {
        let (i, j) = cheapest(&terms, &output);
        let right = terms.remove(j);
        let left = terms.remove(i);
        let mut kept = output.clone();
        terms.iter().for_each(|t| kept.extend(&t.labels));
        terms.push(multiply(&left, &right, &kept, place)?);
    }
    let term = terms.remove(0);
    let order: Vec<usize> =
        output.iter().map(|l| term.labels.iter().position(|m| m == l).expect("kept to the end")).collect();
    Ok(term.array.transpose(order))
}

fn ellipsis_axes(l: &Label) -> Option<usize> {
    match l {
        Label::Ellipsis(i) => Some(i.0 + 1),
        Label::Letter(_) => None,
    }
}

fn name(l: Label) -> String {
    match l {
        Label::Letter(c) => format!("`{c}`"),
        Label::Ellipsis(_) => "`...`".to_string(),
    }
}

/// Checks that axes of one name have one size. Those of size 1 that broadcast are dropped.
fn drop_single(terms: &mut [Term], place: &Place) -> Result<()> {
    let mut sizes: Vec<(Label, usize)> = Vec::new();
    for t in terms.iter() {
        for (&l, &n) in t.labels.iter().zip(t.array.shape().iter()) {
            match sizes.iter_mut().find(|(m, _)| *m == l) {
                None => sizes.push((l, n)),
                Some((_, m)) if *m == 1 => *m = n,
                Some((_, m)) if n != 1 && n != *m => {
                    return Err(Error::shape(format!("the axis {} has both size {m} and size {n}", name(l))));
                }
                Some(_) => {}
            }
        }
    }
    for t in terms {
        let shape = t.array.shape().clone();
        let full = |l: &Label| sizes.iter().any(|(m, n)| m == l && *n != 1);
        let dropped: Dims = (0..t.labels.len()).filter(|&i| shape[i] == 1 && full(&t.labels[i])).collect();
        t.array = t.array.try_reshape(shape.without_axes(&dropped), place)?;
        let mut i = 0;
        t.labels.retain(|_| {
            i += 1;
            !dropped.contains(&(i - 1))
        });
    }
    Ok(())
}

/// Takes the diagonal of axes with one name.
#[track_caller]
fn diagonals(t: &mut Term) {
    let twice = |labels: &[Label]| {
        (0..labels.len()).find_map(|j| labels[..j].iter().position(|l| *l == labels[j]).map(|i| (i, j)))
    };
    while let Some((i, j)) = twice(&t.labels) {
        t.array = t.array.diagonal(0, [i as isize, j as isize]);
        let label = t.labels.remove(j);
        t.labels.remove(i);
        t.labels.push(label);
    }
}

/// Sums over the axes that nothing else names.
fn sum_others(t: &mut Term, kept: &[Label], place: &Place) -> Result<()> {
    let dims: Dims = (0..t.labels.len()).filter(|&i| !kept.contains(&t.labels[i])).collect();
    if !dims.is_empty() {
        let op = Reduce { combiner: Combiner::Add, dims };
        t.array = try_bind(op.into(), &[&t.array], place.clone())?.remove(0);
        t.labels.retain(|l| kept.contains(l));
    }
    Ok(())
}

/// The two operands whose product is the smallest against what it replaces.
fn cheapest(terms: &[Term], output: &[Label]) -> (usize, usize) {
    let mut best = (0, 1);
    let mut least = f64::INFINITY;
    for j in 1..terms.len() {
        for i in 0..j {
            let mut size = 1.0;
            let needed = |l: &Label| {
                let elsewhere = |(k, t): (usize, &Term)| k != i && k != j && t.labels.contains(l);
                output.contains(l) || terms.iter().enumerate().any(elsewhere)
            };
            let axes = |t: &Term| t.labels.clone().into_iter().zip(t.array.shape().to_vec()).collect::<Vec<_>>();
            let mut seen = Vec::new();
            for (l, n) in axes(&terms[i]).into_iter().chain(axes(&terms[j])) {
                if needed(&l) && !seen.contains(&l) {
                    seen.push(l);
                    size *= n as f64;
                }
            }
            let cost = size - terms[i].array.size() as f64 - terms[j].array.size() as f64;
            if cost < least {
                (least, best) = (cost, (i, j));
            }
        }
    }
    best
}

/// The product of two, summed over the names that only they have.
fn multiply(x: &Term, y: &Term, kept: &[Label], place: &Place) -> Result<Term> {
    let (mut contract, mut batch) = ((Dims::new(), Dims::new()), (Dims::new(), Dims::new()));
    let mut labels = Vec::new();
    for (i, l) in x.labels.iter().enumerate() {
        let Some(j) = y.labels.iter().position(|m| m == l) else { continue };
        let sides = if kept.contains(l) { &mut batch } else { &mut contract };
        sides.0.push(i);
        sides.1.push(j);
        if kept.contains(l) {
            labels.push(*l);
        }
    }
    labels.extend(x.labels.iter().filter(|l| !y.labels.contains(l)));
    labels.extend(y.labels.iter().filter(|l| !x.labels.contains(l)));
    Ok(Term { array: dot_general(&x.array, &y.array, contract, batch, place)?, labels })
}
