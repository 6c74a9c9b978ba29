//! What the node of a call of a transform says about how the transform was asked for, that of a failure about why, and that of code
//! of the user's about which.

use crate::meta::MetaKey;
use wengert_core::Tensor;

/// The name of the transform: `grad`.
pub const API: MetaKey<String> = MetaKey::new("api");
/// Of a gradient or a Jacobian, the leaves of the arguments that it is taken in, as an array of `i64`.
pub const WRT: MetaKey<Tensor> = MetaKey::new("api.wrt");
/// Of a Jacobian, whether it is that of a holomorphic function.
pub const HOLOMORPHIC: MetaKey<bool> = MetaKey::new("api.holomorphic");
/// Of a batched function, the axis of each leaf that is the batch, as an array of `i64`; -1 where there is none.
pub const IN_AXES: MetaKey<Tensor> = MetaKey::new("api.in_axes");
/// Of a batched function, the axis of its results that is the batch.
pub const OUT_AXIS: MetaKey<i64> = MetaKey::new("api.out_axis");
/// Of a batched function whose results differ in that, the axis of each that is the batch, as an array of `i64`; -1 where there
/// is none.
pub const OUT_AXES: MetaKey<Tensor> = MetaKey::new("api.out_axes");
/// Of a batched function, the size of the batch, where no argument tells it.
pub const SIZE: MetaKey<i64> = MetaKey::new("api.size");
/// Of a batched function, the name of the axis that the batch is, if it has one.
pub const AXIS_NAME: MetaKey<String> = MetaKey::new("api.axis_name");
/// Of a function that was emitted, where it came from; empty if that was not known.
pub const PLACE: MetaKey<String> = MetaKey::new("place");
/// Of a call that gives a function besides arrays (`vjp`), a number that no other such call of the process has.
pub const RETURNS: MetaKey<i64> = MetaKey::new("api.returns");
/// Of a call of such a function, the number of the call that gave it.
pub const RETURNED_BY: MetaKey<i64> = MetaKey::new("api.returned_by");
/// Of a call or an op that ended in an error or a panic, the message.
pub const ERROR: MetaKey<String> = MetaKey::new("error");
/// The name of the node of an error that no call or op inside the open call ended in.
pub const RAISED: &str = "error";
/// Of a call or an op that a destructor made while a panic unwound, and of the root of what was recorded there, `true`: it came
/// after the failure, and did not lead there.
pub const UNWINDING: MetaKey<bool> = MetaKey::new("unwinding");
/// Of a loop, how many of the arrays that it is given are carried from step to step; the others are walked along.
pub const CARRIES: MetaKey<i64> = MetaKey::new("api.carries");
/// Of a loop, how many steps it does.
pub const LENGTH: MetaKey<i64> = MetaKey::new("api.length");
/// Of a loop, whether it goes from the last slice to the first.
pub const REVERSE: MetaKey<bool> = MetaKey::new("api.reverse");
/// Of what code of the user's gave, the op as text.
pub const KERNEL: MetaKey<String> = MetaKey::new("kernel");
/// Of the same, how many of the arrays were given to it; the others are what it gave.
pub const GIVEN: MetaKey<i64> = MetaKey::new("kernel.given");
/// Of the root of the tape of a process (`WENGERT_TAPE`), the status that the process ended with.
pub const EXIT: MetaKey<i64> = MetaKey::new("exit");
/// Of the root of what a reproducer recorded of itself, that it ended in the error that it is of, whatever its status.
pub const REPRODUCED: MetaKey<bool> = MetaKey::new("reproduced");
