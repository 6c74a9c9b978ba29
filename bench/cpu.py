#!/usr/bin/env python3
"""The reference workloads on this CPU: JAX and Wengert by turns in one run; a table of ratios, and a plot.

  python3 bench/cpu.py [--only a,b] [--processes 5] [--seconds 0.5] [--threads 2] [--out FILE] [--plot FILE]

Builds `wengert-bench` and makes a virtual environment with JAX under `target/python` if there is none. Each side runs all
workloads in a process of its own, JAX first, then Wengert, and so on until there were `--processes` of each, so that a
machine whose clock drifts does so for both. For each workload:
  run      time of one call until its results are there: the median of a process, and the median of the processes
  compile  JAX: trace, lower and compile; Wengert: the first call less one run, at least 0.1. In milliseconds
  speed    JAX's run time over Wengert's: above 1, Wengert is faster
Ends with 1 if the sums of |results| differ by more than 1e-3, or a workload is missing on one side.
"""
import argparse, json, math, os, platform, statistics, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
JAX = "jax==0.10.2"
TOLERANCE = 1e-3


def python_with_jax():
    """The interpreter of a virtual environment that has JAX; makes it once."""
    folder = os.path.join(ROOT, "target", "python", "cpu")
    python = os.path.join(folder, "bin", "python")
    if subprocess.run([python, "-c", "import jax"], capture_output=True).returncode if os.path.exists(python) else True:
        print(f"installing {JAX} into {os.path.relpath(folder)} …", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", JAX, "numpy"], check=True)
    return python


def binary():
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "wengert-bench"], cwd=ROOT, check=True)
    return os.path.join(ROOT, "target", "release", "wengert-bench")


def lines(command, env):
    """The workloads that a process times, by name."""
    out = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    return {d["name"]: d for d in found}


def rows(sides):
    """One row for each workload: what both sides took, and whether their sums agree."""
    names = list(sides["jax"][0])
    for name in names:
        ours = [p[name] for p in sides["wengert"] if name in p]
        theirs = [p[name] for p in sides["jax"] if name in p]
        if not ours:
            yield name, None
            continue
        run = [statistics.median(d["run_us"] for d in side) for side in (theirs, ours)]
        compile_ = [statistics.median(d["compile_ms"] for d in theirs),
                    max(statistics.median(d["first_ms"] - d["run_us"] / 1e3 for d in ours), 0.1)]
        a, b = theirs[0]["check"], ours[0]["check"]
        yield name, dict(run=run, compile=compile_, check=abs(a - b) / max(abs(a), 1e-30))


def plot(table, path):
    """Bars of the speeds on a logarithmic scale, as SVG."""
    bar, left, width = 18, 190, 420
    low, high = -1.0, 2.0
    place = lambda speed: left + (min(max(math.log10(speed), low), high) - low) / (high - low) * width
    height = bar * len(table) + 50
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 80}" height="{height}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>']
    for tick in (0.1, 1, 10, 100):
        x = place(tick)
        out += [f'<line x1="{x:.1f}" x2="{x:.1f}" y1="24" y2="{height - 8}" stroke="{"#666" if tick == 1 else "#ddd"}"/>',
                f'<text x="{x:.1f}" y="16" text-anchor="middle">{tick:g}×</text>']
    for i, (name, speed) in enumerate(table):
        y, x = 30 + i * bar, place(speed)
        start, end = sorted((place(1), x))
        colour = "#2a7" if speed >= 1 else "#c63"
        out += [f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{name}</text>',
                f'<rect x="{start:.1f}" y="{y + 2}" width="{max(end - start, 1):.1f}" height="{bar - 5}" fill="{colour}"/>',
                f'<text x="{end + 5:.1f}" y="{y + 12}">{speed:.2f}</text>']
    open(path, "w").write("\n".join(out + ["</svg>\n"]))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--only")
    ap.add_argument("--processes", type=int, default=5)
    ap.add_argument("--seconds", type=float, default=0.5)
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--out")
    ap.add_argument("--plot")
    a = ap.parse_args()
    python, ours = python_with_jax(), binary()
    env = dict(os.environ, RAYON_NUM_THREADS=str(a.threads), JAX_PLATFORMS="cpu",
               XLA_FLAGS=f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen={'true' if a.threads > 1 else 'false'}")
    cores = [] if a.threads >= (os.cpu_count() or 1) else ["taskset", "-c", f"0-{a.threads - 1}"]
    jax = cores + [python, os.path.join(HERE, "peer_jax.py"), "--seconds", str(a.seconds)]
    jax += ["--only", a.only] if a.only else []
    wengert = cores + [ours, "--seconds", str(a.seconds)] + (a.only.split(",") if a.only else [])
    sides = dict(jax=[], wengert=[])
    for i in range(a.processes):
        for side, command in (("jax", jax), ("wengert", wengert)):
            sides[side].append(lines(command, env))
            print(f"{2 * i + 1 + (side == 'wengert')} of {2 * a.processes} processes done", file=sys.stderr)
    text = [f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {a.threads} threads, {JAX}; {a.processes} processes of each "
            f"by turns, {a.seconds:g} s a workload.", "",
            "| workload | JAX run µs | Wengert run µs | speed | JAX compile ms | Wengert compile ms | check |",
            "|---|--:|--:|--:|--:|--:|--:|"]
    speeds, compiles, bad = [], [], False
    for name, row in rows(sides):
        if row is None:
            text.append(f"| {name} | – | missing | | | | |")
            bad = True
            continue
        (jr, wr), (jc, wc) = row["run"], row["compile"]
        speeds.append((name, jr / wr))
        compiles.append(jc / wc)
        wrong = row["check"] > TOLERANCE
        bad |= wrong
        text.append(f"| {name} | {jr:.1f} | {wr:.1f} | {jr / wr:.2f} | {jc:.1f} | {wc:.2f} | {row['check']:.0e}"
                    f"{' **differs**' if wrong else ''} |")
    mean = lambda v: math.exp(sum(map(math.log, v)) / len(v))
    text += ["", f"Geometric means: run {mean([s for _, s in speeds]):.2f} times JAX's speed, compile {mean(compiles):.0f} times."]
    print("\n".join(text))
    if a.out:
        open(a.out, "w").write("\n".join(text) + "\n")
    if a.plot:
        plot(speeds, a.plot)
    sys.exit(bad)


if __name__ == "__main__":
    main()
