//! What holds of every tape. It is checked before a tape is written and after it is read, so that no question asked of
//! a tape from a file can fail, or have no end.

use super::damaged;
use crate::host::HostType;
use crate::row::{KeptValue, Kind, NONE, Row, SHARED};
use crate::tape::{Constant, LONGEST_PATH, Tape};
use wengert_core::{Error, Result};

/// Checks all of it, in time and memory in proportion to the tape.
pub(super) fn check(tape: &Tape) -> Result<()> {
    let rows = &tape.rows;
    match rows.first() {
        None => return Err(damaged("it has no nodes")),
        Some(root) if root.kind != Kind::Call as u8 || root.parent != NONE || root.next != NONE => {
            return Err(damaged("its first node is not a root"));
        }
        Some(_) => {}
    }
    if rows.len() >= NONE as usize || tape.limited.is_some_and(|n| n as usize >= rows.len()) {
        return Err(damaged("a node is not there"));
    }
    if tape.metadata.keys().any(|(n, _)| *n as usize >= rows.len()) {
        return Err(damaged("metadata is of no node"));
    }
    tables(tape)?;
    for (id, row) in rows.iter().enumerate() {
        fields(tape, row).map_err(|e| at(e, id))?;
    }
    tree(rows)?;
    sharing(rows)?;
    references(tape)?;
    results(tape)
}

fn at(e: Error, id: usize) -> Error {
    e.within(format!("node @{id}"))
}

/// Places and types, which many nodes share: they can't be so long that printing all nodes is out of proportion.
fn tables(tape: &Tape) -> Result<()> {
    if tape.places.iter().filter_map(|p| p.parts()).any(|(file, ..)| file.len() > LONGEST_PATH) {
        return Err(damaged("a path is too long"));
    }
    tape.types.iter().try_for_each(|t| t.check().map_err(|e| damaged(e.message())))
}

/// The numbers of one row that stand for themselves.
fn fields(tape: &Tape, row: &Row) -> Result<()> {
    let host = row.host == 0 || HostType::of_code(row.host).is_some();
    if row.kind as usize >= Kind::ALL.len() || !host {
        return Err(damaged("it is of no known kind"));
    }
    if row.label as usize >= tape.labels.len()
        || row.place as usize > tape.places.len()
        || row.name as usize > tape.names.len()
    {
        return Err(damaged("its label, place or name is not there"));
    }
    Ok(())
}

/// Parents come before their children, and each node's children are one chain in order.
fn tree(rows: &[Row]) -> Result<()> {
    let mut last = vec![NONE; rows.len()];
    for (id, row) in rows.iter().enumerate().skip(1) {
        if row.parent as usize >= id {
            return Err(at(damaged("its parent does not come before it"), id));
        }
        let before = std::mem::replace(&mut last[row.parent as usize], id as u32);
        let fits = match before {
            NONE => rows[row.parent as usize].first_child == id as u32 && row.position == 0,
            before => {
                let before = &rows[before as usize];
                before.next == id as u32 && before.position.checked_add(1) == Some(row.position)
            }
        };
        if !fits {
            return Err(at(damaged("it is not in its place among the children of its parent"), id));
        }
    }
    for (id, row) in rows.iter().enumerate() {
        let last = last[id];
        if row.last_child != last || (last == NONE && row.first_child != NONE) {
            return Err(at(damaged("its children are not those that name it"), id));
        }
        if last != NONE && rows[last as usize].next != NONE {
            return Err(at(damaged("its children do not end"), id));
        }
    }
    Ok(())
}

