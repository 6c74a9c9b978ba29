//! A real plugin: the one that `WENGERT_XLA_PLUGIN` names. Without it these tests say that they did nothing.

use wengert_core::{DType, ErrorKind, Scalar, Tensor, Type};
use wengert_pjrt::{Buffer, Client, Compile, Input, Plugin};

fn client() -> Option<Client> {
    let Some(path) = std::env::var_os("WENGERT_XLA_PLUGIN") else {
        eprintln!("SKIPPED: WENGERT_XLA_PLUGIN names no plugin");
        return None;
    };
    let plugin = Plugin::load(path).unwrap();
    eprintln!("{plugin:?} {:?}", plugin.attributes().unwrap());
    let client = Client::open(&plugin, &[]).unwrap();
    eprintln!("{client:?} {}", client.platform_version());
    for d in client.devices() {
        eprintln!("{d} {} {} {:?}", d.kind(), d.description(), d.memory());
    }
    Some(client)
}

/// A module with one function of one line.
fn module(signature: &str, line: &str, result: &str) -> String {
    format!(
        "module {{\n  func.func @main({signature}) -> {result} {{\n    {line}\n    return %0 : {result}\n  }}\n}}\n"
    )
}

#[test]
fn everything_on_a_real_device() {
    let Some(c) = client() else { return };
    let device = c.device(0).unwrap();
    let how = Compile::on(&device);

    let f = c.compile(&module("%a: tensor<3xf32>", "%0 = stablehlo.add %a, %a : tensor<3xf32>", "tensor<3xf32>"), &how);
    let f = f.unwrap();
    let x = Buffer::from_tensor(&device, &Tensor::new([3], vec![1f32, 2.0, 3.0]).unwrap()).unwrap();
    let mut y = f.execute(&[&x]).unwrap().remove(0);
    for _ in 0..9 {
        y = f.execute(&[&y]).unwrap().remove(0);
    }
    assert_eq!(y.to_tensor().unwrap().to_vec::<f32>().unwrap(), [1024.0, 2048.0, 3072.0]);

    for dtype in DType::ALL {
        for shape in [vec![], vec![0, 2], vec![2, 3, 4], vec![100_000]] {
            let element = |i: usize| Scalar::from_i64(dtype, i as i64 % 7 - 2).bits();
            let t = Tensor::from_bits(&Type::new(dtype, shape), element);
            let back = Buffer::from_tensor(&device, &t).unwrap().to_tensor().unwrap();
            assert!(back.same_bits(&t), "{}", t.ty());
        }
    }

    // A result that is not row-major where it is computed.
    let t = module(
        "%a: tensor<2x3xf32>",
        "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
        "tensor<3x2xf32>",
    );
    let x = Buffer::from_tensor(&device, &Tensor::new([2, 3], vec![1f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap()).unwrap();
    let r = c.compile(&t, &how).unwrap().execute(&[&x]).unwrap().remove(0);
    assert_eq!(r.to_tensor().unwrap().to_vec::<f32>().unwrap(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);

    let donating = module(
        "%a: tensor<4xi32> {tf.aliasing_output = 0 : i32}",
        "%0 = stablehlo.add %a, %a : tensor<4xi32>",
        "tensor<4xi32>",
    );
    let f = c.compile(&donating, &how).unwrap();
    let x = Buffer::from_tensor(&device, &Tensor::new([4], vec![1, 2, 3, 4]).unwrap()).unwrap();
    f.execute(&[&x]).unwrap();
    assert!(!x.is_deleted().unwrap());
    assert_eq!(x.to_tensor().unwrap().get(3), Scalar::I32(4));
    let r = f.execute_on_all(vec![vec![Input::Donated(x)]]).unwrap();
    assert_eq!(r[0][0].to_tensor().unwrap().to_vec::<i32>().unwrap(), [2, 4, 6, 8]);

    let e = c.compile("module { func.func @main() { stablehlo.nonsense } }", &how).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Compile, "{e}");
    eprintln!("{e}");
    let e = c.compile("not a module", &how).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Compile, "{e}");

    let huge = Tensor::splat([1 << 20], Scalar::F64(1.0));
    let big = module(
        "%a: tensor<1048576xf64>",
        "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<1048576xf64>) -> tensor<1048576x1048576xf64>",
        "tensor<1048576x1048576xf64>",
    );
    let x = Buffer::from_tensor(&device, &huge).unwrap();
    let e = c.compile(&big, &how).and_then(|f| f.execute(&[&x])).and_then(|r| r[0].wait()).unwrap_err();
    eprintln!("{e}");
    assert_eq!(e.kind(), ErrorKind::OutOfMemory, "{e}");
}
