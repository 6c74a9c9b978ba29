//! `wengert show` on the tape that the tests of `wengert-tape` keep.

use std::process::{Command, Output, Stdio};

fn show(args: &[&str]) -> Output {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../wengert-tape/tests/files/v1.tape");
    Command::new(env!("CARGO_BIN_EXE_wengert")).arg("show").arg(file).args(args).output().unwrap()
}

fn text(args: &[&str]) -> String {
    let out = show(args);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// What is in a file of `show/`; `BLESS=1` writes it. (A dev-dependency for this would change the features that the command
/// is built with.)
fn expect(name: &str, found: &str) {
    let file = format!("{}/tests/show/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    match std::env::var_os("BLESS") {
        Some(_) => std::fs::write(file, found).unwrap(),
        None => assert_eq!(found, std::fs::read_to_string(file).unwrap(), "{name}"),
    }
}

#[test]
fn what_is_shown() {
    expect("overview", &text(&[]));
    expect("levels", &text(&["--levels", "2"]));
    expect("node", &text(&["--node", "@22"]));
    expect("call", &text(&["--node", "2"]));
    expect("backward", &text(&["--backward", "@22"]));
    expect("forward", &text(&["--forward", "@9"]));
    expect("where", &text(&["--where", "op=mul && f32 && !kind=call || place=file.rs:50"]));
    expect("slice_where", &text(&["--backward", "@22", "--where", "op=sin || kind=constant"]));
    expect("dot", &text(&["--dot", "--node", "@2"]));
}

#[test]
fn what_made_a_nan_inside_a_call_is_found() {
    use wengert::{Array, Capture, Recorder, track};
    #[track]
    fn distance(x: Array) -> Array {
        (x - 3.0).sqrt() * 2.0
    }
    let path = std::env::temp_dir().join(format!("wengert-show-nan-{}.tape", std::process::id()));
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| distance(Array::from(2.0f32)).sin());
    tape.save(&path).unwrap();
    let sin = tape.nodes().find(|n| n.function() == "sin").unwrap().id().to_string();
    let out = Command::new(env!("CARGO_BIN_EXE_wengert"))
        .args(["show", path.to_str().unwrap(), "--backward", &sin, "--where", "nan && kind=primitive"])
        .output()
        .unwrap();
    for entry in std::fs::read_dir(std::env::temp_dir()).unwrap().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&*path.file_name().unwrap().to_string_lossy()) {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
    let text = String::from_utf8(out.stdout).unwrap();
    let first = text.lines().last().unwrap();
    assert!(first.contains("sqrt(") && first.contains("NaN"), "{text}");
}

#[test]
fn nothing_is_coloured_or_paged_but_on_a_terminal() {
    assert!(!text(&[]).contains('\x1b'));
}

#[test]
fn mistakes_have_a_message_and_a_code() {
    let says = |args: &[&str], code: i32, words: &[&str]| {
        let out = show(args);
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(code), "{text}");
        words.iter().for_each(|w| assert!(text.contains(w), "{text}"));
    };
    says(&["--where", "op=dot && kind=verb"], 2, &["is not one of argument", "here", "op=dot && kind=verb"]);
    says(&["--node", "@9999"], 1, &["@9999 is not a node of this tape"]);
    says(&["--node", "x"], 2, &["they are written @12"]);
    says(&["--where", "f32 && name=\"a b"], 2, &["this quote is not closed", "here"]);
    // As with `grep`, nothing found is told from something.
    says(&["--where", "name=nobody"], 1, &["no node is as --where says"]);
    says(&["--backward", "@22", "--where", "name=nobody"], 1, &["no node is as --where says"]);
    assert_eq!(show(&["--where", "kind=constant"]).status.code(), Some(0));
    says(&["--levels", "1", "--forward", "@1"], 2, &["cannot be used with"]);
    let out = Command::new(env!("CARGO_BIN_EXE_wengert")).args(["show", "Cargo.toml"]).output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stderr).contains("this is not a tape"));
}

