"""Elementwise ops: every op over every element type it takes, special values first."""

import numpy as np
import scipy.special
from jax import lax

from store import ALL, COMPLEX, DTYPES, FLOATS, INTS, SIGNED
from stablehlo import elementwise as stablehlo
from values import edges, ordinary, pairs, special


def signum(x):
    """The sign, with zeros and NaN as they are."""
    return np.where((x == 0) | np.isnan(x), x, np.copysign(np.ones_like(x), x))


def ieee_max(x, y):
    """The larger one, where +0 is larger than -0."""
    return np.where(x == y, np.where(np.signbit(x), y, x), np.maximum(x, y))


def ieee_min(x, y):
    """The smaller one, where -0 is smaller than +0."""
    return np.where(x == y, np.where(np.signbit(x), x, y), np.minimum(x, y))



def whole_power(x, y):
    """Integer powers, modulo the size of the type; a negative exponent leaves only what 1 and -1 give."""
    info = np.iinfo(x.dtype)

    def one(b, e):
        if e < 0:
            v = {1: 1, -1: (-1) ** (e % 2)}.get(b, 0)
        else:
            v = pow(b, e, 1 << info.bits)
        return (v - info.min) % (1 << info.bits) + info.min

    return np.array([one(int(b), int(e)) for b, e in zip(x.ravel(), y.ravel())], x.dtype).reshape(x.shape)


def lgamma(x):
    """SciPy's, but that it is finite for subnormal numbers."""
    return np.where(np.abs(x) < 1e-300, -np.log(np.abs(x)), scipy.special.gammaln(x))


# Shapes that must work everywhere.
AWKWARD = [(), (0, 3), (1, 1)]

# name: (JAX's function, domain of ordinary values, domain of complex ones or None, numpy's function)
TRANSCENDENTAL = {
    "exp": (lax.exp, (-5, 5), True, np.exp),
    "expm1": (lax.expm1, (-5, 5), True, np.expm1),
    "log": (lax.log, (0.1, 9), True, np.log),
    "log1p": (lax.log1p, (-0.9, 9), True, np.log1p),
    "logistic": (lax.logistic, (-6, 6), True, lambda x: 1 / (1 + np.exp(-x))),
    "tanh": (lax.tanh, (-3, 3), True, np.tanh),
    "sin": (lax.sin, (-9, 9), True, np.sin),
    "cos": (lax.cos, (-9, 9), True, np.cos),
    "tan": (lax.tan, (-1.4, 1.4), True, np.tan),
    "asin": (lax.asin, (-0.95, 0.95), True, np.arcsin),
    "acos": (lax.acos, (-0.95, 0.95), True, np.arccos),
    "atan": (lax.atan, (-9, 9), True, np.arctan),
    "sinh": (lax.sinh, (-4, 4), True, np.sinh),
    "cosh": (lax.cosh, (-4, 4), True, np.cosh),
    "asinh": (lax.asinh, (-9, 9), True, np.arcsinh),
    "acosh": (lax.acosh, (1.1, 9), True, np.arccosh),
    "atanh": (lax.atanh, (-0.95, 0.95), True, np.arctanh),
    "sqrt": (lax.sqrt, (0.1, 9), True, np.sqrt),
    "rsqrt": (lax.rsqrt, (0.1, 9), True, lambda x: 1 / np.sqrt(x)),
    "cbrt": (lax.cbrt, (0.1, 9), False, np.cbrt),
    "erf": (lax.erf, (-3, 3), False, scipy.special.erf),
    "erfc": (lax.erfc, (-3, 3), False, scipy.special.erfc),
    "erf_inv": (lax.erf_inv, (-0.95, 0.95), False, scipy.special.erfinv),
    "lgamma": (lax.lgamma, (0.2, 9), False, lgamma),
    "digamma": (lax.digamma, (0.2, 9), False, scipy.special.psi),
    "bessel_i0e": (lax.bessel_i0e, (0.2, 9), False, scipy.special.i0e),
    "bessel_i1e": (lax.bessel_i1e, (0.2, 9), False, scipy.special.i1e),
}

