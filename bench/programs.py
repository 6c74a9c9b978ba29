#!/usr/bin/env python3
"""Fourteen programs of the kinds people bring: solvers, samplers, filters, physics, search, small models and their training.

Each function gives a program and its arguments. `cpu.py --programs` runs them by XLA and, as StableHLO, by `wengert run`.
"""
import jax, jax.numpy as jnp
import numpy as np
from jax import lax

PROGRAMS = {}


def program(f):
    PROGRAMS[f.__name__] = f
    return f


def numbers(*shape, seed=0, scale=1.0, dtype=np.float32):
    return jnp.asarray((np.random.default_rng(seed).standard_normal(shape) * scale).astype(dtype))


def key(seed=0):
    return jax.random.key_data(jax.random.key(seed))


@program
def ode_adaptive():
    "Bogacki and Shampine's method with steps of its own choosing, for two species that eat each other"
    def f(y, end):
        def slope(y):
            return jnp.stack([1.1 * y[0] - 0.4 * y[0] * y[1], 0.1 * y[0] * y[1] - 0.4 * y[1]])
        def body(s):
            t, h, y, steps = s
            k1 = slope(y)
            k2 = slope(y + 0.5 * h * k1)
            k3 = slope(y + 0.75 * h * k2)
            new = y + h * (2 / 9 * k1 + 1 / 3 * k2 + 4 / 9 * k3)
            k4 = slope(new)
            error = jnp.max(jnp.abs(h * (-5 / 72 * k1 + 1 / 12 * k2 + 1 / 9 * k3 - 1 / 8 * k4)))
            good = error < 1e-4
            scale = jnp.clip(0.9 * (1e-4 / (error + 1e-10)) ** (1 / 3), 0.2, 3.0)
            return jnp.where(good, t + h, t), jnp.minimum(h * scale, end - t + 1e-3), jnp.where(good, new, y), steps + 1
        return lax.while_loop(lambda s: (s[0] < end) & (s[3] < 5000), body,
                              (jnp.float32(0), jnp.float32(0.1), y, jnp.int32(0)))
    return f, (jnp.asarray([10.0, 5.0], jnp.float32), jnp.float32(40.0))


@program
def hamiltonian_sampler():
    "Two hundred steps of Hamiltonian Monte Carlo on a logistic regression, ten leapfrog steps each"
    x, t = numbers(64, 5), (numbers(64, seed=1) > 0).astype(jnp.float32)
    def f(k, x, t):
        def energy(w):
            z = x @ w
            return jnp.sum(jnp.logaddexp(0.0, z) - t * z) + 0.5 * jnp.sum(w * w)
        slope = jax.grad(energy)
        def step(w, k):
            k1, k2 = jax.random.split(k)
            p = jax.random.normal(k1, w.shape)
            def leap(_, s):
                w, p = s
                p = p - 0.025 * slope(w)
                w = w + 0.05 * p
                return w, p - 0.025 * slope(w)
            new, q = lax.fori_loop(0, 10, leap, (w, p))
            change = energy(w) + 0.5 * jnp.sum(p * p) - energy(new) - 0.5 * jnp.sum(q * q)
            taken = jnp.log(jax.random.uniform(k2)) < change
            w = jnp.where(taken, new, w)
            return w, (w, taken)
        keys = jax.random.split(jax.random.wrap_key_data(k), 200)
        return lax.scan(step, jnp.zeros(5), keys)
    return f, (key(3), x, t)


@program
def kalman_filter_grad():
    "The gradient of the likelihood of 200 measurements in the noise of a model with four states"
    y = numbers(200, 2)
    def f(noise, y):
        a = jnp.eye(4) + 0.1 * jnp.eye(4, k=2)
        h = jnp.eye(2, 4)
        def step(s, y):
            m, p = s
            m, p = a @ m, a @ p @ a.T + jnp.exp(noise[0]) * jnp.eye(4)
            s = h @ p @ h.T + jnp.exp(noise[1]) * jnp.eye(2)
            r = y - h @ m
            det = s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0]
            inverse = jnp.array([[s[1, 1], -s[0, 1]], [-s[1, 0], s[0, 0]]]) / det
            k = p @ h.T @ inverse
            return (m + k @ r, p - k @ h @ p), -0.5 * (r @ inverse @ r + jnp.log(det))
        return jnp.sum(lax.scan(step, (jnp.zeros(4), jnp.eye(4)), y)[1])
    return jax.value_and_grad(f), (jnp.asarray([-2.0, -1.0], jnp.float32), y)


