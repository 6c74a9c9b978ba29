//! Programs: StableHLO text, run by the CPU backend; or, where it has lines `// mock: WORDS`, what they say.
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
use wengert_core::bytes::from_bytes;
use wengert_core::{DType, Program, Shape, Tensor};

/// A compiled program.
pub struct Executable {
    pub devices: Vec<*mut ffi::Device>,
    pub outputs: usize,
    /// The program, if the text is one; otherwise results are inputs.
    program: Option<Program>,
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
            program: None,
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
        if !text.contains("// mock: ") {
            let program = wengert_stablehlo::parse(text).map_err(|e| Fault(3, e.to_string()))?;
            made.donors = donors(text);
            made.outputs = program.outputs().len();
            made.program = Some(program);
        }
        Ok(made)
    }

    /// Marks the inputs that were donated, and not kept, as gone.
    fn take(&self, inputs: &[&Buffer], kept: &[i64]) {
        for &i in self.donors.iter().filter(|&&i| !kept.contains(&(i as i64))) {
            inputs[i].deleted.store(true, Ordering::SeqCst);
        }
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
        if let Some(program) = &self.program {
            let values: Vec<Tensor> = arrays.iter().map(tensor).collect::<Answer<_>>()?;
            if values.iter().map(Tensor::ty).collect::<Vec<_>>() != program.input_types() {
                return Err(Fault(3, "inputs of other types than the program takes".into()));
            }
            let results = wengert_eval::run(program, values).map_err(|e| Fault(13, e.to_string()))?;
            self.take(inputs, kept);
            return Ok(results.iter().map(array).collect());
        }
        if arrays.len() < self.outputs {
            return Err(Fault(3, format!("{} inputs were given for {} results", arrays.len(), self.outputs)));
        }
        self.take(inputs, kept);
        let ready = match (self.event_error, self.slow) {
            (true, _) => Promise::later(Err(Fault(13, "the results were told to fail".into())), DELAY),
            (_, true) => Promise::later(Ok(()), DELAY),
            _ => Promise::kept(Ok(())),
        };
        Ok(arrays.into_iter().take(self.outputs).map(|a| Array { ready: ready.clone(), ..a }).collect())
    }
}

/// The inputs of `main` whose memory results may take.
fn donors(text: &str) -> Vec<usize> {
    let main = text.lines().find(|l| l.contains("@main(")).unwrap_or_default();
    let arguments = main.split("%arg").skip(1).enumerate();
    arguments.filter(|(_, a)| a.contains("tf.aliasing_output")).map(|(i, _)| i).collect()
}

fn tensor(a: &Array) -> Answer<Tensor> {
    let shape: Shape = a.dims.iter().map(|&d| d as usize).collect();
    from_bytes(dtype(a.element)?, shape, &a.bytes, cfg!(target_endian = "big")).map_err(|e| Fault(3, e.to_string()))
}

fn array(t: &Tensor) -> Array {
    let t = t.dense();
    let bytes = t.raw();
    let element = TYPES.iter().position(|&d| d == t.dtype()).expect("listed") as c_int + 1;
    let dims = t.shape().iter().map(|&d| d as i64).collect();
    Array { element, dims, bytes: bytes.into(), ready: Promise::kept(Ok(())) }
}

const DELAY: Duration = Duration::from_millis(30);

/// Bytes of an element of PJRT's type with this number.
pub fn width(element: c_int) -> Answer<usize> {
    dtype(element).map(DType::size)
}

/// The element types in the order of PJRT's numbers, which start at 1.
const TYPES: [DType; 15] = {
    use DType::*;
    [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64, BF16, C64, C128]
};

fn dtype(element: c_int) -> Answer<DType> {
    let index = usize::try_from(element - 1).unwrap_or(usize::MAX);
    TYPES.get(index).copied().ok_or_else(|| Fault(3, format!("unknown element type {element}")))
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
