//! A script of the user's as the test: it is given the program's file, and ends with 0 where the case is interesting.

use crate::case::Case;
use crate::files::save;
use crate::reduce::Test;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wengert_core::{Error, ErrorKind, Result};

/// A command of the shell that is run in a folder of its own, with the program as `$1` and its inputs as `$2`.
pub struct ScriptTest {
    command: String,
    folder: PathBuf,
    limit: Duration,
}

impl ScriptTest {
    /// A test by this command, whose files lie in a folder that is there.
    pub fn new(command: &str, folder: PathBuf, limit: Duration) -> ScriptTest {
        ScriptTest { command: command.into(), folder, limit }
    }
}

impl Test for ScriptTest {
    fn is_interesting(&mut self, case: &Case) -> Result<bool> {
        let no = |e: std::io::Error| Error::new(ErrorKind::Run, format!("the script can't be run: {e}"));
        // The script runs in the folder, wherever this process is.
        let folder = self.folder.canonicalize().map_err(no)?;
        let files = save(case, &folder, "candidate")?;
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{} \"$@\"", self.command)).arg("sh").args(&files).current_dir(&folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(no)?;
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = child.try_wait().map_err(no)? {
                return match status.code() {
                    Some(126 | 127) => {
                        let m = format!("the script `{}` is not there, or can't be executed", self.command);
                        Err(Error::new(ErrorKind::Run, m))
                    }
                    code => Ok(code == Some(0)),
                };
            }
            if start.elapsed() > self.limit {
                end_group(&mut child);
                return Ok(false);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

/// Ends a process and all that it started.
fn end_group(child: &mut std::process::Child) {
    #[cfg(unix)]
    {
        // SAFETY: the group was made for this child, which was not waited for, so that its number is its own.
        unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
    }
    let _ = child.kill();
    let _ = child.wait();
}
