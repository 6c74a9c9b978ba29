"""Array functions as people call them: a call of `jax.numpy` or `jax.nn`, its operands, its results.

A line below is a call, the shapes of its operands, and the element types it is made for. `-` is a scalar; `i32:4` has
its own element type; `2,3@0.1:0.9` its own range.
"""

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np

from store import ALL, COMPLEX, DTYPES, listed, type_of
from values import ordinary

F = ["f32", "f64"]
REAL = ["i32", "u8", "f32", "f64"]
MOST = ["bool", "i8", "i32", "u16", "f16", "f32", "f64", "c128"]

NAMESPACE = {"jnp": jnp, "jax": jax, "jsp": jax.scipy} | {n: jnp.dtype(t) for n, t in DTYPES.items()}
NAMESPACE |= {"index": lambda x, spec, *a: x[_spec(spec, a)]}
for _how in ("set", "add", "mul", "min", "max"):
    NAMESPACE[f"at_{_how}"] = lambda x, spec, v, *a, how=_how: getattr(x.at[_spec(spec, a)], how)(v)


class _Taker:
    def __getitem__(self, at):
        return at


def _spec(spec, arrays):
    """What stands between brackets; `a`, `b` are arrays."""
    return eval(f"taker[{spec}]", dict(zip("ab", arrays), taker=_Taker()))


def operand(text, d, salt):
    text, _, bounds = text.partition("@")
    own, _, shape = text.rpartition(":")
    shape = () if shape == "-" else tuple(map(int, shape.split(",")))
    lo, hi = map(float, bounds.split(":")) if bounds else (-3.0, 3.0)
    return ordinary(own or d, shape, lo, hi, salt=salt)


def call(store, text, operands, types, tol=None):
    for d in types:
        x = [operand(o, d, i) for i, o in enumerate(operands.split())]
        out = jax.tree.leaves(eval(text, NAMESPACE | {f"x{i}": jnp.asarray(v) for i, v in enumerate(x)}))
        out = listed(out)
        written = f"{tol:g} {tol:g}" if tol else None
        name = f"{text.split('(')[0]}/{','.join(map(type_of, x))}"
        store.add(name, call=text, tol=written, **{"in": x}, out=out)


def table(store, lines, types, tol=None):
    for line in lines.strip().splitlines():
        text, _, operands = line.rpartition("|")
        call(store, text.strip(), operands, types, tol)


