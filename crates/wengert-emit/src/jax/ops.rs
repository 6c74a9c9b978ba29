//! One arm for each op: the call that it is.

use super::function::{Assignment, Body, unsupported};
use super::helpers::Helper;
use super::layout::{self, Expr};
use super::literal;
use crate::expand::name_of_user_op;
use crate::rust::reduction;
use crate::tree::{FunctionId, Step};
use wengert_core::ops::*;
use wengert_core::{Op, Result, Type};

impl Body<'_, '_> {
    /// What a step of one op is.
    pub(super) fn op(&mut self, op: &Op, inside: &[FunctionId], step: &Step) -> Result<Assignment> {
        let assigned = |target: Expr, value: Expr| Ok(Assignment { target, value });
        match op {
            Op::Scan(op) => return Ok(self.scan(op, inside[0], step)),
            Op::Sort(op) => return Ok(self.sort(op, inside, step)),
            Op::Scatter(op) if step.results.len() > 1 => return Ok(self.scatter_all(op, inside, step)),
            Op::RngBitGenerator(op) => return self.rng_bit_generator(op, step),
            Op::Eigh(op) => {
                let value = self.eigh(op, step);
                return assigned(
                    Expr::Tuple(vec![self.variable(step.results[1]), self.variable(step.results[0])]),
                    value,
                );
            }
            Op::Eig(op) => {
                let value = self.eig(op, step);
                return assigned(Expr::Tuple(self.variables(&step.results)), value);
            }
            _ => {}
        }
        let value = self.value(op, inside, step)?;
        assigned(self.targets(&step.results), value)
    }

