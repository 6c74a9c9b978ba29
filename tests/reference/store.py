"""Cases and their arrays: what a case is, and how it is written (see README.md for the format)."""

import zlib

import jax
import ml_dtypes
import numpy as np

DTYPES = {
    "bool": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "c64": np.complex64,
    "c128": np.complex128,
}
NAMES = {np.dtype(t): n for n, t in DTYPES.items()}
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["u8", "u16", "u32", "u64"]
INTS = SIGNED + UNSIGNED
FLOATS = ["f16", "bf16", "f32", "f64"]
COMPLEX = ["c64", "c128"]
ALL = list(DTYPES)

# |got - want| <= TOLERANCE * |want|, the same as the runner's.
TOLERANCE = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 1e-5, "f64": 1e-12, "c64": 1e-5, "c128": 1e-12}
FLUSHED = "XLA flushes subnormal numbers to zero"
WIDE = {"f16": "f64", "bf16": "f64", "f32": "f64", "c64": "c128"}


def name_of(x):
    """The element type of an array, as the text form has it."""
    return NAMES[np.dtype(x.dtype)]


def type_of(x):
    """The type of an array: `f32[2,3]`."""
    return f"{name_of(x)}[{','.join(map(str, x.shape))}]"


def is_inexact(x):
    return name_of(x) in TOLERANCE


def to_wide(x):
    """The array in the widest type of its kind."""
    wide = WIDE.get(name_of(x))
    return x.astype(DTYPES[wide]) if wide else x


def listed(y):
    """The results of a function as a list of numpy arrays."""
    return [np.asarray(v) for v in (y if isinstance(y, (tuple, list)) else [y])]


def far(a, b):
    """Where `a` and `b` differ by more than the tolerance, or in the sign of a zero."""
    if not is_inexact(a):
        return a != b
    tol = TOLERANCE[name_of(a)]
    real = name_of(a) in FLOATS
    wide = np.float64 if real else np.complex128
    a, b = a.astype(wide), b.astype(wide)
    with np.errstate(all="ignore"):
        near = (a == b) | (np.abs(a - b) <= tol * np.abs(b)) | (np.isnan(a) & np.isnan(b))
    if real:
        near &= (np.signbit(a) == np.signbit(b)) | (a != 0) | (b != 0)
    return ~near


def subnormal(x):
    """Where an array holds subnormal numbers."""
    if name_of(x) not in FLOATS:
        return np.zeros(x.shape, bool)
    v = np.abs(x.astype(np.float64))
    return (v > 0) & (v < float(ml_dtypes.finfo(x.dtype).smallest_normal))


def one_equation(op, inputs, outputs):
    """The text of a program of one equation."""
    params = ", ".join(f"x{i}: {type_of(x)}" for i, x in enumerate(inputs))
    results = ", ".join(f"y{i}: {type_of(y)}" for i, y in enumerate(outputs))
    args = ", ".join(f"x{i}" for i in range(len(inputs)))
    returned = ", ".join(f"y{i}" for i in range(len(outputs)))
    return f"program ({params}) {{ {results} = {op}({args}) return {returned} }}"


def seed(*key):
    """Random numbers that are the same in every run."""
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


