//! `wengert reduce` and `wengert diff` killed at any time, in any of their processes: nothing that they started goes on.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str =
    "program (x: f32[2]) { a: f32[2] = sin(x) b: f32[2] = sub(a, 2.0:f32[2]) c: f32[2] = log(b) return c }";

/// A folder, and the processes that have its path in their environment.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("wengert-killed-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("p.wg"), PROGRAM).unwrap();
        Folder(folder)
    }

    /// A file that can be executed.
    fn executable(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    /// The command in a group of its own.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wengert"));
        command.current_dir(&self.0).args(args).env("WENGERT_KILLED", &self.0).process_group(0);
        command
    }

    fn start(&self, args: &[&str]) -> Child {
        let said = std::fs::File::create(self.0.join("said")).unwrap();
        self.command(args).stdout(Stdio::null()).stderr(said).spawn().unwrap()
    }

    /// What a command that was started has written on its standard error.
    fn said(&self) -> String {
        std::fs::read_to_string(self.0.join("said")).unwrap()
    }

    /// What each process was called as that has the folder in its environment, and has not ended.
    fn running(&self) -> Vec<String> {
        let of_folder = format!("WENGERT_KILLED={}\0", self.0.display());
        let all = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|process| {
            let read = |file: &str| std::fs::read(process.path().join(file)).unwrap_or_default();
            let has_folder = read("environ").windows(of_folder.len()).any(|w| w == of_folder.as_bytes());
            has_folder.then(|| String::from_utf8_lossy(&read("cmdline")).replace('\0', " "))
        });
        all.filter(|command| !command.is_empty()).collect()
    }

    /// Waits until so many processes were called as this.
    fn wait_for(&self, command: &str, count: usize) {
        let start = Instant::now();
        while self.running().iter().filter(|c| c.starts_with(command)).count() < count {
            assert!(start.elapsed().as_secs() < 30, "{:?} {}", self.running(), self.said());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn assert_nothing_is_left(&self, how: &str) {
        let start = Instant::now();
        while !self.running().is_empty() {
            assert!(start.elapsed().as_secs() < 10, "{how}: {:?}", self.running());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The one child of a process.
fn child_of(process: u32) -> u32 {
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap();
    children.trim().parse().unwrap_or_else(|_| panic!("children of {process}: {children}"))
}

/// Kills a command's group or one of its processes: the first, the one below, or the one that works.
fn kill(process: u32, which: usize) -> String {
    let whom = match which % 4 {
        0 => process.to_string(),
        1 => format!("-{process}"),
        2 => child_of(process).to_string(),
        _ => child_of(child_of(process)).to_string(),
    };
    assert!(Command::new("kill").args(["-KILL", "--", &whom]).status().unwrap().success());
    format!("{whom} of {process}")
}

#[test]
fn e6_a_killed_reduction_leaves_no_script() {
    let f = Folder::new("script");
    // Some end while what they started runs on, and what hangs has left its group.
    let script = f.executable(
        "test.sh",
        "#!/bin/sh\ngrep -q log $1 || exit 1\nsleep 1001 & (setsid sleep 1002 &)\n[ -e $WENGERT_KILLED/hang ] || exec sleep 0.05\nsleep 1003 | setsid sleep 1004\n",
    );
    for i in 0..20 {
        let hangs = f.0.join("hang");
        let _ = std::fs::remove_file(&hangs);
        if i % 3 > 0 {
            std::fs::write(&hangs, "").unwrap();
        }
        let args = ["reduce", "p.wg", "--ones", "--out-dir", "out", "--times", "1000", "-j2", "--script", &script];
        let mut child = f.start(&args);
        f.wait_for("sleep 100", if i % 3 > 0 { 4 } else { 1 });
        let how = kill(child.id(), i);
        assert!(!child.wait().unwrap().success());
        f.assert_nothing_is_left(&how);
    }
    // Nor is the folder another's.
    let _ = std::fs::remove_file(f.0.join("hang"));
    let mut child = f.start(&["reduce", "p.wg", "--ones", "--out-dir", "out", "--script", &script]);
    assert!(child.wait().unwrap().success());
    f.assert_nothing_is_left("it ended");
}

#[test]
fn e6_a_killed_reduction_leaves_no_worker() {
    let f = Folder::new("worker");
    for i in 0..4 {
        let mut child = f.start(&["reduce", "p.wg", "--ones", "--out-dir", "out", "--times", "1000000", "--nan"]);
        let worker = format!("{} reduce-worker", env!("CARGO_BIN_EXE_wengert"));
        f.wait_for(&worker, 1);
        let how = kill(child.id(), i);
        child.wait().unwrap();
        // The next may begin at once: it waits for what is still ending.
        let again = f.command(&["reduce", "p.wg", "--ones", "--out-dir", "out", "--nan"]).output().unwrap();
        assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
        f.assert_nothing_is_left(&how);
    }
}

/// An interrupt of the group reaches the process that works twice, by itself and forwarded: that is one wish.
#[test]
fn e6_an_interrupt_of_the_group_leaves_a_report() {
    let f = Folder::new("interrupt");
    let script = f.executable("test.sh", "#!/bin/sh\ngrep -q log $1 && sleep 0.05\n");
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let out = format!("out-{signal}");
        let mut child = f.start(&["reduce", "p.wg", "--ones", "--out-dir", &out, "--times", "20", "--script", &script]);
        f.wait_for("sleep 0.05", 1);
        // How the program fails is learned first.
        while !f.0.join(&out).join("reduced.wg").exists() {
            assert!(child.try_wait().unwrap().is_none(), "{}", f.said());
            std::thread::sleep(Duration::from_millis(5));
        }
        Command::new("kill").args(["-s", signal, "--", &format!("-{}", child.id())]).status().unwrap();
        assert!(child.wait().unwrap().code() == Some(code) && f.said().contains("`--resume` goes on"), "{}", f.said());
        assert!(f.0.join(&out).join("report.txt").exists());
        f.assert_nothing_is_left(signal);
    }
}

/// An interpreter that starts processes: what they are left by has ended, is ended, or hangs.
#[test]
fn d5_diff_leaves_nothing_of_what_jax_started() {
    let f = Folder::new("diff");
    let starts = "#!/bin/sh\n(setsid sleep 1001 > /dev/null 2>&1 &)\nsleep 1002 > /dev/null 2>&1 &\n";
    let (ends, hangs) = (f.executable("ends", starts), f.executable("hangs", &format!("{starts}sleep 1003\n")));
    let args = |python| ["diff", "p.wg", "--ones", "--backends", "eval,jax", "--timeout", "60", "--python", python];
    let o = f.command(&args(&ends)).output().unwrap();
    let said = String::from_utf8_lossy(&o.stderr);
    assert!(o.status.code() == Some(2) && said.contains("ended before it was ready"), "{said}");
    f.assert_nothing_is_left("it ended");
    for i in 0..8 {
        let mut child = f.start(&args(&hangs));
        f.wait_for("sleep 100", 3);
        let how = kill(child.id(), i);
        assert!(!child.wait().unwrap().success());
        f.assert_nothing_is_left(&how);
    }
    // What somebody else asks for ends it as it would without those above it. (Other signals are ignored where tests run in the background.)
    let mut child = f.start(&args(&hangs));
    f.wait_for("sleep 100", 3);
    Command::new("kill").args(["-s", "TERM", &child.id().to_string()]).status().unwrap();
    let status = child.wait().unwrap();
    assert!(status.to_string().contains("SIGTERM"), "{status}");
    f.assert_nothing_is_left("SIGTERM");
}
