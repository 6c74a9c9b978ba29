"""Exports programs from JAX with inputs and outputs: one folder a case under `cases/`.

    python3 tests/conformance/export.py [name ...]

A case is `module.mlir` (the text JAX prints for the function), `in_i.npy` and `out_i.npy`; bfloat16 is kept as its bits in
uint16. Loops have `grad_i.npy` too: JAX's gradients of the sum of all outputs by the inputs that are floats, in order. The cases are run by `cargo test -p wengert-cli --test all conformance`.
"""

import pathlib
import shutil
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import xla_bridge
from jax._src.lax import linalg as linalg_internals
from jax._src.lib import xla_client
from jax.experimental import sparse
from jax.experimental.ode import odeint

HERE = pathlib.Path(__file__).parent / "cases"
CASES = {}


def case(name, *args, debug=False, generic=False, x64=False, gradient=False):
    """Registers a function with its arguments."""

    def register(f):
        assert name not in CASES, name
        CASES[name] = (f, args, debug, generic, x64, gradient)
        return f

    return register


def text(name, module, *args, x64=False):
    """Registers a module that JAX does not write itself; the outputs are those of its compiler."""
    assert name not in CASES, name
    CASES[name] = (module, args, False, False, x64, False)


def each(prefix, functions, *args, **kw):
    for name, f in functions.items():
        case(f"{prefix}_{name}", *args, **kw)(f)


def rng(seed=0):
    return np.random.RandomState(seed)


def normal(*shape, seed=0, dtype=np.float32):
    x = rng(seed).standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * rng(seed + 100).standard_normal(shape)
    return x.astype(dtype)


def ints(*shape, low=0, high=10, seed=0, dtype=np.int32):
    return rng(seed).randint(low, high, shape).astype(dtype)


# Elementwise, and what jax.nn makes of it.
X = normal(3, 4)
each(
    "nn",
    {
        name: getattr(jax.nn, name)
        for name in (
            "relu relu6 sigmoid softplus soft_sign silu log_sigmoid leaky_relu hard_sigmoid hard_silu hard_tanh elu celu selu gelu "
            "glu squareplus mish softmax log_softmax logsumexp standardize identity"
        ).split()
    },
    X,
)
case("nn_gelu_exact", X)(lambda x: jax.nn.gelu(x, approximate=False))
case("nn_gelu_grad", X)(jax.grad(lambda x: jax.nn.gelu(x, approximate=False).sum()))
case("nn_relu_grad", X)(jax.grad(lambda x: jax.nn.relu(x).sum()))
case("nn_softmax_grad", X)(jax.jacrev(lambda x: jax.nn.softmax(x[0])))
case("nn_one_hot", ints(5, high=4))(lambda i: jax.nn.one_hot(i, 4))
each(
    "special",
    {
        "digamma": jax.scipy.special.digamma,
        "gammaln": jax.scipy.special.gammaln,
        "erfinv": lambda x: jax.scipy.special.erfinv(x / 10),
        "erfc": jax.scipy.special.erfc,
        "i0e": jax.scipy.special.i0e,
        "i1": jax.scipy.special.i1,
        "zeta": lambda x: jax.scipy.special.zeta(x + 1.5, x),
        "polygamma": lambda x: jax.scipy.special.polygamma(2, x),
        "betainc": lambda x: jax.scipy.special.betainc(x, x + 0.5, x / 10),
        "gammainc": lambda x: jax.scipy.special.gammainc(x, x + 0.5),
        "ndtri": lambda x: jax.scipy.special.ndtri(x / 10),
        "entr": jax.scipy.special.entr,
        "logit": lambda x: jax.scipy.special.logit(x / 10),
        "xlogy": lambda x: jax.scipy.special.xlogy(x, x),
    },
    np.linspace(0.3, 5, 9).astype(np.float32),
)
Z = normal(7, dtype=np.complex64)
each(
    "complex",
    {n: getattr(jnp, n) for n in "exp log sqrt sin cos tan tanh sinh cosh arcsin arccos arctan arcsinh arccosh arctanh log1p expm1".split()},
    Z,
)
case("complex_square", np.array([1 + 2j, 1e30 + 1e30j, -3 + 1e-20j, 0], np.complex64))(jnp.square)
case("special_zeta_poles", np.repeat(np.array([0, 0.5, 1, 1.5, 2, 3, 4, 5, 40], np.float32), 8), np.tile(np.array([-13, -2, -1.5, -1, -0.5, 0, 0.5, 3], np.float32), 9))(jax.scipy.special.zeta)
case("complex_pow", Z, Z[::-1].copy())(lambda x, y: x**y)
case("complex_128", normal(5, dtype=np.complex128), x64=True)(lambda x: (x * x.conj(), jnp.abs(x), jnp.angle(x), x / (1 + x)))
for d in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
    low = 0 if np.issubdtype(d, np.unsignedinteger) else -50
    a, b = ints(9, low=low, high=100, dtype=d), ints(9, low=1, high=7, seed=1, dtype=d)
    case(f"integers_{np.dtype(d).name}", a, b, x64=True)(
        lambda a, b: (
            a + b,
            a - b,
            a * b,
            a // b,
            a % b,
            lax.rem(a, b),
            lax.div(a, b),
            a & b,
            a | b,
            a ^ b,
            ~a,
            a << b,
            a >> b,
            lax.shift_right_logical(a, b),
            lax.population_count(a),
            lax.clz(a),
            jnp.maximum(a, b),
            a < b,
            lax.integer_pow(a, 3),
        )
    )
for d in (jnp.bfloat16, jnp.float16, jnp.float32, jnp.float64):
    x = jnp.asarray(normal(8)).astype(jnp.float32)
    case(f"floats_{jnp.dtype(d).name}", np.asarray(x), x64=True)(
        lambda x, d=d: (
            lambda y: (
                y + 1,
                y * y,
                jnp.exp(y),
                jnp.sin(y),
                jnp.sign(y),
                jnp.floor(y),
                jnp.round(y),
                jnp.sqrt(jnp.abs(y)),
                lax.rsqrt(jnp.abs(y)),
                lax.cbrt(y),
                jnp.nextafter(y, y + 1) if d != jnp.bfloat16 else y,
                y.astype(jnp.int32),
                lax.reduce_precision(y, 5, 4),
                jnp.isfinite(y),
                y > 0,
                y.sum(),
            )
        )(x.astype(d))
    )
