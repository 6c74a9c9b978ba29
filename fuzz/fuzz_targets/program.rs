//! Any text: reading it as a program in our own form gives a sound program, which prints to text that reads back to the
//! same text, or an error with line and column.
//!
//!     cargo +nightly fuzz run program -- -max_len=4096

#![no_main]

use libfuzzer_sys::fuzz_target;
use wengert_core::Program;

fuzz_target!(|text: &str| match Program::parse(text) {
    Ok(program) => {
        program.verify().expect("a program that was read is sound");
        let printed = program.to_text();
        let again = Program::parse(&printed).expect("what is printed can be read");
        assert_eq!(again.to_text(), printed);
    }
    Err(e) => assert!(e.offset().is_some(), "{e}"),
});
