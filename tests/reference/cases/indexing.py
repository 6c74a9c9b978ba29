"""Gather and scatter: every way to point, out of bounds too."""

import numpy as np
from jax import lax

from store import ALL, COMPLEX, DTYPES, INTS, op
from values import ordinary

# Where windows are: shapes of the operand and the windows, the indices, then the numbers of StableHLO: the axes of the
# windows' array inside a window, collapsed axes, index map, batching axes of operand and indices.
PLACES = {
    "rows": ((4, 3), (1, 3), [[0], [3], [1], [1]], [1], [0], [0], [], []),
    "columns": ((3, 4), (3, 1), [[2], [0]], [0], [1], [1], [], []),
    "elements": ((3, 4), (1, 1), [[0, 1], [2, 3], [1, 1]], [], [0, 1], [0, 1], [], []),
    "turned": ((3, 4), (1, 1), [[1, 0], [3, 2]], [], [0, 1], [1, 0], [], []),
    "windows": ((5, 4), (2, 3), [[0, 0], [3, 1]], [1, 2], [], [0, 1], [], []),
    "outside": ((5, 4), (2, 3), [[-1, 0], [4, 1], [2, 2], [3, 1]], [1, 2], [], [0, 1], [], []),
    "far": ((4,), (1,), [[-100], [3], [100], [4]], [], [0], [0], [], []),
    "grid": ((4, 2), (1, 2), [[[0], [1]], [[2], [7]]], [2], [0], [0], [], []),
    "batched": ((2, 4), (1, 1), [[[0], [3]], [[1], [1]]], [], [1], [1], [0], [0]),
    "batched windows": ((2, 4, 3), (1, 2, 3), [[[0]], [[2]]], [2, 3], [], [1], [0], [0]),
    "one": ((3,), (1,), [2], [], [0], [0], [], []),
    "none": ((3, 2), (1, 2), np.zeros((0, 1)), [1], [0], [0], [], []),
    "empty": ((3, 0), (1, 0), [[1], [2]], [1], [0], [0], [], []),
    "whole": ((2, 2), (2, 2), [], [0, 1], [], [], [], []),
}


def diff(d, *operands):
    return operands if d in ("f64", "c128") else ()


def indexing(window, collapsed, index_map, batching, indices_batching, indices):
    return dict(
        window_dims=window,
        collapsed_dims=collapsed,
        operand_batching_dims=batching,
        indices_batching_dims=indices_batching,
        index_map=index_map,
        index_vector_dim=indices.ndim - 1,
    )


def indices_of(where, t):
    i = np.asarray(where, np.int64)
    return (i.clip(0, 255) if t == np.uint8 else i).astype(t)


def gather(store):
    for d in ALL:
        for k, (tag, (shape, size, where, window, collapsed, index_map, *batching)) in enumerate(PLACES.items()):
            i = indices_of(where, [np.int32, np.int64, np.uint8][k % 3])
            at = indexing(window, collapsed, index_map, *batching, i)
            numbers = lax.GatherDimensionNumbers(
                tuple(window), tuple(collapsed), tuple(index_map), *map(tuple, batching)
            )
            for bounds in ["clip", "fill"]:
                if bounds == "fill" and tag not in ("outside", "far", "grid", "batched"):
                    continue
                seven = "7" if d in INTS else "(7.0, 0.0)" if d in COMPLEX else "7.0"
                value = "true" if d == "bool" else seven
                kept = dict(mode="clip") if bounds == "clip" else dict(mode="fill", fill_value=DTYPES[d](7))
                fn = lambda x, i: lax.gather(x, i, numbers, size, **kept)  # noqa: E731
                text = op(
                    "gather",
                    indexing=at,
                    slice_sizes=list(size),
                    out_of_bounds="clip" if bounds == "clip" else f"{value}:{d}[]",
                    indices_are_sorted=False,
                    unique_indices=False,
                )
                store.op(text, [ordinary(d, shape), i], fn, f"{tag}/{bounds}", strict=True, diff=diff(d, 0))


UPDATES = {
    "set": lax.scatter,
    "add": lax.scatter_add,
    "mul": lax.scatter_mul,
    "max": lax.scatter_max,
    "min": lax.scatter_min,
}


def scatter(store):
    for d in ALL:
        for k, (tag, (shape, size, where, window, collapsed, index_map, *batching)) in enumerate(PLACES.items()):
            i = indices_of(where, [np.int32, np.int64, np.uint8][k % 3])
            at = indexing(window, collapsed, index_map, *batching, i)
            numbers = lax.ScatterDimensionNumbers(
                tuple(window), tuple(collapsed), tuple(index_map), *map(tuple, batching)
            )
            left_out = collapsed + batching[0]
            inner = [n for j, n in enumerate(size) if j not in left_out]
            places = list(i.shape[:-1])
            for w, n in zip(window, inner):
                places.insert(w, n)
            x, u = ordinary(d, shape), ordinary(d, tuple(places), salt=3)
            for update, f in UPDATES.items():
                if d == "bool" and update in ("add", "mul") or d in COMPLEX and update in ("max", "min"):
                    continue
                if update != "set" and d not in ("f32", "f64", "i32", "c128") and k % 3:
                    continue
                # JAX differentiates products only where no two windows meet.
                meets = tag in ("rows", "elements", "outside", "far", "grid", "batched", "windows")
                how = dict(mode=lax.GatherScatterMode.FILL_OR_DROP, unique_indices=not meets)
                fn = lambda x, i, u: f(x, i, u, numbers, **how)  # noqa: E731
                text = op("scatter", indexing=at, update=update, indices_are_sorted=False, unique_indices=not meets)
                d_ = () if update in ("max", "min") or update == "mul" and meets else diff(d, 0, 2)
                store.op(text, [x, i, u], fn, f"{tag}/{update}", strict=update == "set", diff=d_)
    # The same with a program.
    shape, size, where, window, collapsed, index_map, *batching = PLACES["rows"]
    i = indices_of(where, np.int32)
    numbers = lax.ScatterDimensionNumbers(tuple(window), tuple(collapsed), tuple(index_map))
    text = op(
        "scatter",
        indexing=indexing(window, collapsed, index_map, *batching, i),
        update="program (a: f32[], b: f32[]) { c: f32[] = add(a, b) return c }",
        indices_are_sorted=False,
        unique_indices=False,
    )
    x, u = ordinary("f32", shape), ordinary("f32", (4, 3), salt=3)
    store.op(text, [x, i, u], lambda x, i, u: lax.scatter_add(x, i, u, numbers), "rows/program")
