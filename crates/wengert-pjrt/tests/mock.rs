//! Everything the safe layer does, on a plugin in host memory that fails when asked to.

use std::path::Path;
use std::time::{Duration, Instant};
use wengert_core::{DType, ErrorKind, Result, Scalar, Tensor, Type};
use wengert_pjrt::{Buffer, Client, ClientOption, Compile, Event, Executable, Input, Plugin};
use wengert_testing::MockPlugin;

const IDENTITY: &str = "// mock: identity";

/// Runs a test with a plugin of these settings, and sees that everything it handed out came back.
fn with(settings: &str, test: impl FnOnce(&Client)) {
    let mock = MockPlugin::new(settings);
    test(&Client::open(&Plugin::load(mock.path()).unwrap(), &[]).unwrap());
    // Threads of the plugin may still hold events.
    let end = Instant::now() + Duration::from_secs(5);
    while mock.live() != 0 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(mock.live(), 0, "objects that were not given back");
}

fn send(client: &Client, t: &Tensor) -> Buffer {
    Buffer::from_tensor(&client.device(0).unwrap(), t).unwrap()
}

fn compile(client: &Client, text: &str) -> Executable {
    client.compile(text, &Compile::on(&client.device(0).unwrap())).unwrap()
}

/// What a load fails with.
fn refused(settings: &str) -> wengert_core::Error {
    let mock = MockPlugin::new(settings);
    let e = Plugin::load(mock.path()).map(|p| Client::open(&p, &[])).map_or_else(|e| e, |c| c.unwrap_err());
    assert_eq!(mock.live(), 0, "objects that were not given back");
    e
}

#[track_caller]
fn says<T: std::fmt::Debug>(result: Result<T>, kind: ErrorKind, words: &[&str]) {
    let e = result.unwrap_err();
    assert_eq!(e.kind(), kind, "{e}");
    for w in words {
        assert!(e.to_string().contains(w), "`{w}` is not in: {e}");
    }
}

#[test]
fn a_plugin_says_what_it_is() {
    with("devices=3", |c| {
        assert_eq!(c.plugin().version(), (0, 114));
        assert_eq!(c.plugin().attributes().unwrap(), [("made_for".to_string(), "tests".to_string())]);
        assert_eq!((c.platform(), c.platform_version()), ("mock", "host memory"));
        let d = c.devices();
        assert_eq!(d.iter().map(|d| d.id()).collect::<Vec<_>>(), [10, 11, 12]);
        assert_eq!((d[1].kind(), d[1].description()), ("Mock Device", "MockDevice(id=11)"));
        assert_eq!(d[2].to_string(), "mock:2");
        says(c.device(3), ErrorKind::Device, &["device 3", "has 3", "what to do"]);
    });
}

#[test]
fn every_element_type_goes_there_and_back() {
    with("", |c| {
        for dtype in DType::ALL {
            for shape in [vec![], vec![0], vec![3], vec![2, 0, 5], vec![2, 3, 4], vec![20_000]] {
                let ty = Type::new(dtype, shape.clone());
                let element = |i: usize| Scalar::from_i64(dtype, i as i64 % 7 - 2).bits();
                let dense = Tensor::from_bits(&Type::new(dtype, shape.clone()), element);
                let splat = Tensor::splat(shape, Scalar::from_i64(dtype, 3));
                for t in [dense, splat] {
                    let b = send(c, &t);
                    assert_eq!(*b.ty(), ty);
                    let back = b.to_tensor().unwrap();
                    assert!(back.same_bits(&t), "{ty}");
                    assert_eq!(back.ty(), ty);
                }
            }
        }
        assert_eq!(c.device(0).unwrap().memory().unwrap().used, 0);
    });
}

