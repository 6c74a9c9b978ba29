//! The safetensors format: files of the Python package `safetensors` to the byte, and damaged and hostile ones.

use proptest::prelude::*;
use std::collections::BTreeMap;
use wengert_core::bytes::{from_bytes, to_bytes};
use wengert_core::safetensors::{Header, Layout, stored_type};
use wengert_core::{Complex, DType, ErrorKind, Result, Scalar, Tensor, Type, f16};
use wengert_testing::{Choices, cases};

type Arrays = BTreeMap<String, Tensor>;

fn arrays<const N: usize>(named: [(&str, Tensor); N]) -> Arrays {
    named.into_iter().map(|(name, t)| (name.to_string(), t)).collect()
}

fn line<T: wengert_core::Element>(elements: &[T]) -> Tensor {
    Tensor::from_slice([elements.len()], elements).unwrap()
}

fn write(arrays: &Arrays) -> Vec<u8> {
    let mut file = Vec::new();
    Layout::new(arrays).unwrap().write(&mut file).unwrap();
    file
}

fn read(file: &[u8]) -> Result<Arrays> {
    let header = Header::parse(file)?;
    let array = |name: String, ty: Type, bytes| Ok((name, from_bytes(ty.dtype, ty.shape, bytes, false)?));
    header.arrays.into_iter().map(|(name, e)| array(name, e.ty, &file[e.range])).collect()
}

/// A file of this header, with so many bytes of elements.
fn file(header: impl AsRef<[u8]>, elements: usize) -> Vec<u8> {
    let header = header.as_ref();
    [&(header.len() as u64).to_le_bytes(), header, &vec![0; elements]].concat()
}

/// One element of each type, with the bytes 1, 2, 3, …
const ALL_TYPES: &[u8] = b"\x20\x03\0\0\0\0\0\0{\
    \"u64\":{\"dtype\":\"U64\",\"shape\":[1],\"data_offsets\":[0,8]},\
    \"i64\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[8,16]},\
    \"f64\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[16,24]},\
    \"c64\":{\"dtype\":\"C64\",\"shape\":[1],\"data_offsets\":[24,32]},\
    \"f32\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[32,36]},\
    \"u32\":{\"dtype\":\"U32\",\"shape\":[1],\"data_offsets\":[36,40]},\
    \"i32\":{\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[40,44]},\
    \"bf16\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[44,46]},\
    \"f16\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[46,48]},\
    \"u16\":{\"dtype\":\"U16\",\"shape\":[1],\"data_offsets\":[48,50]},\
    \"i16\":{\"dtype\":\"I16\",\"shape\":[1],\"data_offsets\":[50,52]},\
    \"i8\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[52,53]},\
    \"u8\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[53,54]},\
    \"bool\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[54,55]}}    \
    \x01\x02\x03\x04\x05\x06\x07\x08\x01\x02\x03\x04\x05\x06\x07\x08\x01\x02\x03\x04\x05\x06\x07\x08\
    \x01\x02\x03\x04\x05\x06\x07\x08\x01\x02\x03\x04\x01\x02\x03\x04\x01\x02\x03\x04\
    \x01\x02\x01\x02\x01\x02\x01\x02\x01\x01\x01";

