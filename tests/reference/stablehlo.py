"""StableHLO ops that JAX has no function for, run by XLA all the same."""

import functools

import jax
from jax._src.interpreters import mlir
from jax._src.lib.mlir.dialects import hlo
from jax.extend.core import Primitive


@functools.cache
def elementwise(op):
    """The StableHLO op of this name, whose result has the type of its operands."""
    p = Primitive(f"stablehlo_{op}")
    p.def_impl(lambda *x: jax.jit(p.bind)(*x))
    p.def_abstract_eval(lambda x, *_: x)
    mlir.register_lowering(p, lambda ctx, *x: [getattr(hlo, op)(*x)])
    return p.bind
