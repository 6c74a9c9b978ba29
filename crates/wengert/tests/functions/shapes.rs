//! Shapes, joining, rearranging and indexing.

use super::calls;
use wengert::{Array, Ellipsis, NewAxis, PadMode, concatenate, hstack, meshgrid, s, select, stack, vstack};

pub fn call(text: &str, [x0, x1, _]: &[Array; 3]) -> Option<Vec<Array>> {
    calls! { text;
        "jnp.reshape(x0, (3, 2))" => x0.reshape([3, 2]);
        "jnp.reshape(x0, (-1,))" => x0.reshape([-1]);
        "jnp.reshape(x0, (3, -1))" => x0.reshape([3, -1]);
        "jnp.reshape(x0, (6,))" => x0.reshape(6);
        "jnp.ravel(x0)" => x0.ravel();
        "jnp.transpose(x0)" => x0.t();
        "jnp.transpose(x0, (1, 2, 0))" => x0.transpose([1, 2, 0]);
        "jnp.moveaxis(x0, 0, -1)" => x0.move_axis(0, -1);
        "jnp.swapaxes(x0, 0, 2)" => x0.swap_axes(0, 2);
        "jnp.squeeze(x0)" => x0.squeeze(..);
        "jnp.squeeze(x0, axis=-1)" => x0.squeeze(-1);
        "jnp.expand_dims(x0, 1)" => x0.expand_dims(1);
        "jnp.expand_dims(x0, (0, -1))" => x0.expand_dims([0, -1]);
        "jnp.broadcast_to(x0, (2, 3))" => x0.broadcast_to([2, 3]);
        "jnp.concatenate([x0, x1])" => concatenate([x0, x1], 0);
        "jnp.concatenate([x0, x1], axis=-1)" => concatenate([x0, x1], -1);
        "jnp.stack([x0, x1])" => stack([x0, x1], 0);
        "jnp.stack([x0, x1], axis=-1)" => stack([x0, x1], -1);
        "jnp.vstack([x0, x1])" => vstack([x0, x1]);
        "jnp.hstack([x0, x1])" => hstack([x0, x1]);
        "jnp.split(x0, 3, axis=1)" => x0.split(3, 1);
        "jnp.split(x0, [1, 4])" => x0.split_at(&[1, 4], 0);
        "jnp.array_split(x0, 3)" => x0.array_split(3, 0);
        "jnp.tile(x0, (2,))" => x0.tile(2);
        "jnp.tile(x0, (2, 1, 3))" => x0.tile([2, 1, 3]);
        "jnp.repeat(x0, 2, axis=0)" => x0.repeat(2, 0);
        "jnp.repeat(x0, 3)" => x0.ravel().repeat(3, 0);
        "jnp.roll(x0, 1)" => x0.ravel().roll(1, 0).reshape(x0.shape());
        "jnp.roll(x0, -2, axis=1)" => x0.roll(-2, 1);
        "jnp.flip(x0)" => x0.flip(..);
        "jnp.flip(x0, axis=1)" => x0.flip(1);
        "jnp.rot90(x0)" => x0.rot90(1, [0, 1]);
        "jnp.tril(x0)" => x0.tril(0);
        "jnp.triu(x0, 1)" => x0.triu(1);
        "jnp.tril(x0, -1)" => x0.tril(-1);
        "jnp.diag(x0)" => x0.diag(0);
        "jnp.diag(x0, 1)" => x0.diag(1);
        "jnp.diagonal(x0)" => x0.diagonal(0, [0, 1]);
        "jnp.trace(x0)" => x0.trace();
        "jnp.meshgrid(x0, x1)" => meshgrid([x0, x1], false);
        "jnp.meshgrid(x0, x1, indexing='ij')" => meshgrid([x0, x1], true);
        "jnp.atleast_2d(x0)" => x0.at_least(2);
        "jnp.pad(x0, 1)" => x0.pad(1, 0);
        "jnp.pad(x0, ((0, 1), (2, 0)), constant_values=1)" => x0.pad([(0, 1), (2, 0)], 1);
        "jnp.pad(x0, 2, mode='edge')" => x0.pad_mode(2, PadMode::Edge);
        "jnp.pad(x0, ((1, 0), (0, 2)), mode='edge')" => x0.pad_mode([(1, 0), (0, 2)], PadMode::Edge);
        "jnp.pad(x0, 2, mode='reflect')" => x0.pad_mode(2, PadMode::Reflect);
        "jnp.pad(x0, ((1, 0), (0, 2)), mode='reflect')" => x0.pad_mode([(1, 0), (0, 2)], PadMode::Reflect);
        "jnp.pad(x0, 2, mode='wrap')" => x0.pad_mode(2, PadMode::Wrap);
        "jnp.pad(x0, ((1, 0), (0, 2)), mode='wrap')" => x0.pad_mode([(1, 0), (0, 2)], PadMode::Wrap);
        "jnp.take(x0, x1, axis=0)" => x0.take(x1, 0);
        "jnp.take_along_axis(x0, x1, axis=1)" => x0.take_along_axis(x1, 1);
        "jnp.zeros_like(x0)" => x0.zeros_like();
        "jnp.full_like(x0, 1)" => x0.full_like(1);
        "jnp.select([x0 > 1, x0 < 0], [x0, x1], 5)" => select([x0.gt(1), x0.lt(0)], [x0, x1], 5);
    }
    None
}

pub fn index(text: &str, [x0, x1, x2]: &[Array; 3]) -> Option<Vec<Array>> {
    calls! { text;
        "index(x0, '1')" => x0.get(1);
        "index(x0, '-1')" => x0.get(-1);
        "index(x0, '1:3')" => x0.get(1..3);
        "index(x0, '::2, ::-1')" => x0.get(s![..; 2, ..; -1]);
        "index(x0, '-2:')" => x0.get(-2..);
        "index(x0, '3:1')" => x0.get(s![3..1]);
        "index(x0, '..., 0')" => x0.get((Ellipsis, 0));
        "index(x0, ':, None, 1')" => x0.get((.., NewAxis, 1));
        "index(x0, 'None')" => x0.get(NewAxis);
        "index(x0, 'a', x1)" => x0.get(x1);
        "index(x0, 'a, b', x1, x2)" => x0.get((x1, x2));
        "index(x0, ':, a', x1)" => x0.get((.., x1));
        "index(x0, '1:, 0')" => x0.get((1.., 0));
        "index(x0, 'a', x0 > 0)" => x0.get(x0.gt(0));
        "at_set(x0, '1', x1)" => x0.at(1).set(x1);
        "at_set(x0, '::2', 0)" => x0.at(s![..; 2]).set(0);
        "at_add(x0, 'a', x2, x1)" => x0.at(x1).add(x2);
        "at_mul(x0, '1:3', 2)" => x0.at(1..3).mul(2);
        "at_max(x0, ':, 0', 1)" => x0.at((.., 0)).max(1);
        "at_min(x0, 'a', 0, x1)" => x0.at(x1).min(0);
    }
    None
}
