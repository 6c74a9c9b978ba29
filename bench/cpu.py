#!/usr/bin/env python3
"""The reference workloads, or the programs of `programs.py`, on this CPU: JAX and Wengert by turns in one run; a table of
ratios, and a plot.

  python3 bench/cpu.py [--programs] [--only a,b] [--size 0.25|1|4] [--processes 5] [--seconds 0.5] [--threads 2]
                       [--peers numpy,ndarray,candle,burn] [--out FILE] [--plot FILE]

Builds `wengert-bench` (for programs, the command) and makes a virtual environment with JAX under `target/python` if there is
none. A pair of processes, one for each side, goes through the workloads by turns of `--seconds`, JAX first, then Wengert, four
times each, so that a machine that other work makes slower is so for both; then the next pair, until there were `--processes`.
(Programs have a turn for all of them.) For each workload:
  run      time of one call until its results are there: the median of a turn, of its turns, and of the processes
  compile  JAX: trace, lower and compile; Wengert: the first call less one run, at least 0.1. In milliseconds
  speed    JAX's run time over Wengert's: above 1, Wengert is faster
  memory   bytes that the plan has for temporaries and for outputs, as XLA's `memory_analysis()` says them and as Wengert does
A second table holds the workloads against the machine: bytes that the plan reads and writes beside the least (inputs and
outputs, once), the share of the speed at which the machine copies (right after each turn, into memory that was written before)
that this makes, and that of the operations of products and convolutions in what it can multiply and add: medians of a turn, and
the median of the turns; then, since the clock of a machine depends on what it does, beside what it can multiply and add in the
half millisecond after each call. Loops whose steps are not known count as one step.
`--peers` builds and runs other libraries too (`peers/`), with the workloads that they can express at size 1, and adds a table of
their times over ours.
Ends with 1 if the sums of |results| differ by more than 1e-3, or a workload is missing on one side.
"""
import argparse, json, math, os, platform, re, statistics, subprocess, sys, tempfile, time

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


def binary(package):
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", package], cwd=ROOT, check=True)
    return os.path.join(ROOT, "target", "release", {"wengert-cli": "wengert"}.get(package, package))


def lines(command, env):
    """The workloads that a process times, by name."""
    out = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    return {d["name"]: d for d in found}


