//! Damaged and hostile files: each is an error, or a tape that can be asked everything.

use std::time::{Duration, Instant};
use wengert::{Array, Capture, Recorder, fori_loop, jit};
use wengert_tape::{Kind, Tape};

/// A small tape with values, shared children, a decision and a text.
fn tape() -> Tape {
    let recorder = Recorder::new().capture(Capture::Values);
    let run = || {
        let step = jit(|x: Array| (&x * 2.0).sin());
        let y = step(step(Array::from([1.0f32, 2.0])));
        if y.sum(..).item::<f32>() > -9.0 { fori_loop(0, 2, |_, c: Array| c + 1.0, y) } else { y }
    };
    recorder.record(run).1
}

/// The bytes of a tape's file.
fn bytes(tape: &Tape, name: &str) -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("wengert-damage-{name}-{}.tape", std::process::id()));
    tape.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    bytes
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }
}

/// Asks a tape everything, and expects answers in the end.
fn ask(tape: &Tape) {
    let start = Instant::now();
    let _ = (tape.to_string(), tape.root().to_dot(usize::MAX), tape.bytes(), tape.value_bytes(), tape.limited());
    for node in tape.nodes() {
        let _ = (node.label(), node.op(), node.name(), node.place(), node.target(), node.condition(), node.shares());
        let _ = (node.children().count(), node.ancestors().count(), node.preceding().count());
        let _ = (node.following().count(), node.descendants().count(), node.to_string(), node.to_program());
        let _ = (node.backward().count(), node.forward().count(), node.dependents().count());
        for out in 0..node.result_count() + 1 {
            let _ = (node.ty(out), node.value(out), node.summary(out), node.text(out));
        }
    }
    if let Ok(p) = tape.to_program() {
        let _ = (p.program().to_text(), p.recorded_inputs(tape));
    }
    change(tape);
    assert!(start.elapsed() < Duration::from_secs(300), "questions without an end");
}

/// Gives each node that has a value another, and follows what comes of it.
fn change(tape: &Tape) {
    let mut tape = tape.clone();
    let ids: Vec<_> = tape.nodes().map(|n| n.id()).collect();
    for id in ids {
        let Some(ty) = tape.node(id).ty(0).cloned() else { continue };
        let other = wengert::Scalar::from_bits(ty.dtype, 1);
        if tape.set(id, wengert::Tensor::splat(ty.shape, other)).is_ok() {
            let _ = tape.update(&wengert::Device::cpu());
        }
    }
}

/// What the layout says of a file, for the tests that change parts of it on purpose.
struct Map {
    table: usize,
}

impl Map {
    fn new(file: &[u8]) -> Map {
        Map { table: word(file, 0) as usize }
    }

    fn field(&self, file: &[u8], field: usize) -> usize {
        let vtable = self.table - word(file, self.table) as usize;
        let at = vtable + 4 + 2 * field;
        self.table + u16::from_le_bytes([file[at], file[at + 1]]) as usize
    }

    /// Where the first struct of a vector lies, and how many there are.
    fn vector(&self, file: &[u8], field: usize) -> (usize, usize) {
        let at = self.field(file, field);
        let at = at + word(file, at) as usize;
        (at + 4, word(file, at) as usize)
    }
}

fn word(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(file[at..at + 4].try_into().unwrap())
}

fn put(file: &mut [u8], at: usize, x: u32) {
    file[at..at + 4].copy_from_slice(&x.to_le_bytes());
}

/// The same with the place first, which may be found in the file itself.
fn put_at(at: usize, file: &mut [u8], x: u32) {
    put(file, at, x);
}

/// Makes the checksum right again.
fn seal(file: &mut [u8]) {
    let at = Map::new(file).field(file, 1);
    put(file, at, 0);
    let sum = crc32fast::hash(&file[..buffer_size(file)]);
    put(file, at, sum);
}

/// The bytes before the arrays.
fn buffer_size(file: &[u8]) -> usize {
    word(file, Map::new(file).field(file, 24)) as usize
}

/// Where the bytes of each array lie.
fn array_places(file: &[u8]) -> Vec<std::ops::Range<usize>> {
    let (rows, count) = Map::new(file).vector(file, 25);
    let start = buffer_size(file).next_multiple_of(64);
    let place = |i: usize| {
        let at = start + word(file, rows + 24 * i) as usize;
        at..at + word(file, rows + 24 * i + 8) as usize
    };
    (0..count).map(place).collect()
}