class Store:
    """One family: a text of cases and the bytes of their arrays, each array once."""

    def __init__(self):
        self.text, self.bytes, self.seen = [], bytearray(), {}
        self.names, self.counts = set(), {}

    def array(self, x):
        x = np.asarray(x)
        raw = x.tobytes()
        if raw not in self.seen:
            self.seen[raw] = len(self.bytes)
            self.bytes += raw
        return f"{type_of(x)}@{self.seen[raw]}"

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def add(self, name, **lines):
        """Adds a case; a line is a word and text or a list of arrays, or is left out."""
        base, n = name, 1
        while name in self.names:
            n += 1
            name = f"{base}#{n}"
        self.names.add(name)
        self.text.append(f"case {name}")
        for word, line in lines.items():
            if line is None:
                continue
            if not isinstance(line, str):
                line = " ".join(self.array(x) for x in line)
            self.text.append(f"{word} {line}".rstrip())
        self.text.append("")

    def save(self, stem):
        stem.with_suffix(".txt").write_text("\n".join(self.text))
        stem.with_suffix(".bin").write_bytes(bytes(self.bytes))

    def op(
        self, op, inputs, fn, tag="", strict=False, tol=None, wide=False, numpy=None, note=None, diff=(), program=None
    ):
        """One op on some inputs, with what JAX gives.

        `strict` asks for relative errors and signs of zeros; `tol` is a factor on the tolerance. `wide` computes the
        values in double precision too, and `numpy` without flushing of subnormals: where XLA is farther from those
        than the tolerance, either is right, and `note` says why. `diff` names the operands to differentiate with
        respect to. `program` is the text where one equation is not enough.
        """
        inputs = [np.asarray(x) for x in inputs]
        out = listed(fn(*inputs))
        factor = tol or 1
        lines = {
            "program": program or one_equation(op, inputs, out),
            "tol": f"{factor:g} 0" if strict else f"{factor:g} {factor:g}" if tol else None,
            "in": inputs,
            "out": out,
        }
        if wide or numpy:
            lines |= self.alternative(fn, inputs, out, numpy, note)
        if diff:
            lines |= derivative(fn, inputs, diff)
            self.count("with derivatives")
        name = "/".join(filter(None, [op.split("[")[0], ",".join(map(type_of, inputs)), tag]))
        self.add(name, **lines)

    def alternative(self, fn, inputs, out, numpy, note):
        """The values XLA should have given, where they are not those it gave."""
        with np.errstate(all="ignore"):
            exact = listed(numpy(*inputs) if numpy else fn(*map(to_wide, inputs)))
            exact = [e.astype(o.dtype) for e, o in zip(exact, out)]
        differ = [far(o, e) for o, e in zip(out, exact)]
        if not any(d.any() for d in differ):
            return {}
        if not note:
            flushed = [subnormal(e) for e in exact]
            for x in inputs:
                flushed = [f | subnormal(x) if x.shape == f.shape else f for f in flushed]
            only = all(not (d & ~f).any() for d, f in zip(differ, flushed))
            note = FLUSHED if only else "XLA is farther than the tolerance from the value in double precision"
        self.count(f"where {note}")
        return {"or": exact, "note": note}


def derivative(fn, inputs, active):
    """The values of jvp and vjp, and of the derivative of the vjp along the tangents where doubles allow it."""
    rng = seed(*map(type_of, inputs), active)

    def like(x):
        x = np.asarray(x)
        v = rng.uniform(-1, 1, x.shape)
        if name_of(x) in COMPLEX:
            v = v + 1j * rng.uniform(-1, 1, x.shape)
        return v.astype(x.dtype)

    def f(*moving):
        x = list(inputs)
        for i, v in zip(active, moving):
            x[i] = v
        y = fn(*x)
        return [v for v in (y if isinstance(y, (tuple, list)) else [y]) if is_inexact(v)]

    moving = tuple(inputs[i] for i in active)
    t = tuple(like(x) for x in moving)
    y, jvp = jax.jvp(f, moving, t)
    ct = [like(v) for v in y]

    def backward(*moving):
        return list(jax.vjp(f, *moving)[1](ct))

    lines = {"active": " ".join(map(str, active)), "tangent": t, "cotangent": ct}
    lines |= {"jvp": listed(jvp), "vjp": listed(backward(*moving))}
    if all(name_of(x) in ("f64", "c128") for x in moving):
        lines["second"] = listed(jax.jvp(backward, moving, t)[1])
    return lines


def written(v):
    """An attribute's value in the text form: a dict is a record."""
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    if isinstance(v, dict):
        return "[" + ", ".join(f"{k}={written(x)}" for k, x in v.items()) + "]"
    if isinstance(v, tuple):
        return "(" + ", ".join(map(written, v)) + ")"
    if isinstance(v, (list, range)):
        return "[" + ", ".join(map(written, v)) + "]"
    return str(v)


def op(name, **attributes):
    """An op with its attributes in the text form."""
    return name + (written(attributes) if attributes else "")