@program
def particle_filter_f64():
    "Five hundred particles over 50 measurements, drawn anew by searching in sums of weights"
    def f(k, y):
        def step(s, y):
            k, x = s
            k, k1, k2 = jax.random.split(k, 3)
            x = 0.9 * x + jax.random.normal(k1, x.shape)
            w = jax.nn.softmax(-0.5 * (y - jnp.sin(x)) ** 2)
            at = (jnp.arange(500) + jax.random.uniform(k2)) / 500
            x = x[jnp.clip(jnp.searchsorted(jnp.cumsum(w), at), 0, 499)]
            return (k, x), jnp.mean(x)
        return lax.scan(step, (jax.random.wrap_key_data(k), jnp.zeros(500)), y)[1]
    return f, (key(5), numbers(50, seed=2, dtype=np.float64))


@program
def hidden_markov():
    "Forward and backward sums and the best path, 12 states and 300 symbols"
    def f(a, b, seen):
        la, lb = jax.nn.log_softmax(a), jax.nn.log_softmax(b)
        def forward(m, o):
            m = jax.nn.logsumexp(m[:, None] + la, axis=0) + lb[:, o]
            return m, m
        def backward(m, o):
            new = jax.nn.logsumexp(la + (lb[:, o] + m)[None, :], axis=1)
            return new, new
        def best(m, o):
            s = m[:, None] + la
            m = jnp.max(s, axis=0) + lb[:, o]
            return m, jnp.argmax(s, axis=0)
        start = jnp.full(12, -jnp.log(12.0))
        _, fs = lax.scan(forward, start, seen)
        _, bs = lax.scan(backward, jnp.zeros(12), seen, reverse=True)
        last, back = lax.scan(best, start, seen)
        _, path = lax.scan(lambda at, row: (row[at], at), jnp.argmax(last), back, reverse=True)
        return jax.nn.softmax(fs[:-1] + bs[1:]), path
    seen = jnp.asarray(np.random.default_rng(4).integers(0, 9, 300), jnp.int32)
    return f, (numbers(12, 12), numbers(12, 9, seed=1), seen)


@program
def molecules():
    "Forces between 64 atoms in a box with periodic sides, 20 steps of Verlet's method"
    def f(x, v):
        def energy(x):
            d = x[:, None] - x[None]
            d = d - 6.0 * jnp.round(d / 6.0)
            r2 = jnp.sum(d * d, -1) + jnp.eye(64)
            s = jnp.where((r2 < 6.25) & (jnp.eye(64) == 0), 1.0 / r2, 0.0) ** 3
            return 2.0 * jnp.sum(s * s - s)
        force = lambda x: jnp.clip(-jax.grad(energy)(x), -100.0, 100.0)
        def step(_, s):
            x, v, a = s
            v = v + 0.0005 * a
            x = jnp.mod(x + 0.001 * v, 6.0)
            a = force(x)
            return x, v + 0.0005 * a, a
        x, v, _ = lax.fori_loop(0, 20, step, (x, v, force(x)))
        return x, v, energy(x)
    at = np.stack(np.meshgrid(*[np.arange(4) * 1.5] * 3), -1).reshape(64, 3).astype(np.float32)
    return f, (jnp.asarray(at) + numbers(64, 3, scale=0.05), numbers(64, 3, seed=1))


@program
def pendulums_vmap():
    "A thousand driven pendulums at once, each until it is at rest: vmap of a while loop"
    def one(a, w, drag):
        def body(s):
            i, a, w = s
            w = w - 0.02 * (jnp.sin(a) + drag * w)
            return i + 1, a + 0.02 * w, w
        return lax.while_loop(lambda s: (s[0] < 2000) & (jnp.abs(s[1]) + jnp.abs(s[2]) > 0.01), body, (jnp.int32(0), a, w))
    drag = jnp.abs(numbers(1000, seed=2)) + 0.3
    return jax.vmap(one), (numbers(1000), numbers(1000, seed=1), drag)


@program
def tree_search():
    "Two hundred descents of a tree of 512 nodes by upper bounds, with arrays that are updated in place"
    def f(k):
        visits, value = jnp.zeros(512), jnp.zeros(512)
        def descent(s, k):
            visits, value = s
            def body(s):
                node, depth, path = s
                child = 2 * node + 1
                n, q = visits[child + jnp.arange(2)], value[child + jnp.arange(2)]
                bound = q / jnp.maximum(n, 1.0) + jnp.sqrt(2 * jnp.log(visits[node] + 1) / (n + 1e-3))
                node = child + jnp.argmax(bound).astype(jnp.int32)
                return node, depth + 1, path.at[depth].set(node)
            start = (jnp.int32(0), jnp.int32(1), jnp.zeros(10, jnp.int32))
            leaf, _, path = lax.while_loop(lambda s: 2 * s[0] + 2 < 511, body, start)
            gain = jnp.sin(leaf.astype(jnp.float32)) + 0.1 * jax.random.normal(k)
            return (visits.at[path].add(1.0), value.at[path].add(gain)), leaf
        keys = jax.random.split(jax.random.wrap_key_data(k), 200)
        return lax.scan(descent, (visits, value), keys)
    return f, (key(9),)


