"""Decompositions, triangular systems, random bits.

Where vectors are only known up to a factor, what they are made for is checked: the product that gives the matrix back.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.random import threefry2x32_p
from jax.lax import linalg

from store import COMPLEX, DTYPES, listed, op, seed, type_of
from values import ordinary

TYPES = ["f32", "f64", "c64", "c128"]
# Condition numbers of small random matrices cost a few digits.
LOSS = 100


def diff(d, *operands):
    return operands if d in ("f64", "c128") else ()


def regular(d, shape, salt=0):
    """Matrices far from singular: a random one, and a larger diagonal."""
    n = shape[-1]
    return (ordinary(d, shape, -1, 1, salt=salt) + np.diag(np.arange(2, n + 2)).astype(DTYPES[d])).astype(DTYPES[d])


def definite(d, shape):
    x = ordinary(d, shape, -1, 1, salt=4)
    return (x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(shape[-1])).astype(DTYPES[d])


def triangular_solve(store):
    for d in TYPES:
        for left in (True, False):
            for lower in (True, False):
                for unit in (True, False):
                    for how in ("no", "transpose", "adjoint"):
                        if how == "adjoint" and d not in COMPLEX and unit:
                            continue
                        a = regular(d, (3, 3))
                        b = ordinary(d, (3, 2) if left else (2, 3), salt=1)
                        fn = lambda a, b: linalg.triangular_solve(  # noqa: E731
                            a,
                            b,
                            left_side=left,
                            lower=lower,
                            transpose_a=how != "no",
                            conjugate_a=how == "adjoint",
                            unit_diagonal=unit,
                        )
                        text = op("triangular_solve", left_side=left, lower=lower, unit_diagonal=unit, transpose_a=how)
                        store.op(text, [a, b], fn, f"{left}/{lower}/{unit}/{how}", tol=LOSS, diff=diff(d, 0, 1))
        awkward = [((2, 2, 2), (2, 2, 1)), ((1, 1), (1, 1)), ((0, 2, 2), (0, 2, 3)), ((2, 2), (2, 0)), ((0, 0), (0, 2))]
        for left, right in awkward:
            a, b = regular(d, left), ordinary(d, right, salt=1)
            fn = lambda a, b: linalg.triangular_solve(a, b, left_side=True, lower=True)  # noqa: E731
            text = op("triangular_solve", left_side=True, lower=True, unit_diagonal=False, transpose_a="no")
            store.op(text, [a, b], fn, tol=LOSS)


def factor(x):
    return jnp.tril(linalg.cholesky(x, symmetrize_input=False))


def cholesky(store):
    for d in TYPES:
        for shape in [(3, 3), (1, 1), (2, 3, 3), (0, 0), (0, 2, 2)]:
            x = definite(d, shape)
            moving = diff(d, 0) if 0 not in shape else ()
            store.op(op("cholesky", lower=True), [x], factor, "lower", tol=LOSS)
            # Of a matrix that moves symmetrically: what the other triangle does is not read.
            whole = lambda x: factor(0.5 * (x + x.T))  # noqa: E731
            if moving and d == "f64" and len(shape) == 2:
                t = type_of(x)
                text = (
                    f"program (x: {t}) {{ y: {t} = transpose[perm=[1, 0]](x) s: {t} = add(x, y) "
                    f"h: {t} = mul(s, 0.5:{t}) l: {t} = cholesky[lower=true](h) return l }}"
                )
                store.op("cholesky", [x], whole, "symmetric", tol=LOSS, diff=moving, program=text)
        fn = lambda x: jnp.conj(jnp.swapaxes(factor(x), -1, -2))  # noqa: E731
        store.op(op("cholesky", lower=False), [definite(d, (3, 3))], fn, "upper", tol=LOSS)


def factors(store):
    for d in TYPES:
        for shape in [(3, 3), (4, 2), (2, 4), (1, 1), (2, 3, 3), (0, 0), (0, 3, 2)]:
            x = ordinary(d, shape, -1, 1, salt=2)
            fn = lambda x: tuple(linalg.lu(x))  # noqa: E731
            store.op("lu", [x], fn, tol=LOSS, diff=diff(d, 0) if 0 not in shape else ())
            for full in (True, False):
                fn = lambda x: tuple(linalg.qr(x, full_matrices=full))  # noqa: E731
                # JAX differentiates tall matrices with the thin form alone.
                tall = 0 not in shape and shape[-2] >= shape[-1] and (not full or shape[-2] == shape[-1])
                text = op("qr", full_matrices=full)
                store.op(text, [x], fn, f"{full}", tol=LOSS, diff=diff(d, 0) if tall else ())


def product(m, k, n, left, middle, right, d, r):
    """The text of `left · diag(middle) · right`, of types `d[m,k]`, `r[k]`, `d[k,n]`."""
    return (
        f"w: {d}[{k}] = convert[dtype={d}]({middle}) z: {d}[{m},{k}] = broadcast[shape=[{m}, {k}], dims=[1]](w) "
        f"p: {d}[{m},{k}] = mul({left}, z) "
        f"y: {d}[{m},{n}] = dot_general[contract=([1], [0]), batch=([], [])](p, {right})"
    )


def adjoint(d, m, n, x):
    """The text of the conjugate transpose `h` of `x`."""
    t = f"{d}[{n},{m}]"
    turned = f"transpose[perm=[1, 0]]({x})"
    return f"a: {t} = {turned} h: {t} = conj(a)" if d in COMPLEX else f"h: {t} = {turned}"


def spectra(store):
    for d in TYPES:
        r = {"c64": "f32", "c128": "f64"}.get(d, d)
        for n in (3, 1, 4):
            x = ordinary(d, (n, n), -1, 1, salt=3)
            x = (x + np.conj(x.T)).astype(DTYPES[d])
            t = type_of(x)
            for lower in (True, False):
                text = (
                    f"program (x: {t}) {{ e: {r}[{n}], v: {t} = eigh[lower={str(lower).lower()}](x) "
                    f"{adjoint(d, n, n, 'v')} {product(n, n, n, 'v', 'e', 'h', d, r)} return e, y }}"
                )

                def eigh(x):
                    v, w = linalg.eigh(x, lower=lower, symmetrize_input=False)
                    return w, (v * w.astype(v.dtype)) @ jnp.conj(v.T)

                store.op("eigh", [x], eigh, f"{lower}", tol=LOSS, program=text)
            text = op("eigh", lower=True)
            text = f"program (x: {t}) {{ e: {r}[{n}], v: {t} = {text}(x) return e }}"
            fn = lambda x: linalg.eigh(x, symmetrize_input=False)[1]  # noqa: E731
            store.op("eigh", [x], fn, "values", tol=LOSS, program=text)
        for m, n in [(3, 3), (4, 2), (2, 3), (1, 1)]:
            x = ordinary(d, (m, n), -1, 1, salt=5)
            t, k = type_of(x), min(m, n)
            text = (
                f"program (x: {t}) {{ u: {d}[{m},{k}], s: {r}[{k}], v: {d}[{k},{n}] = "
                f"svd[full_matrices=false, compute_uv=true](x) {product(m, k, n, 'u', 's', 'v', d, r)} return s, y }}"
            )

            def svd(x):
                u, s, v = jnp.linalg.svd(x, full_matrices=False)
                return s, (u * s.astype(u.dtype)) @ v

            moving = diff(d, 0) if d == "f64" else ()
            store.op("svd", [x], svd, "product", tol=LOSS, program=text, diff=moving)
            fn = lambda x: jnp.linalg.svd(x, compute_uv=False)  # noqa: E731
            text = op("svd", full_matrices=False, compute_uv=False)
            store.op(text, [x], fn, "values", tol=LOSS, diff=moving)
        for n in (3, 1):
            c = {"f32": "c64", "f64": "c128"}.get(d, d)
            x = ordinary(d, (n, n), -1, 1, salt=6)
            # What eigenvectors are: a·v - v·w is zero.
            text = (
                f"program (x: {d}[{n},{n}]) {{ w: {c}[{n}], v: {c}[{n},{n}] = eig[compute_v=true](x) "
                f"a: {c}[{n},{n}] = convert[dtype={c}](x) "
                f"p: {c}[{n},{n}] = dot_general[contract=([1], [0]), batch=([], [])](a, v) "
                f"z: {c}[{n},{n}] = broadcast[shape=[{n}, {n}], dims=[1]](w) q: {c}[{n},{n}] = mul(v, z) "
                f"e: {c}[{n},{n}] = sub(p, q) t: {c}[] = reduce[combiner=add, dims=[0]](w) return e, t }}"
            )

            def eig(x):
                return jnp.zeros((n, n), DTYPES[c]), jnp.trace(x).astype(DTYPES[c])

            store.op("eig", [x], eig, "vectors", tol=LOSS, program=text)


def vectors(store):
    """Vectors as they are, with the signs (or phases) that LAPACK gives them.

    In single precision roundings decide on some of these, so the matrices are smaller there.
    """
    for d in TYPES:
        r = {"c64": "f32", "c128": "f64"}.get(d, d)
        for n in (1, 2, 4) if d in ("f32", "c64") else (1, 2, 3, 5, 10, 24, 25):
            x = ordinary(d, (n, n), -1, 1, salt=7)
            t = type_of(x)
            for lower in (True, False):
                text = op("eigh", lower=lower)
                text = f"program (x: {t}) {{ e: {r}[{n}], v: {t} = {text}(x) return v, e }}"
                fn = lambda x: linalg.eigh(x, lower=lower, symmetrize_input=False)  # noqa: E731
                store.op("lapack", [x], fn, f"eigh/{lower}", tol=LOSS, program=text)
        short = [(1, 1), (3, 3), (4, 2), (2, 5)]
        for m, n in short if d in ("f32", "c64") else short + [(2, 3), (8, 7), (7, 8), (12, 5), (5, 12), (24, 24)]:
            x, k = ordinary(d, (m, n), -1, 1, salt=8), min(m, n)
            for full in (True, False):
                p, q = (m, n) if full else (k, k)
                text = op("svd", full_matrices=full, compute_uv=True)
                types = f"u: {d}[{m},{p}], s: {r}[{k}], v: {d}[{q},{n}]"
                text = f"program (x: {type_of(x)}) {{ {types} = {text}(x) return u, s, v }}"
                fn = lambda x: tuple(jnp.linalg.svd(x, full_matrices=full))  # noqa: E731
                store.op("lapack", [x], fn, f"svd/{full}", tol=LOSS, program=text)


def structured(d, n):
    """Matrices whose eigenvectors are settled by rules and not by roundings: most lack some, or have ties."""
    pairs = (n + 1) // 2
    some = ordinary("f64", (n, n), -1, 1, salt=10)
    yield "zeros", np.zeros((n, n))
    yield "identity", np.eye(n)
    yield "jordan", 2 * np.eye(n) + np.eye(n, k=1)
    yield "jordan, lower", 2 * np.eye(n) + np.eye(n, k=-1)
    yield "nilpotent", np.triu(some, 1)
    yield "pairs that lack vectors", (np.kron(np.eye(pairs), [[1, 2], [-3, 1]]) + np.eye(2 * pairs, k=2))[:n, :n]
    # Of complex numbers there are no pairs, and roundings decide which of two elements is the larger.
    if d not in COMPLEX:
        yield "rotations", np.kron(np.eye(pairs), [[0, -1], [1, 0]])[:n, :n]
        yield "equal pairs", np.kron(np.eye(pairs), [[1, 2], [-2, 1]])[:n, :n]


def various(d, n):
    """Random matrices, and such that balancing has something to do with."""
    x = ordinary(d, (n, n), -1, 1, salt=11)
    order = seed("order", n).permutation(n)
    scale = 2.0 ** seed("scale", n).integers(-6, 7, n)
    few = x * (seed("few", n).random((n, n)) < 0.3)
    yield "random", x
    yield "triangular, in another order", np.triu(x)[order][:, order]
    yield "mostly zeros", few
    yield "badly scaled", x * scale[:, None] / scale
    if n > 12:
        return
    yield "triangular", np.triu(x)
    yield "triangular, lower", np.tril(x)
    yield "symmetric", x + x.T
    yield "positive", np.abs(x)
    yield "large", x * 1e5
    yield "small", x * 1e-5


def eigenvectors(store):
    """Eigenvalues in LAPACK's order, and both kinds of eigenvectors with its signs (or phases).

    Roundings decide on some of these; where JAX gives others for a matrix that differs in the last bits, it is left out.
    """

    def settled(x, out):
        near = [x * (1 + np.finfo(x.dtype).eps * seed(i).integers(-1, 2, x.shape)).astype(x.dtype) for i in range(8)]
        close = np.finfo(x.dtype).eps ** 0.5
        others = listed(linalg.eig(np.stack(near)))
        return all(np.abs(a - b).max() <= close * np.abs(b).max() for a, b in zip(others, out))

    def add(d, x, tag):
        c = {"f32": "c64", "f64": "c128"}.get(d, d)
        batch = "".join(f"{size}," for size in x.shape[:-1])
        w, v = f"{c}[{batch[:-1]}]", f"{c}[{batch}{x.shape[-1]}]"
        text = op("eig", compute_v="both")
        text = f"program (x: {type_of(x)}) {{ w: {w}, u: {v}, v: {v} = {text}(x) return w, u, v }}"
        store.op("eig", [x], lambda x: tuple(linalg.eig(x)), tag, tol=10 * LOSS, program=text)

    for d in TYPES:
        for n in (1, 2, 3, 5):
            for name, x in structured(d, n):
                add(d, x.astype(DTYPES[d]), name)
        for n in (1, 2, 3, 5, 12, 24):
            for name, x in various(d, n):
                x = x.astype(DTYPES[d])
                if settled(x, listed(linalg.eig(x))):
                    add(d, x, name)
                else:
                    store.count("left to roundings")
        batch = np.stack([x for _, x in structured(d, 3)]).astype(DTYPES[d])
        add(d, batch.reshape(2, -1, 3, 3), "batch")


def random(store):
    rng = np.random.default_rng(5)
    for shape in [(4,), (2, 3), (), (0,)]:
        x = [rng.integers(0, 2**32, shape).astype(np.uint32) for _ in range(4)]
        store.op("threefry2x32", x, lambda *x: tuple(threefry2x32_p.bind(*x)))
    x = [np.zeros(1, np.uint32)] * 4
    store.op("threefry2x32", x, lambda *x: tuple(threefry2x32_p.bind(*x)), "zeros")
    for algorithm in ("three_fry", "philox"):
        which = getattr(lax.RandomAlgorithm, {"three_fry": "RNG_THREE_FRY", "philox": "RNG_PHILOX"}[algorithm])
        for d in ("u8", "u16", "u32", "u64"):
            for shape in [(5,), (2, 3), (1,)]:
                state = np.array([42, 7] + ([9] if algorithm == "philox" else []), np.uint64)
                ty = f"{d}[{','.join(map(str, shape))}]"
                fn = lambda s: tuple(lax.rng_bit_generator(s, shape, DTYPES[d], algorithm=which))  # noqa: E731
                store.op(op("rng_bit_generator", algorithm=algorithm, ty=ty), [state], fn, f"{algorithm}/{ty}")


FAMILIES = {
    "triangular_solve": triangular_solve,
    "cholesky": cholesky,
    "factors": factors,
    "spectra": spectra,
    "vectors": vectors,
    "eigenvectors": eigenvectors,
    "random_bits": random,
}
