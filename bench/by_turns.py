"""Programs written in JAX, exported as StableHLO, and timed here and in XLA's CPU client by turns, in one run: what
`loops.py`, `cases.py` and `conv.py` share.

The time of a side is the least of all calls of a round, and the least of the rounds. A call of XLA's from Python has a
floor, the time of a call that does nothing, which is taken off.
"""
import os, re, subprocess, sys, tempfile, time
import numpy as np
import jax, jax.numpy as jnp

TOLERANCE = 2e-3
UNIT = {"ns": 1e-3, "µs": 1.0, "us": 1.0, "ms": 1e3, "s": 1e6}


def least(f, seconds):
    """The shortest call, in microseconds."""
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        t = time.perf_counter()
        jax.block_until_ready(f())
        best = min(best, time.perf_counter() - t)
    return best * 1e6


def ours(wengert, folder, name, count):
    """The shortest run, in microseconds."""
    inputs = [os.path.join(folder, f"in_{i}.npy") for i in range(count)]
    out = os.path.join(folder, "out")
    command = [wengert, "run", os.path.join(folder, "module.mlir"), "--time", "--out-dir", out, "--input", *inputs]
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode:
        sys.exit(f"{name}: {p.stderr}")
    n, unit = re.search(r"best of \d+ ([\d.]+)(\w+)", p.stderr).groups()
    return float(n) * UNIT[unit]


def floor():
    """The time of a call of XLA's that does nothing, in microseconds."""
    one, x = jax.jit(lambda x: x).lower(jnp.float32(1)).compile(), jnp.float32(1)
    return least(lambda: one(x), 0.5)


def bits(x):
    """An array as NumPy writes it to files: bf16 goes as its bits."""
    x = np.asarray(x)
    return x.view(np.uint16) if x.dtype.name == "bfloat16" else x


def numbers(x):
    x = np.asarray(x)
    x = (x.astype(np.uint32) << 16).view(np.float32) if x.dtype == np.uint16 else x
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


class Table:
    """Lines of a table, one for each program."""

    def __init__(self, wengert, rounds, root=None, seconds=0.2):
        self.wengert, self.rounds, self.seconds = wengert, rounds, seconds
        self.root = root or tempfile.mkdtemp()
        self.floor, self.speeds, self.wrong = floor(), [], []

    def measure(self, name, f, args, tolerance=TOLERANCE):
        """XLA's time, without its floor, and ours, in microseconds; and XLA's with it."""
        folder = os.path.join(self.root, name)
        os.makedirs(folder, exist_ok=True)
        lowered = jax.jit(f, keep_unused=True).lower(*args)
        with open(os.path.join(folder, "module.mlir"), "w") as out:
            out.write(lowered.as_text())
        for i, x in enumerate(args):
            np.save(os.path.join(folder, f"in_{i}.npy"), bits(x))
        compiled = lowered.compile()
        theirs, mine = float("inf"), float("inf")
        for _ in range(self.rounds):
            theirs = min(theirs, least(lambda: compiled(*args), self.seconds))
            mine = min(mine, ours(self.wengert, folder, name, len(args)))
        for i, want in enumerate(jax.tree.leaves(compiled(*args))):
            got, want = numbers(np.load(os.path.join(folder, "out", f"out_{i}.npy"))), numbers(bits(want))
            error = np.max(np.abs(got - want), initial=0)
            scale = np.max(np.abs(want), initial=1e-30)
            if not error <= tolerance * scale:
                self.wrong.append(f"{name}: off by {error / scale:.1e}")
        without = max(theirs - self.floor, 0.01)
        self.speeds.append(without / mine)
        return without, mine, theirs

    def finish(self):
        """Says what all come to; ends with 1 if something differs."""
        if self.speeds:
            print(f"geometric mean {np.exp(np.mean(np.log(self.speeds))):.2f}, least {min(self.speeds):.2f}")
        if self.wrong:
            sys.exit("\n".join(self.wrong))