    fn value(&mut self, op: &Op, inside: &[FunctionId], step: &Step) -> Result<Expr> {
        let x = self.variables(&step.operands);
        let with = |name: &str, more: Vec<Expr>| Expr::call(name, x.iter().cloned().chain(more));
        let numbers = |dims: &[usize]| Expr::numbers(dims);
        Ok(match op {
            Op::Constant(op) => self.file.array("constant", &op.value),
            Op::Iota(op) if op.ty.rank() == 1 => {
                Expr::call("lax.iota", [literal::dtype(op.ty.dtype), Expr::atom(op.ty.shape[0])])
            }
            Op::Iota(op) => {
                let shape = numbers(&op.ty.shape);
                Expr::call("lax.broadcasted_iota", [literal::dtype(op.ty.dtype), shape, Expr::atom(op.dim)])
            }
            Op::Unary(op) => self.unary(*op, step),
            Op::Binary(op) => self.binary(*op, step),
            Op::Compare(op) => with(&format!("lax.{}", op.direction.as_str()), vec![]),
            Op::Select(_) => with("lax.select", vec![]),
            Op::Clamp(_) => with("lax.clamp", vec![]),
            Op::MulAdd(_) => {
                self.file.helper(Helper::MulAdd);
                with("mul_add", vec![])
            }
            Op::Convert(op) => with("lax.convert_element_type", vec![literal::dtype(op.dtype)]),
            Op::Bitcast(op) => with("lax.bitcast_convert_type", vec![literal::dtype(op.dtype)]),
            Op::ReducePrecision(op) => with(
                "lax.reduce_precision",
                vec![
                    Expr::keyword("exponent_bits", Expr::atom(op.exponent)),
                    Expr::keyword("mantissa_bits", Expr::atom(op.mantissa)),
                ],
            ),
            Op::Broadcast(op) => with("lax.broadcast_in_dim", vec![numbers(&op.shape), numbers(&op.dims)]),
            // In what is traced, `lax` takes any shape.
            Op::Reshape(op) if self.ty(step.operands[0]).shape.size() != op.shape.size() => {
                with("jnp.reshape", vec![numbers(&op.shape)])
            }
            Op::Reshape(op) => with("lax.reshape", vec![numbers(&op.shape)]),
            Op::Transpose(op) => with("lax.transpose", vec![numbers(&op.perm)]),
            Op::Reverse(op) => with("lax.rev", vec![numbers(&op.dims)]),
            Op::Slice(op) => {
                let mut more = vec![numbers(&op.start), numbers(&op.limit)];
                if op.strides.iter().any(|&s| s != 1) {
                    more.push(numbers(&op.strides));
                }
                with("lax.slice", more)
            }
            Op::Pad(op) => {
                let axis = |i: usize| Expr::numbers([op.low[i], op.high[i], op.interior[i] as i64]);
                with("lax.pad", vec![Expr::Tuple((0..op.low.len()).map(axis).collect())])
            }
            Op::Concatenate(op) => Expr::call("lax.concatenate", [Expr::List(x), Expr::atom(op.dim)]),
            Op::DynamicSlice(op) => {
                let starts = Expr::Tuple(x[1..].to_vec());
                Expr::call("lax.dynamic_slice", [x[0].clone(), starts, numbers(&op.sizes), as_they_are()])
            }
            Op::DynamicUpdateSlice(_) => {
                let starts = Expr::Tuple(x[2..].to_vec());
                Expr::call("lax.dynamic_update_slice", [x[0].clone(), x[1].clone(), starts, as_they_are()])
            }
            Op::Gather(op) => self.gather(op, step),
            Op::Scatter(op) => self.scatter(op, inside, step),
            Op::Reduce(op) => self.reduce(op, inside, step),
            Op::DotGeneral(op) => {
                let pair =
                    |(l, r): &(wengert_core::Dims, wengert_core::Dims)| Expr::Tuple(vec![numbers(l), numbers(r)]);
                with("lax.dot_general", vec![Expr::Tuple(vec![pair(&op.contract), pair(&op.batch)])])
            }
            Op::Cumulative(op) => {
                let name = match op.kind {
                    CumulativeKind::LogSumExp => "lax.cumlogsumexp".into(),
                    kind => format!("lax.cum{}", kind.as_str()),
                };
                let mut more = vec![Expr::keyword("axis", Expr::atom(op.dim))];
                more.extend(flag("reverse", op.reverse));
                with(&name, more)
            }
            Op::Convolution(op) => self.convolution(op, step),
            Op::ReduceWindow(op) => self.reduce_window(op, inside, step),
            Op::SelectAndScatter(op) => self.select_and_scatter(op, inside, step),
            Op::SelectAndGather(_) => unreachable!("expanded before"),
            Op::ArgReduce(op) => {
                let name = format!("lax.arg{}", op.extreme.as_str());
                with(&name, vec![Expr::atom(op.dim), literal::dtype(op.dtype)])
            }
            Op::TopK(op) => with("lax.top_k", vec![Expr::atom(op.k)]),
            Op::Fft(op) => {
                let kind = Expr::atom(format!("lax.FftType.{}", op.kind.as_str().to_uppercase()));
                with("lax.fft", vec![kind, numbers(&op.lengths)])
            }
            Op::TriangularSolve(op) => self.triangular_solve(op, step),
            Op::Cholesky(op) => self.cholesky(op, step),
            Op::Lu(_) => with("lax.linalg.lu", vec![]),
            Op::Qr(op) => with("lax.linalg.qr", vec![truth("full_matrices", op.full_matrices)]),
            Op::Svd(op) => with(
                "lax.linalg.svd",
                vec![truth("full_matrices", op.full_matrices), truth("compute_uv", op.compute_uv)],
            ),
            Op::Scan(_) | Op::Sort(_) | Op::RngBitGenerator(_) | Op::Eigh(_) | Op::Eig(_) => {
                unreachable!("written by `op`")
            }
            Op::Threefry(_) => {
                self.file.extends = true;
                with("jax.extend.random.threefry2x32_p.bind", vec![])
            }
            Op::Cond(_) => self.cond(inside, step),
            Op::While(op) => self.while_loop(op, inside, step),
            Op::Call(op) => {
                let how = match op.kind {
                    CallKind::Staged => "jax.jit",
                    CallKind::Checkpoint => "jax.checkpoint",
                };
                with(&format!("{how}({})", self.function_name(inside[0])), vec![])
            }
            Op::CustomJvp(_) => self.custom_jvp(inside, step),
            Op::CustomVjp(_) => self.custom_vjp(inside, step),
            Op::LinearSolve(op) => self.linear_solve(op, inside, step),
            Op::Root(op) => self.root(op, inside, step),
            Op::Pullback(_) => {
                self.file.helper(Helper::NotRun);
                with("not_run", vec![])
            }
            Op::Barrier(_) => Expr::call("lax.optimization_barrier", [self.values(&step.operands)]),
            Op::StopGradient(_) => with("lax.stop_gradient", vec![]),
            Op::AxisIndex(op) => with("lax.axis_index", vec![named(&op.axis)]),
            Op::AllReduce(op) => with(&format!("lax.{}", reduction(op.reduction)), vec![named(&op.axis)]),
            Op::AllGather(op) => with("lax.all_gather", vec![named(&op.axis)]),
            Op::ReduceScatter(op) => with("lax.psum_scatter", vec![named(&op.axis)]),
            Op::AllToAll(op) => with("lax.all_to_all", vec![named(&op.axis), Expr::atom(0), Expr::atom(0)]),
            Op::CollectivePermute(op) if op.pairs.len() < op.size => {
                self.file.helper(Helper::Permute);
                let source = |to: usize| op.pairs.iter().find(|pair| pair.1 == to).map_or(-1, |pair| pair.0 as i64);
                with("permute", vec![named(&op.axis), Expr::numbers((0..op.size).map(source))])
            }
            Op::CollectivePermute(op) => {
                let pairs = op.pairs.iter().map(|(from, to)| Expr::numbers([from, to])).collect();
                with("lax.ppermute", vec![named(&op.axis), Expr::List(pairs)])
            }
            Op::Custom(op) if op.printed_text().is_some() => {
                let ty = self.ty(step.operands[0]);
                let (text, digits) = format_of(&op.printed_text().unwrap_or_default(), ty);
                let text = Expr::atom(literal::string(&text));
                let print = match digits {
                    None => Expr::call("jax.debug.print", [text, x[0].clone()]),
                    Some(digits) => {
                        self.file.helper(Helper::PrintDigits);
                        Expr::call("print_digits", [text, Expr::atom(digits), x[0].clone()])
                    }
                };
                layout::statement(&mut self.text, 1, &print);
                x[0].clone()
            }
            Op::Custom(op) => return Err(unsupported(&name_of_user_op(op), "the op has no decomposition")),
        })
    }
}

