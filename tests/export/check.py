"""Compiles and runs exported modules with JAX's CPU client, and compares with what our evaluator gave.

    cargo run --release -p wengert-stablehlo --example export_cases -- DIR
    python3 tests/export/check.py DIR

Needs `pip install jax`. Prints what does not agree, then counts; the exit status says whether all agreed. Modules for
another platform (`--platform cuda`, said to both commands) run on JAX's device of that name.
"""

import json
import pathlib
import re
import signal
import subprocess
import sys

TOLERANCE = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 1e-5, "f64": 1e-12, "c64": 1e-5, "c128": 1e-12}
KINDS = {
    "bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
    "u32": "uint32", "u64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "c64": "complex64", "c128": "complex128",
}  # fmt: skip


class Client:
    """A client of JAX's, given modules as text."""

    def __init__(self, platform):
        import jax
        import ml_dtypes  # noqa: F401  (NumPy knows bfloat16 by it)
        import numpy as np

        jax.config.update("jax_enable_x64", True)
        from jax._src import xla_bridge
        from jax._src.lib import xla_client

        # What JAX registers only once it lowers such an op.
        from jaxlib import lapack

        lapack.prepare_lapack_call("getrf_ffi", np.dtype(np.float32))
        self.jax, self.np = jax, np
        self.backend = xla_bridge.get_backend(platform)
        self.device = self.backend.local_devices()[0]
        self.devices = xla_client.DeviceList((self.device,))
        self.options = xla_client.CompileOptions()

    def run(self, text, inputs):
        executable = self.backend.compile_and_load(text, self.devices, self.options)
        arrays = [self.jax.device_put(x, self.device) for x in inputs]
        results = executable.execute_sharded(arrays)
        return [self.np.asarray(x[0]) for x in results.disassemble_into_single_device_arrays()]


def read(path, np):
    """The cases of a group: name, tolerance factors, and arrays by word."""
    data = path.with_suffix(".bin").read_bytes()

    def array(written):
        ty, at = written.split("@")
        kind, sizes = re.fullmatch(r"(\w+)\[(.*)\]", ty).groups()
        shape = [int(n) for n in sizes.split(",") if n]
        count = int(np.prod(shape, dtype=np.int64))
        return kind, np.frombuffer(data, np.dtype(KINDS[kind]), count, int(at)).reshape(shape)

    cases = []
    for line in path.read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "case":
            cases.append({"name": rest})
        elif word == "tol":
            cases[-1]["tol"] = [float(f) for f in rest.split()]
        else:
            cases[-1][word] = [array(a) for a in rest.split()]
    return cases


def near(np, kind, got, want, tol):
    """For each element, whether it is near enough."""
    if kind not in TOLERANCE:
        return got == want
    wide = np.complex128 if kind.startswith("c") else np.float64
    g, w = got.astype(wide), want.astype(wide)
    with np.errstate(all="ignore"):
        allowed = TOLERANCE[kind] * (tol[0] * np.abs(w) + tol[1])
        # Numbers that XLA flushes to zero.
        tiny = float(np.finfo(np.dtype(KINDS[kind])).tiny) if kind != "bf16" else 2.0**-126
        close = (g == w) | (np.isfinite(w) & (np.abs(g - w) <= allowed)) | ((np.abs(g) <= tiny) & (np.abs(w) <= tiny))
    if kind.startswith("c"):
        # Arithmetic with infinite parts is not the same everywhere.
        return close | ~(np.isfinite(g) | np.isfinite(w))
    return close | (np.isnan(g) & np.isnan(w))