case("bitcast", normal(3, 4))(lambda x: (lax.bitcast_convert_type(x, jnp.int32), lax.bitcast_convert_type(x, jnp.uint8), lax.bitcast_convert_type(x, jnp.uint16)))
case("constants", normal(3))(
    lambda x: (
        x + np.arange(3, dtype=np.float32),
        jnp.asarray([np.nan, np.inf, -np.inf], np.float32) + x,
        jnp.asarray([1 + 2j, 3, -1j], np.complex64) * x,
        jnp.asarray([True, False, True]),
        jnp.asarray([-128, 0, 127], np.int8),
        jnp.asarray([1.5, np.nan, -0.0], jnp.bfloat16),
        np.arange(150, dtype=np.float32).reshape(3, 50) + x[:, None],
        jnp.asarray(np.arange(130) % 3 == 0),
        jnp.zeros((0, 3)),
        jnp.full((2, 2), 7, jnp.uint8),
    )
)

for d in (np.int8, np.int32, np.int64, np.uint16, np.uint64):
    wide = rng(3).randint(np.iinfo(d).min, np.iinfo(d).max, 6, dtype=d)
    case(f"mulhi_{np.dtype(d).name}", wide, wide[::-1].copy(), x64=True)(lax.mulhi)

# Shapes.
case("shape_moves", normal(2, 3, 4))(
    lambda x: (
        x.T,
        x.reshape(6, 4),
        x[:, ::-1],
        x[1:, ::2, 1:4:2],
        jnp.pad(x, ((1, 2), (0, 0), (0, 1)), constant_values=3),
        lax.pad(x, 1.0, ((-1, 1, 0), (0, 0, 2), (1, -2, 1))),
        jnp.concatenate([x, x], 1),
        jnp.stack([x, x]),
        jnp.broadcast_to(x[:, :1], (5, 2, 3, 4)),
        jnp.squeeze(x[:1]),
        jnp.tile(x, (2, 1, 1)),
        jnp.roll(x, 1, 2),
        jnp.tril(x),
        jnp.repeat(x, 2, axis=0),
    )
)
case("shape_dynamic", normal(5, 6), np.int32(4), np.int32(-1))(
    lambda x, i, j: (lax.dynamic_slice(x, (i, j), (2, 3)), lax.dynamic_update_slice(x, jnp.ones((2, 2)), (i, j)), lax.dynamic_index_in_dim(x, i))
)
case("shape_zero", np.zeros((0, 3), np.float32))(lambda x: (x.sum(0), x @ jnp.ones((3, 2)), x.T, jnp.concatenate([x, jnp.ones((2, 3))])))

# Reductions and windows.
case("reduce", normal(3, 4, 5))(
    lambda x: (x.sum(), x.prod(1), x.max((0, 2)), x.min(), x.mean(0), x.var(-1), (x > 0).any(0), (x > 0).all(), jnp.argmax(x, 1), jnp.argmin(x), x.std(), jnp.nansum(x))
)
case("reduce_integers", ints(3, 4))(lambda x: (x.sum(0), x.prod(), x.max(0), x.min(1), lax.reduce_and(x, (0,)), lax.reduce_or(x, (1,)), lax.reduce_xor(x, (0, 1)), jnp.argmax(x, 0)))
case("reduce_start", normal(3, 4))(lambda x: (lax.reduce(x, 2.0, lax.add, (0,)), lax.reduce(x, 0.5, lax.max, (1,)), lax.reduce(x, 1.0, lambda a, b: a * 0.5 + b, (1,))))
case("reduce_pairs", normal(3, 4), ints(3, 4))(
    lambda x, i: lax.reduce((x, i), (np.float32(-np.inf), np.int32(0)), lambda a, b: (jnp.maximum(a[0], b[0]), jnp.where(a[0] > b[0], a[1], b[1])), (1,))
)
case("reduce_bfloat16", normal(4, 8))(lambda x: (x.astype(jnp.bfloat16).sum(0), x.astype(jnp.bfloat16).max(1), x.astype(jnp.float16).prod(1)))
case("window", normal(2, 6, 7))(
    lambda x: (
        lax.reduce_window(x, 0.0, lax.add, (1, 2, 3), (1, 1, 2), "SAME"),
        lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2), (1, 2, 2), "VALID"),
        lax.reduce_window(x, 1.0, lax.mul, (1, 2, 2), (1, 1, 1), ((0, 0), (1, 0), (0, 2))),
        lax.reduce_window(x, jnp.inf, lax.min, (1, 2, 2), (1, 1, 1), "VALID", base_dilation=(1, 2, 1), window_dilation=(1, 1, 2)),
        lax.reduce_window(x, 3.0, lax.add, (1, 3, 3), (1, 2, 2), "SAME"),
        lax.reduce_window(x, 0.0, lambda a, b: a * 0.5 + b, (1, 2, 2), (1, 2, 2), "VALID"),
    )
)
case("window_grad", normal(1, 6, 6, 2))(jax.grad(lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") ** 2).sum()))
each("cumulative", {n: getattr(lax, n) for n in "cumsum cumprod cummax cummin cumlogsumexp".split()}, normal(4, 5))
case("cumulative_reverse", normal(4, 5))(lambda x: (lax.cumsum(x, 1, reverse=True), lax.associative_scan(jnp.multiply, x)))

case("cumulative_bfloat16", normal(8, 9) * 4)(lambda x: (lax.cumsum(x.astype(jnp.bfloat16)), lax.cumprod(x.astype(jnp.float16), 1)))

LONG = normal(3000)
case("cumulative_long", LONG, gradient=True)(
    lambda x: (lax.cumsum(x), lax.cumsum(x, reverse=True), lax.cummax(x), lax.cumlogsumexp(x), lax.cumprod(1 + x / 100, reverse=True))
)
case("cumulative_long_bfloat16", LONG.astype(jnp.bfloat16))(lambda x: (lax.cumsum(x), lax.cumsum(x, reverse=True), lax.cumlogsumexp(x)))
case("cumulative_long_grad", LONG)(jax.grad(lambda x: (lax.cumsum(x) ** 2).sum()))
case("convolution_long", normal(1, 2000, 1), normal(301, 1, 1))(
    lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))
)

