#!/usr/bin/env python3
"""Convolutions and their gradients: each written in JAX, exported as StableHLO, and timed here and in XLA's CPU client by
turns, in one run.

  python3 bench/conv.py [--only a,b] [--parts forward,input,kernel] [--rounds 3] [--wengert target/release/wengert] [--keep DIR]

Needs jax. The time is the least of all calls of a round, and the least of the rounds; `speed` is XLA's time over ours: above
1, we are faster. Ends with 1 if results differ by more than a tolerance.
"""
import argparse, os, re, subprocess, sys, tempfile, time
import numpy as np
import jax, jax.numpy as jnp
from jax import lax

jax.config.update("jax_enable_x64", True)

UNIT = {"ns": 1e-3, "µs": 1.0, "us": 1.0, "ms": 1e3, "s": 1e6}
TOLERANCE = {"float32": 1e-4, "float64": 1e-12, "bfloat16": 3e-2}
CASES = {}


def case(name, x, w, layout="NHWC", padding="SAME", dtype="float32", **how):
    """A convolution of an array of shape `x`, in this layout, with a kernel of shape `w`: spatial axes, input, output."""
    n = len(x) - 2
    spatial = "DHW"[-n:]
    lhs = "N" + spatial + "C" if layout[-1] == "C" else "NC" + spatial
    rhs = spatial + "IO" if layout[-1] == "C" else "OI" + spatial
    if layout[-1] != "C":
        x = (x[0], x[-1], *x[1:-1])
        w = (w[-1], w[-2], *w[:-2])
    how = {"window_strides": (1,) * n, "padding": padding, **how}
    f = lambda x, w: lax.conv_general_dilated(x, w, dimension_numbers=(lhs, rhs, lhs), **how)  # noqa: E731
    CASES[name] = (f, x, w, dtype)


case("3x3", (16, 32, 32, 64), (3, 3, 64, 64))
case("3x3_nchw", (16, 32, 32, 64), (3, 3, 64, 64), layout="NCHW")
case("1x1", (16, 32, 32, 128), (1, 1, 128, 128))
case("1x1_nchw", (16, 32, 32, 128), (1, 1, 128, 128), layout="NCHW")
case("3x3_stride2", (16, 32, 32, 64), (3, 3, 64, 128), window_strides=(2, 2))
case("7x7_stride2_rgb", (4, 224, 224, 3), (7, 7, 3, 64), window_strides=(2, 2))
case("7x7_stride2_rgb_nchw", (4, 224, 224, 3), (7, 7, 3, 64), layout="NCHW", window_strides=(2, 2))
case("depthwise", (16, 32, 32, 128), (3, 3, 1, 128), feature_group_count=128)
case("depthwise_nchw", (16, 32, 32, 128), (3, 3, 1, 128), layout="NCHW", feature_group_count=128)
case("grouped", (16, 32, 32, 128), (3, 3, 32, 128), feature_group_count=4)
case("dilated", (16, 32, 32, 64), (3, 3, 64, 64), rhs_dilation=(2, 2))
case("transposed", (16, 16, 16, 64), (4, 4, 64, 64), lhs_dilation=(2, 2), padding=((2, 2), (2, 2)))
case("line", (8, 8192, 32), (9, 32, 32))
case("line_one_channel", (1, 65536, 1), (129, 1, 1))
case("volume", (2, 16, 16, 16, 32), (3, 3, 3, 32, 32))
case("batch_1", (1, 56, 56, 64), (3, 3, 64, 64))
case("late_layer", (32, 7, 7, 256), (3, 3, 256, 256))
case("mnist_5x5", (64, 28, 28, 1), (5, 5, 1, 32))
case("to_rgb", (4, 64, 64, 64), (3, 3, 64, 3))
case("3x3_f64", (8, 32, 32, 64), (3, 3, 64, 64), dtype="float64")
case("3x3_bf16", (8, 32, 32, 64), (3, 3, 64, 64), dtype="bfloat16")