#[test]
fn programs_run_and_results_come_later() {
    with("", |c| {
        let x = Tensor::new([2, 2], vec![1f32, 2.0, 3.0, 4.0]).unwrap();
        let y = Tensor::new([3], vec![true, false, true]).unwrap();
        let f = compile(c, "// mock: identity\n// mock: results 2\n// mock: slow");
        assert_eq!(f.outputs(), 2);
        for _ in 0..3 {
            let start = Instant::now();
            let results = f.execute(&[&send(c, &x), &send(c, &y)]).unwrap();
            let event: Event = results[0].ready().unwrap();
            // Unless this thread had to wait itself.
            assert!(!event.is_ready().unwrap() || start.elapsed() > Duration::from_millis(30));
            event.wait().unwrap();
            assert!(event.is_ready().unwrap());
            assert_eq!(results[0].to_tensor().unwrap(), x);
            assert_eq!(results[1].to_tensor().unwrap(), y);
        }
    });
}

#[test]
fn several_devices() {
    with("devices=4", |c| {
        let devices = c.devices();
        let f = c.compile(IDENTITY, &Compile::replicated(&devices)).unwrap();
        assert_eq!(f.devices(), devices);
        let inputs: Vec<Buffer> =
            devices.iter().map(|d| Buffer::from_tensor(d, &Tensor::scalar(d.id())).unwrap()).collect();
        let results = f.execute_on_all(inputs.iter().map(|b| vec![Input::Kept(b)]).collect()).unwrap();
        for (d, r) in devices.iter().zip(&results) {
            assert_eq!(r[0].device(), *d);
            assert_eq!(r[0].to_tensor().unwrap().get(0), Scalar::I32(d.id()));
        }
        says(f.execute(&[&inputs[0]]), ErrorKind::Device, &["4 devices", "inputs for 1"]);
        says(f.execute_on_all(vec![vec![]]), ErrorKind::Device, &["4 devices", "1 lists"]);
        let second = c.compile(IDENTITY, &Compile::on(&devices[1])).unwrap();
        says(second.execute(&[&inputs[0]]), ErrorKind::Device, &["an input is on device 0"]);
        let moved = inputs[0].copy_to(&devices[1]).unwrap();
        assert_eq!(second.execute(&[&moved]).unwrap()[0].device(), devices[1]);
        let parts = c.compile(IDENTITY, &Compile::partitioned(&devices[..2])).unwrap();
        assert_eq!(parts.devices(), devices[..2]);
        says(c.compile(IDENTITY, &Compile::replicated(&[])), ErrorKind::Device, &["devices of the same client"]);
    });
}

#[test]
fn donated_inputs_are_gone_and_others_stay() {
    with("", |c| {
        let text =
            "func.func @main(%a: tensor<i32> {tf.aliasing_output = 0 : i32})\n// mock: donor 0\n// mock: results 1";
        let f = compile(c, text);
        let x = send(c, &Tensor::scalar(7));
        f.execute(&[&x]).unwrap();
        assert!(!x.is_deleted().unwrap(), "an input that was lent is there afterwards");
        let r = f.execute_on_all(vec![vec![Input::Donated(x)]]).unwrap();
        assert_eq!(r[0][0].to_tensor().unwrap().get(0), Scalar::I32(7));
    });
}

#[test]
fn options_reach_the_plugin() {
    let mock = MockPlugin::new("");
    let plugin = Plugin::load(mock.path()).unwrap();
    let c = Client::open(&plugin, &[("devices", ClientOption::parse("5"))]).unwrap();
    assert_eq!(c.devices().len(), 5);
    let unknown = Client::open(&plugin, &[("color", ClientOption::parse("red"))]);
    says(unknown, ErrorKind::Device, &["unknown option `color`", "what to do"]);
    drop(c);
    assert_eq!(mock.live(), 0);
    let list = ClientOption::parse_list("a=true, b=[0, 1],c=1.0,d=word,").unwrap();
    let value = |i: usize| (list[i].0.as_str(), list[i].1.clone());
    assert_eq!(value(0), ("a", ClientOption::Bool(true)));
    assert_eq!(value(1), ("b", ClientOption::Ints(vec![0, 1])));
    assert_eq!(value(2), ("c", ClientOption::Float(1.0)));
    assert_eq!(value(3), ("d", ClientOption::Text("word".into())));
    says(ClientOption::parse_list("preallocate"), ErrorKind::Plugin, &["`preallocate`", "what to do"]);
}

