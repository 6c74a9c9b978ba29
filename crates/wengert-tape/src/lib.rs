//! The tape: what a run really did, as a tree of nodes.
//!
//! A run is recorded as it happens ([`record`]) and gives a [`Tape`], which is asked through [`Node`]s, printed, turned
//! back into a program, changed and re-evaluated. How arrays reach the recorder is not known here: whatever is
//! [`record::Recorded`] can be an operand or a result.

pub mod api;
pub mod context;
mod dot;
mod extract;
mod feeding;
mod file;
mod function;
mod host;
mod meta;
mod node;
mod overflow;
mod plain;
mod print;
mod program;
mod provenance;
pub mod record;
mod row;
mod settled;
mod slice;
mod source;
mod summary;
mod tape;
mod update;
mod values;
mod written_out;

pub use context::{ArgumentValue, Context, DepthLimit, Draft, Enter, EveryNth, NodeFilter, Substitute};
pub use function::HostFunction;
pub use host::{HostNumber, HostType};
pub use meta::{Meta, MetaKey, MetaValue};
pub use node::{Argument, Node, NodeId, NodeRef, ResultId};
pub use program::{StraightProgram, program_name};
pub use row::Kind;
pub use source::Source;
pub use summary::{Capture, Summary};
pub use tape::{Constant, Label, Tape};
pub use update::Changes;
