"""Published crates with `#[track]` on their functions: all compile, and their own tests give what they give without it.

Each crate is unpacked twice: as it is, and with `#[track]` on every function, trait and `impl` that begins a line. The tests in the
sources of some (`TESTED`) run on both, and once more while all is recorded (`WENGERT_TAPE`): each must come to the same.

published.py OUT --root CHECKOUT [--only NAME]
"""

import argparse, glob, io, os, re, shutil, subprocess, sys, tarfile, urllib.request

parser = argparse.ArgumentParser()
parser.add_argument("out")
parser.add_argument("--root", required=True)
parser.add_argument("--only", default="", help="the crates with this in their names")
args = parser.parse_args()

# Every crate, by name and version.
CRATES = """
adler2 2.0.1, anstyle-parse 1.0.0, approx 0.5.1, arrayvec 0.7.8, bit-vec 0.10.1, byteorder 1.5.0, clap_lex 1.1.1, either 1.19.0,
evalexpr 13.1.0, fastrand 2.5.0, fixedbitset 0.5.7, getopts 0.2.24, glob 0.3.4, heck 0.5.0, hex 0.4.3,
httparse 1.10.1, humantime 2.4.0, itoa 1.0.18, kdtree 0.8.1, kurbo 0.13.1, levenshtein 1.0.5, lexopt 0.3.2, libm 0.2.16,
matrixmultiply 0.3.11, md5 0.8.1, miniz_oxide 0.9.1, ndarray 0.17.2, nom 8.0.0, num-complex 0.4.6, num-integer 0.1.47,
num_cpus 1.17.0, ordered-float 5.5.1, percent-encoding 2.3.2, petgraph 0.8.3, pico-args 0.5.0, qd 0.8.0, rand_xorshift 0.5.0,
regex-lite 0.1.9, regex-syntax 0.8.11, roots 0.0.8, ryu 1.0.23, semver 1.0.28, shlex 2.0.1, similar 3.2.1, siphasher 1.0.4,
smawk 0.3.3, special 0.14.2, splines 5.0.0, statrs 0.19.1, strsim 0.11.1, textwrap 0.16.4, unicode-segmentation 1.13.3,
unicode-width 0.2.3, utf8parse 0.2.2
"""
CRATES = dict(entry.split() for entry in CRATES.replace("\n", " ").split(","))

# Those whose tests run: the ones in their sources, which need no other crates.
TESTED = "adler2 heck num-integer percent-encoding shlex strsim".split()
# And while they are recorded. The tests of the others compute by the million, and each step is a node.
RECORDED = "heck percent-encoding shlex strsim".split()

# The library is built as in its own workspace.
with open(os.path.join(args.root, "Cargo.toml")) as f:
    PROFILE = re.search(r"(?ms)^\[profile\.dev\].*", f.read())[0]

# What only its author's tests and benchmarks need of a manifest.
LEFT_OUT = ("dev-dependencies", "bench", "example", "bin", "test", "lints")


def manifest(text):
    """A manifest without that."""
    tables = re.split(r"(?m)^(?=\[)", text)
    is_left_out = lambda table: any(re.match(rf"\[\[?(target\..*\.)?{word}\b", table) for word in LEFT_OUT)
    return "".join(table for table in tables if not is_left_out(table))


def tracked(source):
    """A source file with `#[track]` on the functions, traits and `impl`s that begin a line outside of macros."""
    out, in_macro = [], False
    for line in source.split("\n"):
        in_macro = in_macro or re.match(r"[\w:]+!(?!.*[;})]$)", line) is not None
        if not in_macro and re.match(r"(pub(\([^)]*\))? )?(fn|trait) \w|impl\b", line):
            out.append("#[::wengert::track]")
        out.append(line)
        in_macro = in_macro and not line.startswith(("}", ")"))
    return "\n".join(out), out.count("#[::wengert::track]")


