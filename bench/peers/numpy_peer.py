#!/usr/bin/env python3
"""Workloads of `peer_jax.py` with NumPy, as its users would write them. Prints one JSON line for each.

  python numpy_peer.py [--seconds 0.5] [NAME …]
"""
import argparse, json, statistics, time
import numpy as np


def fill(*shape, seed=1, scale=1.0):
    """Deterministic values in [-scale, scale): an integer hash of the flat index."""
    i = np.arange(int(np.prod(shape)), dtype=np.uint32) + np.uint32(seed * 7919)
    for _ in range(2):
        i = (i ^ (i >> 16)) * np.uint32(0x45D9F3B)
    i = i ^ (i >> 16)
    return (((i >> 8).astype(np.float64) / float(1 << 24) * 2.0 - 1.0) * scale).astype(np.float32).reshape(shape)


def selu_10m():
    x = fill(10_000_000)
    return lambda: np.float32(1.0507009873554805) * np.where(x > 0, x, np.float32(1.6732632423543772) * (np.exp(x) - np.float32(1)))


def poly_64k():
    x = fill(65_536)
    def f():
        y = np.ones_like(x)
        for k in range(24):
            y = y * x + np.float32(0.5 / (k + 1))
        return y
    return f


def softmax_layernorm():
    x = fill(4096, 1024, scale=4.0)
    def f():
        e = np.exp(x - x.max(-1, keepdims=True))
        p = e / e.sum(-1, keepdims=True)
        d = p - p.mean(-1, keepdims=True)
        return d / np.sqrt((d * d).mean(-1, keepdims=True) + np.float32(1e-5))
    return f


def matmul_1024():
    a, b = fill(1024, 1024), fill(1024, 1024, seed=2)
    return lambda: a @ b


def mandelbrot_vmap():
    "all points that are still inside, at each turn"
    cx = np.linspace(-2.0, 0.5, 512, dtype=np.float32)[None, :]
    cy = np.linspace(-1.25, 1.25, 512, dtype=np.float32)[:, None]
    def f():
        x, y = np.zeros((512, 512), np.float32), np.zeros((512, 512), np.float32)
        count, inside = np.zeros((512, 512), np.int32), np.ones((512, 512), bool)
        for _ in range(100):
            inside &= x * x + y * y < 4.0
            count += inside
            x, y = np.where(inside, x * x - y * y + cx, x), np.where(inside, 2 * x * y + cy, y)
        return count
    return f


def gather_scatter():
    table, rows = fill(10_000, 64), np.arange(65_536) * 7919 % 10_000
    def f():
        sums = np.zeros_like(table)
        np.add.at(sums, rows, table[rows] * np.float32(2))
        return sums
    return f


def sort_1m():
    x = fill(1_000_000)
    return lambda: np.sort(x)


def cumsum_4m():
    x = fill(4_000_000)
    return lambda: np.cumsum(x)


WORKLOADS = [selu_10m, poly_64k, softmax_layernorm, matmul_1024, mandelbrot_vmap, gather_scatter, sort_1m, cumsum_4m]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seconds", type=float, default=0.5)
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    for make in WORKLOADS:
        if a.names and make.__name__ not in a.names:
            continue
        run = make()
        check = float(np.sum(np.abs(run().astype(np.float64))))
        times, end = [], time.perf_counter() + a.seconds
        while len(times) < 3 or time.perf_counter() < end:
            t = time.perf_counter()
            run()
            times.append(time.perf_counter() - t)
        print(json.dumps(dict(name=make.__name__, run_us=statistics.median(times) * 1e6, runs=len(times), check=check)), flush=True)


if __name__ == "__main__":
    main()
