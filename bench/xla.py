#!/usr/bin/env python3
"""The reference workloads on one XLA device: JAX and Wengert, on the same machine in one run; a table of ratios.

  cargo build --release -p wengert-bench        # here, or elsewhere: the binary needs nothing but the plugin
  python3 bench/xla.py [--binary PATH] [--backend cuda] [--seconds 0.3] [--rounds 3] [--processes 2]
                        [--only a,b] [--out FILE]

Both call the same compiler through the same plugin, each in a process that has the device to itself: first JAX, then
Wengert, Wengert again and JAX again, so that a machine whose clock drifts does so for both, and so on until there were
`--processes` of each. Each process compiles a workload and times it `--rounds` times for `--seconds` each. For each
workload:
  run       time of one call until its results are there, in microseconds: the median of a round, and the median of the
            rounds of all processes. Two ratios: of these, and of the least rounds of each side, for what disturbs a round
            only adds time; a line whose least is above 1 is marked
  dispatch  time until the call returns, while the device still works: likewise
  first     time of the first call in the later process, which traces and compiles, in milliseconds; the arguments are on
            the device already
  check     relative difference of the sums of |results|
XLA picks kernels by timing them, and not the same ones each time: with `--xla_gpu_per_fusion_autotune_cache_dir=DIR` in
XLA_FLAGS all processes run what the first has picked. Opening the device is timed apart. Ends with 1 if a sum differs by
more than 1e-3 (products in another order, loops that amplify rounding), or a workload is missing on one side.
"""
import argparse, json, os, platform, statistics, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 1e-3


def jax_side(seconds):
    """Times the workload that each line of the input names, as `wengert-bench --serve` does."""
    sys.path.insert(0, HERE)
    start = time.perf_counter()
    import jax, numpy as np
    imported = time.perf_counter()
    device = jax.devices()[0]
    opened = time.perf_counter()
    import peer_jax
    print(json.dumps(dict(jax=jax.__version__, device=f"{device.platform} {device.device_kind}",
                          import_ms=(imported - start) * 1e3, client_ms=(opened - imported) * 1e3)), flush=True)
    begun = {}

    def begin(name):
        f, args = peer_jax.BENCH[name]()
        args = jax.block_until_ready(jax.tree.map(jax.device_put, args))
        j = jax.jit(f)
        start = time.perf_counter()
        out = jax.block_until_ready(j(*args))
        first = time.perf_counter() - start
        check = float(sum(np.sum(np.abs(np.asarray(x, dtype=np.float64))) for x in jax.tree.leaves(out)))
        return j, args, dict(name=name, first_ms=first * 1e3, check=check)

    for name in sys.stdin:
        name = name.strip()
        if name not in begun:
            begun[name] = begin(name)
        j, args, line = begun[name]
        runs, returns, end = [], [], time.perf_counter() + seconds
        while time.perf_counter() < end or len(runs) < 3:
            t = time.perf_counter()
            y = j(*args)
            returned = time.perf_counter()
            jax.block_until_ready(y)
            runs.append(time.perf_counter() - t)
            returns.append(returned - t)
        us = lambda times: statistics.median(times) * 1e6
        print(json.dumps(dict(line, run_us=us(runs), dispatch_us=us(returns), runs=len(runs))), flush=True)


def one_side(command, names, rounds):
    """What a process says of itself and of each workload, round by round."""
    lines = "".join(f"{name}\n" * rounds for name in names)
    done = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True)
    said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or len(said) != 1 + rounds * len(names):
        raise SystemExit(f"{command[0]} ended with {done.returncode} after {len(said)} lines")
    return said[0], {name: said[1 + i * rounds:][:rounds] for i, name in enumerate(names)}


def middle(rounds, key):
    return statistics.median(r[key] for r in rounds)


def least(rounds, key):
    return min(r[key] for r in rounds)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--binary", default=os.path.join(HERE, "..", "target", "release", "wengert-bench"))
    ap.add_argument("--backend", default="cuda"); ap.add_argument("--seconds", type=float, default=0.3)
    ap.add_argument("--rounds", type=int, default=3); ap.add_argument("--processes", type=int, default=2)
    ap.add_argument("--only"); ap.add_argument("--out"); ap.add_argument("--jax", action="store_true")
    a = ap.parse_args()
    if a.jax:
        return jax_side(a.seconds)
    sys.path.insert(0, HERE)
    import peer_jax
    names = a.only.split(",") if a.only else list(peer_jax.BENCH)
    seconds = ["--seconds", str(a.seconds)]
    jax_command = [sys.executable, os.path.abspath(__file__), "--jax", *seconds]
    our_command = [a.binary, "--backend", a.backend, *seconds, "--serve"]
    jax_sides, our_sides = [], []
    for turn in range(a.processes):
        both = [(jax_sides, jax_command), (our_sides, our_command)]
        for sides, command in both if turn % 2 == 0 else reversed(both):
            sides.append(one_side(command, names, a.rounds))
            print(f"{len(jax_sides) + len(our_sides)} of {2 * a.processes} processes done", file=sys.stderr, flush=True)
    jax, ours = jax_sides[0][0], our_sides[0][0]
    text = [f"{time.strftime('%Y-%m-%d')}, {jax['device']}, JAX {jax['jax']}, {platform.machine()}, "
            f"{os.cpu_count()} cores; {a.processes} processes of each, {a.rounds} rounds of {a.seconds} s in each. Opening the "
            f"device takes JAX {jax['client_ms']:.0f} ms (and {jax['import_ms']:.0f} to be imported), Wengert "
            f"{ours['client_ms']:.0f}.", "",
            "| workload | JAX run µs | Wengert run µs | of medians | of least | JAX dispatch µs | Wengert dispatch µs "
            "| of medians | of least | JAX first ms | Wengert first ms | check |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    bad = []
    for name in names:
        j, w = ([r for _, side in sides for r in side[name]] for sides in (jax_sides, our_sides))
        ratio = lambda of, key: of(w, key) / of(j, key)
        both = lambda key: (f"{middle(j, key):.1f} | {middle(w, key):.1f} | {ratio(middle, key):.2f} "
                            f"| {ratio(least, key):.2f}")
        check = abs(w[0]["check"] - j[0]["check"]) / max(abs(j[0]["check"]), 1e-30)
        line = (f"| {name} | {both('run_us')} | {both('dispatch_us')} | {j[-1]['first_ms']:.0f} "
                f"| {w[-1]['first_ms']:.0f} | {check:.0e} |")
        if ratio(least, "run_us") > 1.0 or ratio(least, "dispatch_us") > 1.0:
            line += " slower"
        if not check <= TOLERANCE:
            bad.append(f"{name}: check {w[0]['check']!r}, JAX {j[0]['check']!r}")
        text.append(line)
    print("\n".join(text))
    text = "\n".join([*text, "", *bad]) + "\n"
    if a.out:
        open(a.out, "w").write(text)
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
