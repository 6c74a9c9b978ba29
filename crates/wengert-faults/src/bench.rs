//! The table of `bench/REDUCE.md`: each fault reduced by all passes, by deletion alone, and by what others do.

use crate::compare::{Way, deletion, has_script, shrinkray};
use crate::measure::measure;
use crate::table::{need, start};
use std::path::Path;
use std::time::Duration;
use wengert_core::Result;
use wengert_x86::faults::Fault;

/// The longest that a row waits for one way to reduce.
const LONGEST: Duration = Duration::from_secs(120);

/// The same for shrinkray: many times as long as ours takes.
const LONGEST_OF_SHRINKRAY: Duration = Duration::from_secs(20);

/// Prints the table; `other` is how shrinkray is started, if it is there.
pub fn bench(own: &Path, faults: &[Fault], other: Option<&[String]>) {
    println!("| fault | needs | start | all passes | deletion, warm | deletion, by a script | shrinkray |");
    println!("|---|---|---|---|---|---|---|");
    let mut rows: Vec<[Option<Way>; 4]> = Vec::new();
    for &fault in faults {
        let all = by_passes(own, fault, |_| true);
        let warm = by_passes(own, fault, |pass| pass == "ranges");
        let fresh = has_script(fault).then(|| deletion(own, fault, LONGEST));
        let text =
            other.filter(|_| has_script(fault)).map(|command| shrinkray(own, fault, command, LONGEST_OF_SHRINKRAY));
        let from = start(fault).size().equations;
        let ways = [Some(all), Some(warm), fresh, text];
        let cells = ways.each_ref().map(|w| w.as_ref().map_or_else(String::new, cell));
        println!("| `{}` | {} | {from} | {} |", fault.name(), need(fault), cells.join(" | "));
        rows.push(ways.map(|w| w.and_then(Result::ok)));
    }
    let names = ["deletion with warm workers", "deletion by a script", "shrinkray"];
    for (i, name) in names.into_iter().enumerate() {
        compared(name, rows.iter().filter_map(|row| Some((row[0].as_ref()?, row[i + 1].as_ref()?))).collect());
    }
}

fn by_passes(own: &Path, fault: Fault, uses: impl Fn(&str) -> bool) -> Result<Way> {
    let m = measure(own, fault, start(fault), LONGEST, uses)?;
    let ended = m.is_minimal() && m.still_fails && !m.fails_without;
    Ok(Way { size: m.found.best.size(), candidates: m.found.candidates, seconds: m.seconds, ended })
}

fn cell(way: &Result<Way>) -> String {
    match way {
        Ok(w) => {
            let stopped = if w.ended { "" } else { "+" };
            format!("{} · {} · {} · {:.2}{stopped}", w.size.equations, w.size.elements, w.candidates, w.seconds)
        }
        Err(e) => e.message().to_string(),
    }
}

/// How much smaller and faster the first of each pair is.
fn compared(name: &str, pairs: Vec<(&Way, &Way)>) {
    if pairs.is_empty() {
        return;
    }
    let key = |w: &Way| (w.size.equations, w.size.elements);
    let smaller = pairs.iter().filter(|(a, b)| key(a) < key(b)).count();
    let equal = pairs.iter().filter(|(a, b)| key(a) == key(b)).count();
    let ratio = pairs.iter().map(|(a, b)| (b.seconds / a.seconds).ln()).sum::<f64>() / pairs.len() as f64;
    let stopped = pairs.iter().filter(|(_, b)| !b.ended).count();
    println!(
        "all passes beside {name}: smaller on {smaller} of {}, as small on {equal}; {:.1} times as fast in the geometric mean \
         ({stopped} of the others stopped)",
        pairs.len(),
        ratio.exp()
    );
}