# name: (JAX's function, element types, numpy's function)
EXACT = {
    "abs": (lax.abs, SIGNED + FLOATS + COMPLEX, np.abs),
    "sign": (lax.sign, INTS + FLOATS + COMPLEX, signum),
    "neg": (lax.neg, INTS + FLOATS + COMPLEX, None),
    "floor": (lax.floor, FLOATS, np.floor),
    "ceil": (lax.ceil, FLOATS, np.ceil),
    "round": (lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), FLOATS, None),
    "round_even": (lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), FLOATS, np.rint),
    "is_finite": (lax.is_finite, FLOATS, None),
    "not": (lax.bitwise_not, ["bool"] + INTS, None),
    "popcnt": (lax.population_count, INTS, None),
    "clz": (lax.clz, INTS, None),
    "real": (lax.real, COMPLEX, None),
    "imag": (lax.imag, COMPLEX, None),
    "conj": (lax.conj, COMPLEX, None),
}
LINEAR = {"neg", "real", "imag", "conj"}

# name: (JAX's function, element types, numpy's function on floats)
BINARY = {
    "add": (lambda x, y: stablehlo("add")(x, y), ALL, np.add),
    "sub": (lax.sub, INTS + FLOATS + COMPLEX, np.subtract),
    "mul": (lambda x, y: stablehlo("multiply")(x, y), ALL, np.multiply),
    "div": (lax.div, INTS + FLOATS + COMPLEX, np.divide),
    "rem": (lax.rem, INTS + FLOATS, np.fmod),
    "pow": (lambda x, y: stablehlo("power")(x, y), INTS + FLOATS + COMPLEX, np.power),
    "max": (lax.max, ALL, ieee_max),
    "min": (lax.min, ALL, ieee_min),
    "atan2": (lax.atan2, FLOATS, np.arctan2),
    "and": (lax.bitwise_and, ["bool"] + INTS, None),
    "or": (lax.bitwise_or, ["bool"] + INTS, None),
    "xor": (lax.bitwise_xor, ["bool"] + INTS, None),
    "shift_left": (lax.shift_left, INTS, None),
    "shift_right_arithmetic": (lax.shift_right_arithmetic, INTS, None),
    "shift_right_logical": (lax.shift_right_logical, INTS, None),
    "complex": (lax.complex, ["f32", "f64"], None),
    "nextafter": (lax.nextafter, FLOATS, np.nextafter),
}
# JAX's functions where they differ from the raw op: they can be differentiated.
SMOOTH = {"add": lax.add, "sub": lax.sub, "mul": lax.mul, "div": lax.div, "rem": lax.rem, "pow": lax.pow}
SMOOTH |= {"max": lax.max, "min": lax.min, "atan2": lax.atan2, "complex": lax.complex}

# A few values that meet each other in all pairs.
FEW = {
    "float": [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5, 0.5],
    "complex": [0, 1, -1, 1j, -2 - 0.5j, 0.5 + 2j],
}


def few(d):
    if d in FLOATS:
        tiny = {"f16": 3e-6, "bf16": 1e-39, "f32": 1e-39, "f64": 1e-310}[d]
        big = {"f16": 6e4, "bf16": 3e38, "f32": 3e38, "f64": 1.5e308}[d]
        return np.array(FEW["float"] + [tiny, big]).astype(DTYPES[d])
    if d in COMPLEX:
        return np.array(FEW["complex"], DTYPES[d])
    if d == "bool":
        return special(d)
    info = np.iinfo(DTYPES[d])
    v = [0, 1, 2, 7, info.bits - 1, info.bits, info.max] + ([-1, -3, info.min] if d in SIGNED else [info.bits + 1])
    return np.array(v, DTYPES[d])


