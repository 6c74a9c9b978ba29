//! The text form, and what is said of texts and functions that are wrong.

use wengert_kernel::{Builder, Inst, Kind, Value, text, verify};

/// A text is printed as it was read.
#[test]
fn what_is_printed_is_what_was_read() {
    let source = "\
fn all(%0: ptr, %1: ptr) {
  %2: f32 = load [%0 + 4]
  %3: f32 = const -0.0
  %4: f64 = const 1e-7
  %5: f64 = const 0x7ff8000000000001
  %6: f32 = const -inf
  %7: i8 = const -128
  %8: u64 = const 18446744073709551615
  %9: bool = const true
  %10: ptr = const 0x10
  %11: f32 = muladd %2, %3, %6
  %12: bool = ge %2, %3
  %13: f32 = select %12, %2, %3
  %14: u32 = bitcast %13
  %15: i64 = convert %14
  %16: ptr = pointer [%0 + %15*-8 - 16]
  store %2, [%16 + %15*4]
  mark 3
  copy 16 bytes from %0 to %1
  mark 1
  for %17 from -4 step 2 count 10 carry (%18: f32 = %2, %19: i64 = %15) -> (%21: f32, %22: i64) {
    mark 2
    %20: f32 = sqrt %18
    yield %20, %17
  }
  mark 1
  while {
    %23: bool = const false
    yield %23
  } do {
  }
  if %12 {
  } else {
    lanes %24 count 3 {
      store %24, [%1 + %24*8 - 9223372036854775808]
    }
  }
}
";
    let f = text::parse(source, &[]).expect("a text");
    verify(&f).expect("well-formed");
    assert_eq!(f.to_string(), source);
}

/// A function that is called without a name goes by its address, which is not read back.
#[test]
fn a_call_goes_by_its_name() {
    extern "C" fn twice(x: f32) -> f32 {
        x + x
    }
    let names = [("twice", wengert_kernel::Callee::f32(twice))];
    let source = "fn f(%0: ptr) {\n  %1: f32 = load [%0]\n  %2: bool = lt %1, %1\n  %3: f32 = call twice(%1) where %2 else %1\n}\n";
    let f = text::parse(source, &names).expect("a text");
    assert_eq!(text::print(&f, &names), source);
    assert!(f.to_string().contains("call f32@0x"), "{f}");
    assert!(text::parse(&f.to_string(), &names).is_err());
}

/// What is said of a text that cannot be read.
#[test]
fn errors_of_texts() {
    for (source, expected) in [
        ("", "line 1: expected `fn`, found ``"),
        ("fn f(%0: float) {}", "line 1: there is no kind `float`"),
        ("fn f() {\n", "line 2: expected an instruction, found ``"),
        ("fn f() {\n jump\n}", "line 2: expected an instruction, found `jump`"),
        ("fn f() {\n %1: u8 = const 256\n}", "line 2: `256` is no u8"),
        ("fn f() {\n %1: f32 = add 1, 2\n}", "line 2: expected a value such as `%0`, found `1`"),
        ("fn f() {\n\n %1: f32 = call exp(%0)\n}", "line 3: no function is named `exp`"),
        ("fn f(%0: ptr) {\n store %0, [%0 * 4]\n}", "line 2: expected `+`, `-` or `]`, found `*`"),
        ("fn f(%0: ptr) {\n lanes %1 {\n}\n}", "line 2: expected `count`, found `{`"),
        ("fn f() {\n}\nfn g() {\n}", "line 3: the function has ended, and `fn` follows"),
        ("fn f(%99999999: ptr) {\n}", "line 1: `%99999999`: numbers of values end at 16777216"),
    ] {
        assert_eq!(text::parse(source, &[]).unwrap_err(), expected, "{source}");
    }
}