#[test]
fn a_missing_or_wrong_library() {
    says(Plugin::load("/nowhere/plugin.so"), ErrorKind::Plugin, &["no such file", "WENGERT_XLA_PLUGIN"]);
    // A name alone is one in the current folder, and what is wrong with it is that it is no library.
    let e = Plugin::load("Cargo.toml").unwrap_err();
    assert!(e.to_string().contains("Cargo.toml") && !e.to_string().contains("cannot open"), "{e}");
    let text = std::env::temp_dir().join(format!("wengert-not-a-library-{}.so", std::process::id()));
    std::fs::write(&text, "not a library").unwrap();
    says(Plugin::load(&text), ErrorKind::Plugin, &["can't be loaded", "what to do"]);
    std::fs::remove_file(text).unwrap();
    if Path::new("/lib/x86_64-linux-gnu/libm.so.6").exists() {
        let e = Plugin::load("/lib/x86_64-linux-gnu/libm.so.6");
        says(e, ErrorKind::Plugin, &["not a PJRT plugin", "GetPjrtApi", "what to do"]);
    }
}

#[test]
fn older_and_newer_plugins() {
    let old = refused("minor=40");
    assert_eq!(old.kind(), ErrorKind::Plugin);
    assert!(old.to_string().contains("0.40") && old.to_string().contains("newer version of the plugin"), "{old}");
    let next = refused("major=1 minor=0");
    assert!(next.to_string().contains("1.0") && next.to_string().contains("newer version of Wengert"), "{next}");
    // A table that ends early is that of an older plugin: what it lacks is an error when it is used, and not before.
    with("minor=57 slots=69", |c| {
        let b = send(c, &Tensor::scalar(1f32));
        says(b.to_tensor(), ErrorKind::Plugin, &["no `PJRT_Buffer_ToHostBuffer`", "PJRT 0.57", "what to do"]);
    });
    // A newer one wants larger structs, and has more entries.
    with("minor=130 grown=8", |c| {
        let f = compile(c, IDENTITY);
        let r = f.execute(&[&send(c, &Tensor::scalar(5i64))]).unwrap();
        assert_eq!(r[0].to_tensor().unwrap().get(0), Scalar::I64(5));
    });
    let far = refused("minor=900 grown=9");
    assert!(far.message().contains("has") && far.message().contains("bytes"), "{far}");
}

#[test]
fn entries_that_are_not_there() {
    let e = refused("missing=PJRT_Client_Create");
    assert_eq!(e.kind(), ErrorKind::Plugin);
    assert!(e.message().contains("no `PJRT_Client_Create`"), "{e}");
    with("missing=PJRT_Event_OnReady missing=PJRT_Device_MemoryStats", |c| {
        // The end of a transfer is then waited for.
        let t = Tensor::new([100_000], vec![1f64; 100_000]).unwrap();
        assert_eq!(send(c, &t).to_tensor().unwrap(), t);
        says(c.device(0).unwrap().memory(), ErrorKind::Plugin, &["no `PJRT_Device_MemoryStats`"]);
    });
}

#[test]
fn a_program_that_is_refused() {
    with("", |c| {
        let e = c.compile("// mock: refuse line 3: no such op", &Compile::on(&c.device(0).unwrap()));
        says(e, ErrorKind::Compile, &["compiler of `mock`", "line 3: no such op", "what to do"]);
    });
}

