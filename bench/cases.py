#!/usr/bin/env python3
"""Cases of the ops that large programs spend their time in, beside XLA on the CPU: products of matrices and attention, each
written in JAX, exported as StableHLO, and timed here and in XLA's CPU client by turns, in one run.

  python3 bench/cases.py [--only product,attention] [--rounds 3] [--wengert target/release/wengert] [--markdown]

Needs jax. Times are in microseconds; `speed` is XLA's time, without the floor of a call, over ours: above 1, we are faster.
Ends with 1 if results differ by more than a tolerance.
"""
import argparse
import numpy as np
import jax, jax.numpy as jnp
from by_turns import Table

CASES = {}


def case(group, name, f, *shapes, dtype=jnp.float32, tolerance=2e-3):
    """A function of normal numbers of these shapes."""
    draw = np.random.default_rng(len(CASES))
    args = [jnp.asarray(draw.normal(size=s) / 4, dtype) for s in shapes]
    CASES[f"{group} {name}"] = (f, args, tolerance)


def gradient(f, *shapes):
    """All cotangents of a function, for a fixed one of its result."""
    def g(*args):
        y, pull = jax.vjp(f, *args)
        return pull(jnp.cos(y))
    return g


def products():
    mm = lambda a, b: a @ b  # noqa: E731
    for m, k, n in [(64, 64, 64), (256, 256, 256), (1024, 1024, 1024), (16, 1024, 1024), (1, 1024, 4096), (4096, 1024, 1)]:
        case("product", f"{m}x{k}x{n}", mm, (m, k), (k, n))
    case("product", "512x512x512 f64", mm, (512, 512), (512, 512), dtype=jnp.float64)
    case("product", "512x512x512 transposed", lambda a, b: a.T @ b.T, (512, 512), (512, 512))
    case("product", "64 of 32x32x32", mm, (64, 32, 32), (64, 32, 32))
    case("product", "16 heads 128x64x128", lambda a, b: jnp.einsum("bthd,bshd->bhts", a, b), (2, 128, 8, 64), (2, 128, 8, 64))
    end = lambda x, w, c, r: jax.nn.gelu(x @ w + c) + r  # noqa: E731
    case("product", "512x512x512 with its end", end, (512, 512), (512, 512), (512,), (512, 512))
    case("product", "512x512x512 bf16", mm, (512, 512), (512, 512), dtype=jnp.bfloat16, tolerance=2e-2)


def attention():
    def attend(q, k, v, causal=False):
        scores = jnp.einsum("bthd,bshd->bhts", q, k) / np.sqrt(q.shape[-1]).astype(np.float32)
        if causal:
            t, s = scores.shape[-2:]
            scores = jnp.where(jnp.tril(jnp.ones((t, s), bool)), scores, -1e30)
        return jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores, -1), v)

    causal = lambda q, k, v: attend(q, k, v, True)  # noqa: E731
    small, long, one = (4, 128, 8, 32), (1, 1024, 8, 64), (8, 1, 8, 64)
    case("attention", "4x128 tokens, 8 heads of 32", attend, small, small, small)
    case("attention", "4x128 tokens, gradient", gradient(attend), small, small, small)
    case("attention", "1024 tokens, 8 heads of 64", attend, long, long, long)
    case("attention", "1024 tokens, causal", causal, long, long, long)
    case("attention", "1024 tokens, causal, gradient", gradient(causal), long, long, long)
    case("attention", "one token of 8 sees 1024", attend, one, (8, 1024, 8, 64), (8, 1024, 8, 64))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--only", default="", help="words, of which a case has one")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--wengert", default="target/release/wengert")
    p.add_argument("--markdown", action="store_true")
    a = p.parse_args()
    jax.config.update("jax_enable_x64", True)
    products()
    attention()
    table = Table(a.wengert, a.rounds, seconds=0.5)
    if a.markdown:
        print("| case | XLA µs | Wengert µs | speed |\n|---|--:|--:|--:|", flush=True)
    for name, (f, args, tolerance) in CASES.items():
        if a.only and not any(word in name for word in a.only.split(",")):
            continue
        theirs, mine, _ = table.measure(name.replace(" ", "_").replace(",", ""), f, args, tolerance)
        line = "| {} | {:.1f} | {:.1f} | {:.2f} |" if a.markdown else "{:45} {:9.1f} {:9.1f} {:6.2f}"
        print(line.format(name, theirs, mine, table.speeds[-1]), flush=True)
    table.finish()


if __name__ == "__main__":
    main()
