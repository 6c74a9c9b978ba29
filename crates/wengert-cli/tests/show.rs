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
    expect("backward_limit", &text(&["--backward", "@22", "--limit", "2"]));
    expect("backward_in_call", &text(&["--backward", "@22", "--in-call"]));
    expect("forward_in_call", &text(&["--forward", "@19", "--in-call"]));
    expect("calls", &text(&["--calls", "@22"]));
    expect("json", &text(&["--json", "--levels", "1"]));
    expect("json_slice", &text(&["--json", "--backward", "@22", "--limit", "1"]));
    expect("dot", &text(&["--dot"]));
    expect("dot_node", &text(&["--dot", "--node", "@2"]));
    expect("dot_open", &text(&["--dot", "--open", "@18,@9"]));
}

/// What comes after a value of JSON.
fn after_json(text: &str) -> Result<&str, String> {
    let text = text.trim_start();
    let wrong = || Err(format!("no JSON: {}", text.chars().take(60).collect::<String>()));
    let close = match text.chars().next() {
        Some('[') => "]",
        Some('{') => "}",
        Some('"') => {
            let mut escaped = false;
            let end = text[1..].find(|c: char| match (escaped, c) {
                (false, c) if c == '"' || c.is_control() => true,
                (before, c) => {
                    escaped = !before && c == '\\';
                    false
                }
            });
            let rest = end.map(|end| &text[1 + end..]).unwrap_or_default();
            return rest.strip_prefix('"').map_or_else(wrong, Ok);
        }
        _ => {
            let word = &text[..text.find([',', ']', '}', '\n', ' ']).unwrap_or(text.len())];
            let known = ["null", "true", "false"].contains(&word);
            let number = word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
            let sound = known || (number && !word.ends_with('.') && word.parse::<f64>().is_ok());
            return if sound { Ok(&text[word.len()..]) } else { wrong() };
        }
    };
    let mut rest = text[1..].trim_start();
    while !rest.starts_with(close) {
        if close == "}" {
            rest = after_json(rest)?.trim_start().strip_prefix(':').map_or_else(wrong, Ok)?;
        }
        rest = after_json(rest)?.trim_start();
        rest = rest.strip_prefix(',').or(rest.starts_with(close).then_some(rest)).map_or_else(wrong, Ok)?.trim_start();
    }
    Ok(&rest[1..])
}

/// A file of a test's own, which is removed at the end, with what is beside it.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("wengert-show-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    /// Shows the tape in the folder: the exit code, and what was written.
    fn shown(&self, args: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wengert"));
        let out = command.arg("show").arg(self.0.join("run.tape")).args(args).output().unwrap();
        (out.status.code(), String::from_utf8(out.stdout).unwrap() + &String::from_utf8_lossy(&out.stderr))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

mod host {
    use wengert::{Array, track};

    /// Numbers of the host of several types, decisions, and arrays with what JSON has no numbers for.
    #[track]
    pub fn awkward(x: Array, n: u32) -> Array {
        let letter = '"';
        let mut total = f64::NAN;
        let mut i = 0u32;
        while i < n {
            total = f64::INFINITY * (i as f64 - 1.0);
            i += 1;
        }
        let words = vec!["a\tb".to_string(), format!("{letter}{total}\\")];
        let y = x.sqrt() * words.len() as f32;
        y / 0.0
    }
}

#[test]
fn json_is_json() {
    use wengert::{Array, Capture, Recorder};
    let folder = Folder::new("json");
    let x = Array::from([-1.0f32, 0.0, 4.0]);
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| host::awkward(x.clone(), 3));
    tape.save(folder.0.join("run.tape")).unwrap();
    let last = format!("@{}", tape.len() - 1);
    for args in [&[][..], &["--node", "@0"], &["--backward", &last], &["--where", "kind=branch"], &["--calls", "@5"]] {
        let (code, text) = folder.shown(&[&["--json"], args].concat());
        assert_eq!(code, Some(0), "{text}");
        assert_eq!(after_json(&text).map(str::trim), Ok(""), "{text}");
    }
    let (_, text) = folder.shown(&["--json"]);
    assert_eq!(text.lines().count(), tape.len() + 2, "one node a line");
    for words in [
        "\"type\": \"f32[3]\", \"value\": [\"NaN\", \"NaN\", \"Infinity\"]",
        "\"type\": \"f64\", \"value\": \"-Infinity\"",
        "\"type\": \"u32\", \"value\": 3",
        "\"type\": \"Vec<String>\", \"text\": ",
        "\"condition\": false",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // Nothing found is a document too.
    let (code, text) = folder.shown(&["--json", "--where", "name=nobody"]);
    assert_eq!(code, Some(1));
    assert!(text.starts_with("{\"tape_nodes\": ") && text.contains("\n], \"left_out\": 0}\n"), "{text}");
}

#[test]
fn one_node_shows_its_statement_and_the_calls_it_is_in() {
    use wengert::{Array, Capture, Recorder};
    let folder = Folder::new("statement");
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| host::awkward(Array::from(4.0f32), 1));
    tape.save(folder.0.join("run.tape")).unwrap();
    let sqrt = tape.nodes().find(|n| n.function() == "sqrt").unwrap().id().to_string();
    let (_, text) = folder.shown(&["--node", &sqrt]);
    assert!(text.contains("  statement  let y = x.sqrt() * words.len() as f32;\n"), "{text}");
    let calls: Vec<&str> = text.split("called in\n").nth(1).unwrap().lines().take(2).collect();
    assert!(calls[0].contains("@0") && calls[1].contains("awkward("), "{text}");
    let (_, text) = folder.shown(&["--calls", &sqrt]);
    assert_eq!(text.lines().count(), 3, "{text}");
}

