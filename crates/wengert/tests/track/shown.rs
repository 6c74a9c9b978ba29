//! Values of the user's types are shown by `Debug`, also where their type is inferred from what follows (C2), and nothing is asked of
//! types that have none.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Mutex;
use wengert::{Array, record, track};
use wengert_testing::expect;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Door {
    Open,
    Closed(u32),
    Locked { code: u32 },
}

fn pushed(d: Door) -> Door {
    match d {
        Door::Closed(n) if n > 1 => Door::Open,
        Door::Closed(n) => Door::Closed(n + 1),
        d => d,
    }
}

/// Ends in a loop, without a value.
#[track]
fn pushes(n: u32) {
    let mut door = Door::Closed(0);
    for _ in 0..n {
        door = pushed(door);
        if door == Door::Open {
            door = Door::Locked { code: n };
        }
    }
}

/// One variable gets its values in all ways.
#[track]
fn in_all_ways(open: bool) -> Door {
    let mut door = if open { Door::Open } else { pushed(Door::Closed(1)) };
    door = pushed(door);
    let before = door;
    door = Door::Closed(if before == Door::Open { 7 } else { 8 });
    door = if open { Door::Locked { code: 1 } } else { pushed(door) };
    door
}

/// Says by what follows what it is.
#[track]
fn inferred(open: bool) -> usize {
    let mut last = None;
    let mut all = Vec::new();
    let nothing = Default::default();
    let parsed = "7".parse();
    if open {
        last = Some(Door::Open);
    }
    all.extend(last);
    all.push(nothing_of(nothing));
    let n: u32 = parsed.unwrap_or(0);
    all.len() + n as usize
}

fn nothing_of(code: u32) -> Door {
    Door::Locked { code }
}

/// Has no `Debug`.
#[derive(Clone, Copy)]
struct Opaque(u32);

struct Tied<'a>(&'a Cell<&'a str>);

#[track]
fn has_none<T: Clone, D: Debug + Clone>(x: T, d: D) -> u32 {
    let a = x.clone();
    let b = vec![a];
    let c = Opaque(3);
    let e = d.clone();
    let mut f = Some(c);
    f = f.filter(|_| b.is_empty());
    let g = (e, f.is_some());
    c.0 + g.1 as u32
}

/// Borrows in a loop what lives for one turn of it; what they hold may have one lifetime alone.
#[track]
fn short_lives(n: usize) -> usize {
    let mut total = 0;
    for i in 0..n {
        let text = format!("turn {i}");
        let part = &text[..4];
        let cell = Cell::new(part);
        let tied = Tied(&cell);
        let mut list = vec![i];
        let whole = &mut list;
        let first = whole.first_mut();
        if let Some(x) = first {
            *x += 1;
        }
        total += list[0] + tied.0.get().len();
    }
    total
}

#[track]
fn guards(table: &Mutex<HashMap<u32, Door>>, cell: &RefCell<Vec<Door>>) -> usize {
    let mut table = table.lock().unwrap();
    let entry = table.entry(3).or_insert(Door::Open);
    *entry = Door::Closed(2);
    let mut borrowed = cell.borrow_mut();
    borrowed.push(*entry);
    let count = borrowed.len();
    drop(borrowed);
    count
}

#[track]
fn leaves(n: u32) -> u32 {
    let x = if n > 1 { Door::Open } else { return 0 };
    let y = match x {
        Door::Open => 2,
        _ => panic!("no"),
    };
    #[allow(unused_variables, clippy::diverging_sub_expression)]
    let z = if n > 5 { panic!("too many") } else { Door::Closed(n) };
    y
}

/// Gives what is not declared.
#[track]
fn iterates(n: u32) -> impl Iterator<Item = u32> {
    let all = Some(Door::Closed(n));
    let n = if let Some(Door::Closed(n)) = all { n } else { 0 };
    (0..n).map(|x| x + 1)
}

#[derive(Debug)]
struct Model {
    weights: Array,
    name: &'static str,
}

#[track]
fn with_arrays(x: Array) -> Array {
    let model = Model { weights: x.sin(), name: "a" };
    let Model { weights, .. } = &model;
    weights * model.name.len() as f64
}

struct Careful(std::rc::Rc<RefCell<u32>>);

impl Debug for Careful {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.borrow())
    }
}

/// A value that can't be shown while it is borrowed.
#[track]
fn borrowed_meanwhile() -> u32 {
    let all = std::rc::Rc::new(RefCell::new(3));
    let mut one = all.borrow_mut();
    let careful = Careful(all.clone());
    *one += 1;
    *one + std::rc::Rc::strong_count(&careful.0) as u32
}