def elementwise(store):
    for f in ["exp2", "log2", "log10", "sinc", "cbrt", "i0"]:
        table(store, f"jnp.{f}(x0) | 2,3@0.1:4\njnp.{f}(x0) | -@0.1:4", F)
    for f in ["square", "reciprocal", "positive", "sign", "abs"]:
        table(store, f"jnp.{f}(x0) | 2,3", ["f32", "f64", "c64", "i32"] if f != "reciprocal" else F)
    table(
        store,
        """
        jnp.trunc(x0) | 2,3
        jnp.rint(x0) | 2,3
        jnp.round(x0, 1) | 2,3
        jnp.degrees(x0) | 2,3
        jnp.radians(x0) | 2,3
        jnp.deg2rad(x0) | 0,3
        jnp.isnan(x0) | 2,3
        jnp.isinf(x0) | 2,3
        jnp.isfinite(x0) | 2,3
        jnp.nan_to_num(x0) | 2,3
        jnp.signbit(x0) | 2,3
        jnp.copysign(x0, x1) | 2,3 2,3
        jnp.hypot(x0, x1) | 2,3 3
        jnp.arctan2(x0, x1) | 2,1 3
        jnp.logaddexp(x0, x1) | 2,3 2,1
        jnp.heaviside(x0, 0.5) | 2,3
        jnp.float_power(x0, 2.0) | 2,3@0.1:3
        jnp.modf(x0) | 2,3
        jnp.isclose(x0, x0) | 2,3
        """,
        F,
    )
    table(
        store,
        """
        jnp.add(x0, x1) | 2,3 3
        jnp.subtract(x0, x1) | 2,1 1,3
        jnp.multiply(x0, x1) | 2,3 -
        jnp.maximum(x0, x1) | 2,3 2,1
        jnp.minimum(x0, x1) | 0,3 3
        jnp.equal(x0, x1) | 2,3 3
        jnp.less(x0, x1) | 2,3 3
        jnp.greater_equal(x0, x1) | - 3
        """,
        REAL + ["f16", "bf16", "i64", "u32"],
    )
    table(
        store,
        """
        jnp.floor_divide(x0, x1) | 2,3 3@1:3
        jnp.mod(x0, x1) | 2,3 3@1:3
        jnp.remainder(x0, x1) | 2,3@-5:5 3@1:4
        jnp.clip(x0, 1, 2) | 2,3
        jnp.clip(x0, x1, x2) | 2,3 3@0:1 2,1@1:2
        jnp.where(x0 > 1, x0, x1) | 2,3 3
        """,
        REAL,
    )
    table(store, "jnp.where(x0, x1, x2) | bool:2,3 2,3 2,3\njnp.where(x0, x1, x2) | bool:2,1 3 -", MOST)
    table(store, "jnp.divide(x0, x1) | 2,3 3@1:3", F + ["c64", "c128", "f16", "bf16"])
    table(store, "jnp.power(x0, x1) | 2,3@0.1:3 3", F)
    table(store, "jnp.power(x0, 3) | 2,3", ["i32", "f32", "f64", "c64"])
    table(
        store,
        "jnp.logical_and(x0, x1) | 2,3 3\njnp.logical_or(x0, x1) | 2,3 3\njnp.logical_xor(x0, x1) | 2,3 3\n"
        "jnp.logical_not(x0) | 2,3",
        ["bool", "i32", "f32"],
    )
    table(
        store,
        "jnp.bitwise_and(x0, x1) | 2,3 3\njnp.bitwise_or(x0, x1) | 2,3 3\njnp.bitwise_xor(x0, x1) | 2,3 3\n"
        "jnp.left_shift(x0, x1) | 2,3@0:3 3@0:0.5\njnp.right_shift(x0, x1) | 2,3 3@0:0.5\njnp.bitwise_count(x0) | 2,3",
        ["i32", "u8", "i64"],
    )
    table(store, "jnp.real(x0) | 2,3\njnp.imag(x0) | 2,3\njnp.conj(x0) | 2,3\njnp.angle(x0) | 2,3", COMPLEX)
    table(store, "jnp.less_equal(x0, x1) | 2,3 3\njnp.not_equal(x0, x1) | 2,3 -\njnp.fmod(x0, x1) | 2,3 3@1:3", REAL)
    table(store, "jnp.nextafter(x0, x1) | 2,3 3\njax.lax.complex(x0, x1) | 2,3 2,3", F)
    table(store, "jax.lax.clz(x0) | 2,3", ["i32", "u8", "i64"])