class Side:
    """A process that times the workloads it is asked for."""

    def __init__(self, command, env):
        self.process = subprocess.Popen(command + ["--serve"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def turn(self, name):
        print(name, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{name}: the process ended with {self.process.wait()}")
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


TURNS = 4
# Workloads of fewer operations of products are not held against the machine's peak.
FEW = 1e6


def pair(commands, names, env):
    """What both sides say of each workload, by turns; ours with the shares of what the machine could do just then."""
    sides = {side: Side(command, env) for side, command in commands.items()}
    said = {side: {} for side in sides}
    for name in names:
        turns = {side: [] for side in sides}
        for _ in range(TURNS):
            for side, process in sides.items():
                turns[side].append(process.turn(name))
            ours = turns["wengert"][-1]
            ours.update(sides["wengert"].turn("machine"), name=name)
            if ours["operations"] > FEW:
                ours.update(sides["wengert"].turn(f"beside {name}"))
        for side, all_ in turns.items():
            said[side][name] = dict(all_[0], run_us=statistics.median(d["run_us"] for d in all_), turns=all_)
    for process in sides.values():
        process.end()
    return said


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
                    max(statistics.median(d.get("compile_ms", d.get("first_ms", 0) - d["run_us"] / 1e3) for d in ours), 0.1)]
        a, b = theirs[0]["check"], ours[0]["check"]
        memory = [(d.get("temporaries"), d.get("outputs")) for d in (theirs[0], ours[0])]
        yield name, dict(run=run, compile=compile_, check=abs(a - b) / max(abs(a), 1e-30), memory=memory)


def seconds(what, said):
    """A time that the command prints."""
    found = re.search(what + r" ([\d.]+) ?(ns|µs|ms|s)\b", said)
    return float(found[1]) * {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}[found[2]]


def run_programs(command, folder, env):
    """What `wengert run` says of each program in the folder, by name."""
    import numpy as np
    results = {}
    for name in sorted(os.listdir(folder)):
        case = os.path.join(folder, name)
        inputs = sorted(os.path.join(case, f) for f in os.listdir(case) if f.startswith("in_"))
        out = os.path.join(case, "out")
        said = subprocess.run(command + ["run", os.path.join(case, "module.mlir"), "--time", "--memory", "--out-dir", out,
                                         "--input"] + inputs, env=env, stderr=subprocess.PIPE, text=True, check=True).stderr
        check = 0.0
        for file in os.listdir(out):
            x = np.load(os.path.join(out, file))
            # bf16 comes as its bits.
            x = (x.astype(np.uint32) << 16).view(np.float32) if x.dtype == np.uint16 else x
            check += float(np.sum(np.abs(x.astype(np.float64))))
        memory = {k: int(n) for n, k in re.findall(r"(\d+) of (temporaries|results)", said)}
        results[name] = dict(run_us=seconds(r"best of \d+", said) * 1e6, compile_ms=seconds("compile", said) * 1e3, check=check,
                             temporaries=memory.get("temporaries"), outputs=memory.get("results"))
    return results


def peer(name, python):
    """The command that times a peer's workloads."""
    if name == "numpy":
        return [python, os.path.join(HERE, "peers", "numpy_peer.py")]
    target = os.path.join(ROOT, "target", "peers")
    subprocess.run(["cargo", "build", "--release", "--quiet", "--manifest-path", os.path.join(HERE, "peers", "Cargo.toml"),
                    "--target-dir", target, "--features", name, "--bin", name], check=True)
    return [os.path.join(target, "release", name)]


def other_peers(wengert, peers):
    """The times of other peers over ours, as lines of a table, and whether a sum differs."""
    text = ["| workload | Wengert µs | " + " | ".join(f"{p} µs, speed" for p in peers) + " |", "|---|--:|" + "--:|" * len(peers)]
    bad = False
    for name in wengert[0]:
        ours = statistics.median(p[name]["run_us"] for p in wengert if name in p)
        cells = []
        for runs in peers.values():
            found = [p[name] for p in runs if name in p]
            if not found:
                cells.append("–")
                continue
            theirs = statistics.median(d["run_us"] for d in found)
            error = abs(found[0]["check"] - wengert[0][name]["check"]) / max(abs(found[0]["check"]), 1e-30)
            bad |= error > TOLERANCE
            cells.append(f"{theirs:.1f}, {theirs / ours:.2f}{' **differs**' if error > TOLERANCE else ''}")
        if any(c != "–" for c in cells):
            text.append(f"| {name} | {ours:.1f} | " + " | ".join(cells) + " |")
    return text, bad


def roofline(wengert):
    """Each workload of ours against what the machine could do at the same time, as lines of a table."""
    turns = {name: [d for p in wengert for d in p[name]["turns"]] for name in wengert[0]}
    peak = lambda what: statistics.median(d[what] for all_ in turns.values() for d in all_)
    text = [f"The machine copies {peak('copy_gb_s'):.1f} GB (read and written) and does {peak('f32_gflop_s'):.0f} thousand million "
            "`f32` operations in a second; shares are medians of turns, each beside what it did right after.", "",
            "| workload | MB moved | least | of the speed of a copy | of the products' peak | of that right after each call |",
            "|---|--:|--:|--:|--:|--:|"]
    for name, all_ in turns.items():
        one = all_[0]
        if "moved" not in one:
            continue
        share = lambda what, peak: f"{statistics.median(100 * d[what] / (d['run_us'] * 1e-6) / (d[peak] * 1e9) for d in all_):.0f}%"
        products = one["operations"] > FEW
        beside = f"{100 * statistics.median(d['beside'] for d in all_):.0f}%" if products else ""
        text.append(f"| {name} | {one['moved'] / 1e6:.2f} | {one['least'] / 1e6:.2f} | {share('moved', 'copy_gb_s')} | "
                    f"{share('operations', 'f32_gflop_s') if products else ''} | {beside} |")
    return text


def plot(table, path):
    """Bars of the speeds on a logarithmic scale, as SVG."""
    bar, left, width = 18, 190, 420
    low, high = -1.0, 2.0
    place = lambda speed: left + (min(max(math.log10(speed), low), high) - low) / (high - low) * width
    height = bar * len(table) + 70
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 80}" height="{height}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>',
           '<text x="8" y="16">Speed beside JAX: its time over Wengert\'s. Above 1×, Wengert is faster.</text>']
    for tick in (0.1, 1, 10, 100):
        x = place(tick)
        out += [f'<line x1="{x:.1f}" x2="{x:.1f}" y1="44" y2="{height - 8}" stroke="{"#666" if tick == 1 else "#ddd"}"/>',
                f'<text x="{x:.1f}" y="36" text-anchor="middle">{tick:g}×</text>']
    for i, (name, speed) in enumerate(table):
        y, x = 50 + i * bar, place(speed)
        start, end = sorted((place(1), x))
        colour = "#2a7" if speed >= 1 else "#c63"
        out += [f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{name}</text>',
                f'<rect x="{start:.1f}" y="{y + 2}" width="{max(end - start, 1):.1f}" height="{bar - 5}" fill="{colour}"/>',
                f'<text x="{end + 5:.1f}" y="{y + 12}">{speed:.2f}</text>']
    open(path, "w").write("\n".join(out + ["</svg>\n"]))


