//! A run as a Rust file against the public API of `wengert`.

mod body;
mod control;
mod layout;
mod literal;
mod ops;
mod transforms;

use crate::data::{DataFile, Written};
use crate::expand::{prepared, rust_lacks};
use crate::files::MARK;
use crate::names::{Names, OWN_FUNCTIONS};
use crate::precision::{Allowed, AllowedResults};
use crate::tree::{CallTree, FunctionId, ReturnedFunction, VariableId};
use crate::{Emitted, Options, Outcome, Run, determined};
use body::Body;
use layout::{Piece, attribute, binding, call, expression, list, pattern, signature, text};
pub(crate) use ops::reduction;
use std::collections::BTreeSet;
use wengert_core::{DType, Result, Tensor};

/// Words of the language, and names that the text uses itself, beside those of our functions.
const RESERVED: &str = "as async await box break const continue crate do dyn else enum extern false final fn for gen if impl in let \
    loop macro match mod move mut override priv pub ref return self static struct super trait true try type \
    typeof union unsafe unsized use virtual where while yield abstract become bool f16 bf16 f32 f64 i8 i16 i32 \
    i64 u8 u16 u32 u64 usize isize str char main data complex_data lax repro track vec scan_with keep where_ \
    message wengert std core alloc args";

/// The names that no function or variable of a user has.
pub(crate) fn taken() -> Names {
    let words = RESERVED.split_whitespace().chain(OWN_FUNCTIONS.iter().copied());
    Names::new(&words.collect::<Vec<_>>())
}

/// A function of more steps than this is too long for debug information: rustc nests a scope for each variable.
const MOST_WITH_DEBUG: usize = 2000;

/// A function that takes more arrays than this takes them as one argument.
pub(crate) const MOST_ARGUMENTS: usize = 12;

/// Writes a run as a Rust file. It is compiled with `wengert` alone, and has a `main` that runs it and compares what comes
/// of it with what did.
///
/// # Errors
/// If an op has no form outside of the program it was made in: ops of the user's own that are no programs of others, and those over
/// named axes that no `vmap` of the run has. The error has its name and place.
pub fn rust(run: &Run, options: &Options) -> Result<Emitted> {
    let run = &prepared(run, options, rust_lacks)?;
    let tree = &run.tree;
    let mut file = File {
        tree,
        options,
        names: tree.function_names(&mut taken()),
        data: DataFile::new(options),
        data_names: Names::new(&[]),
        readers: BTreeSet::new(),
        has_unused: false,
    };
    let mut functions = String::new();
    for id in 0..tree.functions.len() {
        if tree.is_inline(id) {
            continue;
        }
        functions.push('\n');
        functions.push_str(&file.function(id)?);
    }
    let main = file.main(run);
    let mut text = format!("//! {MARK}\n");
    if tree.functions.iter().any(|f| f.steps.len() > MOST_WITH_DEBUG) {
        text.push_str(
            "//! Functions are too long here for debug information: say `debug = false` in `[profile.dev]`.\n",
        );
    }
    text.push('\n');
    if file.has_unused {
        text.push_str("#![allow(unused_variables)]\n\n");
    }
    text.push_str("use wengert::*;\n");
    for (reader, library) in [("data", "repro::array"), ("complex_data", "repro::complex_array")] {
        if file.readers.contains(reader) {
            text.push_str(&format!(
                "\n/// An array of the file beside this one.\nfn {reader}(name: &str) -> Array {{\n"
            ));
            let bytes = format!("include_bytes!({:?})", options.data_file);
            text.push_str(&expression(4, &call(library, vec![layout::text(bytes), layout::text("name")]), ""));
            text.push_str("}\n");
        }
    }
    text.push_str(&functions);
    text.push('\n');
    text.push_str(&main);
    Ok(file.data.emitted(text))
}

/// The text being written.
pub(crate) struct File<'a> {
    pub(crate) tree: &'a CallTree,
    pub(crate) options: &'a Options,
    /// The name of each function.
    pub(crate) names: Vec<String>,
    data: DataFile,
    /// The names that the arrays of the data file have.
    data_names: Names,
    /// The functions that read the data file, as far as they are called.
    readers: BTreeSet<&'static str>,
    /// Whether a variable is not used.
    has_unused: bool,
}