# Sorting.
case("sort", normal(4, 5))(lambda x: (jnp.sort(x), jnp.sort(x, 0, descending=True), jnp.argsort(x), jnp.median(x), jnp.percentile(x, 30.0)))
case("sort_special", np.array([1, np.nan, -0.0, 0.0, -np.inf, np.inf, -1, np.nan], np.float32))(lambda x: (jnp.sort(x), jnp.argsort(x), lax.top_k(x, 3)))
case("sort_keys", ints(8, high=3), normal(8), ints(8, seed=2))(lambda a, b, c: (lax.sort((a, b, c), num_keys=2), lax.sort((a, b), num_keys=1), jnp.lexsort((b, a))))
case("sort_types", ints(6, low=-9, dtype=np.int8), ints(6, dtype=np.uint16), normal(6, dtype=np.complex64))(lambda a, b, c: (jnp.sort(a), jnp.sort(b), jnp.sort(c), jnp.sort(a > 0)))
case("search", np.sort(normal(9)), normal(4, seed=3))(lambda a, v: (jnp.searchsorted(a, v), jnp.searchsorted(a, v, method="sort"), jnp.unique(a, size=4), jnp.bincount(jnp.abs(v).astype(int), length=4)))
case("top_k", normal(3, 7))(lambda x: (lax.top_k(x, 3), lax.approx_max_k(x, 2), lax.approx_min_k(x, 2)))
PARTS = dict(recall_target=0.8, aggregate_to_topk=False)
case("top_k_parts", normal(2, 600))(lambda x: (lax.approx_max_k(x, 3, **PARTS), lax.approx_min_k(x, 3, **PARTS)))
case("debug_print", normal(3))(lambda x: (jax.debug.print("{}", x), x + 1)[1])

# Gather and scatter.
I = np.array([[0, 1], [5, 2], [-3, 0], [2, 3]], np.int32)
for mode in ("clip", "fill", "promise_in_bounds"):
    index = np.clip(I, 0, 2) if mode == "promise_in_bounds" else I
    case(f"gather_{mode}", normal(4, 5), index)(lambda x, i, m=mode: (x.at[i[:, 0], i[:, 1]].get(mode=m), x.at[i[:, 0]].get(mode=m), jnp.take(x, i[:, 0], axis=1, mode="clip")))
case("gather_batched", normal(3, 4, 5), ints(3, 2, high=4))(lambda x, i: (jax.vmap(lambda x, i: x[i])(x, i), jnp.take_along_axis(x, i[:, :, None], 1)))
for mode in ("drop", "clip"):
    for kind in ("set", "add", "multiply", "min", "max", "apply"):
        f = (lambda x, i, v, m=mode: x.at[i[:, 0], i[:, 1]].apply(jnp.sin, mode=m)) if kind == "apply" else (lambda x, i, v, k=kind, m=mode: getattr(x.at[i[:, 0], i[:, 1]], k)(v, mode=m))
        case(f"scatter_{kind}_{mode}", normal(4, 5), I, normal(4, seed=1))(f)
case("scatter_windows", normal(6, 5), ints(3, 1, high=7), normal(3, 2, 5, seed=1))(
    lambda x, i, u: lax.scatter_add(x, i, u, lax.ScatterDimensionNumbers(update_window_dims=(1, 2), inserted_window_dims=(), scatter_dims_to_operand_dims=(0,)))
)
case("scatter_batched", normal(3, 6), ints(3, 2, high=6), normal(3, 2, seed=1))(jax.vmap(lambda x, i, u: x.at[i].add(u)))
case("scatter_integers", ints(6), ints(4, high=6, seed=1), ints(4, seed=2))(lambda x, i, u: (x.at[i].add(u), x.at[i].max(u), jax.ops.segment_sum(u, i, 6)))

# Products and convolutions.
case("dot", normal(2, 3, 4), normal(2, 4, 5, seed=1))(lambda a, b: (a @ b, jnp.einsum("bij,bjk->kib", a, b), jnp.tensordot(a, b, ((0, 2), (0, 1))), a[0, 0] @ b[0], jnp.vdot(a[0, 0], b[0, :, 0])))
case("dot_types", ints(3, 4, dtype=np.int8), ints(4, 2, dtype=np.int8), normal(3, 4, dtype=np.complex64))(
    lambda a, b, c: (lax.dot(a, b, preferred_element_type=jnp.int32), a @ b, c @ c.T, lax.dot(a.astype(jnp.bfloat16), b.astype(jnp.bfloat16), preferred_element_type=jnp.float32), a.astype(jnp.float16) @ b.astype(jnp.float16), lax.dot(a.astype(jnp.float32), b.astype(jnp.float32), precision="highest"))
)
case("conv", normal(2, 3, 8, 7), normal(4, 3, 3, 2, seed=1))(
    lambda x, k: (
        lax.conv(x, k, (1, 1), "SAME"),
        lax.conv_general_dilated(x, k, (2, 1), ((1, 2), (-1, 3)), lhs_dilation=(1, 2), rhs_dilation=(2, 1)),
        lax.conv_transpose(x, k.transpose(1, 0, 2, 3), (2, 2), "VALID", dimension_numbers=("NCHW", "OIHW", "NCHW"), transpose_kernel=True),
    )
)
case("conv_layouts", normal(2, 6, 6, 4), normal(3, 3, 2, 6, seed=1))(
    lambda x, k: (lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=2),)
)
case("conv_batch_groups", normal(4, 3, 6), normal(4, 3, 3, seed=1))(lambda x, k: lax.conv_general_dilated(x, k, (1,), "VALID", batch_group_count=2))
case("conv_grads", normal(2, 3, 6, 6), normal(4, 3, 3, 3, seed=1))(jax.grad(lambda x, k: (lax.conv(x, k, (2, 2), "SAME") ** 2).sum(), argnums=(0, 1)))
case("conv_3d", normal(1, 2, 4, 4, 4), normal(2, 2, 2, 2, 2, seed=1))(lambda x, k: lax.conv_general_dilated(x, k, (1, 2, 1), "SAME"))
case("conv_integers", ints(1, 2, 5, dtype=np.int8), ints(3, 2, 2, dtype=np.int8))(lambda x, k: lax.conv_general_dilated(x, k, (1,), "VALID", preferred_element_type=jnp.int32))