#[test]
fn every_truncation_is_an_error() {
    let file = bytes(&tape(), "cut");
    ask(&Tape::from_bytes(&file).unwrap());
    for n in 0..file.len() {
        assert!(Tape::from_bytes(&file[..n]).is_err(), "{n} of {} bytes", file.len());
    }
    assert!(Tape::from_bytes(&[&file[..], &[0; 4]].concat()).is_err());
}

#[test]
fn every_flipped_bit_is_an_error() {
    let file = bytes(&tape(), "flip");
    let flipped = |bit: usize| {
        let mut x = file.clone();
        x[bit / 8] ^= 1 << (bit % 8);
        Tape::from_bytes(&x)
    };
    let buffer = buffer_size(&file);
    for bit in 0..buffer * 8 {
        assert!(flipped(bit).is_err(), "bit {bit}");
    }
    // An array is looked at when it is read. What is all right stays so.
    let good = Tape::from_bytes(&file).unwrap();
    let values = |t: &Tape| -> Vec<Option<wengert::Tensor>> {
        t.nodes().flat_map(|n| (0..n.result_count()).map(move |i| n.value(i))).collect()
    };
    let (whole, arrays) = (values(&good), array_places(&file));
    assert!(arrays.len() > 2 && buffer > 600, "{arrays:?} after {buffer}");
    for bit in buffer * 8..file.len() * 8 {
        let tape = flipped(bit).unwrap();
        let reads = tape.nodes().flat_map(|n| (0..n.result_count()).map(move |i| n.read(i)));
        let errors = reads.filter_map(Result::err).map(|e| e.to_string()).collect::<Vec<_>>();
        // Nothing is between arrays.
        if !arrays.iter().any(|a| a.contains(&(bit / 8))) {
            assert!(errors.is_empty() && values(&tape) == whole, "bit {bit}: {errors:?}");
            continue;
        }
        assert!(!errors.is_empty() && errors.iter().all(|e| e.contains("of the tape was damaged")), "{errors:?}");
        assert!(values(&tape).iter().zip(&whole).all(|(now, was)| now.is_none() || now == was));
        assert!(tape.to_string().contains("= damaged : f32[2]"), "{tape}");
        let e = tape.verify().unwrap_err();
        assert!(e.to_string().contains("of the tape was damaged"), "{e}");
    }
    good.verify().unwrap();
}

/// What is computed from an array that is damaged, or written with it, is that error.
#[test]
fn a_damaged_array_is_an_error_wherever_it_is_used() {
    let x = Array::from([1.0f32, 2.0]);
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| (&x * 2.0).sin());
    let mut file = bytes(&tape, "used");
    *file.last_mut().unwrap() ^= 1;
    let mut tape = Tape::from_bytes(&file).unwrap();
    let path = std::env::temp_dir().join(format!("wengert-used-{}.tape", std::process::id()));
    let says = |e: wengert::Error| assert!(e.to_string().contains("of the tape was damaged"), "{e}");
    says(tape.save(&path).unwrap_err());
    assert!(!path.exists());
    let bad = tape.nodes().filter(|n| n.kind() != Kind::Return).filter_map(|n| n.read(0).err().map(|_| n.id()));
    let bad: Vec<_> = bad.collect();
    assert!(!bad.is_empty());
    let other = || Array::from([3.0f32, 4.0]).to_tensor();
    says(tape.set(*bad.last().unwrap(), other()).unwrap_err());
    // Computed again, it is what it should be.
    let first = tape.nodes().find(|n| n.kind() == Kind::Constant).unwrap().id();
    tape.set(first, other()).unwrap();
    tape.update(&wengert::Device::cpu()).unwrap();
    assert!(tape.nodes().all(|n| n.read(0).is_ok()));
    assert!(tape.verify().is_err());
    tape.save(&path).unwrap();
    Tape::open(&path).unwrap().verify().unwrap();
    std::fs::remove_file(&path).unwrap();
    // What has to be read for an update is an error, too.
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| &x * Array::from([5.0f32, 6.0]));
    let mut damaged = bytes(&tape, "operand");
    let at = damaged.windows(4).rposition(|w| w == 6f32.to_le_bytes()).unwrap();
    damaged[at] ^= 1;
    let mut tape = Tape::from_bytes(&damaged).unwrap();
    tape.set(1, other()).unwrap();
    says(tape.update(&wengert::Device::cpu()).unwrap_err());
}