def reductions(store):
    for f in ["sum", "prod", "max", "min", "any", "all"]:
        for axes in ["", ", axis=0", ", axis=-1", ", axis=[0, 2]", ", axis=1, keepdims=True"]:
            types = {"any": ["bool", "i32", "f32"], "all": ["bool", "i32", "f32"], "sum": MOST}.get(f, REAL)
            call(store, f"jnp.{f}(x0{axes})".replace("[", "(").replace("]", ")"), "2,3,2@-1.5:1.5", types)
        call(store, f"jnp.{f}(x0, axis=1)", "2,1", F)
        if f not in ("max", "min"):
            call(store, f"jnp.{f}(x0, axis=0)", "0,3", F)
    table(
        store,
        """
        jnp.mean(x0) | 2,3
        jnp.mean(x0, axis=-1) | 2,3
        jnp.mean(x0, axis=(0, 2), keepdims=True) | 2,3,2
        jnp.var(x0) | 2,3
        jnp.var(x0, axis=0, ddof=1) | 4,3
        jnp.std(x0, axis=-1) | 2,3
        jnp.std(x0, axis=1, keepdims=True) | 2,3
        jnp.ptp(x0, axis=1) | 2,4
        jnp.median(x0) | 5
        jnp.median(x0, axis=0) | 4,3
        jnp.quantile(x0, 0.3) | 7
        jnp.quantile(x0, 0.25, axis=1) | 2,5
        jnp.quantile(x0, x1, axis=0) | 4,2 3@0:1
        jnp.percentile(x0, 40.0, axis=-1) | 2,6
        jnp.average(x0, axis=1, weights=x1) | 2,3 3@0.1:1
        jnp.nansum(x0) | 2,3
        jnp.nanmean(x0, axis=0) | 2,3
        jnp.linalg.norm(x0) | 2,3
        jnp.linalg.norm(x0, axis=-1) | 2,3
        jnp.linalg.norm(x0, ord=1, axis=0) | 2,3
        jnp.linalg.norm(x0, ord=jnp.inf, axis=1) | 2,3
        jax.scipy.special.logsumexp(x0) | 2,3
        jax.scipy.special.logsumexp(x0, axis=-1, keepdims=True) | 2,3
        jnp.trapezoid(x0) | 5
        jnp.cov(x0) | 3,5
        jnp.corrcoef(x0) | 3,5
        """,
        F,
    )
    table(
        store,
        """
        jnp.argmax(x0) | 2,3
        jnp.argmax(x0, axis=1) | 2,3
        jnp.argmin(x0, axis=-2) | 2,3
        jnp.argmax(x0, axis=0, keepdims=True) | 3,2
        jnp.count_nonzero(x0) | 2,3
        jnp.cumsum(x0) | 5
        jnp.cumsum(x0, axis=-1) | 2,3
        jnp.cumprod(x0, axis=0) | 3,2
        jnp.diff(x0) | 6
        jnp.diff(x0, n=2, axis=0) | 4,2
        jnp.sort(x0) | 6
        jnp.sort(x0, axis=0) | 3,2
        jnp.sort(x0, descending=True) | 2,4
        jnp.argsort(x0) | 6
        jnp.argsort(x0, axis=0) | 4,2
        jnp.searchsorted(jnp.sort(x0), x1) | 6 2,3
        jnp.searchsorted(jnp.sort(x0), x1, side='right') | 6 4
        jnp.unique(x0, size=5, fill_value=0) | 6
        jnp.bincount(jnp.abs(x0), length=4) | i32:8@-0.3:0.4
        jnp.histogram(x0, bins=4, range=(-3.0, 3.0)) | 12
        jax.lax.top_k(x0, 2) | 2,5
        """,
        ["i32", "f32", "f64"],
    )
    table(
        store,
        """
        jnp.nanmax(x0, axis=0) | 2,3
        jnp.nanmin(x0) | 2,3
        jnp.nanprod(x0, axis=-1) | 2,3
        jnp.std(x0, axis=0, ddof=1) | 4,3
        jax.lax.cummax(x0, axis=1) | 2,4
        jax.lax.cummin(x0, axis=0) | 4,2
        jax.lax.cumlogsumexp(x0, axis=0) | 5
        jnp.bincount(jnp.abs(x0), weights=x1, length=4) | i32:6@-0.3:0.4 6
        jnp.choose(jnp.abs(x0), [x1, x2], mode='clip') | i32:3@-0.2:0.2 3 3
        jnp.nonzero(x0 > 0, size=3, fill_value=-1) | 2,3
        """,
        F,
    )
    table(store, "jnp.lexsort([x0, x1]) | 6 i32:6@-0.2:0.2\njnp.digitize(x0, jnp.sort(x1)) | 5 4", F)


