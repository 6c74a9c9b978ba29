//! Mistakes in headers: each is an error that names file and line. And the documentation lists every step.

use wengert_golden::{Failure, Golden, STEPS};
use wengert_testing::{Expect, expect};

const PROGRAM: &str = "program f(x: f32[2], y: f32[2]) {\n  z: f32[2] = mul(x, y)\n  return z\n}\n";

/// The message for a file with this header.
fn message(text: &str) -> String {
    match Golden::new("bad.wg", text).run(|_, _| ()) {
        Err(Failure::Broken(message)) => message,
        Err(Failure::Refused(e)) => panic!("the file is wrong, and not its program: {e}"),
        Ok(stage) => panic!("nothing is wrong: {}", stage.to_text()),
    }
}

fn check(header: &str, expected: Expect) {
    expected.assert_eq(&message(&format!("{header}\n{PROGRAM}")));
}

#[test]
fn unknown_steps_and_lines() {
    let list: String = STEPS.iter().map(|s| format!("\n  {}", s.about())).collect();
    let known = |found: &str| format!("programs/bad.wg:2: there is no step `{found}`; the steps are{list}");
    assert_eq!(message(&format!("// A comment.\ntest vpj 1 1\n{PROGRAM}")), known("vpj"));
    assert_eq!(message(&format!("\ntest\n{PROGRAM}")), known(""));
    check(
        "test text\ntests run",
        expect!["programs/bad.wg:2: a header has lines `test STEP`, `input VALUE` and `// COMMENT`"],
    );
    check("// Nothing.", expect!["programs/bad.wg:2: no line `test STEP` above the program"]);
    expect!["programs/bad.wg:3: there is no program"].assert_eq(&message("test text\n\n"));
}

#[test]
fn wrong_arguments() {
    check("test text 1", expect!["programs/bad.wg:1: `text` takes no arguments, and got `1`"]);
    check("test vjp 1 2", expect!["programs/bad.wg:1: `vjp` takes marks 0 and 1, and got `2`"]);
    check(
        "test jvp 1",
        expect![
            "programs/bad.wg:1: `jvp` takes a mark for each input of the program, which has 2 inputs, and got 1 mark"
        ],
    );
    check(
        "test text\ntest transpose",
        expect![
            "programs/bad.wg:2: `transpose` takes a mark for each input of the program, which has 2 inputs, and got 0 marks"
        ],
    );
    check("test batch", expect!["programs/bad.wg:1: `batch` takes the size of the batch, and got `nothing`"]);
    check("test batch x 1 1", expect!["programs/bad.wg:1: `batch` takes the size of the batch, and got `x`"]);
    check(
        "test compile fusion",
        expect![
            "programs/bad.wg:1: `compile` takes one of the stages rewrite, fuse, schedule, memory, kernel, machine, and got `fusion`"
        ],
    );
    check(
        "test simplify all",
        expect![
            "programs/bad.wg:1: `simplify` takes passes (inline, fold, algebra, loops, common, dead), and got `all`"
        ],
    );
}

#[test]
fn stages_that_do_not_fit() {
    check(
        "test export\ntest text",
        expect!["programs/bad.wg:2: `text` takes programs, and the step before gives text"],
    );
    check(
        "test export\ntest export",
        expect!["programs/bad.wg:2: `export` takes one program, and the step before gives text"],
    );
    check(
        "test linearize 1 1\ntest simplify\ntest vjp 1 1",
        expect!["programs/bad.wg:3: `vjp` takes one program, and the step before gives 2 programs"],
    );
}

#[test]
fn wrong_inputs() {
    check(
        "test run",
        expect!["programs/bad.wg:1: `run` needs a line `input VALUE` for `x`, which has the type f32[2]"],
    );
    check(
        "test run\ninput 1.0:f32[2]",
        expect!["programs/bad.wg:1: `run` needs a line `input VALUE` for `y`, which has the type f32[2]"],
    );
    check(
        "test vjp 0 1\ntest run\ninput 1.0:f32[2]\ninput 1.0:f32[2]",
        expect!["programs/bad.wg:2: `run` needs a line `input VALUE` for `z.ct`, which has the type f32[2]"],
    );
    check(
        "test run\ninput 1.0:f32[2]\ninput 1.0:f32[3]",
        expect!["programs/bad.wg:3: `y` has the type f32[2], and this is f32[3]"],
    );
    check(
        "test run\ninput 1.0:f32[2]\ninput 1.0:f32[2]\ninput 1.0:f32[2]",
        expect!["programs/bad.wg:4: one input too many: the program that runs takes 2 inputs"],
    );
    check("test text\ninput 1.0:f32[2]", expect!["programs/bad.wg:2: no step reads this input"]);
    check(
        "test run\n\n  input dense[1.0, x]:f32[2]",
        expect![[r#"
            programs/bad.wg: line 3, column 20: `x` is not a number of type f32
              |         dense[1.0, x]:f32[2]
              |                    ^"#]],
    );
    check(
        "test run\ninput 1.0:f32[2] 2.0:f32[2]",
        expect![[r#"
            programs/bad.wg: line 2, column 18: expected nothing after the value
              |       1.0:f32[2] 2.0:f32[2]
              |                  ^"#]],
    );
    check(
        "test run\ninput",
        expect!["programs/bad.wg: line 3, column 1: expected a number, found the end of the text"],
    );
}

/// The documentation of the crate has a line for each step, and in the order of the list.
#[test]
fn the_documentation_lists_the_steps() {
    let documented: Vec<&str> =
        include_str!("../src/lib.rs").lines().filter_map(|l| l.strip_prefix("//! - ")).collect();
    assert_eq!(documented, STEPS.iter().map(|s| s.about()).collect::<Vec<_>>());
    for step in STEPS {
        assert!(step.about().starts_with(&format!("`test {}", step.name())), "{}", step.about());
    }
}
