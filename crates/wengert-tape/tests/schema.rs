//! Files against their schema: `schema/tape.fbs` is read here, and files by what it says and nothing else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wengert::{Array, Capture, Recorder, jit};
use wengert_tape::Tape;

const SCHEMA: &str = include_str!("../schema/tape.fbs");

/// The size of a scalar type, which is its alignment too.
fn size(ty: &str) -> usize {
    match ty {
        "ubyte" => 1,
        "ushort" => 2,
        "uint" | "float" => 4,
        "ulong" | "double" => 8,
        other => panic!("`{other}` in the schema"),
    }
}

/// The fields between the braces after a head: name and type, and what stands in parentheses.
fn fields(head: &str) -> Vec<(&'static str, &'static str, &'static str)> {
    let start = SCHEMA.find(&format!("{head} {{")).unwrap_or_else(|| panic!("no {head}"));
    let body = SCHEMA[start..].split(['{', '}']).nth(1).unwrap();
    let lines = body.lines().filter_map(|l| l.split("//").next()?.split_once(':'));
    let field = |(name, rest): (&'static str, &'static str)| {
        let (ty, attributes) = rest.split_once('(').unwrap_or((rest, ""));
        (name.trim(), ty.trim().trim_end_matches(';'), attributes.trim_end_matches([';', ')', ' ']))
    };
    lines.map(field).collect()
}

/// Where each field of a struct lies and how large it is, and the size and alignment of the whole.
fn layout(name: &str) -> (BTreeMap<&'static str, (usize, usize)>, usize, usize) {
    let (mut at, mut align, mut out) = (0usize, 1, BTreeMap::new());
    for (field, ty, _) in fields(&format!("struct {name}")) {
        let n = size(ty);
        at = at.next_multiple_of(n);
        out.insert(field, (at, n));
        (at, align) = (at + n, align.max(n));
    }
    (out, at.next_multiple_of(align), align)
}

/// A file, read by the schema.
struct File(Vec<u8>);

impl File {
    fn number(&self, at: usize, n: usize) -> u64 {
        (0..n).map(|i| u64::from(self.0[at + i]) << (8 * i)).sum()
    }

    /// Where the field of the root table with this name lies, and its type.
    fn field(&self, name: &str) -> (Option<usize>, &'static str) {
        let (_, ty, id) = *fields("table Tape").iter().find(|(n, ..)| *n == name).unwrap();
        let id: usize = id.strip_prefix("id: ").unwrap().parse().unwrap();
        let table = self.number(0, 4) as usize;
        let vtable = table - self.number(table, 4) as i32 as usize;
        let there = (4 + 2 * id) < self.number(vtable, 2) as usize;
        let offset = if there { self.number(vtable + 4 + 2 * id, 2) as usize } else { 0 };
        ((offset != 0).then_some(table + offset), ty)
    }

    /// The start and length of a vector.
    fn vector(&self, at: usize) -> (usize, usize) {
        let at = at + self.number(at, 4) as usize;
        (at + 4, self.number(at, 4) as usize)
    }

    /// A vector of structs, each field by its name.
    fn rows(&self, name: &str) -> Vec<BTreeMap<&'static str, u64>> {
        let (at, ty) = self.field(name);
        let (fields, size, align) = layout(ty.trim_matches(['[', ']']));
        let (start, len) = self.vector(at.unwrap_or_else(|| panic!("no {name}")));
        assert_eq!(start % align, 0, "{name}");
        let row = |i: usize| fields.iter().map(|(f, (at, n))| (*f, self.number(start + i * size + at, *n))).collect();
        (0..len).map(row).collect()
    }

    fn strings(&self) -> Vec<String> {
        let (start, len) = self.vector(self.field("strings").0.unwrap());
        let string = |i: usize| {
            let (at, n) = self.vector(start + 4 * i);
            String::from_utf8(self.0[at..at + n].to_vec()).unwrap()
        };
        (0..len).map(string).collect()
    }
}

/// The arrays of a file whose buffer takes so many bytes.
fn check_arrays(file: &File, buffer: usize, tape: &Tape) {
    let mut summed = file.0[..buffer].to_vec();
    let at = file.field("checksum").0.unwrap();
    summed[at..at + 4].fill(0);
    assert_eq!(u64::from(crc32fast::hash(&summed)), file.number(at, 4));
    let start = buffer.next_multiple_of(64);
    let arrays = file.rows("arrays");
    let mut end = buffer;
    for a in &arrays {
        let at = start + a["offset"] as usize;
        assert_eq!(at, end.next_multiple_of(64));
        assert!(file.0[end..at].iter().all(|b| *b == 0));
        end = at + a["size"] as usize;
        assert_eq!(u64::from(crc32fast::hash(&file.0[at..end])), a["checksum"]);
    }
    assert_eq!(end, file.0.len());
    let values = file.rows("values");
    let value = |kept: u64| &values[(kept & 0x3fff_ffff) as usize];
    for (row, n) in file.rows("nodes").iter().zip(tape.nodes()) {
        let results = &file.rows("results")[row["results"] as usize..][..row["results_count"] as usize];
        for (out, r) in results.iter().enumerate().filter(|(_, r)| r["kept"] >> 30 == 0) {
            let Some(a) = arrays.get(value(r["kept"])["array"] as usize) else { continue };
            let bytes = &file.0[start + a["offset"] as usize..][..a["size"] as usize];
            assert_eq!(bytes, n.value(out).unwrap().raw());
        }
    }
}

