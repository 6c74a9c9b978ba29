#!/usr/bin/env python3
"""Counts the eigenvectors, singular vectors and Schur vectors whose sign (or phase) is not JAX's. Needs JAX.

    python3 tests/conformance/signs.py [--binary target/debug/wengert] [--backend cpu] [--matrices 8] [--sizes 1..24]

Random matrices of each size and element type go through JAX on the CPU and through `wengert run`. A last column counts
the same between JAX and JAX, the matrices differing in the last bit: signs that roundings decide on are nobody's.
"""

import argparse
import pathlib
import subprocess
import tempfile

import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.lax import linalg  # noqa: E402

TYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128}


def tall(x):
    return x[:, :, : (x.shape[2] + 1) // 2]


# From matrices to the vectors, in columns.
VECTORS = {
    "eigh lower": lambda x: [linalg.eigh(x, lower=True, symmetrize_input=False)[0]],
    "eigh upper": lambda x: [linalg.eigh(x, lower=False, symmetrize_input=False)[0]],
    "svd square": lambda x: (lambda u, s, v: [u, v.mT])(*jnp.linalg.svd(x)),
    "svd tall": lambda x: (lambda u, s, v: [u, v.mT])(*jnp.linalg.svd(tall(x))),
    "svd wide": lambda x: (lambda u, s, v: [u, v.mT])(*jnp.linalg.svd(tall(x).mT, full_matrices=False)),
    "schur": lambda x: [linalg.schur(x)[1]],
    "eig": lambda x: list(linalg.eig(x)[1:]),
}


def run(text, x, arguments):
    """What `wengert run` gives for a module."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "module.mlir").write_text(text)
        np.save(folder / "in.npy", x)
        command = [arguments.binary, "run", folder / "module.mlir", "--backend", arguments.backend]
        subprocess.run([*command, "--input", folder / "in.npy", "--out-dir", folder], check=True)
        return [np.load(p) for p in sorted(folder.glob("out_*.npy"))]


def turned(got, want):
    """How many columns are not those that are wanted."""
    dots = [(np.conj(w) * g).sum(-2) for g, w in zip(got, want)]
    return sum(int((~(abs(d - 1) <= 0.05)).sum()) for d in dots), sum(d.size for d in dots)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default="target/debug/wengert")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--matrices", type=int, default=8)
    parser.add_argument("--sizes", default="1..24")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    first, last = map(int, arguments.sizes.split(".."))
    for name, vectors in VECTORS.items():
        if arguments.only not in name:
            continue
        for d, dtype in TYPES.items():
            rng = np.random.default_rng(1)
            other = itself = total = 0
            for n in range(first, last + 1):
                x = rng.standard_normal((2, arguments.matrices, n, n))
                x = (x[0] + 1j * x[1] if d[0] == "c" else x[0]).astype(dtype)
                near = x * (1 + np.finfo(dtype).eps * rng.integers(-1, 2, x.shape)).astype(dtype)
                jitted = jax.jit(vectors)
                want = [np.asarray(y) for y in jitted(x)]
                got = run(jitted.lower(x).as_text(), x, arguments)
                count, columns = turned(got, want)
                other, total = other + count, total + columns
                itself += turned([np.asarray(y) for y in jitted(near)], want)[0]
            print(f"{name} {d}: {other} of {total} columns; JAX and itself {itself}", flush=True)


if __name__ == "__main__":
    main()