def table(sides, what):
    """The table as lines, the speeds by name, and whether something is wrong."""
    text = [f"| {what} | JAX run µs | Wengert run µs | speed | JAX compile ms | Wengert compile ms | "
            "JAX temporaries, outputs | Wengert | check |", "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    speeds, compiles, bad = [], [], False
    size = lambda pair: ", ".join("–" if n is None else f"{n:,}" for n in pair)
    for name, row in rows(sides):
        if row is None:
            text.append(f"| {name} | – | missing | | | | | | |")
            bad = True
            continue
        (jr, wr), (jc, wc) = row["run"], row["compile"]
        speeds.append((name, jr / wr))
        compiles.append(jc / wc)
        wrong = row["check"] > TOLERANCE
        bad |= wrong
        text.append(f"| {name} | {jr:.1f} | {wr:.1f} | {jr / wr:.2f} | {jc:.1f} | {wc:.2f} | {size(row['memory'][0])} | "
                    f"{size(row['memory'][1])} | {row['check']:.0e}{' **differs**' if wrong else ''} |")
    mean = lambda v: math.exp(sum(map(math.log, v)) / len(v))
    text += ["", f"Geometric means: run {mean([s for _, s in speeds]):.2f} times JAX's speed, compile {mean(compiles):.0f} times."]
    return text, speeds, bad


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--only")
    ap.add_argument("--programs", action="store_true")
    ap.add_argument("--size", choices=["0.25", "1", "4"], default="1")
    ap.add_argument("--processes", type=int, default=5)
    ap.add_argument("--seconds", type=float, default=0.1)
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--peers", default="")
    ap.add_argument("--out")
    ap.add_argument("--plot")
    a = ap.parse_args()
    if a.programs and a.size != "1":
        ap.error("programs have one size")
    names = [p for p in a.peers.split(",") if p]
    if unknown := [p for p in names if p not in ("numpy", "ndarray", "candle", "burn")]:
        ap.error(f"there is no peer {unknown[0]}, but numpy, ndarray, candle and burn")
    if names and (a.programs or a.size != "1"):
        ap.error("other peers have the workloads at size 1 alone")
    python = python_with_jax()
    if os.path.realpath(sys.prefix) != os.path.realpath(os.path.dirname(os.path.dirname(python))):
        # Arrays are read with NumPy, which is there.
        os.execv(python, [python, os.path.abspath(__file__)] + sys.argv[1:])
    ours = binary("wengert-cli" if a.programs else "wengert-bench")
    env = dict(os.environ, WENGERT_THREADS=str(a.threads), JAX_PLATFORMS="cpu",
               XLA_FLAGS=f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen={'true' if a.threads > 1 else 'false'}")
    cores = [] if a.threads >= (os.cpu_count() or 1) else ["taskset", "-c", f"0-{a.threads - 1}"]
    sides = dict(jax=[], wengert=[])
    commands = {p: cores + peer(p, python) + ["--seconds", str(a.seconds)] + (a.only.split(",") if a.only else []) for p in names}
    peers = {p: [] for p in names}
    with tempfile.TemporaryDirectory() as folder:
        if a.programs:
            jax = cores + [python, os.path.join(HERE, "programs.py"), folder, "--seconds", str(a.seconds)]
            jax += ["--only", a.only] if a.only else []
            once = lambda: dict(jax=lines(jax, env), wengert=run_programs(cores + [ours], folder, env))
        else:
            options = ["--seconds", str(a.seconds), "--size", a.size]
            both = dict(jax=cores + [python, os.path.join(HERE, "peer_jax.py")] + options, wengert=cores + [ours] + options)
            listed = subprocess.run(both["jax"] + ["--list"], env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
            workloads = a.only.split(",") if a.only else [line.split()[0] for line in listed.splitlines()]
            once = lambda: pair(both, workloads, env)
        for i in range(a.processes):
            said = once()
            for side, results in said.items():
                sides[side].append(results)
            for p, command in commands.items():
                peers[p].append(lines(command, dict(env, RAYON_NUM_THREADS=str(a.threads), OMP_NUM_THREADS=str(a.threads),
                                                    OPENBLAS_NUM_THREADS=str(a.threads), MATMUL_NUM_THREADS=str(a.threads))))
            print(f"{i + 1} of {a.processes} processes of each done", file=sys.stderr)
    text, speeds, bad = table(sides, "program" if a.programs else "workload")
    text = [f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {a.threads} threads, {JAX}, size {a.size}; {a.processes} processes "
            f"of each by turns of {a.seconds:g} s.", ""] + text
    if not a.programs:
        text += [""] + roofline(sides["wengert"])
    if peers:
        lines_of_peers, differs = other_peers(sides["wengert"], peers)
        text, bad = text + [""] + lines_of_peers, bad or differs
    print("\n".join(text))
    if a.out:
        open(a.out, "w").write("\n".join(text) + "\n")
    if a.plot:
        plot(speeds, a.plot)
    sys.exit(bad)


if __name__ == "__main__":
    main()