# Fourier transforms, linear algebra.
case("fft", normal(2, 3, 8, dtype=np.complex64))(lambda x: (jnp.fft.fft(x), jnp.fft.ifft2(x), jnp.fft.fftn(x), jnp.fft.rfft(x.real), jnp.fft.irfft(x, n=10), jnp.fft.irfft2(x[..., :5])))
S = normal(2, 4, 4) + 3 * np.eye(4, dtype=np.float32)
each(
    "linalg",
    {
        "qr": lambda a: (lambda q, r: (q @ r, jnp.abs(r)))(*jnp.linalg.qr(a[:, :, :3])),
        "qr_multiply": lambda a: jax.scipy.linalg.qr_multiply(a[0][:, :3], a[1][:3], mode="left"),
        "tridiagonal": lambda a: lax.linalg.tridiagonal_solve(a[:, 0], a[:, 1] + 5, a[:, 2], a),
        "tridiagonal_swaps": lambda a: lax.linalg.tridiagonal_solve(a[:, 0], (a[:, 1] - 3) * 0.1, a[:, 2], a),
        "tridiagonal_bad": lambda a: lax.linalg.tridiagonal_solve(a[0, 0], 0 * a[0, 1], 0 * a[0, 2], a[0]),
        "tridiagonal_perturbed": lambda a: [
            lax.linalg.tridiagonal_solve(a[:, 0], d, a[:, 2], a, perturb_singular=True)
            for d in (a[:, 1] + 5, (a[:, 1] - 3) * 0.1, 0 * a[:, 1])
        ],
        "tridiagonal_singular": lambda a: [
            lax.linalg.tridiagonal_solve(l * a[:, 0], d * a[:, 1], u * a[:, 2], s * a, perturb_singular=True)
            for l, d, u, s in ((0, 0, 0, 1), (1, 0, 0, 1), (0, 0, 1, 1), (0, 1e-30, 0, 1e20), (1e-3, 1e-30, 1e-3, 1e20), (0, 1e-36, 0, 1e-30))
        ],
        "tridiagonal_small": lambda a: [
            lax.linalg.tridiagonal_solve(a[0, 0, :n], d * a[0, 1, :n], a[0, 2, :n], a[1, :n, :k], perturb_singular=True)
            for n in (1, 2, 3)
            for k in (1, 2)
            for d in (0, 1)
        ],
        "qr_raw": lambda a: jnp.linalg.qr(a[:, :, :3]),
        "qr_complete": lambda a: jnp.linalg.qr(a[:, :, :2], mode="complete"),
        "qr_wide": lambda a: jnp.linalg.qr(a[0, :2]),
        "lu": lambda a: (jax.scipy.linalg.lu(a[0]), lax.linalg.lu(a)),
        "solve": lambda a: jnp.linalg.solve(a, a[:, :, :1]),
        "inv": jnp.linalg.inv,
        "det": lambda a: (jnp.linalg.det(a), jnp.linalg.slogdet(a)),
        "cholesky": lambda a: jnp.linalg.cholesky(a @ a.mT + jnp.eye(4)),
        "cholesky_raw": lambda a: [lax.linalg.cholesky_p.bind(s * a @ a.mT + jnp.eye(4)) for s in (1, -1)],
        "cholesky_bad": lambda a: jnp.linalg.cholesky(-a @ a.mT),
        "qr_pivoting": lambda a: (jax.scipy.linalg.qr(a[0], pivoting=True), jax.scipy.linalg.qr(a[1, :, :3], pivoting=True, mode="economic")),
        "qr_kept": lambda a: [linalg_internals.geqp3(x, np.int32([[0, 1, 0, 7], [0, 0, 0, 1]])[:, -x.shape[2] :]) for x in (a, a[:, :2], a[:, :, :3])],
        "hessenberg": lambda a: (lax.linalg.hessenberg(a), jax.scipy.linalg.hessenberg(a[0], calc_q=True)),
        "reduce": lambda a: [lax.linalg.tridiagonal(a, lower=lower) for lower in (True, False)],
        "eigh": lambda a: (lambda w, v: (w, jnp.abs(v)))(*jnp.linalg.eigh(a)),
        "eigh_signs": lambda a: [lax.linalg.eigh(a, lower=lower, symmetrize_input=False) for lower in (True, False)],
        "eigvalsh": lambda a: jnp.linalg.eigvalsh(a, UPLO="U"),
        "svd": lambda a: (lambda u, s, v: ((u * s[:, None]) @ v, s))(*jnp.linalg.svd(a[:, :3], full_matrices=False)),
        "svd_signs": lambda a: [jnp.linalg.svd(x, full_matrices=full) for x in (a, a[:, :3], a[:, :, :2]) for full in (True, False)],
        "svdvals": lambda a: jnp.linalg.svd(a, compute_uv=False),
        "pinv": lambda a: jnp.linalg.pinv(a[:, :3]),
        "eig": lambda a: (lambda w, v: jnp.abs(a @ v - w[:, None] * v) < 1e-3)(*jnp.linalg.eig(a)),
        "eig_left": lambda a: (lambda w, u: jnp.abs(a.mT @ u.conj() - w[:, None] * u.conj()) < 1e-3)(*lax.linalg.eig(a, compute_right_eigenvectors=False)),
        "eigvals": lambda a: jnp.sort(jnp.linalg.eigvals(a)),
        "triangular": lambda a: (jax.scipy.linalg.solve_triangular(a[0], a[1], lower=True), jax.scipy.linalg.solve_triangular(a[0], a[1], trans=1), lax.linalg.triangular_solve(a, a, unit_diagonal=True)),
        "norms": lambda a: (jnp.linalg.norm(a), jnp.linalg.norm(a, 2, axis=(1, 2)), jnp.linalg.matrix_rank(a), jnp.linalg.cond(a[0])),
        "schur": lambda a: (lambda t, z: (jnp.abs(t), z @ t @ z.T))(*jax.scipy.linalg.schur(a[0])),
        "schur_signs": lambda a: lax.linalg.schur(a),
        "sqrtm": lambda a: jax.scipy.linalg.sqrtm(a[0]),
        "sylvester": lambda a: jax.scipy.linalg.solve_sylvester(a[0], a[1], jnp.eye(4)),
        "expm": lambda a: jax.scipy.linalg.expm(a / 4),
        "grads": jax.grad(lambda a: jnp.linalg.slogdet(a)[1].sum() + jnp.linalg.inv(a).sum()),
    },
    S,
)
C = S.astype(np.complex64) + 1j * normal(2, 4, 4, seed=5)
each(
    "linalg_complex",
    {
        "qr": jnp.linalg.qr,
        "solve": lambda a: jnp.linalg.solve(a, a[:, :, :1]),
        "eigh_signs": lambda a: [lax.linalg.eigh(a, lower=lower, symmetrize_input=False) for lower in (True, False)],
        "eigvalsh": jnp.linalg.eigvalsh,
        "hessenberg": lambda a: (lax.linalg.hessenberg(a), jax.scipy.linalg.hessenberg(a[0], calc_q=True)),
        "reduce": lambda a: [lax.linalg.tridiagonal(a, lower=lower) for lower in (True, False)],
        "tridiagonal": lambda a: lax.linalg.tridiagonal_solve(a[:, 0], a[:, 1] * 0.5, a[:, 2], a),
        "tridiagonal_perturbed": lambda a: [
            lax.linalg.tridiagonal_solve(a[:, 0], d * a[:, 1], a[:, 2], a, perturb_singular=True) for d in (0.5, 0)
        ],
        "schur": lambda a: (lambda t, z: (jnp.abs(t), jnp.diag(t), z @ t @ z.conj().T))(*jax.scipy.linalg.schur(a[0], output="complex")),
        "schur_order": lambda a: jnp.diagonal(lax.linalg.schur(a)[0], axis1=1, axis2=2),
        "eig_left": lambda a: lax.linalg.eig(a[0]),
        "svd_signs": lambda a: [jnp.linalg.svd(x, full_matrices=full) for x in (a, a[:, :3], a[:, :, :2]) for full in (True, False)],
        "svdvals": lambda a: jnp.linalg.svd(a, compute_uv=False),
        "triangular": lambda a: lax.linalg.triangular_solve(a, a, left_side=True, lower=True, transpose_a=True, conjugate_a=True),
    },
    C,
)

