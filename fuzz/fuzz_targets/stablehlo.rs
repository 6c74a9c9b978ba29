//! Any text: reading it as a module gives a sound program or an error with line and column.
//!
//!     cargo +nightly fuzz run stablehlo -- -dict=fuzz/stablehlo.dict -max_len=4096

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match wengert_stablehlo::parse(text) {
    Ok(program) => program.verify().expect("an imported program is sound"),
    Err(e) => assert!(e.offset().is_some(), "{e}"),
});
