#!/usr/bin/env python3
"""Loops of a thousand small steps and their gradients: each written in JAX, exported as StableHLO, and timed here and in
XLA's CPU client by turns, in one run.

  python3 bench/loops.py [--only a,b] [--rounds 3] [--wengert target/release/wengert] [--keep DIR]

Needs jax. The time is the least of all calls of a round, and the least of the rounds. A call of XLA's from Python has a
floor, which is the time of a call that does nothing and is printed first; `speed` is XLA's time without that floor over
ours: above 1, we are faster. Ends with 1 if results differ by more than a tolerance.
"""
import argparse
import numpy as np
import jax, jax.numpy as jnp
from jax import lax
from by_turns import Table

jax.config.update("jax_enable_x64", True)

STEPS = 1000
LOOPS = {}


def loop(*args, grad=True):
    """A loop as a function of these arguments; its gradient goes by the first one."""
    def add(f):
        LOOPS[f.__name__] = (f, args)
        if grad:
            total = lambda *a: jnp.sum(f(*a))  # noqa: E731
            LOOPS[f.__name__ + "_grad"] = (jax.grad(total), args)
        return f
    return add


def steps(body, start):
    """A fixed number of steps, which reverse mode goes through too."""
    return lax.scan(lambda x, i: (body(i, x), None), start, jnp.arange(STEPS, dtype=jnp.int32))[0]


@loop(jnp.uint32(7), grad=False)
def split(seed):
    key = jnp.stack([seed, seed + 1])
    return steps(lambda _, k: jax.random.key_data(jax.random.split(jax.random.wrap_key_data(k))[0]), key)


@loop(jnp.float32(0.5))
def noise(scale):
    "a random walk: a key is split and a normal number drawn in each step"
    def body(_, s):
        k, x = s
        k, own = jax.random.split(k)
        return k, 0.99 * x + scale * jax.random.normal(own, dtype=jnp.float32)
    return steps(body, (jax.random.key(0), jnp.float32(0)))[1]


@loop(jnp.linspace(0, 1, 1000, dtype=jnp.float32))
def at_add(x):
    return steps(lambda i, x: x.at[(7 * i) % 1000].add(0.5), x)


@loop(jnp.linspace(0, 1, 1000, dtype=jnp.float32))
def at_mul(x):
    "each step reads an element and writes another"
    return steps(lambda i, x: x.at[(7 * i) % 1000].multiply(x[(3 * i) % 1000] + 0.5), x)


@loop(jnp.float32(2.0))
def newton(a):
    return steps(lambda _, x: x - 0.01 * (x * x - a) / (2.0 * x), a + 1.0)


@loop(jnp.float64(2.0))
def newton_f64(a):
    return steps(lambda _, x: x - 0.01 * (x * x - a) / (2.0 * x), a + 1.0)


@loop(jnp.float32(0.3))
def cond(x):
    return steps(lambda i, x: lax.cond(x > 0.5, lambda x: 0.5 * x, lambda x: 1.5 * x + 0.01, x), x)


@loop(jnp.float32(0.3))
def switch(x):
    branches = [lambda x: 0.5 * x, lambda x: x + 0.1, lambda x: 1.01 * x, jnp.sin]
    return steps(lambda i, x: lax.switch(i % 4, branches, x), x)


@loop(jnp.asarray([1.0, 0.5, -0.3], jnp.float32))
def three_vectors(x):
    w = jnp.asarray([0.1, -0.2, 0.3], jnp.float32)
    def body(_, x):
        y = x + 0.01 * jnp.cross(w, x)
        return y / jnp.sqrt(jnp.sum(y * y))
    return steps(body, x)


@loop(jnp.asarray(np.linspace(-1, 1, 16).reshape(4, 4), jnp.float32))
def product_4x4(m):
    q = jnp.asarray(np.linalg.qr(np.linspace(0, 1, 16).reshape(4, 4) ** 2 + np.eye(4))[0], jnp.float32)
    return steps(lambda _, m: jnp.matmul(q, m, precision="highest"), m)


@loop(jnp.asarray([1.0, 0.5, -0.3, 0.2], jnp.float32))
def matvec_4x4(v):
    q = jnp.asarray(np.linalg.qr(np.linspace(0, 1, 16).reshape(4, 4) ** 2 + np.eye(4))[0], jnp.float32)
    return steps(lambda _, v: jnp.matmul(q, v, precision="highest"), v)


@loop(jnp.float32(2.0), grad=False)
def while_newton(a):
    "as long as it takes, which is about a thousand steps"
    go = lambda s: (jnp.abs(s[1] * s[1] - a) > 1e-6 * a) & (s[0] < 1000)  # noqa: E731
    return lax.while_loop(go, lambda s: (s[0] + 1, s[1] - 0.02 * (s[1] * s[1] - a) / (2 * s[1])), (jnp.int32(0), a + 1.0))[1]


@loop(jnp.asarray([1.0, 1.0, 1.0], jnp.float32))
def lorenz(y):
    def d(y):
        return jnp.stack([10.0 * (y[1] - y[0]), y[0] * (28.0 - y[2]) - y[1], y[0] * y[1] - 8.0 / 3.0 * y[2]])
    def body(_, y):
        h = 1e-3
        k1 = d(y); k2 = d(y + 0.5 * h * k1); k3 = d(y + 0.5 * h * k2); k4 = d(y + h * k3)
        return y + h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
    return steps(body, y)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--only", default="")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--wengert", default="target/release/wengert")
    p.add_argument("--keep", help="a folder for the exported programs")
    a = p.parse_args()
    table = Table(a.wengert, a.rounds, a.keep)
    print(f"floor of a call of XLA's {table.floor:.1f} µs\n{'loop':18} {'XLA µs':>9} {'ours µs':>9} {'speed':>6}", flush=True)
    for name, (f, args) in LOOPS.items():
        if a.only and name not in a.only.split(","):
            continue
        _, mine, theirs = table.measure(name, f, args)
        print(f"{name:18} {theirs:9.2f} {mine:9.2f} {table.speeds[-1]:6.2f}", flush=True)
    table.finish()


if __name__ == "__main__":
    main()