#[test]
fn files_are_those_of_the_python_package() {
    let all = DType::ALL.into_iter().filter(|d| *d != DType::C128);
    let bytes: Vec<u8> = (1..=8).collect();
    let one = |d: DType| from_bytes(d, [1].into(), &bytes[..d.size()], false).unwrap();
    let mixed = arrays([
        ("b", Tensor::from_slice([2, 3], &[1u8, 2, 3, 4, 5, 6]).unwrap()),
        ("flag", line(&[true, false, true])),
        ("a", line(&[1i16, -1])),
        ("scalar", Tensor::scalar(0.5f64)),
        ("none", Tensor::from_slice::<f32>([0, 3], &[]).unwrap()),
        ("z", line(&[7u64])),
        ("h", line(&[f16::ONE])),
        ("é\"\n", line(&[-3i32])),
        ("c", line(&[Complex::new(1.0f32, 2.0)])),
    ]);
    let of_mixed = b"\x00\x02\0\0\0\0\0\0{\"z\":{\"dtype\":\"U64\",\"shape\":[1],\"data_offsets\":[0,8]},\
        \"scalar\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[8,16]},\
        \"c\":{\"dtype\":\"C64\",\"shape\":[1],\"data_offsets\":[16,24]},\
        \"none\":{\"dtype\":\"F32\",\"shape\":[0,3],\"data_offsets\":[24,24]},\
        \"\xc3\xa9\\\"\\n\":{\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[24,28]},\
        \"h\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[28,30]},\
        \"a\":{\"dtype\":\"I16\",\"shape\":[2],\"data_offsets\":[30,34]},\
        \"b\":{\"dtype\":\"U8\",\"shape\":[2,3],\"data_offsets\":[34,40]},\
        \"flag\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[40,43]}}\
        \x07\0\0\0\0\0\0\0\0\0\0\0\0\0\xe0?\0\0\x80?\0\0\0@\xfd\xff\xff\xff\0<\x01\0\xff\xff\
        \x01\x02\x03\x04\x05\x06\x01\0\x01";
    for (arrays, file) in [
        (Arrays::new(), &b"\x08\0\0\0\0\0\0\0{}      "[..]),
        (all.map(|d| (d.to_string(), one(d))).collect(), ALL_TYPES),
        (mixed, of_mixed),
    ] {
        assert_eq!(String::from_utf8_lossy(&write(&arrays)), String::from_utf8_lossy(file));
        assert_eq!(write(&arrays), file);
        assert_eq!(read(file).unwrap(), arrays);
    }
    // Texts are read over; nobody writes them here.
    let with_texts = b"\x58\0\0\0\0\0\0\0{\"__metadata__\":{\"format\":\"pt\"},\
        \"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}   \x00\x00\xc0?\x00\x00\x00\xc0";
    assert_eq!(read(with_texts).unwrap(), arrays([("x", line(&[1.5f32, -2.0]))]));
}

#[test]
fn every_type_goes_out_and_comes_back() {
    for d in DType::ALL {
        for shape in [&[][..], &[0, 3], &[2, 3], &[5]] {
            let ty = Type::new(d, shape);
            let bits = |i: usize| if d == DType::Bool { i as u128 % 2 } else { i as u128 * 0x0123_4567_89ab };
            let dense = Tensor::from_bits(&ty, bits);
            let splat = Tensor::splat(shape, Scalar::from_bits(d, 1));
            let read = read(&write(&arrays([("dense", dense.clone()), ("splat", splat.clone())]))).unwrap();
            for (name, t) in [("dense", dense), ("splat", splat)] {
                assert_eq!(read[name].ty(), stored_type(&ty));
                assert_eq!(to_bytes(&read[name]), to_bytes(&t), "{name} of {ty}");
            }
        }
    }
}

/// One number repeated is written in pieces.
#[test]
fn large_splats() {
    for n in [(1 << 16) - 1, 1 << 16, 200_000] {
        let file = write(&arrays([("x", Tensor::splat([n], Scalar::F32(2.5)))]));
        assert_eq!(read(&file).unwrap()["x"].to_vec::<f32>().unwrap(), vec![2.5; n]);
    }
}