def unary(store):
    for op, (fn, (lo, hi), takes_complex, numpy) in TRANSCENDENTAL.items():
        for d in FLOATS:
            # No library has lgamma right to relative precision close to its zeros.
            exact = dict(strict=op != "lgamma", wide=d != "f64", numpy=numpy if d == "f64" else None)
            store.op(op, [special(d)], fn, "special", **exact)
            diff = (0,) if d in ("f32", "f64") else ()
            store.op(op, [ordinary(d, (2, 3), lo, hi)], fn, diff=diff, **exact)
            for shape in AWKWARD:
                store.op(op, [ordinary(d, shape, lo, hi)], fn, **exact)
        for d in COMPLEX if takes_complex else []:
            # JAX's derivative of acosh has the wrong sign in the left half plane.
            lo = 0.2 if op == "acosh" else -2
            diff = (0,) if d == "c128" else ()
            note = "XLA and NumPy differ at a branch cut or a pole"
            store.op(op, [special(d)], fn, "special", wide=d == "c64", numpy=numpy, note=note)
            store.op(op, [ordinary(d, (2, 3), lo, 2)], fn, wide=d == "c64", diff=diff)
            store.op(op, [ordinary(d, (), -2, 2)], fn, wide=d == "c64")
    for op, (fn, types, numpy) in EXACT.items():
        for d in types:
            exact = dict(strict=True, numpy=numpy if d in FLOATS else None)
            store.op(op, [special(d)], fn, "special", **exact)
            # JAX gives the sign of a complex number no derivative, and it has one.
            flat = {"f64": ("abs", "sign", "floor", "round"), "c128": ("abs",)}.get(d, ())
            diff = (0,) if op in flat or op in LINEAR and d in ("f64", "c128") else ()
            store.op(op, [ordinary(d, (2, 3))], fn, diff=diff, **exact)
            store.op(op, [ordinary(d, (0, 2))], fn, **exact)
            store.op(op, [ordinary(d, ())], fn, **exact)
    for d in COMPLEX:
        for op, (fn, _, takes_complex, _) in TRANSCENDENTAL.items():
            if takes_complex:
                store.op(op, [edges(d)], fn, "edges", strict=True)
        for op in ("abs", "sign"):
            store.op(op, [edges(d)], EXACT[op][0], "edges", strict=op == "sign")


def binary(store):
    for op, (fn, types, numpy) in BINARY.items():
        for d in types:
            if d == "bool" and op in ("add", "mul"):
                f = {"add": stablehlo("or_"), "mul": stablehlo("and_")}[op]
            else:
                f = fn
            exact = dict(strict=d not in COMPLEX, numpy=numpy if d in FLOATS else None)
            if op == "pow" and d in INTS:
                exact |= dict(numpy=whole_power, note="XLA reads six bits of an integer exponent")
            x, y = pairs(few(d))
            if d in COMPLEX and op in ("div", "pow"):
                x, y = x[y * x != 0], y[y * x != 0]
            store.op(op, [x, y], f, "special", **exact)
            for shape in [(2, 3), (), (3, 0)]:
                lo = 0.2 if op == "pow" and d not in COMPLEX else -3
                store.op(op, [ordinary(d, shape, lo), ordinary(d, shape, salt=1)], f, **exact)
        for d in ("f32", "f64", "c128"):
            if op in SMOOTH and d in types:
                lo = 0.2 if op == "pow" else -3
                x, y = ordinary(d, (3, 2), lo), ordinary(d, (3, 2), salt=2)
                for diff in [(0, 1), (0,), (1,)]:
                    store.op(op, [x, y], SMOOTH[op], "d" + "".join(map(str, diff)), diff=diff)
    # Ties share the derivative.
    for op, fn in [("max", lax.max), ("min", lax.min)]:
        store.op(op, [np.array([1.0, 2, 3]), np.array([1.0, 3, 2])], fn, "ties", diff=(0, 1))
    for d in ("f32", "f64"):
        n = np.array([1, 1, 2, 3, 4, 1], DTYPES[d])
        x = np.array([0.3, 2.5, 1.7, 4.2, 0.9, 9.0], DTYPES[d])
        store.op("polygamma", [n, x], lax.polygamma, strict=True, tol=10, diff=(1,))
    # An integer exponent and a base of zero or below. (At 0⁰, JAX has NaN where zero is right.)
    x, y = np.array([0.0, -2.0, -2.0, 3.0]), np.array([2.0, 3.0, 2.0, 0.0])
    store.op("pow", [x, y], lax.pow, "flat", diff=(0,))
    for op in ("mul", "div", "pow"):
        few_edges = edges("c128", [0.0, 1.0, -2.0, np.inf, np.nan])
        store.op(op, pairs(few_edges), BINARY[op][0], "edges", strict=True)