impl File<'_> {
    fn function(&mut self, id: FunctionId) -> Result<String> {
        let f = &self.tree.functions[id];
        let name = self.names[id].clone();
        let mut out = String::new();
        let mut body = Body::new(self, f);
        let names = body.names(&f.parameters);
        body.steps()?;
        let lines = body.finish();
        let typed = |(name, &v): (&String, &VariableId)| match &f.variables[v].function {
            Some(function) => text(format!("{name}: {}", function_type(function))),
            None => parameter(std::slice::from_ref(name)),
        };
        let is_array = |v: &VariableId| f.variables[*v].function.is_none();
        let parameters = match names.len() > MOST_ARGUMENTS {
            false => names.iter().zip(&f.parameters).map(typed).collect(),
            true => {
                let all = || names.iter().zip(&f.parameters);
                let arrays: Vec<String> = all().filter(|(_, v)| is_array(v)).map(|(name, _)| name.clone()).collect();
                [parameter(&arrays)].into_iter().chain(all().filter(|(_, v)| !is_array(v)).map(typed)).collect()
            }
        };
        let place = match f.place.parts() {
            Some(_) => f.place.to_string(),
            None => String::new(),
        };
        out.push_str(&attribute("track", &["calls".into(), format!("place = {place:?}")]));
        out.push_str(&signature(&name, parameters, &group_type(f.gives())));
        if lines.is_empty() {
            // A function that only holds what it was given: rustfmt has its braces beside each other.
            out.truncate(out.trim_end().len());
        }
        out.push_str(&lines);
        out.push_str("}\n");
        Ok(out)
    }

    fn main(&mut self, run: &Run) -> String {
        let f = run.tree.main();
        let mut names = taken();
        let mut lines = String::new();
        let mut given = Vec::new();
        for (i, (t, &v)) in run.inputs.iter().zip(&f.parameters).enumerate() {
            let wanted = f.variables[v].name.as_deref();
            let name = names.fresh(wanted.unwrap_or(&format!("v{v}")));
            let value = match self.options.fake_data {
                Some(seed) if t.size() > self.options.inline => {
                    let seed = text(format!("{}", seed.wrapping_add(i as u64)));
                    let ty = [literal::sizes("&", t.shape()), text(literal::dtype(t.dtype()))];
                    call("repro::fake", [seed].into_iter().chain(ty).collect())
                }
                _ => self.array(t, &name),
            };
            lines.push_str(&binding(4, &text(&name), &value));
            given.push(text(name));
        }
        let called = self.called(self.tree.functions.len() - 1, given);
        let got = match f.results.len() {
            1 => list("", vec![called]),
            _ => called,
        };
        let fake = self.options.fake_data.is_some();
        match &run.outcome {
            Some(Outcome::Error(message)) => {
                lines.push_str(&binding(4, &text("message"), &text(format!("{message:?}"))));
                lines.push_str("    repro::fails(message, || {\n");
                lines.push_str(&expression(8, &got, ";"));
                lines.push_str("    })\n");
            }
            Some(Outcome::Results(expected)) if !fake && !f.results.is_empty() => {
                lines.push_str(&binding(4, &text("got"), &got));
                let allowed = AllowedResults::of(self.tree, expected, self.options);
                let expected =
                    expected.iter().enumerate().map(|(i, t)| self.array(t, &format!("result_{i}"))).collect();
                lines.push_str(&binding(4, &text("expected"), &list("", expected)));
                let free = &self.options.free;
                if self.options.within.is_none() && !free.is_empty() {
                    lines.push_str(&format!("    // {}\n", determined::NOTE));
                }
                let free_list = || list("&", free.iter().map(|i| text(i.to_string())).collect());
                let scales = &self.options.scales;
                let (name, more) = match allowed {
                    allowed if scales.iter().any(Option::is_some) => {
                        let allowed = match allowed {
                            AllowedResults::Same(one) => text(format!("[{}; {}]", each(&one), f.results.len())),
                            AllowedResults::Each(all) => list("", all.iter().map(|a| text(each(a))).collect()),
                        };
                        let scales = list("", scales.iter().map(|s| text(format!("{s:?}"))).collect());
                        ("repro::check_sized", vec![allowed, free_list(), scales])
                    }
                    AllowedResults::Same(Allowed::Part(part)) if free.is_empty() => {
                        ("repro::check_within", vec![text(format!("{part:?}"))])
                    }
                    AllowedResults::Same(Allowed::Rounding(Some(dtype))) => {
                        ("repro::check_in", vec![text(literal::dtype(dtype)), free_list()])
                    }
                    AllowedResults::Same(Allowed::Rounding(None)) if free.is_empty() => ("repro::check", vec![]),
                    AllowedResults::Same(Allowed::Rounding(None)) => ("repro::check_but", vec![free_list()]),
                    AllowedResults::Same(part) => (
                        "repro::check_each",
                        vec![text(format!("[{}; {}]", each(&part), f.results.len())), free_list()],
                    ),
                    AllowedResults::Each(all) => {
                        ("repro::check_each", vec![list("", all.iter().map(|a| text(each(a))).collect()), free_list()])
                    }
                };
                let given = [text("got"), text("expected")].into_iter().chain(more).collect();
                lines.push_str(&expression(4, &call(name, given), ""));
            }
            _ if f.results.is_empty() => {
                lines.push_str(&expression(4, &got, ";"));
                lines.push_str("    repro::show([])\n");
            }
            _ => {
                lines.push_str(&binding(4, &text("got"), &got));
                lines.push_str("    repro::show(got)\n");
            }
        }
        format!("fn main() -> std::process::ExitCode {{\n{lines}}}\n")
    }

    /// A call of a function that was written here. Where there are many, arrays are given as one.
    pub(crate) fn called(&self, id: FunctionId, given: Vec<Piece>) -> Piece {
        let (f, name) = (&self.tree.functions[id], &self.names[id]);
        if given.len() <= MOST_ARGUMENTS {
            return call(name, given);
        }
        let is_array = |i: usize| f.parameters.get(i).is_none_or(|&v| f.variables[v].function.is_none());
        let (arrays, functions): (Vec<_>, Vec<_>) = given.into_iter().enumerate().partition(|(i, _)| is_array(*i));
        let arrays = list("", arrays.into_iter().map(|(_, x)| x).collect());
        call(name, [arrays].into_iter().chain(functions.into_iter().map(|(_, f)| f)).collect())
    }

    /// An array: its elements here, or its name in the data.
    pub(crate) fn array(&mut self, t: &Tensor, name: &str) -> Piece {
        let mut names = self.data_names.clone();
        match self.data.written(&names.fresh(name), t) {
            Written::Inline => literal::array(t),
            Written::Repeated(value) => literal::repeated(t, value),
            Written::File(name) => {
                self.data_names.fresh(&name);
                let reader = if t.dtype() == DType::C128 { "complex_data" } else { "data" };
                self.readers.insert(reader);
                call(reader, vec![text(format!("{name:?}"))])
            }
        }
    }
}

