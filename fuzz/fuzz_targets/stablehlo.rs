//! Any text: reading it as a module gives a sound program, which can be read again when it goes out, or an error with
//! line and column.
//!
//!     cargo +nightly fuzz run stablehlo -- -dict=fuzz/stablehlo.dict -max_len=4096

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match wengert_stablehlo::parse(text) {
    Ok(program) => {
        program.verify().expect("an imported program is sound");
        if let Ok(text) = wengert_stablehlo::export(&program) {
            wengert_stablehlo::parse(&text).expect("what goes out comes in");
        }
    }
    Err(e) => assert!(e.offset().is_some(), "{e}"),
});