def shapes(store):
    table(
        store,
        """
        jnp.reshape(x0, (3, 2)) | 2,3
        jnp.reshape(x0, (-1,)) | 2,3
        jnp.reshape(x0, (3, -1)) | 0,3
        jnp.ravel(x0) | 2,3
        jnp.transpose(x0) | 2,3,2
        jnp.transpose(x0, (1, 2, 0)) | 2,3,2
        jnp.moveaxis(x0, 0, -1) | 2,3,2
        jnp.swapaxes(x0, 0, 2) | 2,3,1
        jnp.squeeze(x0) | 1,3,1
        jnp.squeeze(x0, axis=-1) | 1,3,1
        jnp.expand_dims(x0, 1) | 2,3
        jnp.expand_dims(x0, (0, -1)) | 3
        jnp.broadcast_to(x0, (2, 3)) | 3
        jnp.broadcast_to(x0, (2, 3)) | -
        jnp.concatenate([x0, x1]) | 2,3 1,3
        jnp.concatenate([x0, x1], axis=-1) | 2,3 2,0
        jnp.stack([x0, x1]) | 3 3
        jnp.stack([x0, x1], axis=-1) | 2,3 2,3
        jnp.vstack([x0, x1]) | 3 3
        jnp.hstack([x0, x1]) | 2,1 2,2
        jnp.split(x0, 3, axis=1) | 2,6
        jnp.split(x0, [1, 4]) | 6
        jnp.array_split(x0, 3) | 7
        jnp.tile(x0, (2,)) | 2,3
        jnp.tile(x0, (2, 1, 3)) | 1,2
        jnp.repeat(x0, 2, axis=0) | 2,3
        jnp.repeat(x0, 3) | 4
        jnp.roll(x0, 1) | 2,3
        jnp.roll(x0, -2, axis=1) | 2,5
        jnp.flip(x0) | 2,3
        jnp.flip(x0, axis=1) | 2,3
        jnp.rot90(x0) | 2,3
        jnp.tril(x0) | 3,3
        jnp.triu(x0, 1) | 3,4
        jnp.tril(x0, -1) | 2,2,3
        jnp.diag(x0) | 3
        jnp.diag(x0, 1) | 3,3
        jnp.diagonal(x0) | 2,3
        jnp.trace(x0) | 3,3
        jnp.meshgrid(x0, x1) | 2 3
        jnp.meshgrid(x0, x1, indexing='ij') | 2 3
        jnp.atleast_2d(x0) | 3
        jnp.pad(x0, 1) | 2,3
        jnp.pad(x0, ((0, 1), (2, 0)), constant_values=1) | 2,3
        jnp.take(x0, x1, axis=0) | 4,2 i32:3@0:0.3
        jnp.take_along_axis(x0, x1, axis=1) | 2,3 i32:2,2@0:0.2
        jnp.zeros_like(x0) | 2,3
        jnp.full_like(x0, 1) | 2,3
        index(x0, '1') | 3,2
        index(x0, '-1') | 3,2
        index(x0, '1:3') | 5
        index(x0, '::2, ::-1') | 3,4
        index(x0, '-2:') | 5
        index(x0, '3:1') | 5
        index(x0, '..., 0') | 2,3,2
        index(x0, ':, None, 1') | 2,3
        index(x0, 'None') | -
        index(x0, 'a', x1) | 4,2 i32:3@-0.4:0.4
        index(x0, 'a, b', x1, x2) | 4,3 i32:2@0:0.3 i32:2@0:0.3
        index(x0, ':, a', x1) | 3,4 i32:2,2@0:0.4
        at_set(x0, '1', x1) | 3,2 2
        at_set(x0, '::2', 0) | 5
        at_add(x0, 'a', x2, x1) | 5 i32:3@0:0.4 3
        at_mul(x0, '1:3', 2) | 5
        at_max(x0, ':, 0', 1) | 3,2
        at_min(x0, 'a', 0, x1) | 5 i32:2@0:0.4
        """,
        ["i32", "f32", "f64", "u8"],
    )
    table(store, "jnp.reshape(x0, (6,)) | 2,3\njnp.transpose(x0) | 2,3\nindex(x0, '1:, 0') | 3,2", ALL)
    table(store, "index(x0, 'a', x0 > 0) | 1@1:2", F)
    for mode in ("edge", "reflect", "wrap"):
        table(store, f"jnp.pad(x0, 2, mode='{mode}') | 4\njnp.pad(x0, ((1, 0), (0, 2)), mode='{mode}') | 2,3", F)
    table(store, "jnp.interp(x0, jnp.sort(x1), x2) | 5 4 4\njnp.select([x0 > 1, x0 < 0], [x0, x1], 5) | 2,3 2,3", F)