#[test]
fn names_are_any_text() {
    let controls: String = (0..=0x7f).map(char::from).collect();
    for name in ["", " ", "a/b", "x['w']", "\\u0041", "é\u{2028}😀\u{10ffff}", &controls] {
        let named = arrays([(name, Tensor::scalar(1u8))]);
        let file = write(&named);
        assert_eq!(read(&file).unwrap(), named);
        assert_eq!(Header::parse(&file).unwrap().end % 8, 0);
    }
    let entry = r#"{"dtype":"U8","shape":[],"data_offsets":[0,1]}"#;
    let escaped = file(format!(r#"{{"\u0041\ud83d\uDE00\/":{entry}}}"#), 1);
    assert_eq!(read(&escaped).unwrap().keys().collect::<Vec<_>>(), ["A😀/"]);
}

#[test]
fn what_a_file_cannot_hold() {
    let says = |arrays: &Arrays, text: &str| {
        let e = Layout::new(arrays).err().expect(text);
        assert_eq!((e.message(), e.kind()), (text, ErrorKind::Unsupported));
    };
    says(&arrays([("__metadata__", Tensor::scalar(1u8))]), "no array can have the name `__metadata__`");
    let huge = Tensor::splat([1 << 62], Scalar::F32(0.0));
    says(&arrays([("x", huge)]), "their elements take more bytes than can be addressed");
    let half = Tensor::splat([1 << 62], Scalar::U8(0));
    says(&arrays([("x", half.clone()), ("y", half)]), "their elements take more bytes than can be addressed");
    let long = arrays([(&"x".repeat(100_000_000), Tensor::scalar(1u8))]);
    says(&long, "their names and types take more than 100 MB");
}

/// Every mistake is named, and nothing of a file is shown that can't be printed.
#[test]
fn hostile_files_say_what_is_wrong() {
    let fails = |file: &[u8], text: &str| {
        let e = Header::parse(file).expect_err(text);
        assert!(e.message().contains(text), "{e}\n{text}");
        assert!(e.message().len() < 250 && !e.message().contains(char::is_control), "{e}");
        assert_eq!(e.kind(), ErrorKind::File);
    };
    let entry = |dtype: &str, shape: &str, offsets: &str| {
        format!(r#"{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}"#)
    };
    let x = |dtype: &str, shape: &str, offsets: &str| format!(r#"{{"x":{}}}"#, entry(dtype, shape, offsets));
    let f32 = |shape: &str, offsets: &str| file(x("F32", shape, offsets), 8);
    assert!(Header::parse(&f32("[2]", "[0,8]")).is_ok());

    // Sizes and the end.
    fails(b"", "ends within its first 8 bytes");
    fails(b"1234567", "ends within its first 8 bytes");
    fails(&[255; 100], "its header would take 18446744073709551615 bytes, and may take 100 MB");
    fails(&100_000_001u64.to_le_bytes(), "its header would take 100000001 bytes");
    fails(&100_000_000u64.to_le_bytes(), "ends within its header: 0 of 100000000 bytes are there");
    fails(&file("", 0), "at byte 0 of its header is its end, where `{` should be");
    fails(&file("{}", 1), "its arrays take 0 bytes, and 1 are there");
    fails(&f32("[1]", "[0,4]"), "its arrays take 4 bytes, and 8 are there");
    fails(&f32("[3]", "[0,12]"), "its arrays take 12 bytes, and 8 are there");

    // Offsets.
    fails(&f32("[1]", "[4,8]"), "`x` begins at byte 4 of the elements, where 0 should be");
    fails(&f32("[2]", "[8,0]"), "`x` ends at byte 0, before it begins at 8");
    fails(&f32("[2]", "[0,18446744073709551615]"), "takes 8 bytes by its shape, and 18446744073709551615 by its");
    fails(&f32("[1]", "[18446744073709551611,18446744073709551615]"), "begins at byte 18446744073709551611");
    fails(&f32("[2]", "[0]"), "has 1 `data_offsets`, and not a beginning and an end");
    fails(&f32("[2]", "[0,8,8]"), "has 3 `data_offsets`");
    let two = |first: &str, second: &str| {
        file(format!(r#"{{"x":{},"y":{}}}"#, entry("U8", "[4]", first), entry("U8", "[4]", second)), 8)
    };
    assert!(Header::parse(&two("[4,8]", "[0,4]")).is_ok());
    fails(&two("[0,4]", "[0,4]"), "`y` begins at byte 0 of the elements, where 4 should be");
    fails(&two("[0,4]", "[2,6]"), "`y` begins at byte 2 of the elements, where 4 should be");
    fails(&two("[0,4]", "[5,9]"), "`y` begins at byte 5 of the elements, where 4 should be");

    // Shapes.
    fails(&f32("[4294967296,4294967296]", "[0,8]"), "`x` has a shape that is too large to address");
    fails(&f32("[4294967296,2147483648,4]", "[0,8]"), "`x` has a shape that is too large to address");
    fails(&f32("[0,4294967296,4294967296]", "[0,0]"), "`x` has a shape that is too large to address");
    fails(&f32("[18446744073709551616]", "[0,8]"), "is `18446744073709551616…`, where a whole number of up to 64 bits");
    for number in ["-2", "-0", "2.0", "2e0", "2E1", "02", "0x2", "null", "true", "\"2\"", "[2]", "{}", "٢"] {
        fails(&f32(&format!("[{number}]"), "[0,8]"), "should be");
    }
    fails(&f32("2", "[0,8]"), "where `[` should be");
    fails(&f32("[2,]", "[0,8]"), "where a whole number");
    fails(&f32("[2 2]", "[0,8]"), "where `,` or `]` should be");

    // Types.
    for other in ["F4", "F6_E2M3", "F8_E4M3", "F8_E5M2", "F8_E8M0", "C128", "f32", "F320", "", "\\u001b[2J"] {
        let shown = if other.starts_with('\\') { r"\u{1b}[2J" } else { other };
        fails(&file(x(other, "[2]", "[0,8]"), 8), &format!("`x`: elements of type `{shown}` can't be read"));
    }

    // Entries.
    let header = |text: &str| file(text, 8);
    fails(&header(r#"{"x":{}}"#), "`x` does not say `dtype`, `shape` and `data_offsets`");
    fails(&header(r#"{"x":{"dtype":"F32","dtype":"F32"}}"#), "`x` has `dtype` twice");
    fails(&header(r#"{"x":{"shape":[2],"shape":[2]}}"#), "`x` has `shape` twice");
    fails(&header(r#"{"x":{"strides":[1]}}"#), "`x` has an unknown key `strides`");
    fails(&header(r#"{"x":{"dtype":5}}"#), "is `5}}`, where a string should be");
    fails(&header(r#"{"x":null}"#), "is `null}`, where `{` should be");
    fails(&header(r#"{"x":[]}"#), "where `{` should be");
    let empty = entry("F32", "[0]", "[0,0]");
    fails(&header(&format!(r#"{{"x":{empty},"\u0078":{empty}}}"#)), "two arrays have the name `x`");
    fails(&header(r#"{"__metadata__":{"a":1}}"#), "where a string should be");
    fails(&header(r#"{"__metadata__":{"a":{"b":"c"}}}"#), "where a string should be");
    fails(&header(r#"{"__metadata__":null}"#), "where `{` should be");
    fails(&header(r#"{"__metadata__":{},"__metadata__":{}}"#), "has `__metadata__` twice");
    fails(&header(r#"{"__metadata__":{"a":"b","a":"b"}}"#), "`__metadata__` has the key `a` twice");

    // Text.
    fails(&header("{"), "at byte 1 of its header is its end, where a string should be");
    fails(&header("{}}"), "is `}`, where its end should be");
    fails(&header("{}\0"), r"is `\0`, where its end should be");
    fails(&header("\u{feff}{}"), "where `{` should be");
    fails(&header("{,}"), "where a string should be");
    fails(&header("{x:1}"), "where a string should be");
    fails(&header("{'x':1}"), "where a string should be");
    fails(&header(r#"{"x" 1}"#), "where `:` should be");
    fails(&header("{\"x\n\":1}"), "where the end of a string should be");
    fails(&header(r#"{"x"#), "is its end, where the end of a string should be");
    fails(&header(r#"{"\x":1}"#), "where an escape of JSON should be");
    fails(&header(r#"{"\"#), "where an escape of JSON should be");
    for escape in [r"\u12", r"\u12g4", r"\u+123", r"\ud83d", r"\ud83d\n", r"\ud83d\u0041", r"\ude00", r"\ud83d\ud83d"] {
        fails(&header(&format!(r#"{{"{escape}":1}}"#)), "where an escape of a character should be");
    }
    fails(&file(b"{\"\xff\":1}", 8), "byte 2 of its header is not UTF-8");
    fails(&file(b"{\"\xed\xa0\x80\":1}", 8), "byte 2 of its header is not UTF-8");
    fails(&file([&b"{}"[..], &[0xc3]].concat(), 8), "byte 2 of its header is not UTF-8");
    fails(&header(&format!(r#"{{"\u001b]0;{}":{{"a":1}}}}"#, "n".repeat(1 << 20))), r"`\u{1b}]0;nnn");
    // However deep it is nested.
    for open in ["[", "{", "{\"x\":", "[{\"x\":", "{\"__metadata__\":"] {
        for before in ["", "{\"x\":", "{\"x\":{\"shape\":[", "{\"__metadata__\":"] {
            fails(&header(&format!("{before}{}", open.repeat(1 << 20))), "not a sound safetensors file");
        }
    }
}

#[test]
fn a_header_may_have_spaces() {
    let text = "\t{ \"x\" : {\n\"shape\" : [ 1 , 2 ] , \"data_offsets\":[ 0, 2 ],\r\n \"dtype\": \"U8\" } }   \n";
    assert_eq!(Header::parse(&file(text, 2)).unwrap().arrays["x"].ty, Type::new(DType::U8, [1, 2]));
}

/// A few arrays with types, sizes and names that the choices decide.
fn random_arrays(choices: &mut Choices<'_>) -> Arrays {
    let mut arrays = Arrays::new();
    while !choices.is_empty() && arrays.len() < 6 {
        let shape: Vec<usize> = (0..choices.below(4)).map(|_| choices.below(4)).collect();
        let ty = Type::new(choices.of(&DType::ALL.map(|d| if d == DType::C128 { DType::C64 } else { d })), shape);
        let name: String =
            (0..choices.below(4)).map(|_| choices.of(&['a', 'é', '"', '\\', '\n', '\0', '😀'])).collect();
        let most = if ty.dtype == DType::Bool { 2 } else { 1 << 16 };
        arrays.insert(name, Tensor::from_bits(&ty, |_| choices.below(most) as u128));
    }
    arrays
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn what_is_written_is_read(numbers in prop::collection::vec(any::<u16>(), 0..60)) {
        let arrays = random_arrays(&mut Choices::new(&numbers));
        let file = write(&arrays);
        let read = read(&file).unwrap();
        prop_assert_eq!(write(&read), file);
        prop_assert!(read.keys().eq(arrays.keys()));
        for (name, t) in &arrays {
            prop_assert!(read[name].same_bits(t), "{}", name);
        }
    }

    #[test]
    fn a_file_that_ends_early_is_an_error(numbers in prop::collection::vec(any::<u16>(), 0..60), end in any::<prop::sample::Index>()) {
        let file = write(&random_arrays(&mut Choices::new(&numbers)));
        prop_assert!(Header::parse(&file[..end.index(file.len())]).is_err());
    }

    #[test]
    fn any_change_is_an_error_or_another_file(
        numbers in prop::collection::vec(any::<u16>(), 0..60),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut file = write(&random_arrays(&mut Choices::new(&numbers)));
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if let Ok(header) = Header::parse(&file) {
            let ranges = header.arrays.values().all(|e| Some(file[e.range.clone()].len()) == e.ty.bytes());
            prop_assert!(ranges && header.end <= file.len());
        }
    }

    #[test]
    fn any_bytes_are_an_error_or_a_file(bytes in prop::collection::vec(any::<u8>(), 0..200), text in r#"[\[\]{}":,\\ua-f0-9 ]{0,60}"#) {
        let _ = read(&bytes);
        let _ = read(&file(&bytes, 0));
        let _ = read(&file(text, 3));
    }
}