def parts(f, x, w):
    """The convolution, and its cotangents by each side, as functions of what they need."""
    ct = jax.eval_shape(f, x, w)
    ct = jnp.asarray(np.random.default_rng(2).standard_normal(ct.shape), ct.dtype)
    yield "forward", f, (x, w)
    yield "input", lambda w, ct: jax.linear_transpose(lambda x: f(x, w), x)(ct)[0], (w, ct)
    yield "kernel", lambda x, ct: jax.linear_transpose(lambda w: f(x, w), w)(ct)[0], (x, ct)


def least(f, seconds):
    """The shortest call, in microseconds."""
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        t = time.perf_counter()
        jax.block_until_ready(f())
        best = min(best, time.perf_counter() - t)
    return best * 1e6


def ours(wengert, folder, count):
    """The shortest run, in microseconds."""
    inputs = [os.path.join(folder, f"in_{i}.npy") for i in range(count)]
    out = os.path.join(folder, "out")
    command = [wengert, "run", os.path.join(folder, "module.mlir"), "--time", "--out-dir", out, "--input", *inputs]
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode:
        sys.exit(f"{folder}: {p.stderr}")
    n, unit = re.search(r"best of \d+ ([\d.]+)(\w+)", p.stderr).groups()
    return float(n) * UNIT[unit]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--only", default="")
    p.add_argument("--parts", default="forward,input,kernel")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--wengert", default="target/release/wengert")
    p.add_argument("--keep", help="a folder for the exported programs")
    a = p.parse_args()
    root = a.keep or tempfile.mkdtemp()
    wrong, speeds = [], {}
    print("| convolution | part | XLA µs | ours µs | speed |\n|---|---|--:|--:|--:|", flush=True)
    for name, (f, x, w, dtype) in CASES.items():
        if a.only and name not in a.only.split(","):
            continue
        random = np.random.default_rng(1)
        x, w = [jnp.asarray(random.standard_normal(s), dtype) for s in (x, w)]
        for part, g, args in parts(f, x, w):
            if part not in a.parts.split(","):
                continue
            folder = os.path.join(root, f"{name}_{part}")
            os.makedirs(folder, exist_ok=True)
            # Floats of 16 bits come in as 32, since files of arrays have no such type.
            wide = [x.astype("float32") if dtype == "bfloat16" else x for x in args]
            narrow = lambda *a, g=g: g(*[x.astype(dtype) for x in a]).astype(wide[0].dtype)  # noqa: B023,E731
            lowered = jax.jit(narrow).lower(*wide)
            with open(os.path.join(folder, "module.mlir"), "w") as out:
                out.write(lowered.as_text())
            for i, x_i in enumerate(wide):
                np.save(os.path.join(folder, f"in_{i}.npy"), np.asarray(x_i))
            compiled = lowered.compile()
            theirs, mine = float("inf"), float("inf")
            for _ in range(a.rounds):
                theirs = min(theirs, least(lambda: compiled(*wide), 0.3))
                mine = min(mine, ours(a.wengert, folder, len(wide)))
            want = np.asarray(compiled(*wide), np.float64)
            got = np.load(os.path.join(folder, "out", "out_0.npy")).astype(np.float64)
            error = np.max(np.abs(got - want)) / np.max(np.abs(want))
            if not error <= TOLERANCE[dtype]:
                wrong.append(f"{name} {part}: off by {error:.1e}")
            speeds.setdefault(part, []).append(theirs / mine)
            print(f"| {name} | {part} | {theirs:.0f} | {mine:.0f} | {theirs / mine:.2f} |", flush=True)
    mean = lambda v: np.exp(np.mean(np.log(v)))  # noqa: E731
    everything = [s for v in speeds.values() for s in v]
    print(f"\ngeometric mean {mean(everything):.2f}; " + ", ".join(f"{k} {mean(v):.2f}" for k, v in speeds.items()))
    print(f"least {min(everything):.2f}, {sum(s >= 1 for s in everything)} of {len(everything)} at 1 or more")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