def wrong(np, case, got):
    """What does not agree, in words, or nothing."""
    for i, (kind, want) in enumerate(case["out"]):
        g = got[i]
        if g.shape != want.shape or g.dtype != want.dtype:
            return f"output {i}: the type is {g.dtype}{list(g.shape)}, and should be {want.dtype}{list(want.shape)}"
        ok = near(np, kind, g, want, case["tol"])
        if "also" in case:
            ok = ok | near(np, kind, g, case["also"][i][1], case["tol"])
        if not np.all(ok):
            at = np.argwhere(np.atleast_1d(~ok))[0].tolist()
            pick = lambda a: np.atleast_1d(a)[tuple(at)]  # noqa: E731
            return f"output {i}: {np.size(ok) - np.sum(ok)} of {np.size(ok)} wrong; {at} is {pick(g)}, not {pick(want)}"
    return None


def check_one(client, folder, group, k, case):
    text = (folder / "one" / f"{group}_{k}.mlir").read_text()
    try:
        return wrong(client.np, case, client.run(text, [x for _, x in case["in"]]))
    except Exception as e:
        lines = [line for line in str(e).splitlines() if line.strip()]
        return "does not compile or run: " + " | ".join(lines)[:400]


def work(platform, folder, groups):
    """Checks groups, and says what it does on the way, so that a crash can be told."""
    say = lambda **what: print(json.dumps(what), flush=True)  # noqa: E731
    client = Client(platform)
    for entry in groups:
        group, _, only = entry.partition("_")
        cases = read(folder / f"{group}.txt", client.np)
        if only:
            say(begin=entry, name=cases[int(only)]["name"])
            say(name=cases[int(only)]["name"], wrong=check_one(client, folder, group, only, cases[int(only)]))
            continue
        say(begin=group, count=len(cases))
        try:
            got = client.run((folder / f"{group}.mlir").read_text(), [x for c in cases for _, x in c["in"]])
        except Exception:
            got = None
        for k, case in enumerate(cases):
            if got is None:
                say(begin=f"{group}_{k}", name=case["name"])
                say(name=case["name"], wrong=check_one(client, folder, group, k, case))
            else:
                own, got = got[: len(case["out"])], got[len(case["out"]) :]
                say(name=case["name"], wrong=wrong(client.np, case, own))


def main(platform, folder):
    groups = sorted(p.stem for p in folder.glob("*.mlir"))
    agree = bad = folded = 0

    def fail(name, why):
        nonlocal bad
        bad += 1
        print(f"{name}\n    {why}", flush=True)

    while groups:
        command = [sys.executable, __file__, "--work", platform, str(folder), *groups]
        worker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        at = None
        for line in worker.stdout:
            said = json.loads(line)
            if "begin" in said:
                at = said
            elif said["wrong"] is None:
                agree += 1
            else:
                fail(said["name"], said["wrong"])
        status = worker.wait()
        if status == 0:
            break
        if at is None:
            sys.exit(f"the worker ended with status {status} before it did anything")
        # The process died: go on after what it was at, a whole group case by case.
        name = at["begin"]
        group, _, k = name.partition("_")
        rest = groups[groups.index(name if name in groups else group) + 1 :]
        if "count" in at:
            groups = [f"{group}_{j}" for j in range(at["count"])] + rest
            continue
        if status == -signal.SIGFPE:
            # XLA divides integer constants at compile time, by zero too; a program of JAX's dies of that as well.
            folded += 1
            print(f"{at['name']}\n    XLA died of a division of constants by zero", flush=True)
        else:
            fail(at["name"], f"the process died with status {status}")
        if name not in groups:
            count = sum(line.startswith("case ") for line in (folder / f"{group}.txt").open())
            rest = [f"{group}_{j}" for j in range(int(k) + 1, count)] + rest
        groups = rest
    refused = (folder / "refused.txt").read_text().splitlines()
    for line in refused:
        print("refused:", line)
    print(
        f"{agree} modules agree with JAX, {bad} do not; XLA died of {folded} divisions of constants by zero; "
        f"{len(refused)} programs were refused by name"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    args = sys.argv[1:]
    if args[:1] == ["--work"]:
        work(args[1], pathlib.Path(args[2]), args[3:])
    else:
        platform = args[args.index("--platform") + 1] if "--platform" in args else "cpu"
        sys.exit(main(platform, pathlib.Path(args[0])))