#[test]
fn damage_is_found_when_it_is_asked_for() {
    use wengert::{Array, Capture, Recorder};
    assert_eq!(text(&["--verify"]), "all is as it was written: 51 nodes, values 289 B\n");
    assert_eq!(text(&["--verify", "--levels", "2"]), text(&["--levels", "2"]));
    let folder = std::env::temp_dir().join(format!("wengert-show-damage-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.tape");
    let run = || Array::from([1.0f32, 2.0]).sin();
    Recorder::new().capture(Capture::Values).record(run).1.save(&path).unwrap();
    // The arrays are the last in the file.
    let mut bytes = std::fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let shown = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_wengert")).arg("show").arg(&path).args(args).output().unwrap();
        (out.status.code(), String::from_utf8(out.stdout).unwrap() + &String::from_utf8_lossy(&out.stderr))
    };
    let (code, text) = shown(&["--verify"]);
    assert!(code == Some(1) && text.contains("of the tape was damaged"), "{text}");
    let (code, text) = shown(&[]);
    assert!(code == Some(0) && text.contains("--verify looks at all") && text.contains("= damaged"), "{text}");
    let damaged = text.lines().find(|l| l.contains("damaged")).unwrap().split_whitespace().next().unwrap().to_string();
    assert!(shown(&["--node", &damaged]).1.contains("f32[2] damaged"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../wengert-tape/tests/files/v1.tape");
    let mut process = Command::new(env!("CARGO_BIN_EXE_wengert"));
    let mut process = process.args(["show", file]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(process.stdout.take());
    let out = process.wait_with_output().unwrap();
    assert!(out.status.success());
    assert!(out.stderr.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
}

/// What the command writes to a terminal: `script` gives it one.
#[cfg(target_os = "linux")]
fn on_a_terminal(args: &str, variables: &[(&str, &str)]) -> String {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../wengert-tape/tests/files/v1.tape");
    // Large enough that a pager has no reason to wait for a key.
    let command = format!("stty rows 100 cols 200; '{}' show '{file}' {args}", env!("CARGO_BIN_EXE_wengert"));
    let mut process = Command::new("script");
    process.args(["--quiet", "--return", "--command", &command, "/dev/null"]).stdin(Stdio::null());
    process.env_remove("NO_COLOR").env_remove("PAGER").env("TERM", "xterm").envs(variables.iter().copied());
    let out = process.output().expect("`script`, of util-linux, gives a command a terminal");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stdout));
    String::from_utf8(out.stdout).unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_there_are_colours_and_a_pager() {
    // A pager that marks the lines it is given.
    let paged = on_a_terminal("--levels 1", &[("PAGER", "sed s/^/>>/")]);
    assert!(paged.lines().all(|l| l.starts_with(">>")), "{paged}");
    assert!(paged.contains("\x1b[36m@0\x1b[0m"), "{paged:?}");
    let plain = text(&["--levels", "1"]);
    assert_eq!(paged.lines().count(), plain.lines().count());
    // Without one, the same in colours.
    for (args, pager) in [("--levels 1 --no-pager", "sed s/^/>>/"), ("--levels 1", "cat"), ("--levels 1", "/no/such")] {
        let direct = on_a_terminal(args, &[("PAGER", pager)]);
        assert!(direct.starts_with("\x1b[36m@0"), "{direct:?}");
    }
    let uncoloured = on_a_terminal("--levels 1", &[("PAGER", "cat"), ("NO_COLOR", "1")]);
    assert_eq!(uncoloured.replace('\r', ""), plain);
    // The usual one, which ends by itself where all is on one screen.
    assert!(on_a_terminal("--levels 1", &[("LESS", "FRX")]).contains("record"));
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_mistakes_have_colours() {
    let wrong = "--where kind=verb || true";
    let coloured = on_a_terminal(wrong, &[]);
    let mark = "\x1b[2m  |\x1b[0m\x1b[31m      ^^^^ here\x1b[0m";
    assert!(coloured.starts_with("\x1b[31merror:\x1b[0m `verb`") && coloured.contains(mark), "{coloured:?}");
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        assert!(!on_a_terminal(wrong, &[variable]).contains('\x1b'));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_pager_that_is_left_early_is_no_failure() {
    let shown = on_a_terminal("", &[("PAGER", "head -n 1"), ("NO_COLOR", "1")]);
    assert_eq!(shown.lines().count(), 1, "{shown}");
}