/// The instructions of a function, and what is said of the one that is wrong.
#[test]
fn errors_of_functions() {
    for (body, expected) in [
        ("%1: f32 = add %1, %1", "`%1: f32 = add %1, %1`: %1 is not defined"),
        ("%1: ptr = load [%0]\n %1: ptr = load [%0]", "`%1: ptr = load [%0]`: %1 is defined twice"),
        ("%1: u8 = const 0x100", "`%1: u8 = const 256`: 0x100 is no u8"),
        ("%1: bool = const 0x2", "`%1: bool = const 0x2`: 0x2 is no bool"),
        ("%1: ptr = add %0, %0", "`%1: ptr = add %0, %0`: `add` is not of ptr"),
        ("%1: bool = eq %0, %0", "`%1: bool = eq %0, %0`: `eq` is not of ptr"),
        ("%1: i64 = convert %0", "`%1: i64 = convert %0`: pointers are not converted"),
        ("%1: u32 = load [%0]\n %2: u64 = bitcast %1", "`%2: u64 = bitcast %1`: the bits of u32 are no u64"),
        ("%1: u32 = load [%0]\n %2: u8 = abs %1", "`%2: u8 = abs %1`: `abs` is not of u32"),
        ("%1: i32 = load [%0]\n %2: u8 = abs %1", "`%2: u8 = abs %1`: %2 is to be i32, not u8"),
        ("%1: i32 = load [%0]\n %2: i32 = load [%0 + %1*4]", "`%2: i32 = load [%0 + %1*4]`: %1 is to be i64, not i32"),
        ("%1: i64 = load [%0]\n store %1, [%1]", "`store %1, [%1]`: %1 is to be ptr, not i64"),
        ("%1: i64 = load [%0]\n %2: i64 = muladd %1, %1, %1", "`%2: i64 = muladd %1, %1, %1`: `muladd` is not of i64"),
        (
            "%1: i64 = load [%0]\n %2: i64 = select %1, %1, %1",
            "`%2: i64 = select %1, %1, %1`: %1 is to be bool, not i64",
        ),
        (
            "for %1 from 0 step 1 count 2 {\n %2: ptr = load [%0]\n }\n copy 8 bytes from %0 to %2",
            "`copy 8 bytes from %0 to %2`: %2 is not seen here",
        ),
        (
            "for %1 from 0 step 1 count 2 carry (%2: ptr = %0) -> (%3: ptr) {\n }",
            "`for %1 from 0 step 1 count 2 carry (%2: ptr = %0) -> (%3: ptr)`: yield: 0 values for 1",
        ),
        (
            "for %1 from 0 step 1 count 2 carry (%2: ptr = %0) -> (%3: ptr) {\n yield %1\n }",
            "`for %1 from 0 step 1 count 2 carry (%2: ptr = %0) -> (%3: ptr)`: yield: %1 is to be ptr, not i64",
        ),
        (
            "for %1 from 0 step 1 count 2 carry (%2: ptr = %0) {\n yield %2\n }",
            "`for %1 from 0 step 1 count 2 carry (%2: ptr = %0)`: it gives what it carries, of the same kinds",
        ),
        ("while {\n yield %0\n } do {\n }", "`while`: %0 is to be bool, not ptr"),
        ("while {\n } do {\n }", "`while`: a condition gives one value"),
        ("if %0 {\n } else {\n }", "`if %0`: %0 is to be bool, not ptr"),
        (
            "%1: bool = const true\n if %1 -> (%2: bool) {\n yield %1\n } else {\n }",
            "`if %1 -> (%2: bool)`: yield: 0 values for 1",
        ),
        ("lanes %1 count 2 {\n lanes %2 count 3 {\n }\n }", "`lanes %2 count 3`: lanes hold no loops and branches"),
        ("lanes %1 count 2 {\n yield %1\n }", "`lanes %1 count 2`: lanes give nothing"),
        ("yield %0", "a function gives nothing"),
        ("%1: i64 = load [%0]\n mark 1", "marks are in order, each before an instruction"),
        ("lanes %1 count 2 {\n mark 1\n store %1, [%0]\n }", "lanes hold no marks"),
    ] {
        let f = text::parse(&format!("fn f(%0: ptr) {{\n {body}\n}}"), &[]).expect(body);
        assert_eq!(verify(&f).unwrap_err(), format!("fn f: {expected}"), "{body}");
    }
}

/// What only functions that were not read from a text get wrong.
#[test]
fn errors_of_functions_that_were_built() {
    let mut b = Builder::new(1);
    b.push(Inst::Unary { y: Value(9), op: wengert_kernel::Unary::Neg, x: Value(8) });
    assert_eq!(verify(&b.finish("f")).unwrap_err(), "fn f: `%9: ? = neg %8`: %8 is not defined");

    assert_eq!(verify(&Builder::new(7).finish("f")).unwrap_err(), "fn f: at most 6 parameters");

    let mut b = Builder::new(1);
    let x = b.load(Kind::F32, wengert_kernel::Address::at(b.param(0), 0));
    extern "C" fn same(x: f32) -> f32 {
        x
    }
    let callee = wengert_kernel::Callee::f32(same);
    b.push(Inst::Call { callee, x: vec![x] });
    let error = verify(&b.finish("f")).unwrap_err();
    assert!(error.ends_with("(%1)`: the function gives a value"), "{error}");
}

/// Marks stand where another part begins, and after blocks with marks of their own.
#[test]
fn marks_that_say_nothing_new_are_left_out() {
    let mut b = Builder::new(1);
    let at = |b: &Builder| wengert_kernel::Address::at(b.param(0), 0);
    let repeat = |b: &mut Builder, inside: &dyn Fn(&mut Builder)| {
        b.begin();
        let index = b.value(Kind::I64);
        inside(b);
        let body = b.end(Vec::new());
        let none = Vec::new;
        b.push(Inst::For { index, from: 0, step: 1, count: 2, carried: none(), start: none(), body, y: none() });
    };
    b.mark(1);
    let x = b.constant(Kind::I64, 7);
    b.mark(2);
    b.store(x, at(&b));
    repeat(&mut b, &|b| b.store(x, at(b)));
    b.store(x, at(&b));
    b.mark(3);
    repeat(&mut b, &|b| {
        b.store(x, at(b));
        b.mark(4);
        b.store(x, at(b));
        b.mark(3);
    });
    b.store(x, at(&b));
    let f = b.finish("f");
    verify(&f).expect("well-formed");
    let lines: Vec<String> = f.to_string().lines().map(|l| l.trim().to_string()).collect();
    let short = |l: &String| l.split(' ').take(if l.starts_with("mark") { 2 } else { 1 }).collect::<Vec<_>>().join(" ");
    let short: Vec<String> = lines.iter().map(short).collect();
    let expected = "fn %1: mark 2 store for store } store mark 3 for mark 3 store mark 4 store } mark 3 store }";
    assert_eq!(short.join(" "), expected);
}
