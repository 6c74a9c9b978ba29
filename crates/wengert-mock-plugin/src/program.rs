//! Programs: what a line `// mock: WORDS` in the text says.
//!
//! | words | what happens |
//! |---|---|
//! | `identity` | the results are the inputs |
//! | `slow` | results are ready a while later |
//! | `refuse WORDS` | compiling fails with these words |
//! | `event-error` | running starts, and then the results fail |
//! | `run-error` | running fails at once |
//! | `results N` | how many results there are (one, if nothing is said) |
//! | `donor N` | results may take the memory of this input |

use crate::ffi;
use crate::objects::{Answer, Array, Buffer, Fault, Promise};
use std::ffi::c_int;
use std::sync::atomic::Ordering;
use std::time::Duration;
use wengert_core::DType;

/// A compiled program.
pub struct Executable {
    pub devices: Vec<*mut ffi::Device>,
    pub outputs: usize,
    slow: bool,
    event_error: bool,
    run_error: bool,
    donors: Vec<usize>,
}

impl Executable {
    /// Compiles for the devices that the options name.
    pub fn compile(text: &str, options: &[u8], devices: &[*mut ffi::Device]) -> Answer<Executable> {
        let ids = assigned(options).ok_or_else(|| Fault(3, "the options are not CompileOptionsProto".into()))?;
        let find = |id: i64| {
            let index = (0..devices.len()).find(|&i| i64::from(crate::id(i)) == id);
            index.map(|i| devices[i]).ok_or_else(|| Fault(3, format!("there is no device with id {id}")))
        };
        let mut made = Executable {
            devices: ids.into_iter().map(find).collect::<Answer<_>>()?,
            outputs: 1,
            slow: false,
            event_error: false,
            run_error: false,
            donors: Vec::new(),
        };
        let lines = text.lines().filter_map(|l| l.trim().strip_prefix("// mock: "));
        for line in lines {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let number = || rest.parse().map_err(|_| Fault(3, format!("not a number: `{rest}`")));
            match word {
                "identity" => {}
                "slow" => made.slow = true,
                "event-error" => made.event_error = true,
                "run-error" => made.run_error = true,
                "results" => made.outputs = number()?,
                "donor" => made.donors.push(number()?),
                "refuse" => return Err(Fault(3, rest.into())),
                _ => return Err(Fault(3, format!("unknown words `{line}`"))),
            }
        }
        Ok(made)
    }

    /// Runs on one device.
    pub fn run(&self, inputs: &[&Buffer], device: usize, kept: &[i64]) -> Answer<Vec<Array>> {
        if self.run_error {
            return Err(Fault(13, "the program was told to fail".into()));
        }
        if let Some(b) = inputs.iter().find(|b| b.device != device) {
            return Err(Fault(3, format!("an input is on device {}, and not on {device}", b.device)));
        }
        let arrays: Vec<Array> = inputs.iter().map(|b| b.array().cloned()).collect::<Answer<_>>()?;
        if arrays.len() < self.outputs {
            return Err(Fault(3, format!("{} inputs were given for {} results", arrays.len(), self.outputs)));
        }
        for &i in self.donors.iter().filter(|&&i| !kept.contains(&(i as i64))) {
            inputs[i].deleted.store(true, Ordering::SeqCst);
        }
        let ready = match (self.event_error, self.slow) {
            (true, _) => Promise::later(Err(Fault(13, "the results were told to fail".into())), DELAY),
            (_, true) => Promise::later(Ok(()), DELAY),
            _ => Promise::kept(Ok(())),
        };
        Ok(arrays.into_iter().take(self.outputs).map(|a| Array { ready: ready.clone(), ..a }).collect())
    }
}

const DELAY: Duration = Duration::from_millis(30);

/// Bytes of an element of PJRT's type with this number.
pub fn width(element: c_int) -> Answer<usize> {
    dtype(element).map(DType::size)
}

/// The element type of a number of PJRT's.
pub fn dtype(element: c_int) -> Answer<DType> {
    use DType::*;
    let all = [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64, BF16, C64, C128];
    let index = usize::try_from(element - 1).unwrap_or(usize::MAX);
    all.get(index).copied().ok_or_else(|| Fault(3, format!("unknown element type {element}")))
}

/// The ids of the devices, from a serialized `CompileOptionsProto`.
fn assigned(options: &[u8]) -> Option<Vec<i64>> {
    let build = field(options, 3)?;
    let assignment = field(build, 9)?;
    let mut ids = Vec::new();
    for (number, content) in fields(assignment)? {
        if let (3, Some(computation)) = (number, content) {
            let mut packed = field(computation, 1)?;
            while !packed.is_empty() {
                ids.push(varint(&mut packed)? as i64);
            }
        }
    }
    Some(ids)
}

fn field(message: &[u8], number: u64) -> Option<&[u8]> {
    fields(message)?.into_iter().find(|f| f.0 == number)?.1
}

/// The number of a field, and its bytes if it has some.
type Field<'a> = (u64, Option<&'a [u8]>);

/// The fields of a message.
fn fields(mut message: &[u8]) -> Option<Vec<Field<'_>>> {
    let mut found = Vec::new();
    while !message.is_empty() {
        let key = varint(&mut message)?;
        let content = match key & 7 {
            0 => varint(&mut message).map(|_| None)?,
            2 => {
                let size = varint(&mut message)? as usize;
                let (content, rest) = message.split_at_checked(size)?;
                message = rest;
                Some(content)
            }
            _ => return None,
        };
        found.push((key >> 3, content));
    }
    Some(found)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut x = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        x |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(x);
        }
    }
    None
}
