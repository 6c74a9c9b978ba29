#!/usr/bin/env python3
"""Recorded runs written as source, run, and written again.

  check.py TAPES OUT --wengert COMMAND --root CHECKOUT [--only NAME]

Each tape of the folder TAPES is emitted as Rust, as Python for JAX, and as StableHLO, into OUT. All Rust files are built as one
cargo package against the library of the checkout, and each runs under `WENGERT_TAPE`: it must find what was recorded, and what
is emitted from its own tape, as Rust and as Python, must be the same text. The Python files run in this interpreter, which has JAX. StableHLO is run by
COMMAND. A run that failed must fail in the same way, and its text must be the same again too. `rustfmt` must leave the Rust files as they are, and `black` the Python files, if there is one. Ends with 1 if something
fails."""
import argparse, contextlib, glob, importlib.util, io, os, runpy, shutil, subprocess, sys

parser = argparse.ArgumentParser()
parser.add_argument("tapes")
parser.add_argument("out")
parser.add_argument("--wengert", required=True)
parser.add_argument("--root", required=True)
parser.add_argument("--only", default="")
args = parser.parse_args()
args.wengert, args.root, args.out = map(os.path.abspath, (args.wengert, args.root, args.out))
failures = []
# A module is made of the program of a run, and of an op of the user's a saved tape knows the name alone.
NO_MODULE = ["op_of_the_users", "op_given_the_same_twice", "failed_in_kernel_of_staged"]
USER_CODE = ("callback", "evaluated_op")
# Runs whose calls can't be written, and the ops that they ran are. None is known.
NO_CALLS = []


def fail(name, what, text=""):
    failures.append(name)
    print(f"{name}: {what}\n{text.strip()}\n".rstrip())


def command(name, what, line, allowed="", refused=None, **more):
    """Runs a command; whether it ended well, or with an error that is allowed, and said nothing that is refused."""
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    is_well = done.returncode == 0 or (allowed and done.returncode == 1 and allowed in done.stdout)
    is_well = is_well and not (refused and refused in done.stdout)
    if not is_well:
        fail(name, what, done.stdout[-2000:])
    return is_well


def emit(name, tape, form, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # A module can't hold a failure, and that is said.
    allowed = "the recorded run failed" if form == "stablehlo" else ""
    refused = "the calls of this run can't be written" if name not in NO_CALLS else None
    line = [args.wengert, "emit", tape, "--to", form, "-o", path]
    return command(name, f"is not emitted as {form}", line, allowed, refused)


tapes = {os.path.basename(p)[: -len(".tape")]: p for p in sorted(glob.glob(os.path.join(args.tapes, "*.tape")))}
tapes = {name: path for name, path in tapes.items() if args.only in name}
shutil.rmtree(args.out, ignore_errors=True)
package = os.path.join(args.out, "package")
rust, python = [], []
for name, tape in tapes.items():
    if emit(name, tape, "rust", os.path.join(package, "src", f"{name}.rs")):
        rust.append(name)
    if emit(name, tape, "jax", os.path.join(args.out, "jax", f"{name}.py")):
        python.append(name)
    module = os.path.join(args.out, "stablehlo", f"{name}.mlir")
    if name in NO_MODULE or name.startswith(USER_CODE):
        continue
    if emit(name, tape, "stablehlo", module):
        given = module.replace(".mlir", "-mlir.safetensors")
        given = ["--input", given] if os.path.exists(given) else []
        command(name, "fails as StableHLO", [args.wengert, "run", module, *given])

# Rust: as they are written for rustfmt, then as modules of one program.
files = [os.path.join(package, "src", f"{name}.rs") for name in rust]
with open(os.path.join(package, "rustfmt.toml"), "w"):
    pass  # What this checkout says of its own files is not for these.
command("rustfmt", "would change files", ["rustfmt", "--check", "--edition", "2024", *files])
texts = {}
for name, path in zip(rust, files):
    with open(path) as f:
        texts[name] = f.read()
    with open(path, "w") as f:
        f.write(texts[name].replace("\nfn main() ->", "\npub fn main() ->"))
with open(os.path.join(package, "src", "main.rs"), "w") as f:
    f.write("".join(f"mod {name};\n" for name in rust))
    f.write("fn main() -> std::process::ExitCode {\n    match std::env::args().nth(1).unwrap().as_str() {\n")
    f.write("".join(f'        "{name}" => {name}::main(),\n' for name in rust))
    f.write("        _ => std::process::ExitCode::from(2),\n    }\n}\n")
with open(os.path.join(package, "Cargo.toml"), "w") as f:
    library = os.path.join(args.root, "crates", "wengert")
    f.write('[package]\nname = "emitted"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\n')
    f.write(f'wengert = {{ path = "{library}" }}\n[workspace]\n[profile.dev]\ndebug = 0\nopt-level = 0\n')
shutil.copy(os.path.join(args.root, "Cargo.lock"), package)
built = command("cargo", "does not build the Rust files", ["cargo", "build", "--quiet"], cwd=package)
for name in rust if built else []:
    program = os.path.join(os.environ.get("CARGO_TARGET_DIR", os.path.join(package, "target")), "debug", "emitted")
    tape = os.path.join(args.out, "again", f"{name}.tape")
    os.makedirs(os.path.dirname(tape), exist_ok=True)
    env = dict(os.environ, WENGERT_TAPE=tape, WENGERT_TAPE_CAPTURE="values", RUST_BACKTRACE="0")
    if not command(name, "differs in Rust", [program, name], refused="panicked at", env=env):
        continue
    again = os.path.join(args.out, "again", f"{name}.rs")
    if emit(name, tape, "rust", again):
        with open(again) as f:
            if f.read() != texts[name]:
                difference = subprocess.run(["diff", again, "-"], input=texts[name], stdout=subprocess.PIPE, text=True)
                fail(name, "is another text when it is emitted again", difference.stdout[:1500])
    again = os.path.join(args.out, "again", f"{name}.py")
    if name in python and emit(name, tape, "jax", again):
        first = os.path.join(args.out, "jax", f"{name}.py")
        difference = subprocess.run(["diff", again, first], stdout=subprocess.PIPE, text=True)
        if difference.returncode:
            fail(name, "is another text for JAX when it is emitted again", difference.stdout[:1500])

# Python. What JAX refuses says so in its second line.
for name in python:
    said = io.StringIO()
    path = os.path.join(args.out, "jax", f"{name}.py")
    with open(path) as f:
        refused = f.read().split("\n")[1].startswith("# JAX refuses this run")
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(path, run_name="__main__")
        if refused:
            fail(name, "runs in JAX, and says that it does not")
    except SystemExit as e:
        if e.code not in (None, 0):
            fail(name, "differs in JAX", said.getvalue() or str(e.code))
    except Exception as e:
        if not (refused and "Reverse-mode" in str(e)):
            fail(name, f"fails in JAX: {e}")
if importlib.util.find_spec("black"):
    command("black", "would change files", [sys.executable, "-m", "black", "--check", "--quiet", os.path.join(args.out, "jax")])

print(f"{len(tapes)} runs: {len(rust)} as Rust, {len(python)} as Python; {len(failures)} failures")
sys.exit(bool(failures))
