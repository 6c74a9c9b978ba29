#!/usr/bin/env python3
"""Convolutions and their gradients: each written in JAX, exported as StableHLO, and timed here and in XLA's CPU client by
turns, in one run.

  python3 bench/conv.py [--only a,b] [--parts forward,input,kernel] [--rounds 3] [--wengert target/release/wengert] [--keep DIR]

Needs jax. Times and speeds are those of `by_turns.py`: above 1, we are faster. Ends with 1 if results differ by more than a
tolerance.
"""
import argparse
import numpy as np
import jax, jax.numpy as jnp
from jax import lax
from by_turns import Table

jax.config.update("jax_enable_x64", True)

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


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--only", default="")
    p.add_argument("--parts", default="forward,input,kernel")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--wengert", default="target/release/wengert")
    p.add_argument("--keep", help="a folder for the exported programs")
    a = p.parse_args()
    table, speeds = Table(a.wengert, a.rounds, a.keep, seconds=0.3), {}
    print("| convolution | part | XLA µs | ours µs | speed |\n|---|---|--:|--:|--:|", flush=True)
    for name, (f, x, w, dtype) in CASES.items():
        if a.only and name not in a.only.split(","):
            continue
        random = np.random.default_rng(1)
        x, w = [jnp.asarray(random.standard_normal(s), dtype) for s in (x, w)]
        for part, g, args in parts(f, x, w):
            if part not in a.parts.split(","):
                continue
            theirs, mine, _ = table.measure(f"{name}_{part}", g, args, TOLERANCE[dtype])
            speeds.setdefault(part, []).append(table.speeds[-1])
            print(f"| {name} | {part} | {theirs:.0f} | {mine:.0f} | {table.speeds[-1]:.2f} |", flush=True)
    mean = lambda v: np.exp(np.mean(np.log(v)))  # noqa: E731
    print("\n" + ", ".join(f"{k} {mean(v):.2f}" for k, v in speeds.items()), end="; ")
    table.finish()


if __name__ == "__main__":
    main()
