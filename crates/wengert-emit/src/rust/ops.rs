//! Each primitive as a call of a public function.

use super::layout::{Piece, call, list, text};
use super::literal::{dtype, scalar, sizes};
use crate::expand::name_of_user_op;
use wengert_core::ops::*;
use wengert_core::{Error, ErrorKind, Op, Place, Result, Type};

/// How a call gives its results: one as it is, or all in an array.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Gives {
    One,
    Array,
}

/// The call of a primitive that holds no programs but parts, which are in scope under these names.
pub(crate) fn primitive(
    op: &Op,
    x: &[String],
    types: &[Type],
    parts: &[String],
    place: &Place,
) -> Result<(Piece, Gives)> {
    let at = |i: usize| text(format!("&{}", x[i]));
    let these = |r: std::ops::Range<usize>| list("", r.map(at).collect());
    let all = |r: std::ops::Range<usize>| list("&", r.map(at).collect());
    let flag = |b: bool| text(b.to_string());
    let count = |n: usize| text(n.to_string());
    let is_float = |i: usize| types.get(i).is_some_and(|t: &Type| t.dtype.is_differentiable());
    let one = |name: &str, given: Vec<Piece>| Ok((call(&format!("lax::{name}"), given), Gives::One));
    let array = |name: &str, given: Vec<Piece>| Ok((call(&format!("lax::{name}"), given), Gives::Array));
    match op {
        Op::Iota(o) => one("iota", vec![sizes("&", &o.ty.shape), count(o.dim), text(dtype(o.ty.dtype))]),
        Op::Unary(Unary::Neg) if is_float(0) => Ok((text(format!("-&{}", x[0])), Gives::One)),
        Op::Unary(o) => match method(*o).filter(|_| is_float(0)) {
            Some(name) => Ok((text(format!("{}.{name}()", x[0])), Gives::One)),
            None => one(o.as_str(), vec![at(0)]),
        },
        Op::Binary(o) => match operator(*o).filter(|_| is_float(0) && types.get(1) == types.first()) {
            Some(sign) => Ok((text(format!("&{} {sign} &{}", x[0], x[1])), Gives::One)),
            None => one(o.as_str(), vec![at(0), at(1)]),
        },
        Op::Compare(o) => one(o.direction.as_str(), vec![at(0), at(1)]),
        Op::Select(_) => one("select", vec![at(0), at(1), at(2)]),
        Op::Clamp(_) => one("clamp", vec![at(0), at(1), at(2)]),
        Op::MulAdd(_) => one("mul_add", vec![at(0), at(1), at(2)]),
        Op::Convert(o) => one("convert", vec![at(0), text(dtype(o.dtype))]),
        Op::Bitcast(o) => one("bitcast", vec![at(0), text(dtype(o.dtype))]),
        Op::ReducePrecision(o) => one("reduce_precision", vec![at(0), count(o.exponent), count(o.mantissa)]),
        Op::StopGradient(_) => one("stop_gradient", vec![at(0)]),
        Op::Broadcast(o) => one("broadcast", vec![at(0), sizes("&", &o.shape), sizes("&", &o.dims)]),
        Op::Reshape(o) => one("reshape", vec![at(0), sizes("&", &o.shape)]),
        Op::Transpose(o) => one("transpose", vec![at(0), sizes("&", &o.perm)]),
        Op::Reverse(o) => one("reverse", vec![at(0), sizes("&", &o.dims)]),
        Op::Slice(o) => one("slice", vec![at(0), sizes("&", &o.start), sizes("&", &o.limit), sizes("&", &o.strides)]),
        Op::Pad(o) => one("pad", vec![at(0), at(1), sizes("&", &o.low), sizes("&", &o.high), sizes("&", &o.interior)]),
        Op::Concatenate(o) => one("concatenate", vec![all(0..x.len()), count(o.dim)]),
        Op::DynamicSlice(o) => one("dynamic_slice", vec![at(0), all(1..x.len()), sizes("&", &o.sizes)]),
        Op::DynamicUpdateSlice(_) => one("dynamic_update_slice", vec![at(0), at(1), all(2..x.len())]),
        Op::Gather(o) => one("gather", vec![at(0), at(1), gather(o)]),
        Op::Scatter(o) => {
            let n = x.len() / 2;
            array("scatter", vec![these(0..n), at(n), these(n + 1..x.len()), scatter(o, parts)])
        }
        Op::Reduce(o) if parts.is_empty() => {
            one("reduce", vec![at(0), combiner(&o.combiner, parts), sizes("&", &o.dims)])
        }
        Op::Reduce(o) => {
            let n = x.len() / 2;
            let how = vec![these(0..n), these(n..x.len()), combiner(&o.combiner, parts), sizes("&", &o.dims)];
            array("reduce_from", how)
        }
        Op::DotGeneral(o) => one("dot_general", vec![at(0), at(1), pair(&o.contract), pair(&o.batch)]),
        Op::Cumulative(o) => {
            let kind = format!("lax::CumulativeKind::{:?}", o.kind);
            one("cumulative", vec![at(0), text(kind), count(o.dim), flag(o.reverse)])
        }
        Op::Convolution(o) => one("convolution", vec![at(0), at(1), convolution(o)]),
        Op::ReduceWindow(o) if parts.is_empty() => {
            one("reduce_window", vec![at(0), combiner(&o.combiner, parts), window(&o.window)])
        }
        Op::ReduceWindow(o) => {
            let n = x.len() / 2;
            let how = vec![these(0..n), these(n..x.len()), combiner(&o.combiner, parts), window(&o.window)];
            array("reduce_window_from", how)
        }
        Op::SelectAndScatter(o) => {
            let own = matches!(o.select, Selector::Program(_)) as usize;
            let init = if x.len() > 2 { format!("Some(&{})", x[2]) } else { "None".into() };
            let combiner = combiner(&o.combiner, &parts[own..]);
            let how = vec![at(0), at(1), text(init), selector(&o.select, parts), window(&o.window), combiner];
            one("select_and_scatter", how)
        }
        Op::SelectAndGather(o) => {
            one("select_and_gather", vec![at(0), at(1), selector(&o.select, parts), window(&o.window)])
        }
        Op::ArgReduce(o) => {
            let extreme = format!("lax::Extreme::{:?}", o.extreme);
            one("arg_reduce", vec![at(0), text(extreme), count(o.dim), text(dtype(o.dtype))])
        }
        Op::Sort(o) => match &o.order {
            Order::Natural(keys) => array("sort", vec![these(0..x.len()), count(o.dim), flag(o.stable), count(*keys)]),
            Order::Program(_) => {
                array("sort_by", vec![these(0..x.len()), count(o.dim), flag(o.stable), part(&parts[0])])
            }
        },
        Op::TopK(o) => array("top_k", vec![at(0), count(o.k)]),
        Op::Fft(o) => one("fft", vec![at(0), text(format!("lax::FftKind::{:?}", o.kind)), sizes("&", &o.lengths)]),
        Op::TriangularSolve(o) => {
            let transpose = format!("lax::MatrixTranspose::{:?}", o.transpose_a);
            let flags = [o.left_side, o.lower, o.unit_diagonal].map(flag);
            one("triangular_solve", [at(0), at(1)].into_iter().chain(flags).chain([text(transpose)]).collect())
        }
        Op::Cholesky(o) => one("cholesky", vec![at(0), flag(o.lower)]),
        Op::Lu(_) => array("lu", vec![at(0)]),
        Op::Qr(o) => array("qr", vec![at(0), flag(o.full_matrices)]),
        Op::Svd(o) if o.compute_uv => array("svd", vec![at(0), flag(o.full_matrices)]),
        Op::Svd(o) => one("singular_values", vec![at(0), flag(o.full_matrices)]),
        Op::Eigh(o) => array("eigh", vec![at(0), flag(o.lower)]),
        Op::Eig(o) => match o.compute_v {
            Eigenvectors::None => one("eigenvalues", vec![at(0)]),
            Eigenvectors::Right => array("eig", vec![at(0)]),
            Eigenvectors::Both => array("eig_both", vec![at(0)]),
        },
        Op::Threefry(_) => array("threefry2x32", (0..4).map(at).collect()),
        Op::RngBitGenerator(o) => {
            let algorithm = format!("lax::RngAlgorithm::{:?}", o.algorithm);
            let ty = [sizes("&", &o.ty.shape), text(dtype(o.ty.dtype))];
            array("rng_bit_generator", [at(0), text(algorithm)].into_iter().chain(ty).collect())
        }
        Op::Custom(o) if o.printed_text().is_some() => {
            let shown = text(format!("{:?}", o.printed_text().unwrap_or_default()));
            Ok((call("debug_print", vec![shown, at(0)]), Gives::One))
        }
        Op::Barrier(_) => array("barrier", vec![these(0..x.len())]),
        Op::AxisIndex(o) => Ok((call("axis_index", vec![axis(&o.axis)]), Gives::One)),
        Op::AllReduce(o) => Ok((call(reduction(o.reduction), vec![at(0), axis(&o.axis)]), Gives::One)),
        Op::AllGather(o) => Ok((call("all_gather", vec![at(0), axis(&o.axis)]), Gives::One)),
        Op::ReduceScatter(o) => Ok((call("psum_scatter", vec![at(0), axis(&o.axis)]), Gives::One)),
        Op::AllToAll(o) => Ok((call("all_to_all", vec![at(0), axis(&o.axis)]), Gives::One)),
        Op::CollectivePermute(o) => {
            let pairs = o.pairs.iter().map(|(from, to)| text(format!("({from}, {to})"))).collect();
            Ok((call("ppermute", vec![at(0), axis(&o.axis), list("&", pairs)]), Gives::One))
        }
        Op::Pullback(_) | Op::Custom(_) => Err(refused(op, "has no form outside of the program it was made in", place)),
        Op::Constant(_)
        | Op::Scan(_)
        | Op::Cond(_)
        | Op::While(_)
        | Op::Call(_)
        | Op::CustomJvp(_)
        | Op::CustomVjp(_)
        | Op::LinearSolve(_)
        | Op::Root(_) => Err(refused(op, "is more than a call", place)),
    }
}

