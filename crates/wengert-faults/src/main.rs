//! `faults`: what the reducer and `diff` make of planted faults.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use wengert_core::{Program, Result, Tensor};
use wengert_faults::bench::bench;
use wengert_faults::compare::is_interesting;
use wengert_faults::measure::{VARIABLE, measure};
use wengert_faults::table::{by_name, faulty_op, is_wrong_values, need, start, symptom};
use wengert_repro::diff::{ProgramDiff, Sides};
use wengert_repro::{BackendName, serve};
use wengert_x86::faults::Fault;

const USAGE: &str = "faults list | serve NAME | start NAME | interesting NAME FILE [INPUTS] | reduce [NAME…] | \
                     bench [--shrinkray COMMAND] [NAME…] | diff [NAME…]";

fn main() -> ExitCode {
    let mut given: Vec<String> = std::env::args().skip(1).collect();
    let other = given.iter().position(|a| a == "--shrinkray").filter(|at| at + 1 < given.len()).map(|at| {
        let command: Vec<String> = given.drain(at..at + 2).collect();
        command[1].split_whitespace().map(String::from).collect::<Vec<String>>()
    });
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
        Some("bench") => {
            bench(&own, &chosen, other.as_deref());
            Ok(())
        }
        Some("interesting") if chosen.len() == 1 && names.len() > 1 => {
            std::panic::set_hook(Box::new(|_| ()));
            let found = is_interesting(chosen[0], Path::new(names[1]), names.get(2).map(Path::new)).unwrap_or(false);
            return if found { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
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
    for step in &m.found.steps {
        println!("{:>8} {:<10} {}", step.candidates, step.pass, step.size);
    }
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
        println!("missed {name}: they agree ({runs} programs, {} by rounding)", found.excused.len());
        return Ok(false);
    };
    let texts: Vec<&str> = first.equations.iter().map(|e| e.text.as_str()).collect();
    let op = |number: usize| case.program().equations()[number].op.name();
    let is_named = first.equations.iter().any(|e| op(e.number) == faulty_op(fault));
    let verdict = if is_named { "named" } else { "missed" };
    println!("{verdict} {name}: {} ({runs} programs)", texts.join(" with "));
    Ok(is_named)
}
