//! What `wengert diff` says of one program on two sides, as text and as JSON.

use crate::diff_text::{comparison_json, elements, object, part};
use crate::json::Json;
use std::fmt::Write;
use wengert_core::compare::{Comparison, compare};
use wengert_core::counted;
use wengert_repro::diff::{Excuse, InnerProgram, NamedEquation, Parting, ProgramDiff};
use wengert_repro::{BackendName, Case, undetermined_results};

/// Two sides, with the names they are called by.
pub struct SidePair<'a> {
    pub names: (&'a str, &'a str),
    /// The backends, if they are what the sides differ in.
    pub backends: Option<(&'a BackendName, &'a BackendName)>,
    pub tolerance: f64,
}

/// Whether all was looked at.
pub fn is_decided(d: &ProgramDiff) -> bool {
    d.is_complete && d.in_own_types.is_empty()
}

fn place(e: &NamedEquation) -> String {
    if e.place.is_unknown() { String::new() } else { format!(" at {}", e.place) }
}

fn inner(program: InnerProgram) -> String {
    match program {
        InnerProgram::Body => "in its program".into(),
        InnerProgram::Branch(i) => format!("in branch {i}"),
        InnerProgram::Turn(i) => format!("in turn {i} of the loop"),
        InnerProgram::Condition(i) => format!("in the condition before turn {i}"),
    }
}

impl SidePair<'_> {
    /// The differences in words.
    pub fn text(&self, d: &ProgramDiff) -> String {
        let ((a, b), tolerance) = (self.names, self.tolerance);
        let mut text = match &d.first {
            Some(p) => self.parting(p, 0),
            None if is_decided(d) => format!("{a} and {b} agree within {tolerance:.0e}\n"),
            None => format!("{a} and {b} agree within {tolerance:.0e} as far as they were looked at\n"),
        };
        for excused in &d.excused {
            let (e, by) = (&excused.equation, part(excused.gap));
            let equation = format!("equation {}: {}{}: {by}", e.number, e.text, place(e));
            let _ = match excused.why {
                Excuse::Rounding if excused.gap.is_nan() => {
                    writeln!(text, "rounding, or subnormal numbers that one side takes for zero, part {equation}")
                }
                Excuse::Rounding => writeln!(text, "rounding alone parts {equation}"),
                Excuse::Undetermined => writeln!(
                    text,
                    "the matrix does not determine this decomposition, and both are as right: {equation}"
                ),
            };
        }
        for e in &d.in_own_types {
            let equation = format!("{}{}", e.text, place(e));
            let _ = writeln!(
                text,
                "not looked at, and run in its own types on both sides, for it takes no others: {equation}"
            );
        }
        if d.by_largest {
            text += "the program is too large to be run with other roundings, or takes too long: some results were measured against the largest \
                     number of their array, which hides what smaller ones differ by\n";
        }
        if !d.is_complete {
            text += "rounding grows, or matrices do not determine their decompositions, at too many places, or it takes too long to look at them all \
                     (`--patience`): what comes after these was not looked at\n";
        }
        let _ = writeln!(text, "found with {} on each side", counted(d.runs, "program"));
        text
    }

    fn parting(&self, p: &Parting, depth: usize) -> String {
        let ((a, b), space) = (self.names, "  ".repeat(depth));
        let mut text = String::new();
        if p.equations.is_empty() {
            let _ = writeln!(text, "{space}output {}, which is an input of the program", p.output.0);
        }
        for e in &p.equations {
            let _ = writeln!(text, "{space}equation {}: {}{}", e.number, e.text, place(e));
        }
        if let count @ 2.. = p.equations.len() {
            let _ = match &p.alone[..] {
                [] => writeln!(text, "{space}  these {count} equations together differ, none of them alone"),
                alone => writeln!(
                    text,
                    "{space}  these {count} equations together differ so; alone, {} in another way",
                    alone.iter().map(|e| format!("equation {}", e.number)).collect::<Vec<_>>().join(", ")
                ),
            };
        }
        if let Some(shown) = &p.shown_by
            && p.equations.last().is_none_or(|e| e.number != shown.number)
        {
            let _ = writeln!(text, "{space}  it shows in equation {}: {}{}", shown.number, shown.text, place(shown));
        }
        if p.case.is_none() {
            let _ = writeln!(text, "{space}  the two agree on each part of the program that was run alone");
        }
        let what = match (&p.comparison, &p.error) {
            (Some(c), _) => elements(c, a, b),
            (None, Some(why)) => format!("{b} fails: {why}"),
            (None, None) => "the results are of other types".into(),
        };
        let given = if p.equations.len() > 1 { "what they are given" } else { "what it is given" };
        let _ = writeln!(text, "{space}  {given} agrees, and {what}");
        // What fails has no numbers, and neither has what comes of it.
        let fails = p.error.is_some() || matches!(&p.in_program, Some((_, None)));
        let part_of = |by: f64| if fails && by.is_nan() { format!("{b} has no result") } else { part(by) };
        if p.error.is_none() {
            let _ = writeln!(text, "{space}  there {}", part(p.gap));
        }
        if let Some((e, c)) = &p.in_program {
            let what = c.as_ref().map_or_else(|| format!("{b} has no result"), |c| elements(c, a, b));
            let _ =
                writeln!(text, "{space}  in the whole program otherwise: equation {}: {}: {what}", e.number, e.text);
        }
        if p.case.as_ref().is_some_and(|case| !undetermined_results(case.program(), case.inputs()).is_empty()) {
            let _ = writeln!(
                text,
                "{space}  a matrix does not determine its decomposition there: that may be a part of the reason"
            );
        }
        for (e, by) in &p.following {
            let _ = writeln!(text, "{space}  then equation {}: {}{}: {}", e.number, e.text, place(e), part_of(*by));
        }
        let _ = writeln!(text, "{space}  in output {} {}", p.output.0, part_of(p.output.1));
        if let Some(stage) = p.case.as_ref().filter(|_| depth == 0).and_then(|case| self.stage(case)) {
            let _ = writeln!(text, "{space}  {stage}");
        }
        if let Some(inside) = &p.inside {
            let _ = write!(text, "{space}  {}", inner(inside.program));
            match &inside.parting {
                Some(p) => text += &format!(":\n{}", self.parting(p, depth + 2)),
                None => text += ", and not on any part of it alone\n",
            }
        }
        text
    }

    /// Which part of our own compiler brings a difference in, if one side is it.
    fn stage(&self, case: &Case) -> Option<&'static str> {
        let (a, b) = self.backends?;
        let cpu = [a, b].into_iter().find(|n| n.name() == "cpu")?;
        if [a, b].iter().any(|n| n.name() == "rewritten") {
            return None;
        }
        let rewritten: BackendName = "rewritten".parse().ok()?;
        let [x, y] = [cpu, &rewritten].map(|n| n.run(case.program(), case.inputs()).ok());
        let same = x?.iter().zip(&y?).all(|(x, y)| compare(x, y).is_ok_and(|c| c.count == 0));
        Some(match same {
            true => "simplifying or rewriting the program brings it in: `rewritten` gives the same",
            false => "what the compiler does after its rewrites brings it in: `rewritten` does not give it",
        })
    }

    /// The differences as one object.
    pub fn json(&self, d: &ProgramDiff) -> Json {
        let gap = |(e, by): (&NamedEquation, f64)| object([("equation", equation_json(e)), ("gap", Json::float(by))]);
        let excused = |why: Excuse| {
            Json::List(d.excused.iter().filter(|e| e.why == why).map(|e| gap((&e.equation, e.gap))).collect())
        };
        object([
            ("differs", Json::Bool(d.first.is_some())),
            ("first", d.first.as_ref().map_or(Json::Null, parting_json)),
            ("rounding", excused(Excuse::Rounding)),
            ("undetermined", excused(Excuse::Undetermined)),
            ("complete", Json::Bool(d.is_complete)),
            ("by_largest", Json::Bool(d.by_largest)),
            ("in_own_types", Json::List(d.in_own_types.iter().map(equation_json).collect())),
            ("runs", Json::count(d.runs)),
        ])
    }
}