# Control flow.
case("while_collatz", ints(6, low=1, high=30))(jax.vmap(lambda n: lax.while_loop(lambda c: c[0] != 1, lambda c: (jnp.where(c[0] % 2 == 0, c[0] // 2, 3 * c[0] + 1), c[1] + 1), (n, jnp.int32(0)))[1]))
case("while_captures", normal(4), normal(4, 4, seed=1))(lambda x, a: lax.while_loop(lambda c: (c[0] < 5) & (x.sum() < 100), lambda c: (c[0] + 1, jnp.tanh(a @ c[1]) + x), (0, x)))
case("fori", normal(3))(lambda x: lax.fori_loop(0, 5, lambda i, c: c * 0.5 + i, x))
case("scan", normal(5, 3))(lambda xs: (lax.scan(lambda c, x: (c + x, c * x), jnp.zeros(3), xs), lax.scan(lambda c, x: (c + x, c), jnp.zeros(3), xs, reverse=True)))
case("scan_grad", normal(5, 3))(jax.grad(lambda xs: (lax.scan(lambda c, x: (jnp.sin(c) * x, c), jnp.ones(3), xs)[1] ** 2).sum()))
case("cond", normal(3), np.int32(-5), np.bool_(True))(lambda x, i, p: (lax.cond(p, jnp.sin, jnp.cos, x), lax.switch(i, [jnp.sin, jnp.cos, jnp.exp], x), lax.cond(p, lambda: x + i, lambda: x * 2), lax.cond(x.sum() > 0, lambda y: lax.cond(p, jnp.sin, jnp.cos, y), lambda y: y, x)))
# Loops that are scans: what JAX makes of them must come back as such.
C, XS, W = normal(3, seed=1) / 2, normal(5, 3) / 2, normal(3, 3, seed=2) / 2
RNN = lambda w: lambda c, x: (lambda h: (h, h.sum()))(jnp.tanh(w @ c + x))
each(
    "loop",
    {
        "scan": lambda c, xs, w: lax.scan(RNN(w), c, xs),
        "scan_reverse": lambda c, xs, w: lax.scan(RNN(w), c, xs, reverse=True),
        "scan_unroll": lambda c, xs, w: lax.scan(RNN(w), c, xs, unroll=2),
        "scan_length": lambda c, xs, w: lax.scan(lambda c, _: (jnp.sin(w @ c), c), c + xs[0], None, length=4),
        "scan_carry_only": lambda c, xs, w: lax.scan(lambda c, x: (w @ c * x, None), c, xs)[0],
        "scan_nested": lambda c, xs, w: lax.scan(lambda c, x: lax.scan(lambda c, y: (jnp.sin(c * y), c.sum()), c, w + x), c, xs),
        "scan_of_pairs": lambda c, xs, w: lax.scan(lambda c, x: ((c[1], c[0] * x[0] + x[1]), x[1]), (c, c + 1), (xs, xs * 2)),
        "scan_in_cond": lambda c, xs, w: lax.cond(c.sum() > 0, lambda: lax.scan(RNN(w), c, xs)[0], lambda: c),
        "scan_checkpointed": lambda c, xs, w: lax.scan(jax.checkpoint(RNN(w)), c, xs),
        "scan_over_batch": lambda c, xs, w: jax.vmap(lambda c: lax.scan(RNN(w), c, xs))(jnp.stack([c, 2 * c])),
        "map": lambda c, xs, w: lax.map(lambda x: jnp.sin(w @ x) * c, xs),
        "map_batches": lambda c, xs, w: lax.map(lambda x: jnp.sin(w @ x) * c, xs, batch_size=2),
        "fori": lambda c, xs, w: lax.fori_loop(2, 6, lambda i, c: jnp.sin(w @ c) + i, c),
        "fori_index": lambda c, xs, w: lax.fori_loop(0, 5, lambda i, c: jnp.sin(w @ c) + xs[i], c),
        "fori_write": lambda c, xs, w: lax.fori_loop(0, 5, lambda i, a: a.at[i].set(a[i - 1] * c), xs),
        "grad": jax.grad(lambda c, xs, w: lax.scan(RNN(w), c, xs)[1].sum(), argnums=(0, 1, 2)),
        "grad_reverse": jax.grad(lambda c, xs, w: lax.scan(RNN(w), c, xs, reverse=True)[1].sum(), argnums=(0, 1, 2)),
        "jvp": lambda c, xs, w: jax.jvp(lambda c: lax.scan(RNN(w), c, xs), (c,), (w[0],)),
    },
    C,
    XS,
    W,
    gradient=True,
)
case("loop_while", C, np.int32(4))(lambda c, n: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, jnp.sin(s[1])), (0, c)))
case("loop_while_counted", C)(lambda c: lax.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, jnp.sin(s[1]) * s[0]), (1, c))[1])
case("loop_types", ints(5, 3), C, x64=True)(lambda i, c: lax.scan(lambda s, x: (s + x.sum(), (x % 2 == 0, s)), jnp.int64(0), i))
case("map_nested", normal(3, 4))(lambda x: lax.map(lambda r: lax.scan(lambda c, v: (c + v, c * v), 0.0, r)[1], x))
case("checkpoint_grad", normal(4))(jax.grad(lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)).sum())(x)))