/// The error of an op that can't be written.
pub(crate) fn refused(op: &Op, why: &str, place: &Place) -> Error {
    let name = match op {
        Op::Custom(op) => name_of_user_op(op),
        op => op.name().to_string(),
    };
    Error::new(ErrorKind::Unsupported, format!("`{name}` {why}")).at(place.clone())
}

/// The name of an axis.
fn axis(name: &str) -> Piece {
    text(format!("{name:?}"))
}

/// The function of Rust, and of JAX, that reduces over a named axis.
pub(crate) fn reduction(r: Reduction) -> &'static str {
    match r {
        Reduction::Add => "psum",
        Reduction::Max => "pmax",
        Reduction::Min => "pmin",
    }
}

/// The operator of two floats.
fn operator(op: Binary) -> Option<&'static str> {
    Some(match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        _ => return None,
    })
}

/// The method of a float array that is this op and no more.
fn method(op: Unary) -> Option<&'static str> {
    use Unary::*;
    Some(match op {
        Exp | Expm1 | Log | Log1p | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Sqrt => op.as_str(),
        _ => return None,
    })
}

fn pair((x, y): &(wengert_core::Dims, wengert_core::Dims)) -> Piece {
    call("", vec![sizes("&", x), sizes("&", y)])
}

/// A list that a field of an op takes.
fn owned<T: std::fmt::Display>(x: &[T]) -> Piece {
    text(format!("{}.into()", sizes("vec!", x).line()))
}

