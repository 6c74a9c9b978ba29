//! What candidates leave behind that have died. It is a process of its own: whatever else it starts is ended.
#![cfg(target_os = "linux")]

mod python;

use python::{COS, SIN, case, has_python, worker};
use std::path::Path;
use std::time::{Duration, Instant};
use wengert_repro::{Sign, Test, WorkerTest, end_what_is_left};

/// A candidate that starts a process in a session of its own, which holds its pipe, and dies: a crash at once, and nothing is left.
#[test]
fn e6_a_candidate_that_forks_and_dies_leaves_nothing() {
    if !has_python() {
        return;
    }
    let file = std::env::temp_dir().join(format!("wengert-left-{}", std::process::id()));
    let each = format!(
        "    if 'sin(' in case:
        if os.fork() == 0:
            os.setsid()
            open({:?}, 'a').write(f'{{os.getpid()}}\\n')
            time.sleep(1000)
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGSEGV)",
        file.to_str().unwrap()
    );
    end_what_is_left();
    let mut test = WorkerTest::new(worker(&each), Sign::Death, Duration::from_secs(30));
    let start = Instant::now();
    let learned = test.learn(&case(SIN), Some(3)).unwrap();
    assert!(learned.signature.contains("11") && learned.failed == 3, "{learned:?}");
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(!test.is_interesting(&case(COS)).unwrap());
    let started = std::fs::read_to_string(&file).unwrap();
    let left: Vec<&str> = started.lines().filter(|id| Path::new(&format!("/proc/{id}")).exists()).collect();
    assert!(started.lines().count() == 3 && left.is_empty(), "{left:?} are left");
    let _ = std::fs::remove_file(file);
}