@jax.custom_jvp
def clipped(x):
    return jnp.minimum(x, 1.0)


clipped.defjvp(lambda x, t: (clipped(x[0]), 2 * t[0]))
case("custom_jvp_grad", normal(4))(jax.grad(lambda x: clipped(x).sum()))

# The same programs with every operation in its generic form, and with locations.
for name, f in {
    "mlp": jax.value_and_grad(lambda w, x: (jnp.tanh(x @ w) ** 2).mean()),
    "loops": lambda w, x: (lax.scan(lambda c, r: (c + r, c * r), x[0], w), lax.cond(x.sum() > 0, jnp.sin, jnp.cos, w)),
    "regions": lambda w, x: (jnp.sort(w), lax.top_k(x, 2), w.at[jnp.array([0, 2])].add(1.0), w.max(1), jnp.linalg.cholesky(w @ w.T)),
    "shapes": lambda w, x: (jnp.pad(w, 1), x[::-1, 1:], jnp.fft.fft(x), w.astype(jnp.bfloat16), jnp.asarray([1 + 2j, 3]), w > 0, lax.erf_inv(w / 9)),
}.items():
    case(f"generic_{name}", normal(3, 3), normal(4, 3, seed=1), generic=True)(f)
    case(f"generic_{name}_debug", normal(3, 3), normal(4, 3, seed=1), generic=True, debug=True)(f)

# Libraries around JAX's core.
case("image_resize", normal(4, 6))(lambda x: [jax.image.resize(x, (7, 3), m) for m in ("nearest", "linear", "cubic", "lanczos3")])
SEGMENTS = np.array([0, 1, 1, 3, 3, 0], np.int32)
case("segments", normal(6, 2), SEGMENTS)(lambda x, s: [getattr(jax.ops, f"segment_{n}")(x, s, 4) for n in ("sum", "prod", "max", "min")])
SPARSE = np.where(normal(4, 5) > 0, normal(4, 5), 0)
case("sparse", SPARSE, normal(5, seed=1))(
    lambda m, v: (lambda s: (s @ v, (s + s).todense(), s.sum(1).todense(), s.T.todense(), s.sort_indices().data))(sparse.BCOO.fromdense(m, nse=12))
)
case("ode", normal(3))(lambda y: odeint(lambda y, t: -y * t, y, jnp.linspace(0.0, 1.0, 4)))
case("sparse_rows", SPARSE, normal(5, 2, seed=1))(lambda m, v: (lambda s: (s @ v, s @ v[:, 0]))(sparse.BCSR.fromdense(m, nse=12)))
case("conjugate_gradients", normal(3))(lambda b: jax.scipy.sparse.linalg.cg(lambda v: 3 * v + v[::-1], b)[0])

# On a mesh of one device.
MESH = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("x",))
SHARD = jax.sharding.PartitionSpec("x")
EXCHANGES = (
    lambda x: lax.psum(x, "x"),
    lambda x: lax.all_gather(x, "x", tiled=True),
    lambda x: lax.ppermute(x, "x", [(0, 0)]),
    lambda x: lax.ppermute(x, "x", []),
    lambda x: lax.psum_scatter(x, "x", tiled=True),
    lambda x: lax.axis_index("x") + x,
)
case("one_device", normal(4, 3))(
    lambda x: (
        jax.shard_map(lambda y: [f(y) for f in EXCHANGES], mesh=MESH, in_specs=SHARD, out_specs=SHARD, check_vma=False)(x),
        lax.with_sharding_constraint(x, jax.sharding.NamedSharding(MESH, SHARD)) * 2,
    )
)

# Random numbers.
for impl in ("rbg", "unsafe_rbg"):
    DATA = np.asarray(jax.random.key_data(jax.random.key(7, impl=impl)))
    case(f"random_{impl}", DATA)(
        lambda d, i=impl: (lambda k: (jax.random.normal(k, (5,)), jax.random.key_data(jax.random.split(k)), jax.random.key_data(jax.random.fold_in(k, 3))))(jax.random.wrap_key_data(d, impl=i))
    )