def creation(store):
    for d in ["i32", "f32", "f64", "c64", "bool"]:
        for text in [
            "jnp.zeros((2, 3), {d})",
            "jnp.ones((0, 2), {d})",
            "jnp.full((2,), 1, {d})",
            "jnp.eye(3, dtype={d})",
        ]:
            call(store, text.format(d=d), "", [d])
    for d in ["i32", "f32", "f64"]:
        for text in [
            "jnp.arange(0, 5, 1, {d})",
            "jnp.arange(1, 8, 3, {d})",
            "jnp.arange(5, 0, -2, {d})",
            "jnp.eye(2, 4, 1, {d})",
            "jnp.identity(2, {d})",
            "jnp.tri(3, 4, -1, {d})",
        ]:
            call(store, text.format(d=d), "", [d])
    for d in F:
        for text in [
            "jnp.linspace(0.0, 1.0, 5, dtype={d})",
            "jnp.linspace(2.0, -1.0, 4, dtype={d})",
            "jnp.linspace(0.0, 1.0, 1, dtype={d})",
            "jnp.logspace(0.0, 2.0, 3, dtype={d})",
            "jnp.geomspace(1.0, 8.0, 4, dtype={d})",
        ]:
            call(store, text.format(d=d), "", [d])


def products(store):
    table(
        store,
        """
        jnp.matmul(x0, x1) | 2,3 3,4
        jnp.matmul(x0, x1) | 3 3
        jnp.matmul(x0, x1) | 2,3 3
        jnp.matmul(x0, x1) | 3 3,2
        jnp.matmul(x0, x1) | 2,2,3 3,2
        jnp.matmul(x0, x1) | 2,1,2,3 3,3,2
        jnp.dot(x0, x1) | 2,3 3,2
        jnp.dot(x0, x1) | - 3
        jnp.vdot(x0, x1) | 3 3
        jnp.inner(x0, x1) | 2,3 4,3
        jnp.outer(x0, x1) | 2 3
        jnp.kron(x0, x1) | 2,2 1,3
        jnp.cross(x0, x1) | 2,3 2,3
        jnp.tensordot(x0, x1, 1) | 2,3 3,2
        jnp.tensordot(x0, x1, 2) | 2,2,3 2,3,2
        jnp.tensordot(x0, x1, ([0], [1])) | 3,2 2,3
        jnp.einsum('ij,jk->ik', x0, x1) | 2,3 3,4
        jnp.einsum('ij->ji', x0) | 2,3
        jnp.einsum('ii', x0) | 3,3
        jnp.einsum('ii->i', x0) | 3,3
        jnp.einsum('ij->', x0) | 2,3
        jnp.einsum('i,j->ij', x0, x1) | 2 3
        jnp.einsum('bij,bjk->bik', x0, x1) | 2,2,3 2,3,2
        jnp.einsum('...ij,...j->...i', x0, x1) | 2,2,3 2,3
        jnp.einsum('ij,jk,kl->il', x0, x1, x2) | 2,3 3,2 2,2
        jnp.einsum('bhqd,bhkd->bhqk', x0, x1) | 1,2,2,3 1,2,3,3
        """,
        ["i32", "f32", "f64", "c64"],
    )
    table(
        store,
        """
        jnp.linalg.matrix_power(x0, 3) | 3,3
        jnp.linalg.det(x0) | 3,3
        jnp.linalg.slogdet(x0) | 3,3
        jnp.linalg.inv(x0) | 3,3
        jnp.linalg.solve(x0, x1) | 3,3 3
        jnp.linalg.solve(x0, x1) | 2,3,3 2,3,2
        jnp.linalg.pinv(x0) | 3,2
        jnp.linalg.lstsq(x0, x1)[0] | 4,2 4
        jnp.linalg.cholesky(x0 @ x0.T + 3 * jnp.eye(3, dtype=x0.dtype)) | 3,3
        jnp.linalg.eigvalsh(x0 + x0.T) | 3,3
        jnp.linalg.svd(x0, compute_uv=False) | 3,2
        jnp.linalg.matrix_rank(x0) | 3,3
        jnp.polyval(x0, x1) | 3 4
        jnp.convolve(x0, x1) | 5 3
        jnp.convolve(x0, x1, mode='same') | 5 3
        jnp.fft.fft(x0) | 6
        jnp.fft.rfft(x0) | 2,5
        jnp.fft.irfft(jnp.fft.rfft(x0)) | 6
        jnp.fft.fft2(x0) | 2,4
        jnp.fft.fftshift(x0) | 5
        jnp.fft.ifftshift(x0) | 2,5
        jnp.fft.ifft(x0) | 2,6
        jax.scipy.linalg.expm(x0) | 3,3@-1:1
        jax.scipy.linalg.solve_triangular(x0 + 4 * jnp.eye(3, dtype=x0.dtype), x1, lower=True) | 3,3 3,2
        jnp.block([[x0, x1], [x1, x0]]) | 2,1 2,1
        """,
        F,
        tol=100,
    )


