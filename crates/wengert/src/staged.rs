//! A program that a staged function became: simplified, compiled for the devices that run it, and called.

use crate::array::Array;
use crate::device::{self, Device};
use crate::dispatch::{StagedCall, call_op, call_staged};
use crate::jit::simplify;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use wengert_core::run::{self, Executable, Value};
use wengert_core::{Op, Place, Program, Result};
use wengert_tape::record::TracedBody;

pub(crate) struct StagedProgram {
    /// As traced.
    pub(crate) traced: Arc<Program>,
    /// As it runs.
    pub(crate) program: Arc<Program>,
    /// A call of that program.
    op: Op,
    /// A call of the program as the CPU runs it, for tapes.
    recorded: OnceLock<Op>,
    /// For each input whether results may take its memory; empty if for none.
    donated: Vec<bool>,
    /// Compiled, for each device that has run it.
    executables: RwLock<Vec<(Device, Arc<dyn Executable>)>>,
    /// What the function did while it was traced: a call that finds its program shows this.
    body: Option<Arc<TracedBody>>,
}

impl StagedProgram {
    pub(crate) fn new(traced: Arc<Program>, donated: Vec<bool>, body: Option<Arc<TracedBody>>) -> StagedProgram {
        let program = Arc::new(simplify(&traced));
        let op = call_op(&program);
        StagedProgram { traced, program, op, recorded: OnceLock::new(), donated, executables: RwLock::default(), body }
    }

    /// The program, compiled for a device.
    fn executable(&self, device: &Device) -> Result<Arc<dyn Executable>> {
        let find = |kept: &[(Device, Arc<dyn Executable>)]| kept.iter().find(|e| e.0.is(device)).map(|e| e.1.clone());
        if let Some(e) = find(&self.executables.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(e);
        }
        // Other threads wait instead of compiling the same.
        let mut kept = self.executables.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(e) = find(&kept) {
            return Ok(e);
        }
        let made = run::Device::compile(device, self.program.clone(), &self.donated)?;
        kept.push((device.clone(), made.clone()));
        Ok(made)
    }

    /// Calls it on arrays that are given away, on this device or on that of the arrays; `name` is what a tape calls it.
    pub(crate) fn call(&self, name: &str, device: Option<&Device>, x: Vec<Array>, place: &Place) -> Result<Vec<Array>> {
        let compile = |x: &[Value]| match device {
            Some(device) => self.executable(device),
            None => self.executable(&device::for_values(x)?),
        };
        // A tape shows the traced nodes, and holds the program that ran: it gives the same bits when it runs again.
        let call = StagedCall {
            name,
            op: self.op.clone(),
            recorded: &self.recorded,
            traced: &self.traced,
            place,
            body: self.body.as_ref(),
            executable: Some(&compile),
        };
        call_staged(call, x, place)
    }

    /// What a function gives for each device that it was compiled for.
    pub(crate) fn compiled<T>(&self, of: &impl Fn(&Program, &dyn Executable) -> Option<T>) -> Vec<T> {
        let kept = self.executables.read().unwrap_or_else(PoisonError::into_inner);
        kept.iter().filter_map(|(_, made)| of(&self.program, &**made)).collect()
    }
}
