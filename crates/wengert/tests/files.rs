//! Arrays in files: what is written is read back, NumPy's own files are read, and damaged files are errors.

use proptest::prelude::*;
use wengert::*;

/// A file of version 1 with this header.
fn numpys(header: &str, elements: &[u8]) -> Vec<u8> {
    version(1, header, elements)
}

fn version(version: u8, header: &str, elements: &[u8]) -> Vec<u8> {
    let mut file = [b"\x93NUMPY", &[version, 0][..]].concat();
    match version {
        1 => file.extend((header.len() as u16).to_le_bytes()),
        _ => file.extend((header.len() as u32).to_le_bytes()),
    }
    file.extend(header.as_bytes());
    file.extend(elements);
    file
}

#[test]
fn npy_of_every_element_type() {
    for d in DType::ALL {
        for shape in [&[][..], &[0, 3], &[2, 3], &[5]] {
            let x = (Array::arange(0, shape.iter().product::<usize>() as i32, 1) * 3 - 4).reshape(shape).to(d);
            let x = if d.is_complex() { complex(x.real(), x.real() * 0.5) } else { x };
            let mut file = Vec::new();
            x.write_npy(&mut file).unwrap();
            let y = Array::read_npy(&file[..]).unwrap();
            assert_eq!(y.ty(), x.ty());
            assert_eq!(y.to_tensor().dense(), x.to_tensor().dense(), "{d}");
            assert_eq!((file.len() - x.size() * d.size()) % 64, 0, "the elements start at a multiple of 64");
        }
    }
}

/// One number repeated is written in pieces.
#[test]
fn npy_of_one_number_repeated() {
    for n in [1, (1 << 16) - 1, 1 << 16, 200_000] {
        let (x, mut file) = (Array::full([n], 2.5, DType::F32), Vec::new());
        x.write_npy(&mut file).unwrap();
        assert_eq!(Array::read_npy(&file[..]).unwrap().to_vec::<f32>(), vec![2.5; n]);
    }
}

#[test]
fn npy_in_other_orders() {
    let fortran = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n";
    let elements: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let x = Array::read_npy(&numpys(fortran, &elements)[..]).unwrap();
    assert_eq!(x, Array::from([[1.0f32, 3.0, 5.0], [2.0, 4.0, 6.0]]));

    let big = "{\"shape\": (2,), \"fortran_order\": False, \"descr\": \">c8\"}";
    let elements: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0].iter().flat_map(|x| x.to_be_bytes()).collect();
    let x = Array::read_npy(&numpys(big, &elements)[..]).unwrap();
    assert_eq!(x.to_vec::<Complex<f32>>(), [Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)]);
}

/// NumPy's name of an element type without the order of its bytes, for types that `write_npy` wrote.
fn name_of(d: DType) -> String {
    let mut file = Vec::new();
    Array::zeros([0], d).write_npy(&mut file).unwrap();
    String::from_utf8_lossy(&file[10..]).split('\'').nth(3).unwrap()[1..].into()
}

#[test]
fn npy_of_every_version_type_and_order() {
    for d in DType::ALL {
        for shape in [&[][..], &[3], &[0, 2], &[2, 3], &[2, 1, 3]] {
            let x = (Array::arange(0, shape.iter().product::<usize>() as i32, 1) * 3 - 4).reshape(shape).to(d);
            let x = if d.is_complex() { complex(x.real(), x.real() * 0.5) } else { x };
            let part = d.real().size();
            for (v, big, fortran) in [(1, false, true), (2, true, false), (3, true, true), (3, false, false)] {
                let mut bytes = wengert_core::bytes::to_bytes(&if fortran { x.t() } else { x.clone() }.to_tensor());
                if big {
                    bytes.chunks_mut(part).for_each(<[u8]>::reverse);
                }
                let (order, fortran) = (if big { '>' } else { '<' }, if fortran { "True" } else { "False" });
                let sizes: String = shape.iter().map(|n| format!("{n}, ")).collect();
                let descr = format!("{order}{}", name_of(d));
                let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({sizes}), }}    \n");
                let y = Array::read_npy(&version(v, &header, &bytes)[..]).unwrap();
                assert_eq!(y.ty(), x.ty(), "{header}");
                assert_eq!(y.to_tensor().dense(), x.to_tensor().dense(), "{header}");
            }
        }
    }
}