KEY = np.asarray(jax.random.key_data(jax.random.key(7)))
each(
    "random",
    {
        n: (lambda d, f=f: f(jax.random.wrap_key_data(d)))
        for n, f in {
            "uniform": lambda k: jax.random.uniform(k, (5,)),
            "normal": lambda k: jax.random.normal(k, (2, 3)),
            "bits": lambda k: (jax.random.bits(k, (4,), "uint8"), jax.random.bits(k, (3,), "uint32")),
            "randint": lambda k: jax.random.randint(k, (6,), -3, 9),
            "categorical": lambda k: jax.random.categorical(k, jnp.arange(4.0), shape=(5,)),
            "permutation": lambda k: jax.random.permutation(k, 8),
            "split": lambda k: [jax.random.key_data(s) for s in jax.random.split(k, 3)],
            "truncated": lambda k: jax.random.truncated_normal(k, -1, 2, (5,)),
            "gamma": lambda k: jax.random.gamma(k, 2.5, (4,)),
            "bernoulli": lambda k: jax.random.bernoulli(k, 0.3, (9,)),
        }.items()
    },
    KEY,
)
STATE = np.array([1, 2, 3, 4], np.uint32)
each(
    "rng_bits",
    {a: (lambda s, a=a: lax.rng_bit_generator(s, (3, 2), algorithm=getattr(lax.RandomAlgorithm, a))) for a in ("RNG_THREE_FRY", "RNG_PHILOX", "RNG_DEFAULT")},
    STATE,
)

# Whole programs.
SIZES = (4, 8, 3)
PARAMS = [{"w": normal(a, b, seed=i) / 2, "b": normal(b, seed=i + 9)} for i, (a, b) in enumerate(zip(SIZES, SIZES[1:]))]


def mlp(params, x):
    for p in params[:-1]:
        x = jnp.tanh(x @ p["w"] + p["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def loss(params, x, y):
    return -(jax.nn.log_softmax(mlp(params, x)) * y).sum(1).mean()


BATCH = (normal(6, 4, seed=3), np.eye(3, dtype=np.float32)[ints(6, high=3)])


def step(params, momentum, x, y):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, grads)
    return value, jax.tree.map(lambda p, m: p - 0.1 * m, params, momentum), momentum


case("mlp_step", PARAMS, jax.tree.map(np.zeros_like, PARAMS), *BATCH)(step)
case("mlp_debug", PARAMS, *BATCH, debug=True)(loss)
case("mlp_epoch", PARAMS, *BATCH, debug=True)(lambda p, x, y: lax.fori_loop(0, 4, lambda i, p: jax.tree.map(lambda a, g: a - 0.1 * g, p, jax.grad(loss)(p, x, y)), p))
case("mlp_hessian_product", PARAMS, *BATCH)(lambda p, x, y: jax.jvp(jax.grad(loss), (p, x, y), (p, x, jnp.zeros_like(y)))[1])


def attention(x, wq, wk, wv):
    q, k, v = x @ wq, x @ wk, x @ wv
    scores = jnp.einsum("bqd,bkd->bqk", q, k) / jnp.sqrt(q.shape[-1])
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
    return jax.nn.softmax(scores) @ v


ATTENTION = (normal(2, 5, 8), *(normal(8, 4, seed=i) for i in (1, 2, 3)))
case("attention", *ATTENTION)(attention)
case("attention_grad", *ATTENTION)(jax.grad(lambda *a: (attention(*a) ** 2).sum(), argnums=(0, 1, 2, 3)))
case("attention_bfloat16", *ATTENTION)(lambda *a: attention(*(x.astype(jnp.bfloat16) for x in a)))
case("dot_product_attention", normal(1, 4, 2, 8), normal(1, 4, 2, 8, seed=1), normal(1, 4, 2, 8, seed=2))(lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True))


