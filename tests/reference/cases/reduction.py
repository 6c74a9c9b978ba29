"""Ops that combine or order elements: reductions, windows, running sums, extremes, sorting."""

import numpy as np
from jax import lax
from jax._src.lax import windowed_reductions

from store import ALL, COMPLEX, DTYPES, FLOATS, INTS, op, subnormal
from values import distinct, ordinary, special

SHAPES = [((2, 3), [1]), ((2, 3), [0]), ((2, 3), [0, 1]), ((2, 3), []), ((0, 3), [0]), ((0, 3), [1])]
SHAPES += [((), []), ((1, 4, 2), [0, 2])]
NAMED = {"add": lax.add, "mul": lax.mul, "max": lax.max, "min": lax.min}
NAMED |= {"and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor}


def takes(combiner, d):
    """Whether the combiner is for this type; on `bool`, `add` is `or` and `mul` is `and`."""
    return d == "bool" or d in INTS if combiner in ("and", "or", "xor") else True


def function(combiner, d):
    return NAMED[{"add": "or", "mul": "and"}.get(combiner, combiner) if d == "bool" else combiner]


def identity(combiner, d):
    """The value that changes nothing."""
    t = DTYPES[d]
    if combiner in ("add", "or", "xor"):
        return t(0)
    if combiner == "mul":
        return t(1)
    if combiner == "and":
        return t(True) if d == "bool" else ~t(0)
    low = combiner == "max"
    if d == "bool":
        return t(not low)
    if d in INTS:
        return t(np.iinfo(t).min if low else np.iinfo(t).max)
    inf = -np.inf if low else np.inf
    return t(complex(inf, inf)) if d in COMPLEX else t(inf)


def combining(d, text):
    """A program on two scalars: `c` is computed from `a` and `b`."""
    return f"program (a: {d}[], b: {d}[]) {{ {text} return c }}"


def reduce(store):
    for d in ALL:
        for combiner in NAMED:
            if not takes(combiner, d):
                continue
            for k, (shape, dims) in enumerate(SHAPES):
                if d not in ("f32", "f64", "i32", "c128", "bool") and k not in (0, 2, 4):
                    continue
                fn = lambda x: lax.reduce(x, identity(combiner, d), function(combiner, d), dims)  # noqa: E731
                # JAX has no derivative of a product at second order over an empty axis.
                smooth = d == "f64" and combiner in ("add", "mul", "max", "min") or d == "c128" and combiner == "add"
                diff = (0,) if smooth and shape != (0, 3) else ()
                text = op("reduce", combiner=combiner, dims=dims)
                store.op(text, [distinct(d, shape)], fn, f"{combiner}/{dims}", diff=diff)
    for d in FLOATS:
        for combiner, numpy in [("max", lambda x: x.max(1)), ("min", lambda x: x.min(1))]:
            x = special(d).reshape(4, 7)
            fn = lambda x: lax.reduce(x, identity(combiner, d), NAMED[combiner], [1])  # noqa: E731
            store.op(op("reduce", combiner=combiner, dims=[1]), [x], fn, f"{combiner}/special", numpy=numpy)
    # Ties share the derivative.
    for combiner in ("max", "min"):
        x = np.array([[1.0, 2, 2], [2, 0, 0]])
        fn = lambda x: lax.reduce(x, identity(combiner, "f64"), NAMED[combiner], [1])  # noqa: E731
        store.op(op("reduce", combiner=combiner, dims=[1]), [x], fn, f"{combiner}/ties", diff=(0,))
    programs(store)


def programs(store):
    """Reductions by a program: a named one in disguise, one of several operands, one that is no known one."""
    for d in ("f32", "f64", "i32"):
        x = ordinary(d, (3, 4))
        add = combining(d, f"c: {d}[] = add(a, b)")
        fn = lambda x, i: lax.reduce(x, i, lambda a, b: lax.add(a, b), [0])  # noqa: E731
        store.op(op("reduce", combiner=add, dims=[0]), [x, DTYPES[d](2)], fn, "program/add")
        larger = f"e: {d}[] = mul(a, a) f: {d}[] = mul(b, b) p: bool[] = compare[direction=ge](e, f)"
        magnitude = combining(d, f"{larger} c: {d}[] = select(p, a, b)")
        fn = lambda x, i: lax.reduce(  # noqa: E731
            x, i, lambda a, b: lax.select(lax.ge(lax.mul(a, a), lax.mul(b, b)), a, b), [1]
        )
        store.op(op("reduce", combiner=magnitude, dims=[1]), [x, DTYPES[d](0)], fn, "program/magnitude")
        both = (
            f"program (a: {d}[], i: i32[], b: {d}[], j: i32[]) {{ p: bool[] = compare[direction=ge](a, b) "
            f"c: {d}[] = select(p, a, b) k: i32[] = select(p, i, j) return c, k }}"
        )

        def argmax(x, n, x0, n0):
            def larger(p, q):
                keep = lax.ge(p[0], q[0])
                return lax.select(keep, p[0], q[0]), lax.select(keep, p[1], q[1])

            return lax.reduce((x, n), (x0, n0), larger, [1])

        n = np.tile(np.arange(4, dtype=np.int32), (3, 1))
        x = distinct(d, (3, 4))
        text = op("reduce", combiner=both, dims=[1])
        store.op(text, [x, n, DTYPES[d](-100), np.int32(-1)], argmax, "program/two operands")


def window(size, strides=None, padding=None, base=None, dilation=None):
    n = len(size)
    return dict(
        size=size,
        strides=strides or [1] * n,
        padding=padding or [(0, 0)] * n,
        base_dilation=base or [1] * n,
        window_dilation=dilation or [1] * n,
    )


WINDOWS = {
    "plain": ((6,), window([3])),
    "strided": ((7,), window([2], [3])),
    "padded": ((5,), window([3], [2], [(1, 2)])),
    "dilated": ((7,), window([2], None, None, None, [3])),
    "base dilated": ((4,), window([3], None, [(1, 0)], [2])),
    "cut": ((6,), window([2], None, [(-1, -2)])),
    "image": ((1, 4, 5), window([1, 2, 3], [1, 2, 1], [(0, 0), (1, 1), (0, 1)])),
    "one": ((3, 2), window([1, 1])),
    "too large": ((2,), window([3])),
    "empty": ((0, 3), window([1, 2], None, [(0, 0), (1, 0)])),
    "scalar": ((), window([])),
    "all": ((2, 3), window([2, 2], [1, 2], [(1, 0), (2, 1)], [2, 1], [1, 2])),
}


def reduce_window(store):
    for d in ALL:
        for combiner in ("add", "mul", "max", "min", "and", "or"):
            if not takes(combiner, d):
                continue
            for tag, (shape, w) in WINDOWS.items():
                thorough = d in ("f32", "f64", "i32", "c128")
                if not (thorough and combiner in ("add", "max")) and tag not in ("padded", "all"):
                    continue
                fn = lambda x: lax.reduce_window(  # noqa: E731
                    x,
                    identity(combiner, d),
                    function(combiner, d),
                    w["size"],
                    w["strides"],
                    w["padding"],
                    w["base_dilation"],
                    w["window_dilation"],
                )
                text = op("reduce_window", combiner=combiner, window=w)
                smooth = d == "f64" and combiner in ("add", "max") or d == "c128" and combiner == "add"
                # JAX can't reverse a maximum over dilated elements, nor what negative padding takes away.
                holes = tag in ("dilated", "base dilated", "all") and combiner == "max"
                holes = holes or tag in ("cut", "too large", "empty", "scalar")
                store.op(text, [distinct(d, shape)], fn, f"{combiner}/{tag}", diff=(0,) if smooth and not holes else ())


def select_and_scatter(store):
    for d in ("f32", "f64", "i32", "f16", "bf16", "u8"):
        for select, compare in [("ge", lax.ge), ("le", lax.le)]:
            for tag in ("plain", "strided", "padded", "image", "one"):
                shape, w = WINDOWS[tag]
                x = distinct(d, shape)
                init = identity("max" if select == "ge" else "min", d)
                f = lax.max if select == "ge" else lax.min
                y = lax.reduce_window(x, init, f, w["size"], w["strides"], w["padding"])
                source = ordinary(d, y.shape, salt=2)
                fn = lambda x, s: windowed_reductions._select_and_scatter(  # noqa: E731
                    x, compare, w["size"], w["strides"], w["padding"], s, DTYPES[d](0), lax.add
                )
                text = op("select_and_scatter", select=select, window=w, combiner="add")
                store.op(text, [x, source], fn, f"{select}/{tag}")


CUMULATIVE = {
    "sum": lax.cumsum,
    "prod": lax.cumprod,
    "max": lax.cummax,
    "min": lax.cummin,
    "logsumexp": lax.cumlogsumexp,
}


def cumulative(store):
    for kind, f in CUMULATIVE.items():
        for d in ALL:
            if d == "bool" or kind == "logsumexp" and d not in FLOATS or kind in ("max", "min") and d in COMPLEX:
                continue
            for shape, dim in [((5,), 0), ((2, 3), 1), ((3, 2), 0), ((0, 2), 0), ((1, 1), 1), ((2, 1, 3), 2)]:
                for reverse in (False, True):
                    if d not in ("f32", "f64", "i32") and (reverse or shape == (1, 1)):
                        continue
                    fn = lambda x: f(x, axis=dim, reverse=reverse)  # noqa: E731
                    text = op("cumulative", kind=kind, dim=dim, reverse=reverse)
                    diff = (0,) if d == "f64" and 0 not in shape else ()
                    store.op(text, [distinct(d, shape)], fn, f"{kind}/{dim}/{reverse}", diff=diff)


def arg_reduce(store):
    for extreme, f in [("max", lax.argmax), ("min", lax.argmin)]:
        for d in ALL:
            if d in COMPLEX:
                continue
            places = [((5,), 0), ((2, 3), 0), ((2, 3), 1), ((1,), 0), ((0, 2), 1), ((2, 1, 3), 2)]
            for k, (shape, dim) in enumerate(places):
                index = ["i32", "i64", "u8"][k % 3]
                fn = lambda x: f(x, dim, DTYPES[index])  # noqa: E731
                text = op("arg_reduce", extreme=extreme, dim=dim, dtype=index)
                store.op(text, [ordinary(d, shape)], fn, f"{extreme}/{dim}")
        for d in FLOATS:
            x = np.array([[1, np.nan, 3, np.nan], [0, -0.0, 0, -0.0], [np.inf, 1, -np.inf, np.inf]], DTYPES[d])
            fn = lambda x: f(x, 1, np.int32)  # noqa: E731
            store.op(op("arg_reduce", extreme=extreme, dim=1, dtype="i32"), [x], fn, f"{extreme}/special")


def sort(store):
    for d in ALL:
        for shape, dim in [((6,), 0), ((3, 4), 1), ((3, 4), 0), ((0, 2), 1), ((1,), 0), ((2, 0), 1)]:
            fn = lambda x: lax.sort(x, dimension=dim)  # noqa: E731
            text = op("sort", dim=dim, stable=True, order=1)
            diff = (0,) if d == "f64" else ()
            store.op(text, [distinct(d, shape)], fn, f"{dim}", strict=True, diff=diff)
        # Ties: the second operand shows that the order of equal elements is kept.
        keys = ordinary(d, (8,), -0.3, 0.3)
        keys = (keys * 8).round() if d in FLOATS else keys
        n = np.arange(8, dtype=np.int32)
        fn = lambda x, n: lax.sort((x, n), num_keys=1, is_stable=True)  # noqa: E731
        store.op(op("sort", dim=0, stable=True, order=1), [keys, n], fn, "stable", strict=True)
        a, b = ordinary("i32", (8,), -0.2, 0.2), ordinary(d, (8,))
        fn = lambda a, b, n: lax.sort((a, b, n), num_keys=2)  # noqa: E731
        store.op(op("sort", dim=0, stable=True, order=2), [a, b, n], fn, "two keys", strict=True)
    for d in FLOATS:
        # XLA takes subnormal numbers for zeros here, too.
        x = special(d)
        x = x[~subnormal(x)]
        n = np.arange(x.size, dtype=np.int32)
        fn = lambda x, n: lax.sort((x, n), num_keys=1)  # noqa: E731
        store.op(op("sort", dim=0, stable=True, order=1), [x, n], fn, "special")
    for d in ("f32", "f64", "i32", "u8"):
        # Descending, by a program: JAX sorts the negative.
        order = f"program (a: {d}[], b: {d}[]) {{ c: bool[] = compare[direction=gt](a, b) return c }}"
        x = distinct(d, (3, 4))
        fn = lambda x: lax.rev(lax.sort(x, dimension=1), [1])  # noqa: E731
        text = op("sort", dim=1, stable=True, order=order)
        store.op(text, [x], fn, "program", strict=True, diff=(0,) if d == "f64" else ())
    x, y = distinct("f64", (3, 4)), distinct("f64", (3, 4), salt=1)
    fn = lambda x, y: lax.sort((x, y), dimension=0, num_keys=1)  # noqa: E731
    store.op(op("sort", dim=0, stable=True, order=1), [x, y], fn, "two operands", diff=(0, 1))


def top_k(store):
    for d in ALL:
        if d == "bool" or d in COMPLEX:
            continue
        for shape, k in [((6,), 2), ((2, 5), 3), ((2, 3), 3), ((3,), 0), ((0, 4), 2), ((1, 1), 1)]:
            fn = lambda x: tuple(lax.top_k(x, k))  # noqa: E731
            store.op(op("top_k", k=k), [distinct(d, shape)], fn, f"{k}", strict=True, diff=(0,) if d == "f64" else ())
        ties = ordinary(d, (2, 8), -0.2, 0.3)
        ties = ties.round() if d in FLOATS else ties
        store.op(op("top_k", k=5), [ties], lambda x: tuple(lax.top_k(x, 5)), "ties")


FAMILIES = {
    "reduce": reduce,
    "reduce_window": reduce_window,
    "select_and_scatter": select_and_scatter,
    "cumulative": cumulative,
    "arg_reduce": arg_reduce,
    "sort": sort,
    "top_k": top_k,
}