#[test]
fn an_op_shows_what_it_stands_for() {
    use wengert::{Array, Recorder};
    let folder = Folder::new("decompose");
    let (_, tape) = Recorder::new().record(|| Array::from([1.0f32, 3.0, 2.0]).argmax(0).sin());
    tape.save(folder.0.join("run.tape")).unwrap();
    let at = |name: &str| tape.nodes().find(|n| n.function() == name).unwrap().id().to_string();
    let (code, text) = folder.shown(&["--decompose", &at("arg_reduce")]);
    assert!(code == Some(0) && text.starts_with("program arg_reduce(") && text.contains("iota"), "{text}");
    let (code, text) = folder.shown(&["--decompose", &at("sin")]);
    assert!(code == Some(1) && text.contains("has no simpler ops"), "{text}");
    let (code, text) = folder.shown(&["--decompose", "@0"]);
    assert!(code == Some(1) && text.contains("is no op"), "{text}");
}

#[test]
fn long_lines_end_in_an_ellipsis() {
    use wengert::{Array, Recorder, concatenate};
    let folder = Folder::new("long");
    let (_, tape) =
        Recorder::new().record(|| concatenate((0..600).map(|i| Array::from([i as f32])).collect::<Vec<_>>(), 0));
    tape.save(folder.0.join("run.tape")).unwrap();
    let (_, text) = folder.shown(&["--where", "op=concatenate"]);
    let line = text.lines().next().unwrap();
    assert!(line.ends_with('…') && line.chars().count() < 1200, "{line}");
    // In a picture, the many arrays that go to one box are one.
    let (_, picture) = folder.shown(&["--dot"]);
    assert!(picture.contains("600 constants") && picture.lines().count() < 20, "{picture}");
}

/// A run of 40 layers goes on in columns: an arrow to another column does not pull its box down.
#[test]
fn a_picture_of_many_layers_has_columns_and_folded_calls() {
    use wengert::{Array, Recorder, track};
    #[track]
    fn layer(x: Array, w: &Array) -> Array {
        (x.dot(w) + 0.1).tanh()
    }
    let folder = Folder::new("layers");
    let w: Vec<Array> = (0..40).map(|_| Array::ones([4, 4], wengert::DType::F32)).collect();
    let run = || w.iter().fold(Array::ones([1, 4], wengert::DType::F32), layer);
    let (_, tape) = Recorder::new().record(run);
    tape.save(folder.0.join("run.tape")).unwrap();
    let picture = |args: &[&str]| folder.shown(&[&["--dot"], args].concat()).1;
    let count = |text: &str, words: &str| text.matches(words).count();
    let folded = picture(&[]);
    assert_eq!((count(&folded, "layer("), count(&folded, "tanh(")), (40, 0), "{folded}");
    assert_eq!((count(&folded, "rank=same"), count(&folded, "constraint=false")), (1, 1), "{folded}");
    let first = tape.nodes().find(|n| n.function().ends_with("layer")).unwrap().id().to_string();
    let opened = picture(&["--open", &first]);
    assert_eq!((count(&opened, "tanh("), count(&opened, "subgraph")), (1, 1), "{opened}");
    let all = picture(&["--depth", "2"]);
    assert_eq!((count(&all, "tanh("), count(&all, "subgraph")), (40, 40), "{all}");
    assert!(count(&all, "constraint=false") >= 3, "{all}");
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
    says(&["--in-call"], 2, &["goes with `--backward`"]);
    says(&["--open", "@2"], 2, &["--dot"]);
    says(&["--dot", "--open", "@9999"], 1, &["@9999 is not a node of this tape"]);
    let help = show(&["--help"]);
    assert!(String::from_utf8_lossy(&help.stdout).contains("4  a tape that can't be opened"));
    let out = Command::new(env!("CARGO_BIN_EXE_wengert")).args(["show", "Cargo.toml"]).output().unwrap();
    assert_eq!(out.status.code(), Some(4));
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
    assert!(code == Some(4) && text.contains("of the tape was damaged"), "{text}");
    // What can't be known is not "none found".
    let (code, text) = shown(&["--where", "nan"]);
    assert!(code == Some(4) && text.contains("is damaged: whether it is as --where says is not known"), "{text}");
    assert_eq!(shown(&["--where", "op=cos"]).0, Some(1));
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