fn check(path: &Path) {
    let (file, tape) = (File(std::fs::read(path).unwrap()), Tape::open(path).unwrap());
    let identifier = SCHEMA.split("file_identifier \"").nth(1).unwrap();
    assert_eq!(file.0[4..8], identifier.as_bytes()[..4]);
    for (name, ty, _) in fields("table Tape") {
        // Files of the first version have less, and arrays in a file of their own.
        let newer = ["numbers", "modules", "sources", "buffer_size", "arrays"].contains(&name);
        let older = name.starts_with("arrays_file");
        match file.number(file.field("version").0.unwrap(), 4) {
            1 => assert!(file.field(name).0.is_some() != newer || older, "{name}: {ty}"),
            _ => assert!(file.field(name).0.is_some() != older, "{name}: {ty}"),
        }
    }
    if let Some(at) = file.field("buffer_size").0 {
        check_arrays(&file, file.number(at, 8) as usize, &tape);
    }
    // The checksums of the arrays file and of its parts.
    if let (Some(name), Some(header)) = (file.field("arrays_file").0, file.field("arrays_file_header_checksum").0) {
        let (at, n) = file.vector(name);
        let beside = path.with_file_name(std::str::from_utf8(&file.0[at..at + n]).unwrap());
        let arrays = File(std::fs::read(beside).unwrap());
        let sum = |name: &str| file.number(file.field(name).0.unwrap(), 4) as u32;
        assert_eq!(crc32fast::hash(&arrays.0), sum("arrays_file_checksum"));
        let start = 8 + arrays.number(0, 8) as usize;
        assert_eq!(crc32fast::hash(&arrays.0[..start]), file.number(header, 4) as u32);
        let (sums, count) = file.vector(file.field("arrays_file_checksums").0.unwrap());
        let json = std::str::from_utf8(&arrays.0[8..start]).unwrap();
        assert_eq!(json.matches("data_offsets").count(), count);
        for i in 0..count {
            let info = json.split(&format!("\"{i}\":{{")).nth(1).unwrap();
            let offsets = info.split("\"data_offsets\":[").nth(1).unwrap().split(']').next().unwrap();
            let (from, to) = offsets.split_once(',').unwrap();
            let bytes = &arrays.0[start + from.parse::<usize>().unwrap()..start + to.parse::<usize>().unwrap()];
            assert_eq!(u64::from(crc32fast::hash(bytes)), file.number(sums + 4 * i, 4), "array {i}");
        }
    }
    let strings = file.strings();
    let nodes = file.rows("nodes");
    let (labels, places) = (file.rows("labels"), file.rows("places"));
    let references = file.rows("references");
    assert_eq!(nodes.len(), tape.len());
    for (row, n) in nodes.iter().zip(tape.nodes()) {
        assert_eq!(row["kind"], n.kind() as u64);
        assert_eq!(row["parent"] as u32, n.parent().map_or(u32::MAX, |p| p.id().index() as u32));
        assert_eq!(row["position"], n.position() as u64);
        assert_eq!(row["results_count"], n.result_count() as u64);
        assert_eq!(strings[labels[row["label"] as usize]["name"] as usize], n.function());
        let place = row["place"].checked_sub(1).map(|i| &places[i as usize]);
        let place = place.map(|p| (strings[p["file"] as usize].clone(), p["line"], p["column"]));
        let known = n.place().parts().map(|(f, l, c)| (f.to_string(), u64::from(l), u64::from(c)));
        assert_eq!(place, known);
        let own = &references[row["references"] as usize..][..row["references_count"] as usize];
        let known: Vec<u64> = n.references().map(|id| id.index() as u64).collect();
        let links: Vec<u64> = own.iter().filter(|r| r["out"] != u64::from(u32::MAX)).map(|r| r["at"]).collect();
        assert_eq!(links, known);
    }
    let results = file.rows("results").len();
    assert!(results >= nodes.iter().map(|n| n["results_count"] as usize).sum());
    assert_eq!(file.rows("metadata").len(), tape.nodes().map(|n| n.metadata().count()).sum::<usize>());
    assert_eq!(
        file.rows("summaries").is_empty(),
        !tape.nodes().any(|n| n.summary(0).is_some() && n.value(0).is_none())
    );
}

#[test]
fn d4_files_are_what_the_schema_says() {
    for kept in ["v1", "v1_sums"] {
        let files = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files"));
        check(&files.join(kept).with_extension("tape"));
    }
    let step = jit(|x: Array| (&x * 2.0).sin());
    let run = || {
        let y = step(step(Array::from([[1.0f32, 2.0], [3.0, 4.0]]))).softmax(-1).named("y");
        if y.sum(..) > 0.0 { y } else { -y }
    };
    for capture in [Capture::Shapes, Capture::Summaries, Capture::Values] {
        let path = std::env::temp_dir().join(format!("wengert-schema-{capture:?}-{}.tape", std::process::id()));
        let (_, tape) = Recorder::new().capture(capture).times().record(run);
        tape.save(&path).unwrap();
        check(&path);
        std::fs::remove_file(&path).unwrap();
    }
}
