"""Loops, branches and calls: small programs, with JAX's loops beside them."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from store import DTYPES, op
from values import ordinary

STEP = (
    "program (w: {d}[2,2], h: {d}[2], x: {d}[2]) {{ a: {d}[2] = dot_general[contract=([1], [0]), batch=([], [])](w, h) "
    "b: {d}[2] = add(a, x) c: {d}[2] = tanh(b) s: {d}[] = reduce[combiner=add, dims=[0]](c) return c, s }}"
)


def scan(store):
    for d in ("f32", "f64", "c128"):
        for length in (3, 1, 0):
            for reverse in (False, True):

                def fn(w, h, xs):
                    def step(h, x):
                        c = jnp.tanh(w @ h + x)
                        return c, c.sum()

                    return lax.scan(step, h, xs, reverse=reverse)

                x = [ordinary(d, (2, 2), -1, 1), ordinary(d, (2,), -1, 1), ordinary(d, (length, 2), -1, 1)]
                text = op("scan", length=length, consts=1, carries=1, reverse=reverse, body=STEP.format(d=d))
                store.op(text, x, fn, f"{reverse}", diff=(0, 1, 2) if d != "f32" and length else ())
    for d in ("i32", "u8", "f16"):
        body = f"program (a: {d}[], x: {d}[]) {{ b: {d}[] = add(a, x) return b, b }}"
        fn = lambda a, x: lax.scan(lambda a, x: (a + x, a + x), a, x)  # noqa: E731
        text = op("scan", length=4, consts=0, carries=1, reverse=False, body=body)
        store.op(text, [ordinary(d, ()), ordinary(d, (4,))], fn, "sum")
    body = (
        "program (i: i32[], x: f64[]) { j: i32[] = add(i, 1:i32[]) y: f64[] = convert[dtype=f64](i) "
        "z: f64[] = mul(x, y) return j, z }"
    )
    fn = lambda i, x: lax.scan(lambda i, x: (i + 1, x * i.astype(np.float64)), i, x)  # noqa: E731
    text = op("scan", length=3, consts=0, carries=1, reverse=False, body=body)
    store.op(text, [np.int32(2), ordinary("f64", (3,))], fn, "integer carry", diff=(1,))


def while_loop(store):
    for d in ("f32", "f64", "i32"):
        t = f"{d}[]"
        cond = f"program (n: {t}, x: {t}) {{ p: bool[] = compare[direction=lt](x, n) return p }}"
        body = f"program (n: {t}, x: {t}) {{ y: {t} = mul(x, 3:{t}) return y }}".replace("3:f", "3.0:f")
        fn = lambda n, x: lax.while_loop(lambda x: x < n, lambda x: x * 3, x)  # noqa: E731
        text = op("while", consts=1, cond=cond, body=body)
        for n, x in [(100, 1), (1, 2)]:
            store.op(text, [np.array(n, DTYPES[d]), np.array(x, DTYPES[d])], fn, f"{n}")
    # A count that is known: JAX reverses it as a scan.
    cond = "program (i: i32[], x: f64[2]) { p: bool[] = compare[direction=lt](i, 4:i32[]) return p }"
    body = (
        "program (i: i32[], x: f64[2]) { j: i32[] = add(i, 1:i32[]) y: f64[2] = sin(x) z: f64[2] = mul(x, y) "
        "return j, z }"
    )

    def fn(i, x):
        return lax.scan(lambda c, _: ((c[0] + 1, c[1] * jnp.sin(c[1])), None), (i, x), None, length=4)[0]

    store.op(op("while", consts=0, cond=cond, body=body), [np.int32(0), ordinary("f64", (2,))], fn, "known", diff=(1,))


def branches(store):
    for d in ("f32", "f64", "i32", "c128"):
        t = f"{d}[3]"
        one = f"program (x: {t}) {{ y: {t} = mul(x, x) return y }}"
        two = f"program (x: {t}) {{ y: {t} = neg(x) return y }}"
        three = f"program (x: {t}) {{ y: {t} = add(x, x) return y }}"
        f = [lambda x: x * x, lambda x: -x, lambda x: x + x]
        x = ordinary(d, (3,))
        diff = (1,) if d in ("f64", "c128") else ()
        for p in (True, False):
            fn = lambda p, x: lax.cond(p, f[1], f[0], x)  # noqa: E731
            store.op(op("cond", branches=[one, two]), [np.array(p), x], fn, f"{p}", diff=diff)
        for i in (0, 2, -1, 7):
            fn = lambda i, x: lax.switch(i, f, x)  # noqa: E731
            store.op(op("cond", branches=[one, two, three]), [np.int32(i), x], fn, f"{i}", diff=diff)


def calls(store):
    for d in ("f32", "f64"):
        body = f"program (x: {d}[2]) {{ y: {d}[2] = sin(x) z: {d}[2] = mul(x, y) return z }}"
        for kind in ("staged", "checkpoint"):
            fn = {"staged": jax.jit, "checkpoint": jax.checkpoint}[kind](lambda x: x * jnp.sin(x))
            text = op("call", program=body, kind=kind)
            store.op(text, [ordinary(d, (2,))], fn, kind, diff=(0,) if d == "f64" else ())
        store.op("stop_gradient", [ordinary(d, (2,))], lax.stop_gradient, diff=(0,))
        fn = lambda x, y: tuple(lax.optimization_barrier((x, y)))  # noqa: E731
        store.op("barrier", [ordinary(d, (2,)), ordinary(d, ())], fn, diff=(0, 1))


def cases(store):
    for family in (scan, while_loop, branches, calls):
        family(store)
