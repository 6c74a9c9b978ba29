#!/usr/bin/env python3
"""Tracked functions made at random (C10): numbers of the host that are read of an array go through variables, borrows, closures,
structs, lists, loops and calls, and scale an array in the end.

  random.py COUNT SEED OUT --root CHECKOUT

Writes COUNT functions and `check.rs` as a package in the folder OUT, builds and runs it. Functions that the borrow checker refuses are
left out. Ends with 1 if an update or a program of a run gives another value than a plain run."""
import argparse, os, random, re, shutil, subprocess, sys

parser = argparse.ArgumentParser()
parser.add_argument("count", type=int)
parser.add_argument("seed", type=int)
parser.add_argument("out")
parser.add_argument("--root", required=True)
args = parser.parse_args()
HERE = os.path.dirname(os.path.abspath(__file__))
any_ = random.Random(args.seed)
ATTEMPTS = 8


class Function:
    """A function as it is written: the numbers that are in scope; names that begin with `m` may be changed."""

    def __init__(self):
        self.count, self.depth, self.numbers = 0, 0, []

    def new(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def changing(self):
        return [n for n in self.numbers if n[0] == "m"]

    def literal(self):
        return any_.choice(["1.0", "2.0", "0.5", "3.0", "-1.0", "0.0"])

    def without(self, names, make):
        """What is made where these names are borrowed."""
        held, self.numbers = self.numbers, [n for n in self.numbers if n not in names]
        made = make()
        self.numbers = held
        return made

    def number(self, depth=0):
        r, inner = any_.random(), lambda: self.number(depth + 1)
        if r < 0.5 and self.numbers:
            return any_.choice(self.numbers)
        if r < 0.58 or depth > 2:
            return self.literal()
        if r < 0.76:
            return f"({inner()} {any_.choice('+-*')} {inner()})"
        if r < 0.80:
            return "x.to_f64()"
        if r < 0.88 and self.changing():
            name = any_.choice(self.changing())
            return f"{any_.choice(['bump_and_give', 'add_and_give'])}(&mut {name}, {self.without([name], inner)})"
        forms = [
            lambda: f"twice({inner()})",
            lambda: f"of_pair(&Pair {{ a: {inner()}, b: {inner()} }})",
            lambda: f"first_large(&[{inner()}, {inner()}], {inner()}).unwrap_or({inner()})",
            lambda: f"(if {inner()} > {self.literal()} {{ {inner()} }} else {{ {inner()} }})",
            lambda: f"(match {inner()} {{ n if n < {self.literal()} => n * 2.0, n => n - {inner()} }})",
            lambda: self.of_standard_library(inner),
            lambda: self.of_standard_library(inner),
            lambda: self.of_standard_library(inner),
        ]
        return any_.choice(forms)()

    def of_standard_library(self, inner):
        """A method, a function, a cast, a constant or an operator of integers."""
        variable = any_.choice(self.numbers) if self.numbers else "x.to_f64()"
        of = any_.choice([variable, variable, f"({variable} {any_.choice('+-*')} {inner()})"])
        one = any_.choice(["abs", "floor", "ceil", "round", "trunc", "signum", "tanh", "sin", "cos", "exp", "sqrt", "recip", "cbrt",
                           "to_radians", "atan", "exp_m1", "fract"])
        two = any_.choice(["max", "min", "hypot", "atan2", "copysign", "rem_euclid", "powf"])
        integer = f"({inner()} as {any_.choice(['i64', 'i32', 'u8', 'usize'])})"
        forms = [
            lambda: f"{of}.{one}()", lambda: f"{of}.{one}()", lambda: f"{of}.{two}({inner()})", lambda: f"{of}.{two}({inner()})",
            lambda: f"f64::{one}({inner()})", lambda: f"f64::{two}({inner()}, {inner()})",
            lambda: f"{of}.mul_add({inner()}, {inner()})", lambda: f"{of}.clamp(-1.0, {any_.choice(['2.5', 'LIMIT'])})",
            lambda: f"{of}.powi({any_.randint(-2, 3)})",
            lambda: f"({integer} as f64)", lambda: f"({inner()} as f32 as f64)",
            lambda: f"({integer}.{any_.choice(['max', 'min', 'wrapping_add', 'saturating_sub', 'abs_diff'])}(2) as f64)",
            lambda: f"({integer}.{any_.choice(['wrapping_pow', 'saturating_pow'])}(2) as f64)",
            lambda: f"(({integer} {any_.choice(['&', '|', '^', '/', '%', '>>'])} 3) as f64)",
            lambda: f"(({inner()} > {inner()}) as i32 as f64)",
            lambda: f"({inner()} * {any_.choice(['LIMIT', 'Pair::UNIT', 'std::f64::consts::PI', 'FIXED'])})",
            lambda: f"{any_.choice(['LIMIT', 'f64::EPSILON', 'FIXED'])}.{two}({inner()})",
            lambda: f"own_abs({inner()})", lambda: f"Own(Pair {{ a: {inner()}, b: 1.0 }}.a).abs()",
        ]
        return any_.choice(forms)()

    def place(self, name, kind, reads):
        """Makes a variable, changes it in some way, and reads a part of it."""
        e, e2, e3, q, part = self.number(1), self.number(1), self.number(1), self.new("q"), self.new("c")
        makes, ways, gives = {
            "list": (f"vec![{e}, {e2}]", [
                f"for {q} in {name}.iter_mut() {{ *{q} += {e3}; }}", f"for {q} in &mut {name} {{ *{q} *= {e3}; }}",
                f"{name}[{any_.choice('01')}] += {e3};", f"if let Some({q}) = {name}.last_mut() {{ *{q} += {e3}; }}",
                f"add_to_list(&mut {name}, {e3});", f"{name}.swap(0, 1);", f"{name}.push({e3}); {name}.remove(0);",
                f"let [{q}, ..] = &mut {name}[..] else {{ unreachable!() }}; *{q} -= {e3};",
            ], [f"{name}[0]", f"{name}[1]", f"{name}.iter().sum::<f64>()"]),
            "pair": (f"Pair {{ a: {e}, b: {e2} }}", [
                f"{name}.a += {e3};", f"{name}.add({e3});", f"{name}.add_tracked({e3});", f"add_to_pair(&mut {name}, {e3});",
                f"{{ let Pair {{ a, b }} = &mut {name}; *a += {e3}; *b *= *a; }}", f"add(&mut {name}.b, {e3});",
                f"match &mut {name} {{ Pair {{ a, .. }} => *a = {e3} }}", f"{name} = Pair {{ b: {e3}, ..{name} }};",
            ], [f"{name}.a", f"{name}.b", f"of_pair(&{name})"]),
            "option": (f"Some({e})", [
                f"if let Some({q}) = &mut {name} {{ *{q} += {e3}; }}", f"{name}.replace({e3});",
                f"match {name} {{ Some(ref mut {q}) => *{q} *= {e3}, None => {{}} }}",
                f"if let Some({q}) = {name}.as_mut() {{ bump({q}, {e3}); }}", f"{name} = {name}.map(|{q}| {q} + {e3});",
            ], [f"{name}.unwrap()", f"{name}.unwrap_or({e2})"]),
        }[kind]
        self.numbers.append(part)
        return [f"let mut {name} = {makes};", any_.choice(ways), f"let {part}: f64 = {any_.choice(gives)};"]

    def statement(self):
        r, names = any_.random(), self.changing()
        if r < 0.1 or not names:
            e, name = self.number(), self.new("m")
            self.numbers.append(name)
            return [f"let mut {name}: f64 = {e};"]
        name, other = any_.choice(names), any_.choice(names)
        assigns = lambda: any_.choice(["+=", "-=", "*=", "="])
        if r < 0.15:
            e, constant = self.number(), self.new("c")
            self.numbers.append(constant)
            return [f"let {constant}: f64 = {e};"]
        if r < 0.22:
            return [f"{name} {assigns()} {self.number(1)};"]
        if r < 0.31:
            held, e = self.new("r"), self.without([name], lambda: self.number(1))
            return [f"let {held} = &mut {name};", f"*{held} {assigns()} {e};"]
        if r < 0.37 and other != name:
            held, (c, e) = self.new("r"), self.without([name, other], lambda: (self.number(1), self.number(1)))
            return [f"let {held} = if {c} > 0.5 {{ &mut {name} }} else {{ &mut {other} }};", f"*{held} {assigns()} {e};"]
        if r < 0.44:
            call = any_.choice(["bump", "add", "add_by_others", "add_or_double"])
            return [f"{call}(&mut {name}, {self.without([name], lambda: self.number(1))});"]
        if r < 0.49:
            held, e = self.new("f"), self.without([name], lambda: self.number(1))
            body = any_.choice(["|d: f64| N += d", "tracked!(|d: f64| N += d)", "|d: f64| { N *= d; }"]).replace("N", name)
            return [f"let mut {held} = {body};", f"{held}({e});"]
        if r < 0.53:
            e, taken = self.without([name], lambda: self.number(1)), self.new("m")
            self.numbers.append(taken)
            return [f"let mut {taken}: f64 = std::mem::replace(&mut {name}, {e});"]
        if r < 0.56 and other != name:
            return any_.choice([[f"std::mem::swap(&mut {name}, &mut {other});"], [f"({name}, {other}) = ({other}, {name});"]])
        if r < 0.64:
            return self.taken_apart()
        if r < 0.76:
            kind = any_.choice(["list", "pair", "option"])
            return self.place(self.new("p"), kind, None)
        if self.depth > 1:
            return []
        self.depth += 1
        made = self.nested(r)
        self.depth -= 1
        return made

    def taken_apart(self):
        """A tuple or a list that is taken apart."""
        e, e2, e3, c = self.number(1), self.number(1), self.number(1), self.number(1)
        first, second = self.new(any_.choice("mc")), self.new(any_.choice("mc"))
        mutable = lambda name: ("mut " if name[0] == "m" else "") + name
        tuple_ = f"({mutable(first)}, {mutable(second)}): (f64, f64)"
        names, makes = any_.choice([
            (tuple_, f"({e}, {e2})"), (tuple_, f"both({e})"), (tuple_, f"chosen({e}, {e2})"), (tuple_, f"({e}, {e2})"),
            (tuple_, f"if {c} > {self.literal()} {{ ({e}, {e2}) }} else {{ ({e3}, {self.literal()}) }}"),
            (tuple_, f"match {c} {{ n if n < {self.literal()} => (n, {e2}), n => ({e3}, n) }}"),
            (f"[{mutable(first)}, {mutable(second)}]: [f64; 2]", any_.choice([f"[{e}, {e2}]", f"list_of({e}, {e2})"])),
        ])
        lines = [f"let {names} = {makes};"]
        self.numbers += [first, second]
        held, other = self.new("r"), self.new("r")
        if first[0] == "m" and any_.random() < 0.5:
            k = self.without([first], lambda: self.number(2))
            lines += [f"let {held} = &mut {first};", f"{{ let {other} = &mut *{held}; *{other} += {k}; }}", f"*{held} *= 1.5;"]
        if first[0] == second[0] == "m" and any_.random() < 0.5:
            lines += [f"({first}, {second}) = ({second}, {first} + {self.number(2)});"]
        return lines

    def block(self, most):
        before = len(self.numbers)
        lines = [line for _ in range(any_.randint(1, most)) for line in self.statement()]
        del self.numbers[before:]
        return ["    " + line for line in lines]

    def nested(self, r):
        turns = any_.randint(1, 3)
        if r < 0.82:
            i = self.new("i")
            return [f"let mut {i} = 0;", f"while {i} < {turns} {{"] + self.block(3) + [f"    {i} += 1;", "}"]
        if r < 0.86:
            return [f"for _ in 0..{turns} {{"] + self.block(3) + ["}"]
        if r < 0.90:
            i, e = self.new("i"), self.number(1)
            stop = [f"    {i} += 1;", f"    if {i} > {turns} || {e} > 50.0 {{", "        break;", "    }"]
            return [f"let mut {i} = 0;", "loop {"] + self.block(2) + stop + ["}"]
        if r < 0.96:
            c = self.number(1)
            return [f"if {c} > {self.literal()} {{"] + self.block(2) + ["} else {"] + self.block(2) + ["}"]
        lines, e, name = self.block(2), self.number(1), self.new("m")
        self.numbers.append(name)
        return [f"let mut {name}: f64 = {{"] + lines + [f"    {e}", "};"]

    def written(self, name):
        lines = [line for _ in range(any_.randint(3, 10)) for line in self.statement()]
        lines += [f"let y = &x * {self.number()};"]
        e = self.number()
        lines += [any_.choice([f"y + {e}", f"y * {e} + 1.0", f"scaled(&y, {e})", f"if {e} > 0.5 {{ y }} else {{ y * 2.0 }}"])]
        body = "\n".join("    " + line for line in lines)
        return f"#[track]\nfn {name}(x: Array) -> Array {{\n{body}\n}}\n"


def refused(log, text):
    """The functions that errors are in."""
    lines = text.split("\n")
    for at in re.findall(r"--> src/functions\.rs:(\d+)", log):
        above = [re.match(r"fn (f\d+)\(", line) for line in lines[: int(at)]]
        yield [found[1] for found in above if found][-1]


functions = {f"f{i}": Function().written(f"f{i}") for i in range(args.count)}
os.makedirs(os.path.join(args.out, "src"), exist_ok=True)
shutil.copy(os.path.join(HERE, "check.rs"), os.path.join(args.out, "src", "main.rs"))
library = os.path.abspath(os.path.join(args.root, "crates", "wengert"))
with open(os.path.join(args.out, "Cargo.toml"), "w") as f:
    f.write('[package]\nname = "tracked-at-random"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n'
            f'[dependencies]\nwengert = {{ path = "{library}" }}\n')
for _ in range(ATTEMPTS):
    text = "use super::*;\n\n" + "\n".join(functions.values())
    text += f"\npub(crate) const ALL: &[(&str, fn(Array) -> Array)] = &[{', '.join(f'({chr(34)}{n}{chr(34)}, {n})' for n in functions)}];\n"
    with open(os.path.join(args.out, "src", "functions.rs"), "w") as f:
        f.write(text)
    built = subprocess.run(["cargo", "build", "--quiet"], cwd=args.out, stderr=subprocess.PIPE, text=True)
    bad = set(refused(built.stderr, text)) if built.returncode else set()
    if not bad:
        break
    for name in bad:
        del functions[name]
if built.returncode:
    sys.exit(built.stderr)
sys.exit(subprocess.run(["cargo", "run", "--quiet"], cwd=args.out).returncode)