def learning(store):
    for f in ["relu", "relu6", "sigmoid", "silu", "softplus", "soft_sign", "log_sigmoid", "hard_tanh", "hard_sigmoid"]:
        table(store, f"jax.nn.{f}(x0) | 2,3\njax.nn.{f}(x0) | -", F + ["bf16"])
    for f in ["hard_swish", "mish", "selu", "elu", "celu", "leaky_relu", "squareplus"]:
        table(store, f"jax.nn.{f}(x0) | 2,3", F)
    table(
        store,
        """
        jax.nn.gelu(x0) | 2,3
        jax.nn.gelu(x0, approximate=False) | 2,3
        jax.nn.glu(x0) | 2,4
        jax.nn.softmax(x0) | 2,3
        jax.nn.softmax(x0, axis=0) | 2,3
        jax.nn.softmax(x0, axis=(0, 1)) | 2,3
        jax.nn.softmax(x0) | 2,1
        jax.nn.log_softmax(x0, axis=-1) | 2,3
        jax.nn.standardize(x0) | 2,3
        jax.nn.one_hot(x0, 4) | i32:5@-0.1:0.6
        jax.nn.one_hot(x0, 3, axis=0) | i32:2,2@0:0.2
        jax.nn.logsumexp(x0, axis=1) | 2,3
        """,
        F,
    )



LOSSES = """
-jnp.sum(jnp.where(x1[:, None] == jnp.arange(3), jax.nn.log_softmax(x0), 0), -1) | 4,3 i32:4@0:0.25
-jnp.sum(jax.nn.log_softmax(x0) * jax.nn.softmax(x1), -1) | 4,3 4,3
-(x1 * jax.nn.log_sigmoid(x0) + (1 - x1) * jax.nn.log_sigmoid(-x0)) | 2,3 2,3@0:1
jnp.mean((x0 - x1) ** 2) | 2,3 3
jnp.mean(jnp.abs(x0 - x1)) | 2,3 2,3
jnp.where(jnp.abs(x0 - x1) < 1.5, (x0 - x1) ** 2 / 2, 1.5 * (jnp.abs(x0 - x1) - 0.75)) | 2,3 2,3
jnp.maximum(0, 1 - x0 * x1) | 2,3 -
jnp.sum(jax.nn.softmax(x1) * (jax.nn.log_softmax(x1) - jax.nn.log_softmax(x0)), -1) | 2,3 2,3
jax.nn.standardize(x0, epsilon=1e-5) * x1 + x2 | 4,3 3 3
"""

# How a window moves: strides, padding, dilation of the kernel, groups.
LAYERS = """
jax.lax.conv_general_dilated(x0, x1, (1, 1), 'VALID') | 2,3,5,4 2,3,3,2
jax.lax.conv_general_dilated(x0, x1, (2, 1), 'SAME') | 2,3,5,4 2,3,3,2
jax.lax.conv_general_dilated(x0, x1, (1,), [(2, 1)], rhs_dilation=(2,)) | 1,2,6 3,2,2
jax.lax.conv_general_dilated(x0, x1, (2,), 'SAME', feature_group_count=2) | 2,4,7 6,2,3
jax.lax.conv_general_dilated(x0, x1, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC')) | 2,4,3,2 3,2,2,5
jax.lax.reduce_window(x0, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), 'VALID') | 2,3,5,4
jax.lax.reduce_window(x0, -jnp.inf, jax.lax.max, (1, 1, 3), (1, 1, 1), 'SAME') | 2,3,6
jax.lax.reduce_window(x0, 0.0, jax.lax.add, (1, 1, 3), (1, 1, 2), 'SAME') / 3 | 2,3,7
jax.nn.softmax(x0 @ jnp.swapaxes(x1, -1, -2) / jnp.sqrt(x0.shape[-1])) @ x2 | 2,3,4 2,5,4 2,5,3
"""


