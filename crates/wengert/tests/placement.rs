//! Where arrays are and staged functions run: on devices of the mock plugin.

use std::sync::LazyLock;
use wengert::{Array, DType, Device, ErrorKind, device, jit, with_device};
use wengert_testing::MockPlugin;

/// A plugin with two devices, loaded once.
fn mock(index: usize) -> Device {
    static DEVICES: LazyLock<[Device; 2]> = LazyLock::new(|| {
        let plugin = MockPlugin::new("devices=2");
        [0, 1].map(|i| Device::plugin(plugin.path(), i).unwrap())
    });
    DEVICES[index].clone()
}

#[test]
fn arrays_know_where_they_are() {
    let x = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
    assert_eq!(x.device(), Some("host"));
    let y = x.to_device(&mock(1)).unwrap();
    assert_eq!((y.device(), y.ty(), y.rank()), (Some("mock:1"), x.ty(), 2));
    assert_eq!(format!("{y:?}"), "Array<f32[2,2]> on mock:1");
    assert_eq!(y.to_string(), x.to_string());
    assert_eq!(y.to_vec::<f32>(), [1.0, 2.0, 3.0, 4.0]);
    let z = y.to_device(&mock(0)).unwrap();
    assert_eq!((z.device(), z.to_host().unwrap().device()), (Some("mock:0"), Some("host")));
    assert_eq!(z.to_tensor(), x.to_tensor());
    z.wait().unwrap();
    assert_eq!(z.to_device(&Device::cpu()).unwrap().device(), Some("host"));
}

#[test]
fn staged_functions_run_where_they_are_told() {
    let x = Array::from([1, 2, 3]);
    let f = jit(|x: Array| x);
    assert_eq!(f(x.clone()).device(), Some("host"));
    let y = with_device(&mock(0), || f(x.clone()));
    assert_eq!((y.device(), y.to_vec::<i32>()), (Some("mock:0"), vec![1, 2, 3]));
    assert_eq!(f(y.clone()).device(), Some("mock:0"), "where nothing is said, where the arguments are");
    assert_eq!(with_device(&mock(1), || f(y.clone())).device(), Some("mock:1"));
    assert_eq!(with_device(&Device::cpu(), || f(y.clone())).device(), Some("host"));
    assert_eq!((f.misses(), f.hits()), (1, 4), "traced once for all devices");
    let g = jit(|x: Array| x).device(&mock(1));
    assert_eq!(with_device(&mock(0), || g(y)).device(), Some("mock:1"));
}

#[test]
fn a_device_that_is_not_there() {
    let e = device("abacus").unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Device);
    assert!(e.to_string().contains("abacus") && e.to_string().contains("what to do"), "{e}");
    let e = Device::plugin("/nowhere.so", 0).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Plugin);
    assert!(device("cuda:one").unwrap_err().to_string().contains("number of a device"));
    mock(0);
    let plugin = MockPlugin::new("devices=1");
    assert!(Device::plugin(plugin.path(), 7).unwrap_err().message().contains("device 7"));
}

#[test]
fn every_element_type() {
    for dtype in DType::ALL {
        let x = Array::arange(0, 6, 1).to(dtype).reshape([2, 3]);
        let y = jit(|x: Array| x).device(&mock(0))(x.clone());
        assert_eq!(y.device(), Some("mock:0"));
        assert_eq!(y.to_tensor(), x.to_tensor().dense());
    }
}

/// What the test below runs in processes of its own.
#[test]
#[ignore = "`the_environment_chooses` runs it"]
fn under_an_environment() {
    println!("on {:?}", jit(|x: Array| x + 1)(Array::from([1, 2])).device());
}

#[test]
fn the_environment_chooses() {
    let plugin = MockPlugin::new("");
    let on = |name: &str| {
        let mut test = std::process::Command::new(std::env::current_exe().unwrap());
        test.args(["placement::under_an_environment", "--exact", "--ignored", "--nocapture"]);
        let output = test.env("WENGERT_BACKEND", name).env("WENGERT_XLA_PLUGIN", plugin.path()).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    for (name, device) in [("xla", "mock:0"), ("mock:0", "mock:0"), ("cpu", "host"), ("", "host")] {
        let text = on(name);
        assert!(text.contains(&format!("on Some({device:?})")), "{name}: {text}");
    }
    let text = on("abacus");
    assert!(text.contains("`abacus` was asked for") && text.contains("WENGERT_BACKEND asks for it"), "{text}");
}