/// The name of an axis.
fn named(axis: &str) -> Expr {
    Expr::atom(literal::string(axis))
}

/// The text of `debug_print` as JAX formats it. Python formats single numbers with so many digits; of arrays, their count is given.
fn format_of(text: &str, ty: &Type) -> (String, Option<usize>) {
    let mut rest = text;
    let mut out = String::new();
    while let Some(i) = rest.find(['{', '}']) {
        let (before, after) = (&rest[..i], &rest[i + 1..]);
        out.push_str(before);
        let brace = &rest[i..=i];
        if let Some(after) = after.strip_prefix(brace) {
            out.push_str(&brace.repeat(2));
            rest = after;
            continue;
        }
        let end = after.find('}').unwrap_or(after.len());
        let digits = after[..end].strip_prefix(":.").and_then(|n| n.parse::<usize>().ok());
        let digits = digits.filter(|_| ty.dtype.is_differentiable());
        let single = digits.filter(|_| ty.rank() == 0);
        out.push_str(&single.map_or("{}".into(), |n| format!("{{:.{n}f}}")));
        let of_array = if single.is_some() { None } else { digits };
        return (out + after.get(end + 1..).unwrap_or_default(), of_array);
    }
    (if text.is_empty() { "{}".into() } else { out + rest + " {}" }, None)
}

/// Starts of slices mean what they say: none counts from the end.
fn as_they_are() -> Expr {
    truth("allow_negative_indices", false)
}

/// `name=True` or `name=False`.
pub(super) fn truth(name: &str, value: bool) -> Expr {
    Expr::keyword(name, Expr::atom(if value { "True" } else { "False" }))
}

/// `name=True`, or nothing.
pub(super) fn flag(name: &str, value: bool) -> Option<Expr> {
    value.then(|| truth(name, true))
}