def layers(store):
    table(store, LOSSES, F)
    table(store, LAYERS, F, tol=10)


RANDOM = """
jax.random.split(x0) | key
jax.random.split(x0, 5) | key
jax.random.fold_in(x0, 7) | key
jax.random.bits(x0, (3,), u32) | key
jax.random.bits(x0, (2, 3), u8) | key
jax.random.bits(x0, (5,), u16) | key
jax.random.bits(x0, (3,), u64) | key
jax.random.uniform(x0, (2, 3), f32) | key
jax.random.uniform(x0, (), f32) | key
jax.random.uniform(x0, (0, 2), f32) | key
jax.random.uniform(x0, (7,), f64) | key
jax.random.uniform(x0, (5,), f16) | key
jax.random.uniform(x0, (5,), bf16) | key
jax.random.uniform(x0, (4,), f32, -2.0, 5.0) | key
jax.random.normal(x0, (2, 3), f32) | key
jax.random.normal(x0, (5,), f64) | key
jax.random.normal(x0, (5,), bf16) | key
jax.random.normal(x0, (3,), c64) | key
jax.random.randint(x0, (6,), 0, 10, i32) | key
jax.random.randint(x0, (2, 3), -5, 100, i64) | key
jax.random.randint(x0, (6,), 0, 200, u8) | key
jax.random.bernoulli(x0, 0.3, (6,)) | key
jax.random.bernoulli(x0, 0.5, (2, 4)) | key
jax.random.categorical(x0, x1) | key f32:5
jax.random.categorical(x0, x1, axis=0) | key f32:4,3
jax.random.permutation(x0, 8) | key
jax.random.permutation(x0, x1) | key f32:5,2
jax.random.choice(x0, 10, (4,)) | key
jax.random.choice(x0, 10, (4,), replace=False) | key
jax.random.truncated_normal(x0, -1.0, 2.0, (5,), f32) | key
jax.random.truncated_normal(x0, -1.0, 2.0, (5,), f64) | key
jax.random.gumbel(x0, (5,), f32) | key
jax.random.gumbel(x0, (5,), f64) | key
jax.random.exponential(x0, (5,), f32) | key
jax.random.exponential(x0, (5,), f64) | key
jax.random.laplace(x0, (5,), f32) | key
jax.random.logistic(x0, (5,), f32) | key
jax.random.cauchy(x0, (5,), f32) | key
jax.random.rademacher(x0, (6,), f32) | key
jax.random.gamma(x0, 2.5, (4,), f32) | key
jax.random.beta(x0, 2.0, 3.0, (4,), f32) | key
jax.random.poisson(x0, 3.0, (5,)) | key
jax.random.orthogonal(x0, 3) | key
jax.random.multivariate_normal(x0, x1, jnp.eye(3, dtype=f32)) | key f32:3
"""


def random(store):
    for s in (0, 42, 2**31 + 5):
        for line in RANDOM.strip().splitlines():
            text, _, operands = line.rpartition("|")
            x = [np.asarray(jax.random.PRNGKey(s))]
            x += [operand(o, "f32", s % 97 + i) for i, o in enumerate(operands.split()[1:])]
            names = NAMESPACE | {f"x{i}": jnp.asarray(v) for i, v in enumerate(x)}
            out = listed(jax.tree.leaves(eval(text.strip(), names)))
            store.add(f"{text.split('(')[0]}/{s}", call=text.strip(), **{"in": x}, out=out)


FAMILIES = {
    "fn_elementwise": elementwise,
    "fn_reductions": reductions,
    "fn_shapes": shapes,
    "fn_creation": creation,
    "fn_products": products,
    "fn_learning": learning,
    "fn_layers": layers,
    "fn_random": random,
}