/// What a stranger may write with a checksum that is right.
#[test]
fn hostile_files_are_errors_or_tapes() {
    let file = bytes(&tape(), "hostile");
    let mut random = Random(1);
    let (mut opened, mut refused) = (0, 0);
    for i in 0..10_000 {
        let mut x = file.clone();
        for _ in 0..1 + i % 3 {
            match random.below(4) {
                0 => {
                    let at = random.below(x.len());
                    x[at] ^= 1 << random.below(8);
                }
                1 => {
                    let at = random.below(x.len() - 4) & !3;
                    put(&mut x, at, [0, 1, 2, 7, u32::MAX, u32::MAX - 1, 1 << 31, 1 << 30][random.below(8)]);
                }
                2 => {
                    // A word of the file somewhere else.
                    let (from, to) = (random.below(x.len() - 4) & !3, random.below(x.len() - 4) & !3);
                    let w = word(&x, from);
                    put(&mut x, to, w);
                }
                _ => {
                    let at = random.below(x.len() - 4) & !3;
                    let w = word(&x, at).wrapping_add(random.below(5) as u32).wrapping_sub(2);
                    put(&mut x, at, w);
                }
            }
        }
        let sealed = std::panic::catch_unwind(|| {
            let mut x = x.clone();
            seal(&mut x);
            x
        });
        // Where even the checksum can't be found any more, the file is tried as it is.
        match Tape::from_bytes(&sealed.unwrap_or(x)) {
            Ok(tape) => {
                opened += 1;
                if opened % 8 == 0 {
                    ask(&tape);
                }
            }
            Err(_) => refused += 1,
        }
    }
    assert!(opened > 500 && refused > 500, "{opened} opened, {refused} refused");
}

/// Changes one number of a file and expects this error.
fn broken(says: &str, change: impl Fn(&Map, &mut Vec<u8>)) {
    let mut file = bytes(&tape(), "broken");
    let map = Map::new(&file);
    change(&map, &mut file);
    seal(&mut file);
    match Tape::from_bytes(&file) {
        Ok(tape) => panic!("{says}: opened as\n{tape}"),
        Err(e) => assert!(e.message().contains(says), "{says}: {e}"),
    }
}

/// The numbers of a node's fields, in words.
const PARENT: usize = 1;
const NEXT: usize = 3;
const FIRST_CHILD: usize = 4;
const LABEL: usize = 6;
const REFERENCES: usize = 10;
const COUNT: usize = 11;
const RESULTS_COUNT: usize = 13;
const EXTRA: usize = 14;

fn set(file: &mut [u8], map: &Map, node: usize, field: usize, x: u32) {
    let at = map.vector(file, 2).0 + 64 * node + 4 * field;
    put(file, at, x);
}

fn get(file: &[u8], map: &Map, node: usize, field: usize) -> u32 {
    word(file, map.vector(file, 2).0 + 64 * node + 4 * field)
}