#[test]
fn a_device_without_memory() {
    with("memory=64", |c| {
        let d = c.device(0).unwrap();
        let x = send(c, &Tensor::new([10], vec![0f32; 10]).unwrap());
        let e = Buffer::from_tensor(&d, &Tensor::new([10], vec![0f32; 10]).unwrap());
        says(e, ErrorKind::OutOfMemory, &["f32[10]", "mock:0", "40 bytes", "what to do"]);
        says(compile(c, IDENTITY).execute(&[&x]), ErrorKind::OutOfMemory, &["running the program", "what to do"]);
        let memory = d.memory().unwrap();
        assert_eq!((memory.used, memory.peak, memory.limit), (40, None, Some(64)));
    });
}

#[test]
fn work_that_fails() {
    with("", |c| {
        let x = send(c, &Tensor::scalar(1f32));
        let e = compile(c, "// mock: run-error").execute(&[&x]);
        says(e, ErrorKind::Device, &["running the program", "told to fail"]);
        let r = compile(c, "// mock: event-error").execute(&[&x]).unwrap();
        says(r[0].wait(), ErrorKind::Device, &["the results were told to fail"]);
        says(r[0].to_tensor(), ErrorKind::Device, &["f32[] can't be read from mock:0", "told to fail"]);
    });
    let failing = refused("failing=PJRT_Plugin_Initialize");
    assert!(failing.message().contains("does not start"), "{failing}");
    for entry in ["PJRT_Client_AddressableDevices", "PJRT_DeviceDescription_Kind", "PJRT_Client_PlatformName"] {
        let e = refused(&format!("failing={entry}"));
        assert!(e.message().contains(entry), "{e}");
    }
    assert!(refused("devices=0").message().contains("sees no device"));
    with("failing=PJRT_Executable_NumOutputs failing=PJRT_Buffer_CopyToDevice", |c| {
        let e = c.compile(IDENTITY, &Compile::on(&c.device(0).unwrap()));
        says(e, ErrorKind::Device, &["PJRT_Executable_NumOutputs was told to fail"]);
    });
    with("failing=PJRT_Buffer_ElementType", |c| {
        let f = compile(c, "// mock: identity\n// mock: results 2");
        let x = send(c, &Tensor::scalar(1f32));
        says(f.execute(&[&x, &x]), ErrorKind::Device, &["the type of a result can't be read"]);
    });
}

/// Nothing of one client's goes to another's plugin.
#[test]
fn two_clients_do_not_mix() {
    with("", |a| {
        with("", |b| {
            let x = send(a, &Tensor::scalar(1f32));
            says(x.copy_to(&b.device(0).unwrap()), ErrorKind::Device, &["another client's", "what to do"]);
            let f = compile(b, IDENTITY);
            says(f.execute(&[&x]), ErrorKind::Device, &["its own client"]);
            says(f.execute_on_all(vec![vec![Input::Donated(x)]]), ErrorKind::Device, &["its own client"]);
        });
    });
}

/// What can't be asked whether it is ready is waited for; only where that fails too is it an error.
#[test]
fn events_that_fail() {
    let x = Tensor::new([1 << 16], vec![1f32; 1 << 16]).unwrap();
    with("failing=PJRT_Event_IsReady", |c| assert_eq!(send(c, &x).to_tensor().unwrap(), x));
    with("failing=PJRT_Event_Await", |c| {
        says(send(c, &x).to_tensor(), ErrorKind::Device, &["can't be read from mock:0", "PJRT_Event_Await"]);
    });
}

#[test]
fn threads_share_everything() {
    with("devices=2", |c| {
        let f = compile(c, IDENTITY);
        std::thread::scope(|s| {
            for i in 0..4 {
                let f = &f;
                s.spawn(move || {
                    for j in 0..50 {
                        let r = f.execute(&[&send(c, &Tensor::scalar(i * 100 + j))]).unwrap();
                        assert_eq!(r[0].to_tensor().unwrap().get(0), Scalar::I32(i * 100 + j));
                    }
                });
            }
        });
    });
}