/// Calls have their own return; and no call is inside the call whose children it shares, through however many others.
fn sharing(rows: &[Row]) -> Result<()> {
    let mut shared = false;
    for (id, row) in rows.iter().enumerate() {
        let call = row.kind == Kind::Call as u8;
        let fits = match (row.has(SHARED), row.extra) {
            (true, extra) => {
                shared = true;
                call && rows.get(extra as usize).is_some_and(|r| r.kind == Kind::Call as u8)
            }
            (false, NONE) => true,
            (false, extra) if call => {
                rows.get(extra as usize).is_some_and(|r| r.kind == Kind::Return as u8 && r.parent == id as u32)
            }
            (false, _) => row.kind == Kind::Branch as u8,
        };
        if !fits {
            return Err(at(damaged("what it returns or shares is not there"), id));
        }
    }
    if !shared {
        return Ok(());
    }
    // Depth first, each node once: one that is met while it is open is inside itself.
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut state = vec![NEW; rows.len()];
    // Each open node with the child to look at next, and whether what it shares was looked at.
    let mut stack: Vec<(u32, u32, bool)> = vec![(0, rows[0].first_child, false)];
    state[0] = OPEN;
    while let Some((id, child, followed)) = stack.last_mut() {
        let next = match (*child, *followed) {
            (_, false) if rows[*id as usize].has(SHARED) => {
                *followed = true;
                rows[*id as usize].extra
            }
            (NONE, _) => {
                state[*id as usize] = DONE;
                stack.pop();
                continue;
            }
            (next, _) => {
                *child = rows[next as usize].next;
                next
            }
        };
        match state[next as usize] {
            NEW => {
                state[next as usize] = OPEN;
                stack.push((next, rows[next as usize].first_child, false));
            }
            OPEN => return Err(at(damaged("its children are inside themselves"), next as usize)),
            _ => {}
        }
    }
    Ok(())
}

/// Operands are results of nodes that were complete, so that values can be followed to where they came from.
fn references(tape: &Tape) -> Result<()> {
    let rows = &tape.rows;
    let before = |at: u32, out: u32, id: usize| {
        let on = rows.get(at as usize);
        on.is_some_and(|on| (on.returns().unwrap_or(at) as usize) < id && out < on.outputs())
    };
    let mut end = 0u64;
    for (id, row) in rows.iter().enumerate() {
        let stop = u64::from(row.refs) + u64::from(row.refs_len);
        // In order: no operand belongs to two nodes, and looking at all takes no longer than the file is.
        if row.refs_len > 0 && (u64::from(row.refs) < end || stop > tape.refs.len() as u64) {
            return Err(at(damaged("its operands are not there"), id));
        }
        if row.refs as usize > tape.refs.len() {
            return Err(at(damaged("its operands are not there"), id));
        }
        end = end.max(stop);
        for r in &tape.refs[row.refs as usize..stop as usize] {
            let fits = match r.is_constant() {
                true => match tape.constants.get(r.at as usize) {
                    Some(Constant::Linked(from, _)) => before(from.node.0, from.out as u32, id),
                    constant => constant.is_some(),
                },
                false => before(r.at, r.out, id),
            };
            if !fits {
                return Err(at(damaged("it uses what is not there yet"), id));
            }
        }
    }
    Ok(())
}

/// Results have types, and values of these types.
fn results(tape: &Tape) -> Result<()> {
    let mut total = 0u64;
    for (id, row) in tape.rows.iter().enumerate() {
        let stop = u64::from(row.results) + u64::from(row.results_len);
        total += u64::from(row.results_len);
        if stop > tape.results.len() as u64 || total > tape.results.len() as u64 {
            return Err(at(damaged("its results are not there"), id));
        }
    }
    for k in tape.results.iter() {
        let ty = match k.ty {
            0 => None,
            i => Some(tape.types.get(i as usize - 1).ok_or_else(|| damaged("a result has no type"))?),
        };
        let fits = match KeptValue::unpack(k.kept) {
            KeptValue::Nothing => true,
            KeptValue::Summary(i) => (i as usize) < tape.summaries.len(),
            KeptValue::Value(i) => (i as usize) < tape.values.len() && ty == Some(&*tape.values.ty(i as usize)),
            KeptValue::Constant(i) => match tape.constants.get(i as usize) {
                Some(Constant::Number(_, t)) => ty == Some(t),
                Some(Constant::Host(x)) => ty == Some(&x.ty.array()),
                Some(Constant::Text(_) | Constant::Shown(..)) => true,
                Some(Constant::Linked(..)) | None => false,
            },
            KeptValue::Number(i) => (i as usize) < tape.numbers.len() && ty.is_some_and(|t| t.rank() == 0),
            KeptValue::SmallNumber(_) => ty.is_some_and(|t| t.rank() == 0),
        };
        if !fits {
            return Err(damaged("a value is not there, or has another type than its result"));
        }
    }
    Ok(())
}
