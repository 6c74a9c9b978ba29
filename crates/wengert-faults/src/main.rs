//! `faults`: what the reducer and `diff` make of planted faults.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use wengert_core::{Program, Result, Tensor};
use wengert_faults::measure::{VARIABLE, measure};
use wengert_faults::table::{by_name, faulty_op, is_wrong_values, need, start, symptom};
use wengert_repro::diff::{ProgramDiff, Sides};
use wengert_repro::{BackendName, serve};
use wengert_x86::faults::Fault;

/// The longest that a row waits for one way to reduce.
const LONGEST: Duration = Duration::from_secs(120);

const USAGE: &str = "faults list | serve NAME | start NAME | reduce [NAME…] | bench [NAME…] | diff [NAME…]";

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = given.iter().skip(1).map(String::as_str).collect();
    let chosen: Vec<Fault> = match names.is_empty() {
        true => Fault::ALL.to_vec(),
        false => names.iter().filter_map(|n| by_name(n)).collect(),
    };
    let own = std::env::current_exe().expect("a program knows its file");
    let done = match given.first().map(String::as_str) {
        Some("list") => Fault::ALL.iter().try_for_each(|f| {
            println!("{}", f.name());
            Ok(())
        }),
        Some("serve") if chosen.len() == 1 => {
            std::panic::set_hook(Box::new(|_| ()));
            let served = serve(&symptom(chosen[0]), &BackendName::default());
            return if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        Some("start") if chosen.len() == 1 => {
            println!("{}", start(chosen[0]).program());
            Ok(())
        }
        Some("reduce") => chosen.iter().try_for_each(|&f| reduce(&own, f)),
        Some("bench") => chosen.iter().try_for_each(|&f| bench(&own, f)),
        Some("diff") => diff_all(&own, &chosen),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

fn reduce(own: &Path, fault: Fault) -> Result<()> {
    let case = start(fault);
    let size = case.size();
    let m = match measure(own, fault, case, Duration::from_secs(600), |_| true) {
        Ok(m) => m,
        Err(e) => {
            println!("{}: {e}", fault.name());
            return Ok(());
        }
    };
    let end = m.found.best.size();
    println!(
        "{}: {} -> {} (needs {}), {} candidates, {:.1} s; minimal {}, fails {}, without {}",
        fault.name(),
        size.equations,
        end,
        need(fault),
        m.found.candidates,
        m.seconds,
        m.is_minimal(),
        m.still_fails,
        m.fails_without,
    );
    println!("{}", m.found.best.program().to_string().trim_end());
    Ok(())
}

/// A row of the table in `bench/REDUCE.md`: all passes, then ranges of equations alone.
fn bench(own: &Path, fault: Fault) -> Result<()> {
    let from = start(fault).size().equations;
    let mut row = format!("| `{}` | {} | {from}", fault.name(), need(fault));
    for all in [true, false] {
        row += &match measure(own, fault, start(fault), LONGEST, |pass| all || pass == "ranges") {
            Ok(m) => {
                let (end, drift) =
                    (m.found.best.size(), if m.still_fails && !m.fails_without { "" } else { " (drifts)" });
                let cut = if m.is_minimal() { "" } else { " (stopped)" };
                let (count, seconds) = (m.found.candidates, m.seconds);
                format!(" | {}{drift}{cut} | {} | {count} | {seconds:.1}", end.equations, end.elements)
            }
            Err(e) => format!(" | {} | | |", e.message()),
        };
    }
    println!("{row} |");
    Ok(())
}

/// Asks which equation is named first for each fault, and counts those where it is the one with the fault.
fn diff_all(own: &Path, faults: &[Fault]) -> Result<()> {
    let faults: Vec<Fault> = faults.iter().copied().filter(|f| is_wrong_values(*f)).collect();
    // A process has one fault.
    if let &[fault] = &faults[..]
        && std::env::var(VARIABLE).is_ok_and(|v| v == fault.name())
    {
        std::process::exit(i32::from(!diff(fault)?));
    }
    let mut named = 0;
    for fault in &faults {
        let mut command = std::process::Command::new(own);
        let status = command.args(["diff", fault.name()]).env(VARIABLE, fault.name()).status();
        named += usize::from(status.is_ok_and(|s| s.success()));
    }
    println!("{named} of {} named", faults.len());
    Ok(())
}

/// Whether the equation with the fault is named, alone or among those that part only together.
fn diff(fault: Fault) -> Result<bool> {
    let case = start(fault);
    let [eval, cpu] = ["eval", "cpu"].map(|n| n.parse::<BackendName>().expect("a backend"));
    let mut right = |p: &Program, x: &[Tensor]| eval.run(p, x);
    let mut wrong = |p: &Program, x: &[Tensor]| cpu.run(p, x);
    let found = ProgramDiff::new(case.program(), case.inputs(), Sides::new(&mut right, &mut wrong, 1e-3))?;
    let (name, runs) = (fault.name(), found.runs);
    let Some(first) = found.first else {
        println!("missed {name}: they agree ({runs} programs, {} by rounding)", found.rounding.len());
        return Ok(false);
    };
    let texts: Vec<&str> = first.equations.iter().map(|e| e.text.as_str()).collect();
    let op = |number: usize| case.program().equations()[number].op.name();
    let is_named = first.equations.iter().any(|e| op(e.number) == faulty_op(fault));
    let verdict = if is_named { "named" } else { "missed" };
    println!("{verdict} {name}: {} ({runs} programs)", texts.join(" with "));
    Ok(is_named)
}
