//! Opens whatever comes as a tape, and asks it everything. `cargo +nightly fuzz run tape`, with the files of
//! `crates/wengert-tape/tests/files` as a first corpus.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wengert_tape::Tape;

/// Makes the checksum right, so that what lies behind it is reached too.
fn seal(file: &mut [u8]) -> Option<()> {
    let table = u32::from_le_bytes(file.get(..4)?.try_into().ok()?) as usize;
    let back = u32::from_le_bytes(file.get(table..table.checked_add(4)?)?.try_into().ok()?) as usize;
    let entry = table.checked_sub(back)?.checked_add(6)?;
    let at = table + u16::from_le_bytes(file.get(entry..entry + 2)?.try_into().ok()?) as usize;
    file.get_mut(at..at + 4)?.fill(0);
    let sum = crc32fast::hash(file);
    file[at..at + 4].copy_from_slice(&sum.to_le_bytes());
    Some(())
}

fuzz_target!(|data: &[u8]| {
    let mut file = data.to_vec();
    seal(&mut file);
    let Ok(tape) = Tape::from_bytes(&file) else { return };
    let _ = (tape.to_string(), tape.root().to_dot(usize::MAX), tape.to_program());
    for node in tape.nodes() {
        let _ = (node.backward().count(), node.forward().count(), node.descendants().count());
        for out in 0..node.result_count() {
            let _ = (node.value(out), node.summary(out));
        }
    }
    // Each array gets the value of another of its type, and what depends on it follows.
    let values: Vec<_> = tape.nodes().filter_map(|n| n.value(0)).collect();
    let mut changed = tape.clone();
    for node in tape.nodes() {
        let other = node.ty(0).and_then(|ty| values.iter().rev().find(|x| x.ty() == *ty));
        if other.is_some_and(|x| changed.set(node, x.clone()).is_ok()) {
            let _ = changed.update();
        }
    }
});
