#!/usr/bin/env python3
"""Runs the programs in `cases/` through `wengert run` on a backend, and compares with JAX's outputs. Needs NumPy.

    python3 tests/conformance/run.py [--binary target/release/wengert] [--backend cpu] [--jobs N] [--cases FOLDER]

Prints what does not agree, then counts; the exit status says whether all agreed. The tolerances are those of
`crates/wengert-cli/tests/conformance.rs`. Several processes share one device, so none takes all its memory beforehand.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).parent
TOLERANCE = {"float16": 4e-3, "float32": 2e-4, "complex64": 2e-4, "float64": 1e-9, "complex128": 1e-9}


def difference(got, want, bfloat16):
    """What differs between two arrays, if anything does."""
    if (got.dtype, got.shape) != (want.dtype, want.shape):
        return f"{got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}"
    tolerance = TOLERANCE.get(want.dtype.name, 0.0)
    if bfloat16:
        tolerance = 3e-2
        got, want = ((x.astype(np.uint32) << 16).view(np.float32) for x in (got, want))
    if tolerance == 0.0:
        bad = got != want
    else:
        kind = np.complex128 if want.dtype.kind == "c" else np.float64
        got, want = got.astype(kind), want.astype(kind)
        with np.errstate(all="ignore"):
            near = np.isfinite(want) & (abs(got - want) <= tolerance * (1 + abs(want)))
            bad = ~((got == want) | (np.isnan(got) & np.isnan(want)) | near)
    if not bad.any():
        return None
    at = tuple(int(i) for i in np.argwhere(bad)[0])
    return f"{int(bad.sum())} of {bad.size} elements differ; at {list(at)} {got[at]} instead of {want[at]}"


def run(case, arguments):
    """What is wrong with one case, if anything is."""
    inputs = sorted(case.glob("in_*.npy"), key=lambda p: int(p.stem[3:]))
    module = (case / "module.mlir").read_text()
    main = next(l for l in module.splitlines() if "@main(" in l or 'sym_name = "main"' in l)
    with tempfile.TemporaryDirectory() as out:
        command = [arguments.binary, "run", case / "module.mlir", "--backend", arguments.backend, "--out-dir", out]
        command += ["--input", *inputs] if inputs else []
        env = {"WENGERT_XLA_OPTIONS": "preallocate=false", **os.environ}
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)
        except subprocess.TimeoutExpired:
            return "not done after 300 s"
        if done.returncode != 0:
            return f"status {done.returncode}: {done.stderr.strip()[:400]}"
        results = main[main.rindex("->") :]
        for i, path in enumerate(sorted(case.glob("out_*.npy"), key=lambda p: int(p.stem[4:]))):
            want = np.load(path)
            bfloat16 = want.dtype == np.uint16 and "bf16" in results
            problem = difference(np.load(pathlib.Path(out) / path.name), want, bfloat16)
            if problem:
                return f"output {i}: {problem}"
    return None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--binary", default=str(HERE / "../../target/release/wengert"))
    ap.add_argument("--backend", default="cpu")
    ap.add_argument("--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--cases", type=pathlib.Path, default=HERE / "cases")
    arguments = ap.parse_args()
    cases = sorted(p for p in arguments.cases.iterdir() if (p / "module.mlir").exists())
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for case, problem in zip(cases, pool.map(lambda c: run(c, arguments), cases)):
            if problem:
                failures += 1
                print(f"{case.name}: {problem}", flush=True)
    print(f"{len(cases) - failures} of {len(cases)} programs agree with JAX on {arguments.backend}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
