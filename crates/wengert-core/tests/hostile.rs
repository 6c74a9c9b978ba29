//! Texts that nobody should write: reading one ends with a program or an error, never with a panic.
use std::path::Path;
use wengert_core::Program;

fn texts() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wengert-golden/programs");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    let read = |p: &std::path::PathBuf| std::fs::read_to_string(p).expect("a readable file");
    let program = |file: String| Some(file[file.find("\nprogram")? + 1..].split("====").next()?.to_string());
    paths.iter().map(read).filter_map(program).collect()
}

#[test]
fn texts_that_end_early() {
    for text in texts() {
        for (i, _) in text.char_indices().step_by(7) {
            let _ = Program::parse(&text[..i]);
        }
    }
}

#[test]
fn texts_with_other_characters() {
    for text in texts() {
        for (i, c) in text.char_indices().step_by(13) {
            for other in ["", "é", "[", "\"", "%", "-", "@", "(", "\n"] {
                let _ = Program::parse(&format!("{}{other}{}", &text[..i], &text[i + c.len_utf8()..]));
            }
        }
    }
}

#[test]
fn texts_with_other_numbers() {
    for text in texts() {
        let digit = |c: char| c.is_ascii_digit();
        let starts = text.char_indices().filter(|&(i, c)| digit(c) && !text[..i].ends_with(digit));
        for (i, _) in starts {
            let end = text[i..].find(|c| !digit(c)).map_or(text.len(), |n| i + n);
            for other in ["0", "1", "7", "18446744073709551615", "9223372036854775807", "-9223372036854775808", "1e999"]
            {
                if let Ok(p) = Program::parse(&format!("{}{other}{}", &text[..i], &text[end..])) {
                    p.verify().expect("what is read is well formed");
                }
            }
        }
    }
}