/// `pattern: type` for so many arrays.
pub(crate) fn parameter(names: &[String]) -> Piece {
    let ty = group_type(names.len());
    match names {
        [] => text("(): ()"),
        [one] => text(format!("{one}: {ty}")),
        names => pattern("[", names.iter().map(text).collect(), &format!("]: {ty}")),
    }
}

/// The type of so many arrays.
pub(crate) fn group_type(n: usize) -> String {
    match n {
        0 => "()".into(),
        1 => "Array".into(),
        n => format!("[Array; {n}]"),
    }
}

/// So many arrays, as a value or as a pattern.
pub(crate) fn group(items: Vec<Piece>, make: impl FnOnce(Vec<Piece>) -> Piece) -> Piece {
    match items.len() {
        0 => text("()"),
        1 => items.into_iter().next().expect("one"),
        _ => make(items),
    }
}

/// What is allowed for one result.
fn each(allowed: &Allowed) -> String {
    match allowed {
        Allowed::Rounding(None) => "repro::Allowed::Rounding(None)".into(),
        Allowed::Rounding(Some(dtype)) => format!("repro::Allowed::Rounding(Some({}))", literal::dtype(*dtype)),
        Allowed::Part(part) => format!("repro::Allowed::Part({part:?})"),
    }
}

/// The type of a function that a transform gave.
fn function_type(of: &ReturnedFunction) -> String {
    let takes = match of.takes {
        0 => "((),)".into(),
        1 => "(Array,)".into(),
        n if n > MOST_ARGUMENTS => format!("([Array; {n}],)"),
        n => format!("({})", vec!["Array"; n].join(", ")),
    };
    format!("{}<{takes}, {}>", if of.pulls { "Pullback" } else { "Linear" }, group_type(of.gives))
}

/// A call of what a transform made of a function, which takes many arrays as one, and none as one argument too.
pub(crate) fn called(name: &str, given: Vec<Piece>) -> Piece {
    match given.len() {
        1..=MOST_ARGUMENTS => call(name, given),
        _ => call(name, vec![group(given, |x| list("", x))]),
    }
}