def lenet(x, k1, k2, w):
    for k in (k1, k2):
        x = jax.nn.relu(lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.reshape(x.shape[0], -1) @ w


LENET = (normal(2, 8, 8, 1), normal(3, 3, 1, 4, seed=1), normal(3, 3, 4, 6, seed=2), normal(24, 5, seed=3))
case("lenet_grad", *LENET)(jax.grad(lambda *a: (lenet(*a) ** 2).mean(), argnums=(1, 2, 3)))
case("kalman", normal(6, 2), normal(2, 2, seed=1))(
    lambda ys, a: lax.scan(lambda c, y: (lambda m, p: (lambda k: ((m + k @ (y - m), (jnp.eye(2) - k) @ p), m))(p @ jnp.linalg.inv(p + jnp.eye(2))))(a @ c[0], a @ c[1] @ a.T + jnp.eye(2)), (jnp.zeros(2), jnp.eye(2)), ys)
)
case("several_functions", normal(4), debug=True)(lambda x: jax.jit(jnp.sin)(x) + jax.jit(lambda y: jax.jit(jnp.cos)(y) * jax.jit(jnp.sin)(y))(x))
F, V = "tensor<2x3x4xf32>", "tensor<3xf32>"
NORM = "epsilon = 1.0E-3 : f32, feature_index = 1 : i64"
for kind, operands, results in (
    ("training", (F, V, V), (F, V, V)),
    ("inference", (F, V, V, V, V), (F,)),
    ("grad", (F, V, V, V, F), (F, V, V)),
):
    taken = ", ".join(f"%arg{i}: {t}" for i, t in enumerate(operands))
    named = ", ".join(f"%arg{i}" for i in range(len(operands)))
    given = ", ".join(f"%0#{i}" if len(results) > 1 else "%0" for i in range(len(results)))
    types = ", ".join(results)
    text(
        f"batch_norm_{kind}",
        f"""module {{
  func.func @main({taken}) -> ({types}) {{
    %0:{len(results)} = "stablehlo.batch_norm_{kind}"({named}) <{{{NORM}}}> : ({", ".join(operands)}) -> ({types})
    return {given} : {types}
  }}
}}
""".replace("%0:1 ", "%0 ").replace("-> (tensor<2x3x4xf32>)\n", "-> tensor<2x3x4xf32>\n"),
        *(normal(2, 3, 4, seed=i) if t == F else np.abs(normal(3, seed=i)) for i, t in enumerate(operands)),
    )
text(
    "batch_norm_float64",
    f"""module {{
  func.func @main(%x: tensor<2x2xf64>, %s: tensor<2xf64>) -> tensor<2x2xf64> {{
    %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{{{NORM}}}> : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
    return %0 : tensor<2x2xf64>
  }}
}}
""",
    normal(2, 2, dtype=np.float64),
    np.array([1e-3, 2]),
    x64=True,
)
text(
    "einsum",
    """module {
  func.func @main(%x: tensor<2x3x5xf32>, %y: tensor<2x3x4xf32>) -> (tensor<4x2x5xf32>, tensor<2x5x4xf32>) {
    %0 = stablehlo.einsum %x, %y, config = "abd,abc->cad" : (tensor<2x3x5xf32>, tensor<2x3x4xf32>) -> tensor<4x2x5xf32>
    %1 = "stablehlo.einsum"(%x, %y) <{einsum_config = "abd,abc->adc"}> : (tensor<2x3x5xf32>, tensor<2x3x4xf32>) -> tensor<2x5x4xf32>
    return %0, %1 : tensor<4x2x5xf32>, tensor<2x5x4xf32>
  }
}
""",
    normal(2, 3, 5),
    normal(2, 3, 4, seed=1),
)
text(
    "static_dynamic",
    """module {
  func.func @main(%x: tensor<2x3xf32>, %at: tensor<2x1xi32>) -> (tensor<3x2xf32>, tensor<4x2x3xf32>, tensor<5xi32>, tensor<1x2xf32>, tensor<5x4xf32>, tensor<2x1x3xf32>) {
    %c = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
    %0 = stablehlo.dynamic_reshape %x, %c : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
    %c1 = stablehlo.constant dense<[4, 2, 3]> : tensor<3xi64>
    %1 = stablehlo.dynamic_broadcast_in_dim %x, %c1, dims = [1, 2] : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<4x2x3xf32>
    %c2 = stablehlo.constant dense<5> : tensor<1xi64>
    %2 = stablehlo.dynamic_iota %c2, dim = 0 : (tensor<1xi64>) -> tensor<5xi32>
    %s = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
    %l = stablehlo.constant dense<[1, 3]> : tensor<2xi64>
    %t = stablehlo.constant dense<[1, 1]> : tensor<2xi64>
    %3 = stablehlo.real_dynamic_slice %x, %s, %l, %t : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xf32>
    %z = stablehlo.constant dense<2.0> : tensor<f32>
    %h = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
    %4 = stablehlo.dynamic_pad %x, %z, %t, %h, %h : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x4xf32>
    %c3 = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
    %5 = "stablehlo.dynamic_gather"(%x, %at, %c3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<2x3xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x1x3xf32>
    return %0, %1, %2, %3, %4, %5 : tensor<3x2xf32>, tensor<4x2x3xf32>, tensor<5xi32>, tensor<1x2xf32>, tensor<5x4xf32>, tensor<2x1x3xf32>
  }
}
""",
    normal(2, 3),
    ints(2, 1, high=2),
)
text(
    "tuple",
    """module {
  func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.negate %x : tensor<2xf32>
    %1 = stablehlo.tuple %x, %0 : tuple<tensor<2xf32>, tensor<2xf32>>
    %2 = stablehlo.create_token : !stablehlo.token
    %3 = stablehlo.after_all %2, %2 : !stablehlo.token
    %4 = stablehlo.get_tuple_element %1[1] : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
    %5 = "stablehlo.get_tuple_element"(%1) <{index = 0 : i32}> : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
    return %4, %5 : tensor<2xf32>, tensor<2xf32>
  }
}
""",
    normal(2),
)
case("barrier", normal(4))(lambda x: lax.optimization_barrier((x, x + 1)))


def save(path, x):
    x = np.asarray(x)
    np.save(path, x.view(np.uint16) if x.dtype == jnp.bfloat16 else x)


def gradients_of(f, args):
    floats = [i for i, x in enumerate(args) if np.issubdtype(x.dtype, np.inexact)]
    total = lambda *a: sum(y.sum() for y in jax.tree.leaves(f(*a)) if jnp.issubdtype(y.dtype, jnp.inexact))
    return jax.grad(total, argnums=floats)(*args)


def run(module, args):
    client = xla_bridge.get_backend("cpu")
    devices = xla_client.DeviceList((client.local_devices()[0],))
    executable = client.compile_and_load(module, devices, xla_client.CompileOptions())
    results = executable.execute_sharded([jax.device_put(x) for x in args])
    return [x[0] for x in results.disassemble_into_single_device_arrays()]


def export(f, args, debug, generic, gradient):
    """The text of a function, its outputs, and its gradients if asked for."""
    if isinstance(f, str):
        return f, run(f, args), []
    jitted = jax.jit(f, keep_unused=True)
    lowered = jitted.lower(*args)
    text = lowered.as_text(debug_info=debug)
    if generic:
        module = lowered.compiler_ir("stablehlo").operation
        text = module.get_asm(print_generic_op_form=True, enable_debug_info=debug)
    return text, jax.tree.leaves(jitted(*args)), gradients_of(f, args) if gradient else []


def main(names):
    for name, (f, args, debug, generic, x64, gradient) in CASES.items():
        if names and name not in names:
            continue
        with jax.enable_x64(x64):
            args = jax.tree.map(np.asarray, args)
            text, outputs, gradients = export(f, args, debug, generic, gradient)
        folder = HERE / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        # Where this file lies is nobody's business.
        (folder / "module.mlir").write_text(text.replace(str(pathlib.Path(__file__).resolve()), "export.py"))
        for kind, arrays in (("in", jax.tree.leaves(args)), ("out", outputs), ("grad", gradients)):
            for i, x in enumerate(arrays):
                save(folder / f"{kind}_{i}.npy", x)
    print(f"{len(names) or len(CASES)} cases")


if __name__ == "__main__":
    main(sys.argv[1:])