#[test]
fn structures_that_can_not_be_are_errors() {
    let t = tape();
    let find = |kind: Kind| t.nodes().find(|n| n.kind() == kind && n.id().index() > 0).unwrap().id().index();
    let primitive = find(Kind::Primitive);
    let sharing = t.nodes().find(|n| n.shares().is_some()).unwrap();
    let inside = sharing.children().next().unwrap().id().index();
    let (sharing, first) = (sharing.id().index(), sharing.shares().unwrap().id().index());
    let root_return = t.root().children().last().unwrap().id().index();

    broken("kind", |m, f| set(f, m, primitive, 0, 7));
    broken("kind", |m, f| set(f, m, primitive, 0, 2 | 15 << 16));
    broken("root", |m, f| set(f, m, 0, PARENT, 0));
    broken("label", |m, f| set(f, m, primitive, LABEL, u32::MAX));
    // Trees with cycles, dangling children, chains that do not end.
    broken("parent does not come before", |m, f| set(f, m, primitive, PARENT, primitive as u32));
    broken("parent does not come before", |m, f| set(f, m, primitive, PARENT, u32::MAX));
    broken("place among", |m, f| set(f, m, 1, NEXT, 1));
    broken("place among", |m, f| set(f, m, 0, FIRST_CHILD, 2));
    broken("do not end", |m, f| set(f, m, root_return, NEXT, 1));
    broken("children", |m, f| set(f, m, primitive, FIRST_CHILD, 1));
    // References to what is later, to itself, to nothing.
    let operand = |m: &Map, f: &[u8]| m.vector(f, 3).0 + 8 * get(f, m, primitive, REFERENCES) as usize;
    broken("not there yet", |m, f| put_at(operand(m, f), f, primitive as u32));
    broken("not there yet", |m, f| put_at(operand(m, f), f, u32::MAX - 1));
    broken("not there yet", |m, f| put_at(operand(m, f) + 4, f, 99));
    broken("not there yet", |m, f| {
        let at = operand(m, f);
        put(f, at, 1 << 20);
        put(f, at + 4, u32::MAX);
    });
    broken("operands are not there", |m, f| set(f, m, primitive, COUNT, u32::MAX));
    broken("operands are not there", |m, f| set(f, m, root_return, REFERENCES, 0));
    // A value that comes from itself: the root returns what the root gives.
    broken("not there yet", |m, f| {
        let at = m.vector(f, 3).0 + 8 * get(f, m, root_return, REFERENCES) as usize;
        put(f, at, 0);
        put(f, at + 4, 0);
    });
    // Children inside themselves: the call that has them is made to share them too.
    broken("inside themselves", |m, f| {
        set(f, m, inside, 0, Kind::Call as u32 | 1 << 8);
        set(f, m, inside, EXTRA, sharing as u32);
    });
    broken("returns or shares", |m, f| set(f, m, sharing, EXTRA, primitive as u32));
    broken("returns or shares", |m, f| set(f, m, first, EXTRA, 0));
    // Numbers past the ends of tables.
    broken("results are not there", |m, f| set(f, m, primitive, RESULTS_COUNT, u32::MAX));
    broken("value", |m, f| put_at(m.vector(f, 4).0 + 4, f, 1 << 29));
    broken("type", |m, f| put_at(m.vector(f, 4).0, f, 1 << 20));
    broken("string", |m, f| put_at(m.vector(f, 7).0, f, 1 << 20));
    broken("node", |m, f| put_at(m.field(f, 15), f, 1 << 20));
    // Sizes past the end.
    for field in (2..15).chain([21, 22, 23, 25]) {
        broken("", |m, f| put_at(m.vector(f, field).0 - 4, f, u32::MAX));
        broken("past its end", |m, f| put_at(m.field(f, field), f, u32::MAX));
    }
    // Where arrays are, and their checksums: offset, size, checksum.
    let array = |m: &Map, f: &[u8], i: usize| m.vector(f, 25).0 + 24 * i;
    broken("not where it should be", |m, f| put_at(array(m, f, 1), f, 0));
    broken("not where it should be", |m, f| put_at(array(m, f, 1) + 4, f, 1));
    broken("is not whole: array 0", |m, f| put_at(array(m, f, 0) + 8, f, u32::MAX));
    broken("is not whole: array 0", |m, f| put_at(array(m, f, 0) + 12, f, u32::MAX));
    broken("another size than its value", |m, f| put_at(array(m, f, 0) + 8, f, 4));
    broken("is longer than", |m, f| put_at(m.vector(f, 25).0 - 4, f, 1));
    broken("is longer than", |m, f| put_at(m.vector(f, 25).0 - 4, f, 0));
    broken("is not there", |m, f| put_at(m.vector(f, 12).0 + 4, f, 99));
    let mut file = bytes(&t, "sums");
    let at = array(&Map::new(&file), &file, 1) + 16;
    file[at] ^= 1;
    seal(&mut file);
    let e = Tape::from_bytes(&file).and_then(|t| t.verify()).unwrap_err();
    assert!(e.to_string().contains("array 1 of the tape was damaged"), "{e}");
    broken("overlap", |m, f| {
        let (at, _) = m.vector(f, 6);
        let first = word(f, at);
        put(f, at + 4, first - 4);
    });
}