@program
def optimal_transport_grad():
    "The gradient through 50 rounds of Sinkhorn's method between two clouds of 80 points"
    def f(x, y):
        c = jnp.sum((x[:, None] - y[None]) ** 2, -1) / 0.5
        def step(_, s):
            u, v = s
            u = -jax.nn.logsumexp(v[None, :] - c, axis=1) - jnp.log(80.0)
            return u, -jax.nn.logsumexp(u[:, None] - c, axis=0) - jnp.log(80.0)
        u, v = lax.fori_loop(0, 50, step, (jnp.zeros(80), jnp.zeros(80)))
        return jnp.sum(jnp.exp(u[:, None] + v[None, :] - c) * c)
    return jax.value_and_grad(f), (numbers(80, 2), numbers(80, 2, seed=1))


@program
def recurrent_training():
    "A step of Adam for a gated recurrent cell of width 32 over 100 steps, batch 8"
    w = dict(x=numbers(8, 96, scale=0.3), h=numbers(32, 96, seed=1, scale=0.2), b=jnp.zeros(96), out=numbers(32, 3, seed=2))
    state = (w, jax.tree.map(jnp.zeros_like, w), jax.tree.map(jnp.zeros_like, w))
    def loss(w, xs, t):
        def cell(h, x):
            a, b = x @ w["x"] + w["b"], h @ w["h"]
            r, z = jax.nn.sigmoid(a[:, :32] + b[:, :32]), jax.nn.sigmoid(a[:, 32:64] + b[:, 32:64])
            n = jnp.tanh(a[:, 64:] + r * b[:, 64:])
            return (1 - z) * n + z * h, None
        h, _ = lax.scan(cell, jnp.zeros((8, 32)), xs)
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(h @ w["out"]), t[:, None], 1))
    def f(state, xs, t):
        w, m, v = state
        l, g = jax.value_and_grad(loss)(w, xs, t)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
        w = jax.tree.map(lambda w, m, v: w - 1e-3 * m / (jnp.sqrt(v) + 1e-8), w, m, v)
        return l, (w, m, v)
    return f, (state, numbers(100, 8, 8, seed=3), jnp.asarray([0, 1, 2, 0, 1, 2, 0, 1], jnp.int32))


@program
def small_transformer():
    "Two layers of width 64 on 2×32 tokens in bf16: loss and gradient"
    d, h = 64, 4
    layers = [{n: numbers(*s, seed=7 * i + j, scale=s[0] ** -0.5).astype(jnp.bfloat16) for j, (n, s) in enumerate(
        dict(qkv=(d, 3 * d), o=(d, d), up=(d, 4 * d), down=(4 * d, d)).items())} for i in range(2)]
    def norm(x):
        x = x.astype(jnp.float32)
        m = jnp.mean(x, -1, keepdims=True)
        return ((x - m) * lax.rsqrt(jnp.var(x, -1, keepdims=True) + 1e-5)).astype(jnp.bfloat16)
    def loss(layers, table, tokens):
        x = table[tokens]
        for p in layers:
            q, k, v = [y.reshape(2, 32, h, d // h).transpose(0, 2, 1, 3) for y in jnp.split(norm(x) @ p["qkv"], 3, -1)]
            s = (q @ k.swapaxes(-1, -2)).astype(jnp.float32) / 4.0
            s = jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((32, 32), bool)), s, -1e9)).astype(jnp.bfloat16)
            x = x + (s @ v).transpose(0, 2, 1, 3).reshape(2, 32, d) @ p["o"]
            x = x + jax.nn.gelu(norm(x) @ p["up"]) @ p["down"]
        z = (norm(x) @ table.T).astype(jnp.float32)[:, :-1]
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(z), tokens[:, 1:, None], -1))
    tokens = jnp.asarray(np.random.default_rng(1).integers(0, 100, (2, 32)), jnp.int32)
    return jax.value_and_grad(loss), (layers, numbers(100, d, seed=20, scale=0.1).astype(jnp.bfloat16), tokens)


@program
def newton_solver_f64():
    "Newton's method for a boundary problem of 40 points, with a banded elimination written as scans"
    n = 40
    def f(y):
        def residual(y):
            p = jnp.concatenate([jnp.zeros(1, y.dtype), y, jnp.ones(1, y.dtype)])
            return (p[2:] - 2 * p[1:-1] + p[:-2]) * (n + 1) ** 2 - jnp.exp(p[1:-1]) * 0.5
        def body(s):
            i, y = s
            r, diagonal, side = residual(y), -2.0 * (n + 1) ** 2 - 0.5 * jnp.exp(y), float((n + 1) ** 2)
            def down(s, x):
                c, d = s
                m = x[0] - side * c
                c, d = side / m, (x[1] - side * d) / m
                return (c, d), (c, d)
            _, (c, d) = lax.scan(down, (jnp.zeros((), y.dtype), jnp.zeros((), y.dtype)), (diagonal, -r))
            _, step = lax.scan(lambda x, s: ((s[1] - s[0] * x,) * 2), jnp.zeros((), y.dtype), (c, d), reverse=True)
            return i + 1, y + step
        return lax.while_loop(lambda s: (s[0] < 20) & (jnp.max(jnp.abs(residual(s[1]))) > 1e-8), body, (jnp.int32(0), y))
    return f, (jnp.linspace(0, 1, n, dtype=jnp.float64),)


