#!/usr/bin/env python3
"""The reference workloads on one XLA device: JAX, then Wengert, on the same machine in one run; and a table of ratios.

  cargo build --release -p wengert-bench        # here, or elsewhere: the binary needs nothing but the plugin
  python3 bench/xla.py [--binary PATH] [--backend cuda] [--seconds 1.5] [--only a,b] [--out FILE]

Both call the same compiler through the same plugin. For each workload:
  run       median time of one call until its results are there, in microseconds
  dispatch  median time until the call returns, while the device still works
  check     relative difference of the sums of |results|
The first call of a workload, which traces and compiles it, is given for both too. Machines drift: what comes out close
is run once more with Wengert first, and the better of two times counts for each side. Ends with 1 if a sum differs by
more than 1e-3 (products in another order, loops that amplify rounding), or a workload is missing on one side.
"""
import argparse, json, os, platform, statistics, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 1e-3
CLOSE = 0.9


def jax_side(names, seconds):
    """One JSON line for each workload, as the peer is timed, with the time until a call returns."""
    sys.path.insert(0, HERE)
    import peer_jax
    import jax, numpy as np
    device = jax.devices()[0]
    print(json.dumps(dict(jax=jax.__version__, device=f"{device.platform} {device.device_kind}")), flush=True)
    for name in names or list(peer_jax.BENCH):
        f, args = peer_jax.BENCH[name]()
        args = jax.block_until_ready(jax.tree.map(jax.device_put, args))
        start = time.perf_counter()
        j = jax.jit(f)
        out = jax.block_until_ready(j(*args))
        first = time.perf_counter() - start
        runs, returns, end = [], [], time.perf_counter() + seconds
        while time.perf_counter() < end or len(runs) < 5:
            t = time.perf_counter()
            y = j(*args)
            returned = time.perf_counter()
            jax.block_until_ready(y)
            runs.append(time.perf_counter() - t)
            returns.append(returned - t)
        check = float(sum(np.sum(np.abs(np.asarray(x, dtype=np.float64))) for x in jax.tree.leaves(out)))
        us = lambda times: round(statistics.median(times) * 1e6, 2)
        print(json.dumps(dict(name=name, first_ms=round(first * 1e3, 1), run_us=us(runs), dispatch_us=us(returns),
                              runs=len(runs), check=check)), flush=True)


def lines(command):
    """The JSON lines that a command prints, by name; what it says on the way goes to our stderr."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    found = [json.loads(l) for l in done.stdout.splitlines() if l.startswith("{")]
    return {l.get("name", ""): l for l in found}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--binary", default=os.path.join(HERE, "..", "target", "release", "wengert-bench"))
    ap.add_argument("--backend", default="cuda"); ap.add_argument("--seconds", type=float, default=1.5)
    ap.add_argument("--only"); ap.add_argument("--out"); ap.add_argument("--jax", action="store_true")
    a = ap.parse_args()
    names = a.only.split(",") if a.only else []
    if a.jax:
        return jax_side(names, a.seconds)
    seconds = ["--seconds", str(a.seconds)]

    def jax_lines(names):
        only = ["--only", ",".join(names)] if names else []
        return lines([sys.executable, os.path.abspath(__file__), "--jax", *seconds, *only])

    def our_lines(names):
        return lines([a.binary, "--backend", a.backend, *seconds, *names])

    # One after the other: each takes most of the device's memory for itself.
    jax, ours = jax_lines(names), our_lines(names)
    about = jax.pop("", {})
    near = lambda n: any(ours[n][k] > CLOSE * jax[n][k] for k in ("run_us", "dispatch_us"))
    close = [n for n in jax if n in ours and near(n)]
    if close:
        again = our_lines(close), jax_lines(close)
        for first, second in zip((ours, jax), again):
            for n in close:
                for k in ("run_us", "dispatch_us"):
                    first[n][k] = min(first[n][k], second.get(n, first[n])[k])
    text = [f"{time.strftime('%Y-%m-%d')}, {about.get('device', '?')}, JAX {about.get('jax', '?')}, "
            f"{platform.machine()}, {os.cpu_count()} cores", "",
            "| workload | JAX run µs | Wengert run µs | ratio | JAX dispatch µs | Wengert dispatch µs | ratio "
            "| JAX first ms | Wengert first ms | check |", "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    bad = []
    for name in jax | ours:
        if name not in jax or name not in ours:
            bad.append(f"{name}: missing in {'Wengert' if name in jax else 'JAX'}")
            continue
        j, w = jax[name], ours[name]
        run, dispatch = w["run_us"] / j["run_us"], w["dispatch_us"] / j["dispatch_us"]
        check = abs(w["check"] - j["check"]) / max(abs(j["check"]), 1e-30)
        text.append(f"| {name} | {j['run_us']:.1f} | {w['run_us']:.1f} | {run:.2f} | {j['dispatch_us']:.1f} | "
                    f"{w['dispatch_us']:.1f} | {dispatch:.2f} | {j['first_ms']:.0f} | {w['first_ms']:.0f} | {check:.0e} |")
        if not check <= TOLERANCE:
            bad.append(f"{name}: check {w['check']!r}, JAX {j['check']!r}")
        if run > 1.0 or dispatch > 1.0:
            text[-1] += " slower"
    text = "\n".join([*text, "", *bad]) + "\n"
    print(text)
    if a.out:
        open(a.out, "w").write(text)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
