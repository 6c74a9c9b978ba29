"""How inputs are made: special values of each element type, and ordinary ones from a seed."""

import ml_dtypes
import numpy as np

from store import COMPLEX, DTYPES, FLOATS, INTS, SIGNED, seed


def special(dtype):
    """The values where things go wrong: zeros, ends of the range, halves, NaN."""
    t = DTYPES[dtype]
    if dtype == "bool":
        return np.array([False, True])
    if dtype in INTS:
        info = np.iinfo(t)
        bits = info.bits
        v = [0, 1, 2, 3, 7, bits - 1, bits, bits + 1, info.max, info.max - 1, info.max // 2, 100]
        v += [-1, -2, -7, info.min, info.min + 1, -100] if dtype in SIGNED else [info.max // 3, 85]
        return np.array(v, t)
    if dtype in FLOATS:
        f = ml_dtypes.finfo(t)
        tiny, small, big, eps = map(float, (f.smallest_normal, f.smallest_subnormal, f.max, f.eps))
        v = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3, -7, 0.1, 100, -100]
        v += [big, -big, tiny, -tiny, small * 3, -small * 3, eps, 1 - eps / 2, 1 + eps, 3e4]
        return np.array(v, np.float64).astype(t)
    part = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0]
    return np.array([complex(a, b) for a in part for b in part], t)


EDGES = [0.0, -0.0, 1.0, -2.0, 30.0, np.inf, -np.inf, np.nan]


def edges(dtype, parts=EDGES):
    """Complex numbers of these parts, which may be infinite or NaN."""
    return np.array([complex(a, b) for a in parts for b in parts], DTYPES[dtype])


def ordinary(dtype, shape, lo=-3.0, hi=3.0, salt=0):
    """Random values: floats in [lo, hi], integers of all small sizes."""
    rng = seed(dtype, shape, lo, hi, salt)
    t = DTYPES[dtype]
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTS:
        low = max(int(np.floor(lo * 10)), -100) if dtype in SIGNED else 0
        return rng.integers(low, int(hi * 10), shape).astype(t)
    v = rng.uniform(lo, hi, shape)
    if dtype in COMPLEX:
        v = v + 1j * rng.uniform(lo, hi, shape)
    return v.astype(t)


def distinct(dtype, shape, salt=0):
    """Values that all differ, in random order: no ties, and exact in every type."""
    n = int(np.prod(shape))
    v = seed(dtype, shape, salt).permutation(n).reshape(shape)
    if dtype in FLOATS + COMPLEX:
        v = (v - n // 2) / 4
    return v.astype(DTYPES[dtype])


def pairs(v):
    """Every pair of two values, as two arrays."""
    a, b = np.meshgrid(v, v, indexing="ij")
    return a.ravel(), b.ravel()