#[test]
fn npy_as_others_write_it() {
    let read = |header: &str, elements: &[u8]| Array::read_npy(&numpys(header, elements)[..]).unwrap();
    // Python 2 marked long integers; other writers leave spaces and commas out.
    let header = "{'descr':'|u1','fortran_order':False,'shape':(2L,1)}";
    assert_eq!(read(header, &[7, 8]), Array::from([[7u8], [8]]));
    // Every byte but 0 is true.
    let header = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }";
    assert_eq!(read(header, &[0, 1, 2]), Array::from([false, true, true]));
    // What follows the elements is left to the reader.
    let header = "{'descr': '|i1', 'fortran_order': False, 'shape': (), }\n";
    let file = numpys(header, &[255, 9, 9]);
    let mut rest = &file[..];
    assert_eq!(Array::read_npy(&mut rest).unwrap().to_tensor(), Tensor::scalar(-1i8));
    assert_eq!(rest, [9, 9]);
}

#[test]
fn damaged_npy_files_say_what_is_wrong() {
    let fails = |file: &[u8], text: &str| {
        let e = Array::read_npy(file).expect_err(text);
        assert!(e.message().contains(text), "{e}");
    };
    let header = |h: &str| numpys(h, &[]);
    fails(b"PK\x03\x04 and more", "not an npy file");
    fails(b"PK", "not an npy file");
    fails(b"", "not an npy file: it is empty");
    fails(b"\x93NUM", "ends within its first line: 4 of 8 bytes");
    fails(b"\x93NUMPY\x09\x00\x00\x00", "version 9");
    fails(&header("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"), "0 of 12 bytes");
    fails(&header("{'descr': '<U5', 'fortran_order': False, 'shape': (3,), }"), "`<U5` can't be read");
    fails(&header("{'descr': '<f4', 'fortran_order': False}"), "does not say");
    fails(&header("{'descr': '<f4', 'fortran_order': Maybe, 'shape': ()}"), "`False` should be");
    fails(&header("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}"), "a size should be");
    fails(&header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999)}"), "too large");
    fails(&header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999,)}"), "0 of 399999999996 bytes");
    // A size of zero does not make the others addressable.
    fails(&header("{'descr': '<f4', 'fortran_order': True, 'shape': (0, 99999999999, 99999999999)}"), "too large");
    let many = "1, ".repeat(65);
    fails(&header(&format!("{{'descr': '<f4', 'fortran_order': True, 'shape': ({many})}}")), "65 axes");
    fails(&header("{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,)}"), "a size should be");
    fails(&header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}"), "a string should be");
    fails(&header("{'descr': '<f4, 'fortran_order': False, 'shape': ()}"), "can't be read");
    fails(&header("{'descr': '<f4', 'fortran_order': False, 'shape': ()} + 1"), "its end should be");
    fails(&header("{'descr': '<f4', 'fortran_order': False, 'shape': (), 'more': 1}"), "unknown key `more`");
    fails(b"\x93NUMPY\x01\x01\x00\x00", "version 1.1");
    // Lengths are not believed, and what is shown of a file can be printed.
    fails(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", "1 of 4294967295 bytes");
    fails(&header("{'descr': '\x1b[2J<f4', 'fortran_order': False, 'shape': ()}"), r"`\u{1b}[2J<f4`");
    let long = Array::read_npy(&version(3, &format!("{{'{}'", "k".repeat(1 << 20)), &[])[..]).unwrap_err();
    assert!(long.message().len() < 200, "{} bytes", long.message().len());
    let mut whole = Vec::new();
    Array::from([[1.0f32, 2.0], [3.0, 4.0]]).write_npy(&mut whole).unwrap();
    for n in 1..whole.len() {
        fails(&whole[..n], "ends within");
    }
    let e = Array::load_npy("no/such/file.npy").unwrap_err();
    assert!(e.message().starts_with("no/such/file.npy: "), "{e}");
    assert_eq!(e.kind(), ErrorKind::File);
}

