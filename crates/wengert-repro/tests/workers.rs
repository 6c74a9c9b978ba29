//! Tests in processes apart: those that die, hang, or fail by chance.
#![cfg(unix)]

use crate::python::{COS, SIN, case, has_python, worker};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use wengert_repro::{Sign, Test, WorkerPool, WorkerTest};

fn limit() -> Duration {
    Duration::from_secs(20)
}

#[test]
fn e6_a_process_that_dies_is_a_crash_of_its_own_kind() {
    if !has_python() {
        return;
    }
    let each = "    if 'sin(' in case: os.kill(os.getpid(), signal.SIGSEGV)\n    if 'cos(' in case: os.abort()";
    let mut test = WorkerTest::new(worker(each), Sign::Death, limit());
    let learned = test.learn(&case(SIN), None).unwrap();
    assert!(learned.signature.contains("11"), "{}", learned.signature);
    // Another death is another failure, and no death is none.
    assert!(test.is_interesting(&case(SIN)).unwrap());
    assert!(!test.is_interesting(&case(COS)).unwrap());
    assert!(!test.is_interesting(&case(&SIN.replace("sin", "tan"))).unwrap());
    assert!(test.is_interesting(&case(SIN)).unwrap());
}

#[test]
fn e6_a_candidate_that_hangs_is_ended() {
    if !has_python() {
        return;
    }
    let each = "    if 'cos(' in case: time.sleep(1000)\n    answer = b'+wrong'";
    let mut test = WorkerTest::new(worker(each), Sign::Answer, Duration::from_secs(60));
    test.learn(&case(SIN), Some(1)).unwrap();
    let start = Instant::now();
    assert!(!test.is_interesting(&case(COS)).unwrap());
    // Much less than the limit: the first one took no time.
    assert!(start.elapsed() < Duration::from_secs(30));
    assert!(test.is_interesting(&case(SIN)).unwrap());
}

#[test]
fn e6_a_failure_by_chance_is_looked_for_often_enough() {
    if !has_python() {
        return;
    }
    // Fails in one of five runs, in turn.
    let counter: PathBuf = std::env::temp_dir().join(format!("wengert-chance-{}", std::process::id()));
    let each = format!(
        "    n = int(open({0:?}).read() or 0) + 1 if os.path.exists({0:?}) else 1\n    open({0:?}, 'w').write(str(n))\n    \
         answer = b'+wrong' if 'sin(' in case and n % 5 == 0 else b'-'",
        counter.to_str().unwrap()
    );
    let mut test = WorkerTest::new(worker(&each), Sign::Answer, limit());
    let learned = test.learn(&case(SIN), Some(20)).unwrap();
    assert_eq!((learned.failed, learned.tries, learned.times), (4, 20, 20));
    for _ in 0..5 {
        assert!(test.is_interesting(&case(SIN)).unwrap());
        assert!(!test.is_interesting(&case(COS)).unwrap());
    }
    let _ = std::fs::remove_file(counter);
}

/// One that fails at once is looked at again later: by then it may be small.
#[test]
fn e6_a_failure_by_chance_is_found_out_on_the_way() {
    if !has_python() {
        return;
    }
    // Each process fails at first, and then in one of so many runs.
    let each = |of: usize| {
        format!(
            "    n = globals().get('n', -1) + ('sin(' in case)\n    answer = b'+wrong' if 'sin(' in case and n % {of} == 0 else b'-'"
        )
    };
    let twice = case("program (x: f32[]) { y: f32[] = sin(x) z: f32[] = sin(y) return z }");
    let mut test = WorkerTest::new(worker(&each(5)), Sign::Answer, limit());
    let learned = test.learn(&case(SIN), None).unwrap();
    assert_eq!((learned.failed, learned.tries, learned.times), (1, 1, 1));
    assert!(test.learned().is_none() && !test.is_interesting(&twice).unwrap());
    assert!(test.confirm(&case(SIN)).unwrap());
    let learned = test.learned().unwrap();
    assert_eq!((learned.failed, learned.tries, learned.times), (6, 25, 13));
    assert!(test.is_interesting(&twice).unwrap() && !test.is_interesting(&case(COS)).unwrap());
    assert!(!test.confirm(&twice).unwrap(), "once is enough");
    // Where all runs fail, each candidate is run once.
    let mut pool = WorkerPool::new(WorkerTest::new(worker(&each(1)), Sign::Answer, limit()), 2, || worker(&each(1)));
    pool.learn(&case(SIN), None).unwrap();
    assert!(!pool.confirm(&twice).unwrap());
    let learned = pool.test().learned().unwrap();
    assert_eq!((learned.failed, learned.tries, learned.times), (3, 3, 1));
}

#[test]
fn e6_a_worker_that_is_not_there_is_an_error() {
    let mut test = WorkerTest::new(|| Command::new("/not/there"), Sign::Answer, limit());
    let e = test.learn(&case(SIN), None).unwrap_err();
    assert!(e.to_string().contains("can't be started"), "{e}");
}

/// The first case takes little, and so a candidate may not take much: it ends its own process, and no other.
#[cfg(target_os = "linux")]
#[test]
fn e6_a_candidate_that_eats_memory_ends_itself_alone() {
    if !has_python() {
        return;
    }
    let each = "    if 'cos(' in case: kept = mmap.mmap(-1, 1 << 30)\n    answer = b'+wrong'";
    let test = |more: u64| {
        let mut test = WorkerTest::new(worker(each), Sign::Answer, limit()).with_more_memory(more);
        test.learn(&case(SIN), Some(1)).unwrap();
        let eats = test.is_interesting(&case(COS)).unwrap();
        assert!(test.is_interesting(&case(&SIN.replace("sin", "tan"))).unwrap());
        // Another process of the same kind has the same limit.
        assert_eq!(test.by(worker(each)).is_interesting(&case(COS)).unwrap(), eats);
        eats
    };
    assert!(!test(64 << 20));
    assert!(test(2 << 30));
}

/// A candidate that starts processes and hangs is ended with all of them.
#[cfg(target_os = "linux")]
#[test]
fn e6_what_a_candidate_starts_ends_with_it() {
    if !has_python() {
        return;
    }
    let file: PathBuf = std::env::temp_dir().join(format!("wengert-started-{}", std::process::id()));
    let each = format!(
        "    answer = b'+wrong'\n    if 'cos(' in case:\n        n = os.fork()\n        if n: open({:?}, 'w').write(str(n))\n        \
         time.sleep(1000)",
        file.to_str().unwrap()
    );
    let mut test = WorkerTest::new(worker(&each), Sign::Answer, limit());
    test.learn(&case(SIN), Some(1)).unwrap();
    assert!(!test.is_interesting(&case(COS)).unwrap());
    let started = std::fs::read_to_string(&file).unwrap();
    let is_there = || {
        let stat = std::fs::read_to_string(format!("/proc/{started}/stat")).unwrap_or_default();
        stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
    };
    let start = Instant::now();
    while is_there() && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!is_there(), "process {started} is left");
    let _ = std::fs::remove_file(file);
}