fn pairs(x: &[(i64, i64)]) -> Piece {
    list("vec!", x.iter().map(|(a, b)| text(format!("({a}, {b})"))).collect())
}

/// A part as an argument or a field.
fn part(name: &str) -> Piece {
    text(name)
}

fn combiner(c: &Combiner, parts: &[String]) -> Piece {
    match c {
        Combiner::Program(_) => call("lax::Combiner::Program", vec![part(&parts[0])]),
        named => text(format!("lax::Combiner::{named:?}")),
    }
}

fn selector(s: &Selector, parts: &[String]) -> Piece {
    match s {
        Selector::Named(d) => text(format!("lax::Selector::Named(lax::Direction::{d:?})")),
        Selector::Program(_) => call("lax::Selector::Program", vec![part(&parts[0])]),
    }
}

fn window(w: &Window) -> Piece {
    let fields = vec![
        ("size", owned(&w.size)),
        ("strides", owned(&w.strides)),
        ("padding", pairs(&w.padding)),
        ("base_dilation", owned(&w.base_dilation)),
        ("window_dilation", owned(&w.window_dilation)),
    ];
    Piece::Fields { name: "lax::Window", fields }
}

fn convolution(o: &Convolution) -> Piece {
    let fields = vec![
        ("lhs", owned(&o.lhs)),
        ("rhs", owned(&o.rhs)),
        ("out", owned(&o.out)),
        ("strides", owned(&o.strides)),
        ("padding", pairs(&o.padding)),
        ("lhs_dilation", owned(&o.lhs_dilation)),
        ("rhs_dilation", owned(&o.rhs_dilation)),
        ("reversal", list("vec!", o.reversal.iter().map(|b| text(b.to_string())).collect())),
        ("feature_groups", text(o.feature_groups.to_string())),
        ("batch_groups", text(o.batch_groups.to_string())),
    ];
    Piece::Fields { name: "lax::Convolution", fields }
}