#[track]
fn taken_apart(n: u32) -> u32 {
    let both = (Some(Door::Closed(n)), vec![Door::Open]);
    let (first, rest) = both;
    let Some(door) = first else { return 0 };
    let Model { name, .. } = Model { weights: Array::from(1.0), name: "b" };
    rest.len() as u32 + name.len() as u32 + matches!(door, Door::Closed(_)) as u32
}

fn shown(f: impl FnOnce()) -> Vec<String> {
    let (_, tape) = record(f);
    let text = tape.to_string();
    let value = |line: &str| Some(line.split_once("] ")?.1.to_string()).filter(|l| l.contains(" : "));
    text.lines().filter_map(value).filter(|l| !l.contains("record()")).collect()
}

#[test]
fn c2_values_of_the_users_types_are_shown() {
    expect![[r#"
        [
            "pushes(⟨2⟩) = () : ()",
            "n = ⟨2⟩ = 2 : u32",
            "door = Door::Closed(0)(⟨0⟩) = Closed(0) : Door",
            "door = @4#0 = Closed(0) : Door",
            "door = pushed(@5) = Closed(1) : Door",
            "==(@7, ⟨Door::Open⟩) = false : bool",
            "door = @10#0 = Closed(1) : Door",
            "door = pushed(@11) = Closed(2) : Door",
            "==(@13, ⟨Door::Open⟩) = false : bool",
            "door = @16#0 = Closed(2) : Door",
        ]
    "#]]
    .assert_eq(&format!("{:#?}\n", shown(|| pushes(2))));
    let all = shown(|| {
        in_all_ways(true);
        in_all_ways(false);
    });
    assert!(!all.iter().any(|line| line.contains('…')));
    expect![[r#"
        [
            "in_all_ways(⟨true⟩) = Locked { code: 1 } : Door",
            "open = ⟨true⟩ = true : bool",
            "door = pushed(⟨Door::Open⟩) = Open : Door",
            "==(@4, ⟨Door::Open⟩) = true : bool",
            "door = Closed(⟨7⟩) = Closed(7) : Door",
            "in_all_ways(⟨false⟩) = Open : Door",
            "open = ⟨false⟩ = false : bool",
            "door = pushed(⟨1⟩) = Closed(2) : Door",
            "door = pushed(@13) = Open : Door",
            "==(@14, ⟨Door::Open⟩) = true : bool",
            "door = Closed(⟨7⟩) = Closed(7) : Door",
            "door = pushed(@17) = Open : Door",
        ]
    "#]]
    .assert_eq(&format!("{all:#?}\n"));
    let all = shown(|| {
        inferred(true);
    });
    expect![[r#"
        [
            "inferred(⟨true⟩) = 9 : usize",
            "open = ⟨true⟩ = true : bool",
            "last = constant = None : Option<Door>",
            "all = new() = [] : Vec<Door>",
            "nothing = default() = 0 : u32",
            "parsed = parse(⟨\"7\"⟩) = Ok(7) : Result<u32, ParseIntError>",
            "last = constant = Some(Open) : Option<Door>",
            "nothing_of(@5) = Locked { code: 0 } : Door",
            "n = unwrap_or(@6, ⟨0⟩) = 7 : u32",
            "len(@11) = 2 : usize",
            "as usize(@12) = 7 : usize",
            "+(@13, @14) = 9 : usize",
        ]
    "#]]
    .assert_eq(&format!("{all:#?}\n"));
    let all = shown(|| {
        with_arrays(Array::from(2.0));
    });
    expect![[r#"
        [
            "constant : f64[]",
            "with_arrays(@1) : f64[]",
            "x = @1 : f64[]",
            "weights = sin(@3) : f64[]",
            "model = Model { weights: x.sin(), name: \"a\" }(@4, ⟨\"a\"⟩) = Model { weights: f64[], name: \"a\" } : Model",
            "len(@5) = 1 : usize",
            "as f64(@6) = 1 : f64",
            "mul(@4, @7) : f64[]",
        ]
    "#]].assert_eq(&format!("{all:#?}\n"));
}

#[test]
fn c2_nothing_is_asked_of_types_that_have_no_debug() {
    let all = shown(|| {
        has_none(Opaque(1), Door::Open);
    });
    expect![[r#"
        [
            "has_none(⟨Opaque⟩, ⟨Open⟩) = 3 : u32",
            "d = ⟨Open⟩ = Open : Door",
            "a = clone(@2) = … : Opaque",
            "b = vec![a](@4) = … : Vec<Opaque>",
            "c = Opaque(3)(⟨3⟩) = … : Opaque",
            "e = clone(@3) = Open : Door",
            "f = Some(c)(@6) = … : Option<Opaque>",
            "f = filter(@8, @5) = … : Option<Opaque>",
            "is_some(@9) = false : bool",
            "g = (e, f.is_some())(@7, @10) = (Open, false) : (Door, bool)",
            "c.0(@6) = 3 : u32",
            "g.1(@12) = false : bool",
            "as u32(@14) = 0 : u32",
            "+(@13, @15) = 3 : u32",
        ]
    "#]]
    .assert_eq(&format!("{all:#?}\n"));
    let run = || {
        let (table, cell) = (Mutex::new(HashMap::new()), RefCell::new(Vec::new()));
        (short_lives(3), guards(&table, &cell), leaves(0), leaves(2), iterates(3).sum::<u32>())
    };
    assert_eq!(run(), (18, 1, 0, 2, 6));
    assert_eq!(record(run).0, run());
}

#[test]
fn c2_a_value_that_panics_when_it_is_shown_is_not() {
    let all = shown(|| assert_eq!(borrowed_meanwhile(), 6));
    expect![[r#"
        [
            "borrowed_meanwhile() = 6 : u32",
            "new(⟨3⟩) = RefCell { value: 3 } : RefCell<u32>",
            "all = new(@2) = RefCell { value: 3 } : Rc<RefCell<u32>>",
            "one = borrow_mut(@3) = 3 : RefMut<'_, u32>",
            "clone(@3) = RefCell { value: <borrowed> } : Rc<RefCell<u32>>",
            "careful = Careful(@5) = … : Careful",
            "+(@4, ⟨1⟩) = 4 : u32",
            "=(@7) = 4 : u32",
            "strong_count(@6, ⟨&careful.0⟩) = 2 : usize",
            "as u32(@9) = 2 : u32",
            "+(@8, @10) = 6 : u32",
        ]
    "#]]
    .assert_eq(&format!("{all:#?}\n"));
}

#[test]
fn c2_what_is_taken_apart_is_shown() {
    let all = shown(|| assert_eq!(taken_apart(2), 3));
    expect![[r#"
        [
            "taken_apart(⟨2⟩) = 3 : u32",
            "n = ⟨2⟩ = 2 : u32",
            "Closed(@2) = Closed(2) : Door",
            "both = (Some(Door::Closed(n)), vec![Door::Open])(@3) = (Some(Closed(2)), [Open]) : (Option<Door>, Vec<Door>)",
            "first = (first, rest)(@4) = Some(Closed(2)) : Option<Door>",
            "rest = (first, rest)(@4) = [Open] : Vec<Door>",
            "door = Some(door)(@5) = Closed(2) : Door",
            "from(⟨1⟩) : f64[]",
            "name = Model { name, .. }(@9, ⟨\"b\"⟩) = \"b\" : &str",
            "len(@6) = 1 : usize",
            "as u32(@12) = 1 : u32",
            "len(@11) = 1 : usize",
            "as u32(@14) = 1 : u32",
            "+(@13, @15) = 2 : u32",
            "matches!(door, Door::Closed(_))(@8) = true : bool",
            "as u32(@17) = 1 : u32",
            "+(@16, @18) = 3 : u32",
        ]
    "#]].assert_eq(&format!("{all:#?}\n"));
}

#[test]
fn c2_addresses_are_not_shown() {
    let all = shown(|| {
        addresses(&3);
    });
    expect![[r#"
        [
            "addresses(⟨3⟩) = true : bool",
            "x = ⟨3⟩ = 3 : u32",
            "p = as *const u32(@2) = … : *const u32",
            "f = constant = … : fn(f64) -> f64",
            "both = Some(p)(@3) = … : Option<*const u32>",
            "is_null(@3) = false : bool",
            "!(@6) = true : bool",
            "f(@4, ⟨0⟩) = 0 : f64",
            "==(@9, ⟨0⟩) = true : bool",
            "is_some(@5) = true : bool",
            "&&(@7, @10, @12) = true : bool",
        ]
    "#]]
    .assert_eq(&format!("{all:#?}\n"));
}

#[track]
fn addresses(x: &u32) -> bool {
    let p = x as *const u32;
    let f: fn(f64) -> f64 = f64::sin;
    let both = Some(p);
    !p.is_null() && f(0.0) == 0.0 && both.is_some()
}