fn equation_json(e: &NamedEquation) -> Json {
    let place = if e.place.is_unknown() { Json::Null } else { Json::text(e.place.to_string()) };
    object([("number", Json::count(e.number)), ("text", Json::text(&e.text)), ("place", place)])
}

fn parting_json(p: &Parting) -> Json {
    let gap = |(e, by): &(NamedEquation, f64)| object([("equation", equation_json(e)), ("gap", Json::float(*by))]);
    let inside = p.inside.as_ref().map_or(Json::Null, |i| {
        let first = i.parting.as_ref().map_or(Json::Null, |p| parting_json(p));
        object([("program", Json::text(inner(i.program))), ("first", first)])
    });
    object([
        ("equations", Json::List(p.equations.iter().map(equation_json).collect())),
        ("alone", Json::List(p.alone.iter().map(equation_json).collect())),
        ("shown_by", p.shown_by.as_ref().map_or(Json::Null, equation_json)),
        ("comparison", p.comparison.as_ref().map_or(Json::Null, comparison_json)),
        ("error", p.error.as_ref().map_or(Json::Null, Json::text)),
        ("gap", Json::float(p.gap)),
        ("in_program", p.in_program.as_ref().map_or(Json::Null, in_program_json)),
        ("following", Json::List(p.following.iter().map(gap).collect())),
        ("output", Json::count(p.output.0)),
        ("output_gap", Json::float(p.output.1)),
        ("inside", inside),
    ])
}

fn in_program_json((e, c): &(NamedEquation, Option<Comparison>)) -> Json {
    let comparison = c.as_ref().map_or(Json::Null, comparison_json);
    object([("equation", equation_json(e)), ("comparison", comparison)])
}
