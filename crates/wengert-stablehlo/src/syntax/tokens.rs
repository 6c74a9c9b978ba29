//! Tokens say in which order effects happen, and hold nothing: they are taken out of the tree.

use super::operation::{Operation, Region, Use};
use super::types::{Signature, Ty};
use rustc_hash::FxHashMap;

/// Values around a place in the text: none for a token, and for others which of the results of their name they are now.
type Tokens<'a> = FxHashMap<(&'a str, usize), Option<usize>>;

fn is_token(ty: &Ty<'_>) -> bool {
    matches!(ty, Ty::Other("!stablehlo.token" | "!mhlo.token"))
}

/// Takes out the tokens of functions, and of what holds them.
pub(super) fn take_out(operations: &mut [Operation<'_>]) {
    for op in operations {
        remove_types(&mut op.signature);
        op.regions.iter_mut().for_each(|r| region(r, Tokens::default()));
    }
}

fn region<'a>(region: &mut Region<'a>, mut tokens: Tokens<'a>) {
    region.arguments.retain(|a| {
        let token = is_token(&a.ty);
        if token {
            tokens.insert((a.name, 0), None);
        }
        !token
    });
    region.operations.retain_mut(|op| operation(op, &mut tokens));
}

/// Takes the tokens out of an operation; whether anything is left of it.
fn operation<'a>(op: &mut Operation<'a>, tokens: &mut Tokens<'a>) -> bool {
    let is_known = |u: &Use<'a>| tokens.get(&(u.name, u.index)) == Some(&None);
    if let ("stablehlo.create_token" | "stablehlo.after_all", [r]) = (op.name, &op.results[..])
        && op.operands.iter().all(is_known)
    {
        tokens.insert((r.name, 0), None);
        return false;
    }
    op.operands.retain_mut(|u| match tokens.get(&(u.name, u.index)) {
        None => true,
        Some(None) => false,
        Some(&Some(index)) => {
            u.index = index;
            true
        }
    });
    results(op, tokens);
    remove_types(&mut op.signature);
    op.regions.iter_mut().for_each(|r| region(r, tokens.clone()));
    true
}

/// Takes the results out that are tokens.
fn results<'a>(op: &mut Operation<'a>, tokens: &mut Tokens<'a>) {
    let types = match &op.signature {
        Signature::Function(_, types) | Signature::Plain(types) if types.iter().any(is_token) => types,
        _ => return,
    };
    let mut types = types.iter();
    for r in &mut op.results {
        let mut kept = 0;
        for (index, ty) in types.by_ref().take(r.count).enumerate() {
            let token = is_token(ty);
            tokens.insert((r.name, index), (!token).then_some(kept));
            kept += !token as usize;
        }
        r.count = kept;
    }
    op.results.retain(|r| r.count > 0);
}

fn remove_types(signature: &mut Signature<'_>) {
    match signature {
        Signature::None => {}
        Signature::Plain(types) => types.retain(|t| !is_token(t)),
        Signature::Function(operands, results) => {
            [operands, results].into_iter().for_each(|t| t.retain(|t| !is_token(t)))
        }
    }
}