#[test]
fn safetensors_of_every_element_type() {
    let path = std::env::temp_dir().join(format!("wengert-types-{}.safetensors", std::process::id()));
    let arrays: Vec<(String, Array)> = DType::ALL
        .into_iter()
        .filter(|d| *d != DType::C128)
        .map(|d| (d.to_string(), (Array::arange(0, 6, 1) * 3).reshape([2, 3]).to(d)))
        .collect();
    save_safetensors(&path, arrays.clone()).unwrap();
    let read = load_safetensors(&path).unwrap();
    for (name, x) in &arrays {
        assert_eq!(read[name].to_tensor().dense(), x.to_tensor().dense(), "{name}");
    }
    let bytes = std::fs::read(&path).unwrap();
    for n in [0, 7, 8, 20, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..n]).unwrap();
        let e = load_safetensors(&path).unwrap_err();
        assert!(e.message().contains("not a sound safetensors file"), "{e}");
    }
    let header = format!(r#"{{"x":{{"dtype":"F32","shape":[{}1],"data_offsets":[0,4]}}}}"#, "1,".repeat(64));
    std::fs::write(&path, [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &[0; 4]].concat()).unwrap();
    let e = load_safetensors(&path).unwrap_err();
    assert!(e.message().contains("`x`: an array can't have 65 axes"), "{e}");
    std::fs::remove_file(&path).unwrap();
    let e = save_safetensors(&path, [("x", Array::zeros([2], DType::C128))]).unwrap_err();
    assert!(e.message().contains("can't hold elements of type c128"), "{e}");
}

/// A file is the new one or the old one, and nothing is left beside it.
#[test]
fn safetensors_are_written_whole_or_not_at_all() {
    let folder = std::env::temp_dir().join(format!("wengert-whole-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.safetensors");
    save_safetensors(&path, [("x", Array::from([1.0f32, 2.0]))]).unwrap();
    let old = std::fs::read(&path).unwrap();
    let e = save_safetensors(&path, [("__metadata__", Array::from([3.0f32]))]).unwrap_err();
    assert!(e.message().contains("can't hold this: no array can have the name `__metadata__`"), "{e}");
    assert_eq!(std::fs::read(&path).unwrap(), old);
    save_safetensors(&path, [("y", Array::from([3.0f32]))]).unwrap();
    assert_eq!(load_safetensors(&path).unwrap(), [("y".to_string(), Array::from([3.0f32]))].into());
    // A folder is there, which a file can't replace.
    let e = save_safetensors(&folder, [("x", Array::from([1.0f32]))]).unwrap_err();
    assert!(e.message().starts_with(&folder.display().to_string()), "{e}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn safetensors_of_types_that_are_none_here() {
    let path = std::env::temp_dir().join(format!("wengert-other-{}.safetensors", std::process::id()));
    let header = r#"{"layer['w']":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}}"#;
    std::fs::write(&path, [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &[0; 2]].concat()).unwrap();
    let e = load_safetensors(&path).unwrap_err();
    assert_eq!(e.message(), format!("{}: `layer['w']`: elements of type `F8_E4M3` can't be read", path.display()));
    std::fs::remove_file(&path).unwrap();
}

proptest! {
    #[test]
    fn any_change_to_an_npy_file_is_an_error_or_another_array(at in 0usize..160, byte in 0u8.., end in 0usize..160) {
        let mut file = Vec::new();
        Array::from([[1.0f32, 2.0], [3.0, 4.0]]).write_npy(&mut file).unwrap();
        let at = at.min(file.len() - 1);
        file[at] = byte;
        let _ = Array::read_npy(&file[..]);
        let _ = Array::read_npy(&file[..end.min(file.len())]);
    }
}
