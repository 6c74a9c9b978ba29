//! `faults`: what the reducer and `diff` make of planted faults.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use wengert_core::{Program, Result, Tensor};
use wengert_faults::measure::{VARIABLE, measure};
use wengert_faults::table::{by_name, is_wrong_values, need, start, symptom};
use wengert_repro::diff::first_parting;
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
        Some("diff") => chosen.iter().filter(|f| is_wrong_values(**f)).try_for_each(|&f| diff(&own, f)),
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

fn diff(own: &Path, fault: Fault) -> Result<()> {
    // Another process has the fault.
    if std::env::var(VARIABLE).is_ok_and(|v| v == fault.name()) {
        let case = start(fault);
        let [eval, cpu] = ["eval", "cpu"].map(|n| n.parse::<BackendName>().expect("a backend"));
        let mut right = |p: &Program, x: &[Tensor]| eval.run(p, x);
        let mut wrong = |p: &Program, x: &[Tensor]| cpu.run(p, x);
        let found = first_parting(case.program(), case.inputs(), &mut right, &mut wrong, 1e-3)?;
        match found {
            Some(p) => println!("{}: {} ({} programs)", fault.name(), p.text, p.runs),
            None => println!("{}: they agree", fault.name()),
        }
        return Ok(());
    }
    let own = PathBuf::from(own);
    let mut command = std::process::Command::new(own);
    command.args(["diff", fault.name()]).env(VARIABLE, fault.name());
    let _ = command.status();
    Ok(())
}