def workspace(name, with_track):
    """A workspace of all crates; which they are."""
    root = os.path.join(args.out, name)
    shutil.rmtree(root, ignore_errors=True)
    found = {}
    for crate, version in CRATES.items():
        if args.only not in crate:
            continue
        folder = os.path.join(root, f"{crate}-{version}")
        with tarfile.open(fileobj=io.BytesIO(archive(crate, version))) as archived:
            archived.extractall(root, filter="data")
        path = os.path.join(folder, "Cargo.toml")
        with open(path) as f:
            text = manifest(f.read())
        for left in ("benches", "examples", "tests", ".cargo"):
            shutil.rmtree(os.path.join(folder, left), ignore_errors=True)
        count = 0
        if with_track:
            library = os.path.abspath(os.path.join(args.root, "crates", "wengert"))
            text += f'\n[dependencies.wengert]\npath = "{library}"\n'
            is_old = re.search(r"(?m)^edition", text) is None
            for file in glob.glob(os.path.join(folder, "src", "**", "*.rs"), recursive=True):
                with open(file) as f:
                    source, n = tracked(f.read())
                # In the edition of 2015, as for every crate there.
                if is_old and os.path.relpath(file, folder) == os.path.join("src", "lib.rs"):
                    source += "\nextern crate wengert;\n"
                with open(file, "w") as f:
                    f.write(source)
                count += n
        with open(path, "w") as f:
            f.write(text)
        found[crate] = count
    members = ", ".join(f'"{os.path.basename(m)}"' for m in sorted(glob.glob(os.path.join(root, "*-*"))))
    with open(os.path.join(root, "Cargo.toml"), "w") as f:
        f.write(f'[workspace]\nresolver = "2"\nmembers = [{members}]\n\n{PROFILE}')
    shutil.copy(os.path.join(args.root, "Cargo.lock"), root)
    return root, found


def archive(crate, version):
    """The bytes of a published crate, downloaded once."""
    path = os.path.join(args.out, "downloads", f"{crate}-{version}.crate")
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with urllib.request.urlopen(f"https://static.crates.io/crates/{crate}/{crate}-{version}.crate") as answer:
            data = answer.read()
        with open(path, "wb") as f:
            f.write(data)
    with open(path, "rb") as f:
        return f.read()


def tests(root, crates, **environment):
    """What each test of these crates came to, by the program that it is in."""
    # By their folders: others that the workspace depends on may have the same names.
    packages = [f"path+file://{os.path.abspath(root)}/{c}-{CRATES[c]}#{c}@{CRATES[c]}" for c in crates]
    line = ["cargo", "test", "--no-fail-fast", "--lib"] + [w for p in packages for w in ("-p", p)]
    env = {**os.environ, **environment}
    text = subprocess.run(line, cwd=root, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    program, found = "", {}
    for line in text.split("\n"):
        if runs := re.match(r"\s+Running .*\W([\w-]+)-\w{16}\)", line):
            program = runs[1]
        elif result := re.match(r"test (.+?)(?: - should panic)? \.\.\. (\w+)", line):
            found[program, result[1]] = result[2]
    if not found:
        sys.exit(text)
    return found


def built(root):
    """The crates of a workspace that do not compile, with what the compiler says."""
    run = subprocess.run(["cargo", "build", "--keep-going"], cwd=root, stderr=subprocess.PIPE, text=True)
    refused = re.findall(r"error: could not compile `([\w-]+)`", run.stderr)
    if run.returncode and not refused:
        sys.exit(run.stderr)
    return refused, run.stderr


root, found = workspace("tracked", True)
refused, said = built(root)
print(f"{len(found) - len(refused)} of {len(found)} crates compile, with `#[track]` on {sum(found.values())} functions, traits and impls")
failed = bool(refused)
if refused:
    print(said)
tested = [c for c in TESTED if c in found and c not in refused]
plain = tests(workspace("plain", False)[0], tested)
shutil.rmtree(os.path.join(args.out, "tapes"), ignore_errors=True)
os.makedirs(os.path.join(args.out, "tapes"))
tapes = os.path.abspath(os.path.join(args.out, "tapes", "%p.tape"))
for how, which, environment in [("tracked", TESTED, {}), ("recorded", RECORDED, {"WENGERT_TAPE": tapes})]:
    crates = [crate for crate in tested if crate in which]
    names = {crate.replace("-", "_") for crate in crates}
    expected = {test: result for test, result in plain.items() if test[0] in names}
    results = tests(root, crates, **environment)
    differ = {test for test in expected | results if expected.get(test) != results.get(test)}
    passed = sum(result == "ok" for result in results.values())
    print(f"{how}: {passed} tests of {len(crates)} crates pass, as without `#[track]`" if not differ else f"{how}: other results of {differ}")
    failed = failed or bool(differ)
sizes = [os.path.getsize(t) for t in glob.glob(os.path.join(args.out, "tapes", "*.tape"))]
print(f"{len(sizes)} tapes of {sum(sizes) >> 20} MiB")
sys.exit(failed)
