"""Ops that move elements about: every element type, ranks 0 to 4, sizes 0 and 1."""

import numpy as np
from jax import lax

from store import ALL, DTYPES, op
from values import ordinary


def diff(d, *operands):
    """Derivatives are taken in double precision; of real numbers and of complex ones."""
    return operands if d in ("f64", "c128") else ()


def creation(store):
    for d in ALL:
        for shape, dim in [((5,), 0), ((2, 3), 0), ((2, 3), 1), ((0, 2), 1), ((1, 4, 2), 1), ((1,), 0)]:
            if d != "bool":
                ty = f"{d}[{','.join(map(str, shape))}]"
                fn = lambda: lax.broadcasted_iota(DTYPES[d], shape, dim)  # noqa: E731
                store.op(op("iota", ty=ty, dim=dim), [], fn, f"{ty}/{dim}", strict=True)


def broadcast(store):
    for d in ALL:
        for shape, out, dims in [
            ((), (2, 3), []),
            ((), (), []),
            ((3,), (2, 3), [1]),
            ((2,), (2, 3), [0]),
            ((1,), (4,), [0]),
            ((2, 1), (2, 3), [0, 1]),
            ((1, 1), (0, 3), [0, 1]),
            ((2, 3), (3, 4, 2), [2, 0]),
            ((1, 3), (2, 3, 2), [0, 1]),
            ((0,), (2, 0), [1]),
        ]:
            fn = lambda x: lax.broadcast_in_dim(x, out, sorted(dims)) if dims == sorted(dims) else (  # noqa: E731
                lax.broadcast_in_dim(lax.transpose(x, np.argsort(dims)), out, sorted(dims))
            )
            text = op("broadcast", shape=list(out), dims=dims)
            store.op(text, [ordinary(d, shape)], fn, strict=True, diff=diff(d, 0))


def reshape(store):
    for d in ALL:
        shapes = [((2, 3), (6,)), ((6,), (3, 2)), ((), (1, 1)), ((1,), ()), ((0, 2), (3, 0)), ((2, 2, 2), (4, 2))]
        for shape, out in shapes:
            fn = lambda x: lax.reshape(x, out)  # noqa: E731
            store.op(op("reshape", shape=list(out)), [ordinary(d, shape)], fn, strict=True, diff=diff(d, 0))


def transpose(store):
    for d in ALL:
        orders = [((2, 3), [1, 0]), ((2, 3, 4), [2, 0, 1]), ((2, 3, 4), [0, 2, 1]), ((), []), ((0, 3), [1, 0])]
        for shape, perm in orders:
            fn = lambda x: lax.transpose(x, perm)  # noqa: E731
            store.op(op("transpose", perm=perm), [ordinary(d, shape)], fn, strict=True, diff=diff(d, 0))


def reverse(store):
    for d in ALL:
        turns = [((5,), [0]), ((2, 3), [1]), ((2, 3), [0, 1]), ((2, 3), []), ((0, 3), [0]), ((), []), ((1, 4), [0])]
        for shape, dims in turns:
            fn = lambda x: lax.rev(x, dims)  # noqa: E731
            store.op(op("reverse", dims=dims), [ordinary(d, shape)], fn, strict=True, diff=diff(d, 0))


def slice_(store):
    for d in ALL:
        for shape, start, limit, strides in [
            ((6,), [1], [5], [1]),
            ((6,), [0], [6], [2]),
            ((6,), [5], [6], [4]),
            ((3, 4), [1, 0], [3, 4], [1, 3]),
            ((3, 4), [2, 2], [2, 4], [1, 1]),
            ((), [], [], []),
            ((0, 2), [0, 1], [0, 2], [1, 1]),
            ((2, 3, 4), [0, 1, 0], [2, 3, 4], [1, 2, 2]),
        ]:
            fn = lambda x: lax.slice(x, start, limit, strides)  # noqa: E731
            text = op("slice", start=start, limit=limit, strides=strides)
            store.op(text, [ordinary(d, shape)], fn, strict=True, diff=diff(d, 0))


def dynamic(store):
    places = [
        ((6,), (2,), [1]),
        ((6,), (6,), [3]),
        ((3, 4), (2, 2), [1, 9]),
        ((3, 4), (1, 4), [-5, 2]),
        ((3, 4), (0, 2), [1, 1]),
        ((), (), []),
        ((0, 3), (0, 1), [0, 2]),
    ]
    for d in ALL:
        for k, (shape, size, starts) in enumerate(places):
            t = [np.int32, np.int64, np.uint8, np.int8][k % 4]
            starts = [np.array(s if t != np.uint8 or s >= 0 else 200).astype(t) for s in starts]
            fn = lambda x, *s: lax.dynamic_slice(x, s, size)  # noqa: E731
            text = op("dynamic_slice", sizes=list(size))
            store.op(text, [ordinary(d, shape), *starts], fn, strict=True, diff=diff(d, 0))
            fn = lambda x, u, *s: lax.dynamic_update_slice(x, u, s)  # noqa: E731
            x = [ordinary(d, shape), ordinary(d, size, salt=1), *starts]
            store.op("dynamic_update_slice", x, fn, strict=True, diff=diff(d, 0, 1))


def concatenate(store):
    for d in ALL:
        for shapes, dim in [
            ([(2,), (3,)], 0),
            ([(2, 1), (2, 3), (2, 2)], 1),
            ([(0, 2), (1, 2)], 0),
            ([(2, 2)], 1),
            ([(2, 0), (2, 0)], 1),
            ([(1, 2, 2), (2, 2, 2)], 0),
        ]:
            x = [ordinary(d, s, salt=i) for i, s in enumerate(shapes)]
            fn = lambda *x: lax.concatenate(x, dim)  # noqa: E731
            store.op(op("concatenate", dim=dim), x, fn, strict=True, diff=diff(d, *range(len(x))))


def pad(store):
    for d in ALL:
        for shape, config in [
            ((3,), [(1, 2, 0)]),
            ((3,), [(0, 0, 2)]),
            ((5,), [(-1, -2, 0)]),
            ((4,), [(-1, 2, 1)]),
            ((2, 3), [(1, 0, 0), (0, -1, 1)]),
            ((2, 3), [(0, 0, 0), (-2, -2, 1)]),
            ((0, 2), [(1, 1, 0), (0, 0, 0)]),
            ((), []),
            ((1,), [(-1, 0, 0)]),
            ((0,), [(0, 0, 3)]),
        ]:
            low, high, interior = ([c[i] for c in config] for i in range(3))
            fn = lambda x, v: lax.pad(x, v, config)  # noqa: E731
            text = op("pad", low=low, high=high, interior=interior)
            store.op(text, [ordinary(d, shape), ordinary(d, (), salt=7)], fn, strict=True, diff=diff(d, 0, 1))


FAMILIES = [creation, broadcast, reshape, transpose, reverse, slice_, dynamic, concatenate, pad]


def cases(store):
    for family in FAMILIES:
        family(store)