def compare(store):
    names = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
    for direction, numpy in names.items():
        fn, numpy = getattr(lax, direction), getattr(np, numpy)
        for d in ALL:
            if d in COMPLEX and direction not in ("eq", "ne"):
                continue
            op = f"compare[direction={direction}]"
            store.op(op, pairs(few(d)), fn, "special", numpy=numpy)
            store.op(op, [ordinary(d, ()), ordinary(d, (), salt=1)], fn)


def select(store):
    for d in ALL:
        for shape in [(2, 3), (), (0, 2)]:
            diff = (1, 2) if d in ("f64", "c128") and shape == (2, 3) else ()
            x, y = ordinary(d, shape), ordinary(d, shape, salt=1)
            store.op("select", [ordinary("bool", shape), x, y], lax.select, strict=True, diff=diff)
            store.op("select", [np.array(True), x, y], lax.select, strict=True, diff=diff)


def convert(store):
    for a in ALL:
        for b in ALL:
            fn = lambda x: lax.convert_element_type(x, DTYPES[b])  # noqa: E731
            cast = lambda x: x.astype(DTYPES[b])  # noqa: E731
            numpy = cast if b not in INTS and not (a in COMPLEX and b in FLOATS) else None
            op = f"convert[dtype={b}]"
            x = special(a)
            if a in COMPLEX:
                x = np.concatenate([x, np.array([3e9 + 1j, -1e3 + 5j, 70000 - 1j], DTYPES[a])])
            note = "JAX reads only the real part" if a in COMPLEX else None
            store.op(op, [x], fn, "special", strict=True, numpy=numpy, note=note)
            diff = (0,) if a in ("f64", "c128") and b in ("f64", "c128", "f32") else ()
            store.op(op, [ordinary(a, (2, 2))], fn, strict=True, diff=diff)


def clamp(store):
    for d in ALL:
        if d in COMPLEX:
            continue
        for shape in [(2, 3), (), (0, 2), (1,)]:
            low, x, high = ordinary(d, shape, -2, 0.5), ordinary(d, shape, salt=1), ordinary(d, shape, 0.5, 2)
            diff = (0, 1, 2) if d == "f64" else ()
            store.op("clamp", [low, x, high], lax.clamp, strict=True, diff=diff)
            low, high = ordinary(d, (), -2, 0.5), ordinary(d, (), 0.5, 2)
            store.op("clamp", [low, x, high], lax.clamp, strict=True, diff=(1,) if d == "f64" else ())
    for d in FLOATS:
        x, y = pairs(few(d))
        store.op("clamp", [np.full_like(x, -1), x, y], lax.clamp, "special", strict=True, numpy=ieee_clamp)


def mul_add(store):
    for d in ["f32", "f64"]:
        for shape in [(2, 3), (), (0, 2)]:
            x, y, z = ordinary(d, shape), ordinary(d, shape, salt=1), ordinary(d, shape, salt=2)
            diff = (0, 1, 2) if d == "f64" else ()
            store.op("mul_add", [x, y, z], lambda x, y, z: x * y + z, diff=diff)
        x, y = pairs(few(d))
        store.op("mul_add", [x, y, np.ones_like(x)], lambda x, y, z: x * y + z, "special")


def ieee_clamp(low, x, high):
    return ieee_min(ieee_max(low, x), high)


def representation(store):
    """Bits as numbers of another type, and numbers with fewer bits."""
    for a in ALL:
        for b in ALL:
            if "bool" in (a, b) or a in COMPLEX or b in COMPLEX:
                continue
            n, m = np.dtype(DTYPES[a]).itemsize, np.dtype(DTYPES[b]).itemsize
            shape = (2, 3) if n >= m else (2, m // n)
            fn = lambda x: lax.bitcast_convert_type(x, DTYPES[b])  # noqa: E731
            store.op(f"bitcast[dtype={b}]", [ordinary(a, shape)], fn, strict=True)
    for d in FLOATS:
        for exponent, mantissa in [(5, 10), (8, 7), (8, 23), (4, 3), (5, 2), (11, 52), (2, 0), (8, 0)]:
            fn = lambda x: lax.reduce_precision(x, exponent, mantissa)  # noqa: E731
            op = f"reduce_precision[exponent={exponent}, mantissa={mantissa}]"
            store.op(op, [special(d)], fn, "special", strict=True)
            store.op(op, [ordinary(d, (2, 3))], fn, strict=True, diff=(0,) if d == "f64" else ())