fn indexing(o: &Indexing) -> Piece {
    let fields = vec![
        ("window_dims", owned(&o.window_dims)),
        ("collapsed_dims", owned(&o.collapsed_dims)),
        ("operand_batching_dims", owned(&o.operand_batching_dims)),
        ("indices_batching_dims", owned(&o.indices_batching_dims)),
        ("index_map", owned(&o.index_map)),
        ("index_vector_dim", text(o.index_vector_dim.to_string())),
    ];
    Piece::Fields { name: "lax::Indexing", fields }
}

fn gather(o: &Gather) -> Piece {
    let outside = match o.out_of_bounds {
        OutOfBounds::Clip => text("lax::OutOfBounds::Clip"),
        OutOfBounds::Fill(s) => text(format!("lax::OutOfBounds::Fill(Scalar::{:?}({}))", s.dtype(), scalar(s))),
    };
    let fields = vec![
        ("indexing", indexing(&o.indexing)),
        ("slice_sizes", owned(&o.slice_sizes)),
        ("out_of_bounds", outside),
        ("indices_are_sorted", text(o.indices_are_sorted.to_string())),
        ("unique_indices", text(o.unique_indices.to_string())),
    ];
    Piece::Fields { name: "lax::Gather", fields }
}

fn scatter(o: &Scatter, parts: &[String]) -> Piece {
    let update = match &o.update {
        Update::Set => text("lax::Update::Set"),
        Update::Combine(c) => call("lax::Update::Combine", vec![combiner(c, parts)]),
    };
    let fields = vec![
        ("indexing", indexing(&o.indexing)),
        ("update", update),
        ("indices_are_sorted", text(o.indices_are_sorted.to_string())),
        ("unique_indices", text(o.unique_indices.to_string())),
    ];
    Piece::Fields { name: "lax::Scatter", fields }
}
