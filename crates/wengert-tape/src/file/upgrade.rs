//! Tapes of older versions of the format, as tapes of this one.

use crate::host::{HostNumber, HostType};
use crate::row::{KeptValue, Kind, LEFT, READ, Ref, ResultRow};
use crate::tape::Tape;
use wengert_core::{DType, Type};

/// The first version said by texts what a decision was, and that a node is a read. What is damaged stays so.
pub(super) fn from_first(tape: &mut Tape) {
    for id in 0..tape.rows.len() {
        let row = tape.rows[id];
        if !matches!(row.kind, k if k == Kind::Branch as u8 || k == Kind::Special as u8) {
            continue;
        }
        let at = row.results as usize;
        let text = (row.results_len > 0).then(|| tape.results.get(at)).flatten().and_then(|k| match k.ty {
            0 => match KeptValue::unpack(k.kept) {
                KeptValue::Constant(i) => tape.constants.get(i as usize)?.text().map(str::to_string),
                _ => None,
            },
            _ => None,
        });
        let Some(text) = text else { continue };
        let array = |r: &Ref| {
            let on = tape.rows.get(r.at as usize);
            let kept = on.and_then(|on| tape.results.get(on.results as usize + r.out as usize));
            r.is_constant() || kept.is_some_and(|k| k.ty != 0)
        };
        let refs = row.refs as usize..(row.refs as usize).saturating_add(row.refs_len as usize);
        let is_read = matches!(tape.refs.get(refs), Some([r]) if array(r));
        let taken = match &*text {
            "true" | "Ok" | "Some" | "Continue" => Some(true),
            "false" | "Err" | "None" | "Break" => Some(false),
            t if t.starts_with("matched ") => Some(true),
            t if t.starts_with("did not match ") => Some(false),
            _ => None,
        };
        let leaves = taken == Some(false) && tape.labels.get(row.label as usize).is_some_and(|l| l.name.ends_with('?'));
        if is_read {
            tape.rows.to_mut()[id].flags |= READ;
        }
        if row.kind == Kind::Branch as u8
            && let Some(taken) = taken
        {
            set_decision(tape, id, taken, leaves);
        }
    }
}

/// What a decision was, as a number; how it was said follows, unless that is the number.
fn set_decision(tape: &mut Tape, id: usize, taken: bool, leaves: bool) {
    let bool_ty = Type::new(DType::Bool, []);
    let ty = match tape.types.iter().position(|t| *t == bool_ty) {
        Some(i) => i,
        None => {
            tape.types.push(bool_ty);
            tape.types.len() - 1
        }
    };
    let number = tape.numbers.len() as u32;
    tape.numbers.room(1).push(HostNumber::from(taken).bits);
    let first = ResultRow { ty: ty as u32 + 1, kept: KeptValue::Number(number).pack() };
    let old = tape.results[tape.rows[id].results as usize];
    let said = match KeptValue::unpack(old.kept) {
        KeptValue::Constant(i) => tape.constants[i as usize].text().map(|t| matches!(t, "true" | "false")),
        _ => None,
    };
    let start = tape.results.len() as u32;
    tape.results.room(2).push(first);
    if said == Some(false) {
        tape.results.room(1).push(old);
    }
    let row = &mut tape.rows.to_mut()[id];
    (row.results, row.results_len) = (start, tape.results.len() as u32 - start);
    row.host = HostType::code(Some(HostType::Bool));
    row.flags |= if leaves { LEFT } else { 0 };
}