@program
def graph_messages_grad():
    "Three rounds of messages over 600 edges between 100 nodes of width 16: gradient in the weights"
    ends = np.random.default_rng(2).integers(0, 100, (2, 600)).astype(np.int32)
    def loss(w, x, a, b):
        for k in range(3):
            m = jax.nn.relu(jnp.concatenate([x[a], x[b]], -1) @ w["edge"][k])
            x = jnp.tanh(x + jax.ops.segment_sum(m, b, 100) @ w["node"][k])
        return jnp.mean(x * x)
    w = dict(edge=numbers(3, 32, 16, scale=0.2), node=numbers(3, 16, 16, seed=1, scale=0.2))
    return jax.grad(loss), (w, numbers(100, 16, seed=2), jnp.asarray(ends[0]), jnp.asarray(ends[1]))


@program
def rollout_policy_grad():
    "A policy of two layers balances a pole in 16 copies of the world for 200 steps: gradient of what it gains"
    def f(w, start):
        def world(s, _):
            u = jnp.tanh(jnp.tanh(s @ w[0]) @ w[1])[:, 0] * 10.0
            x, v, a, q = s.T
            sin, cos = jnp.sin(a), jnp.cos(a)
            t = (u + 0.05 * q * q * sin) / 1.1
            turn = (9.8 * sin - cos * t) / (0.5 * (4 / 3 - 0.1 * cos * cos / 1.1))
            push = t - 0.05 * turn * cos / 1.1
            s = jnp.stack([x + 0.02 * v, v + 0.02 * push, a + 0.02 * q, q + 0.02 * turn], -1)
            return s, -jnp.mean(jnp.minimum(s[:, 2] ** 2 + 0.1 * s[:, 0] ** 2, 10.0))
        return jnp.sum(lax.scan(world, start, None, 200)[1])
    return jax.value_and_grad(f), ([numbers(4, 16, scale=0.3), numbers(16, 1, seed=1, scale=0.3)], numbers(16, 4, seed=2, scale=0.05))


def main():
    """Writes each program with its inputs to a folder, runs it by XLA, and prints a line of JSON for each."""
    import argparse, json, os, statistics, time
    jax.config.update("jax_enable_compilation_cache", False)
    jax.config.update("jax_enable_x64", True)
    ap = argparse.ArgumentParser(description=main.__doc__)
    ap.add_argument("folder")
    ap.add_argument("--only")
    ap.add_argument("--seconds", type=float, default=0.5)
    a = ap.parse_args()
    for name in a.only.split(",") if a.only else PROGRAMS:
        # Types are those of the arguments: 64 bits only where a program says so.
        with jax.enable_x64(name.endswith("_f64")):
            f, args = PROGRAMS[name]()
            folder = os.path.join(a.folder, name)
            os.makedirs(folder, exist_ok=True)
            staged = jax.jit(f, keep_unused=True)
            t = time.perf_counter()
            lowered = staged.lower(*args)
            compiled = lowered.compile()
            compile_ms = (time.perf_counter() - t) * 1e3
            open(os.path.join(folder, "module.mlir"), "w").write(lowered.as_text())
            for i, x in enumerate(jax.tree.leaves(args)):
                x = np.asarray(x)
                np.save(os.path.join(folder, f"in_{i:03}.npy"), x.view(np.uint16) if x.dtype == jnp.bfloat16 else x)
            args = jax.device_put(args)
            out = jax.block_until_ready(staged(*args))
            times, end = [], time.perf_counter() + a.seconds
            while time.perf_counter() < end or len(times) < 5:
                t = time.perf_counter()
                jax.block_until_ready(staged(*args))
                times.append(time.perf_counter() - t)
            memory = compiled.memory_analysis()
            check = sum(float(np.sum(np.abs(np.asarray(x, np.float64)))) for x in jax.tree.leaves(out))
            print(json.dumps(dict(name=name, compile_ms=compile_ms, run_us=statistics.median(times) * 1e6, check=check,
                                  temporaries=memory.temp_size_in_bytes, outputs=memory.output_size_in_bytes)), flush=True)


if __name__ == "__main__":
    main()
