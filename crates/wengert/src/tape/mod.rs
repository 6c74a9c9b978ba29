//! Recording what a run does: [`record`] and [`Recorder`] around a function, [`enable`] and its kin around code that is
//! already there, and what can be asked of the [`Tape`] that comes of it.

mod calls;
mod decomposition;
mod live;
mod recorder;
mod rng;
mod switch;
mod text;
mod threads;

pub(crate) use calls::{
    Composite, TracingRecord, add_parts, around_of_call, call_if_failed, composite, into_itself, is_dissolved, loaded,
    saved, say, say_numbers, say_of_open_call, transform, with_parts,
};
pub use decomposition::decomposition;
pub use live::{LiveRun, UpdateOutcome};
pub(crate) use recorder::finish;
pub use recorder::{Recorder, record};
pub use rng::Rng;
pub use switch::{collect, disable, enable, enable_with, is_recording, purge, silently};
pub(crate) use text::{LimitedText, cut};
pub use threads::{RecordingHandle, attach, handle};
pub use wengert_tape::{
    Argument, ArgumentValue, Capture, Changes, Constant, Context, DepthLimit, Draft, Enter, EveryNth, HostNumber,
    HostType, Kind, MetaKey, Node, NodeFilter, NodeId, NodeRef, ResultId, Source, StraightProgram, Substitute, Summary,
    Tape,
};