#[test]
fn what_does_not_fit_its_op_is_an_error() {
    let (_, t) = Recorder::new().capture(Capture::Values).record(|| {
        let x = Array::from([1.0f32, 2.0]);
        &x * &x.sin()
    });
    let find = |f: &str| t.nodes().find(|n| n.function() == f).unwrap().id().index();
    let (product, sin) = (find("mul"), find("sin"));
    let updated = |edit: &dyn Fn(&Map, &mut Vec<u8>)| {
        let mut file = bytes(&t, "misfit");
        let map = Map::new(&file);
        edit(&map, &mut file);
        seal(&mut file);
        let mut opened = Tape::from_bytes(&file).unwrap();
        opened.set(1, Array::from([3.0f32, 4.0]).to_tensor()).unwrap();
        opened.update(&wengert::Device::cpu())
    };
    assert!(updated(&|_, _| {}).is_ok());
    let says = |e: wengert::Result<wengert::tape::Changes>, what: &str| {
        let e = e.unwrap_err();
        assert!(e.to_string().contains(what), "{e}");
    };
    // An operand less, and an op that takes others.
    says(updated(&|m, f| set(f, m, product, COUNT, 1)), "does not fit what it uses");
    let multiply = |m: &Map, f: &mut Vec<u8>| {
        let label = get(f, m, product, LABEL);
        set(f, m, sin, LABEL, label);
    };
    says(updated(&multiply), "does not fit what it uses");
}

/// Calls of which each has two inside that share what is inside them: written out, it would be 2^60 nodes.
#[test]
fn shared_children_are_met_once() {
    use std::sync::Arc;
    use wengert_tape::record::{Call, CallBody, CallValue, Recording, Settings, TracedBody, TracedFor};
    let place = wengert::Place::unknown();
    let traced = |inside: Option<&Arc<TracedBody>>| {
        let scope = Recording::start_body("f", TracedFor::Op, &place);
        for body in [inside, inside].into_iter().flatten() {
            Call::enter::<Array>("f", "", &[], &place).finish_whole::<Array>(&mut [], CallBody::Traced(body));
        }
        Arc::new(scope.finish_body::<Array>(&[CallValue::Text("()")], &place))
    };
    let inside = (0..59).fold(traced(None), |body, _| traced(Some(&body)));
    let scope = Recording::start(Settings::default(), "f", &place);
    for _ in 0..2 {
        Call::enter::<Array>("f", "", &[], &place).finish_whole::<Array>(&mut [], CallBody::Traced(&inside));
    }
    let body = scope.finish::<Array>(&[CallValue::Text("()")], &place);
    assert_eq!(body.root().descendants().count(), body.len() - 1);
    let file = bytes(&body, "shared");
    ask(&Tape::from_bytes(&file).unwrap());
}

#[test]
fn a_deep_tape_can_be_asked() {
    // Ten thousand calls, each inside the one before.
    use wengert_tape::record::{Call, CallValue, Recording, Settings};
    let place = wengert::Place::unknown();
    let scope = Recording::start(Settings::default(), "deep", &place);
    let calls: Vec<Call> = (0..10_000).map(|_| Call::enter::<Array>("f", "", &[], &place)).collect();
    calls.into_iter().rev().for_each(|c| c.finish::<Array>(&[CallValue::Text("()")], &place));
    let deep = scope.finish::<Array>(&[], &place);
    let file = bytes(&deep, "deep");
    let opened = Tape::from_bytes(&file).unwrap();
    assert_eq!(opened.to_string().lines().count(), opened.len());
    assert!(opened.to_string().len() < 4_000_000, "{}", opened.to_string().len());
    assert!(opened.root().to_dot(usize::MAX).len() < 8_000_000);
    assert_eq!(opened.root().descendants().count(), opened.len() - 1);
}

#[test]
fn a_value_that_is_handed_on_and_on_is_found() {
    // A hundred thousand calls, each inside the one before, which hands it its argument.
    use wengert_tape::record::{Call, CallValue, Recording, Settings};
    let place = wengert::Place::unknown();
    let x = Array::from([1.0f32, 2.0]);
    let scope = Recording::start(Settings { capture: Capture::Values, ..Settings::default() }, "deep", &place);
    let enter = |_| Call::enter("f", "", &[("x", CallValue::Array(&x))], &place);
    let calls: Vec<Call> = (0..100_000).map(enter).collect();
    calls.into_iter().rev().for_each(|c| c.finish(&[CallValue::Array(&x)], &place));
    let deep = scope.finish(&[CallValue::Array(&x)], &place);
    assert!(deep.nodes().filter(|n| n.kind() != Kind::Return).all(|n| n.value(0).is_some()));
    let program = deep.to_program().unwrap();
    assert_eq!(program.run(&wengert::Device::cpu(), program.recorded_inputs(&deep).unwrap()).unwrap(), [x.to_tensor()]);
    assert!(deep.to_string().lines().count() == deep.len());
}
