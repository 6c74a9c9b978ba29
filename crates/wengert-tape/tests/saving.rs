//! Files that others use at the same time: processes that save to one path, processes that are killed while they save, copies
//! and links, and files that are cut while they are open.

use super::file::Folder;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;
use wengert::{Array, Capture, Recorder};
use wengert_tape::Tape;

/// In processes that save: which tape, how large, how often and where.
const SAVE: &str = "WENGERT_TEST_SAVE";

/// A tape whose values are made of one number.
fn tape(seed: usize, size: usize) -> Tape {
    let x: Vec<f32> = (0..size).map(|i| (seed * size + i) as f32).collect();
    let x = Array::from(x);
    Recorder::new().capture(Capture::Values).record(|| (&x + 1.0).named("y")).1
}

/// The number whose tape this is; all of it is read.
fn seed(tape: &Tape, size: usize) -> usize {
    tape.verify().unwrap();
    let y = tape.nodes().find(|n| n.name() == Some("y")).unwrap().read(0).unwrap().unwrap();
    let y = y.to_vec::<f32>().unwrap();
    let first = y[0] - 1.0;
    assert!(y.len() == size && y.iter().enumerate().all(|(i, y)| *y == first + i as f32 + 1.0));
    first as usize / size
}

/// A process of this binary that runs [`saves`], and has saved once. What it says has to be there as long as the process.
fn process(path: &Path, seed: usize, size: usize, times: usize) -> (Child, BufReader<ChildStdout>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "saving::saves", "--nocapture"]).stdout(Stdio::piped());
    command.env(SAVE, format!("{seed} {size} {times} {}", path.display()));
    let mut child = command.spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    assert!(out.by_ref().lines().any(|l| l.unwrap().ends_with("saved")), "the process said nothing");
    (child, out)
}

/// Does nothing unless it is told to in the environment.
#[test]
fn saves() {
    let Ok(what) = std::env::var(SAVE) else { return };
    let words: Vec<&str> = what.splitn(4, ' ').collect();
    let numbers: Vec<usize> = words[..3].iter().map(|w| w.parse().unwrap()).collect();
    let tape = tape(numbers[0], numbers[1]);
    tape.save(words[3]).unwrap();
    println!("saved");
    (1..numbers[2]).for_each(|_| tape.save(words[3]).unwrap());
}

#[test]
fn d4_two_processes_save_to_one_path_and_a_third_reads() {
    const SIZE: usize = 500;
    let folder = Folder::new("saving-two");
    let path = folder.path("a.tape");
    let mut children = [1, 2].map(|seed| process(&path, seed, SIZE, 500));
    let mut reads = [0usize; 2];
    let mut done = [false; 2];
    while done != [true; 2] {
        reads[seed(&Tape::open(&path).unwrap(), SIZE) - 1] += 1;
        let ended = |i: usize| children[i].0.try_wait().unwrap().inspect(|s| assert!(s.success(), "{s}")).is_some();
        done = [0, 1].map(ended);
    }
    assert!(reads[0] + reads[1] > 10, "{reads:?}");
    assert_eq!(folder.names(), ["a.tape"]);
}

#[test]
fn d4_a_process_killed_while_it_saves_leaves_a_whole_tape_and_nothing_else() {
    const SIZE: usize = 20_000;
    let folder = Folder::new("saving-killed");
    let path = folder.path("a.tape");
    for i in 0..100usize {
        let (mut child, _said) = process(&path, i % 7, SIZE, usize::MAX);
        std::thread::sleep(Duration::from_micros(i as u64 * 37 % 100 * 30));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(seed(&Tape::open(&path).unwrap(), SIZE), i % 7);
        assert!(folder.names().len() <= 2, "the files of processes before the last are gone: {:?}", folder.names());
    }
    tape(3, SIZE).save(&path).unwrap();
    assert_eq!((folder.names(), seed(&Tape::open(&path).unwrap(), SIZE)), (vec!["a.tape".to_string()], 3));
}

#[test]
fn d4_copies_and_links_keep_their_values() {
    let folder = Folder::new("saving-links");
    let [path, copy, hard] = ["a.tape", "b.tape", "c.tape"].map(|n| folder.path(n));
    tape(1, 9).save(&path).unwrap();
    let opened = Tape::open(&path).unwrap();
    std::fs::copy(&path, &copy).unwrap();
    std::fs::hard_link(&path, &hard).unwrap();
    tape(2, 9).save(&path).unwrap();
    let seeds = [&path, &copy, &hard].map(|p| seed(&Tape::open(p).unwrap(), 9));
    assert_eq!(seeds, [2, 1, 1]);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(seed(&opened, 9), 1, "it reads from the file that was opened");
    assert_eq!(folder.names(), ["b.tape", "c.tape"]);
}

#[cfg(unix)]
#[test]
fn d4_symbolic_links_lead_to_the_tape() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("saving-symbolic");
    std::fs::create_dir(folder.path("inner")).unwrap();
    let (path, link) = (folder.path("inner/a.tape"), folder.path("link.tape"));
    symlink("inner/a.tape", &link).unwrap();
    tape(1, 9).save(&path).unwrap();
    assert_eq!(seed(&Tape::open(&link).unwrap(), 9), 1);
    tape(2, 9).save(&link).unwrap();
    assert_eq!(seed(&Tape::open(&path).unwrap(), 9), 2);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::read_dir(folder.path("inner")).unwrap().count(), 1);
    // Arrays of the first version are beside the file, and not beside the link.
    let first = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/v1.tape");
    symlink(&first, folder.path("first.tape")).unwrap();
    let opened = Tape::open(folder.path("first.tape")).unwrap();
    assert_eq!(opened.to_string(), Tape::open(first).unwrap().to_string());
}

#[test]
fn d4_a_file_that_is_cut_or_written_to_while_it_is_open_is_an_error() {
    let folder = Folder::new("saving-cut");
    let path = folder.path("a.tape");
    tape(1, 100_000).save(&path).unwrap();
    let opened = Tape::open(&path).unwrap();
    let text = opened.to_string();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    for size in [file.metadata().unwrap().len() - 1, 1000, 0] {
        file.set_len(size).unwrap();
        let e = opened.verify().unwrap_err();
        assert!(e.to_string().contains("was cut, or written to, while it was open"), "{e}");
        let y = opened.nodes().find(|n| n.name() == Some("y")).unwrap();
        assert!(y.read(0).is_err() && y.value(0).is_none() && y.to_string().contains("damaged"), "{y}");
        assert!(opened.save(folder.path("b.tape")).is_err());
    }
    // What is in the nodes was read when it was opened.
    assert_eq!(opened.to_string().lines().count(), text.lines().count());
    tape(2, 100_000).save(&path).unwrap();
    let opened = Tape::open(&path).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.iter_mut().for_each(|b| *b ^= 1);
    std::fs::write(&path, bytes).unwrap();
    let e = opened.verify().unwrap_err();
    assert!(e.to_string().contains("array 0 of the tape was damaged"), "{e}");
    assert_eq!(folder.names(), ["a.tape"]);
}
