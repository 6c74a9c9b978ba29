//! Losses, normalization, attention, and windows that move over arrays.

use super::calls;
use wengert::Array;
use wengert::nn::{
    Sliding, attention, avg_pool, binary_cross_entropy_with_logits, conv, cross_entropy, hinge, huber, kl_div, mae,
    max_pool, mse,
};

pub fn call(text: &str, [x0, x1, x2]: &[Array; 3]) -> Option<Vec<Array>> {
    let how = Sliding::new;
    calls! { text;
        "-jnp.sum(jnp.where(x1[:, None] == jnp.arange(3), jax.nn.log_softmax(x0), 0), -1)" => cross_entropy(x0, x1);
        "-jnp.sum(jax.nn.log_softmax(x0) * jax.nn.softmax(x1), -1)" => cross_entropy(x0, x1.softmax(-1));
        "-(x1 * jax.nn.log_sigmoid(x0) + (1 - x1) * jax.nn.log_sigmoid(-x0))"
            => binary_cross_entropy_with_logits(x0, x1);
        "jnp.mean((x0 - x1) ** 2)" => mse(x0, x1);
        "jnp.mean(jnp.abs(x0 - x1))" => mae(x0, x1);
        "jnp.where(jnp.abs(x0 - x1) < 1.5, (x0 - x1) ** 2 / 2, 1.5 * (jnp.abs(x0 - x1) - 0.75))" => huber(x0, x1, 1.5);
        "jnp.maximum(0, 1 - x0 * x1)" => hinge(x0, x1);
        "jnp.sum(jax.nn.softmax(x1) * (jax.nn.log_softmax(x1) - jax.nn.log_softmax(x0)), -1)"
            => kl_div(&x0.log_softmax(-1), x1.softmax(-1));
        "jax.nn.standardize(x0, epsilon=1e-5) * x1 + x2" => x0.layer_norm(x1, x2, 1e-5);
        "jax.lax.conv_general_dilated(x0, x1, (1, 1), 'VALID')" => conv(x0, x1, how());
        "jax.lax.conv_general_dilated(x0, x1, (2, 1), 'SAME')" => conv(x0, x1, how().stride([2, 1]).same());
        "jax.lax.conv_general_dilated(x0, x1, (1,), [(2, 1)], rhs_dilation=(2,))"
            => conv(x0, x1, how().padding([(2, 1)]).dilation(2));
        "jax.lax.conv_general_dilated(x0, x1, (2,), 'SAME', feature_group_count=2)"
            => conv(x0, x1, how().stride(2).same().groups(2));
        "jax.lax.conv_general_dilated(x0, x1, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))"
            => conv(x0, x1, how().same().channels_last());
        "jax.lax.reduce_window(x0, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), 'VALID')"
            => max_pool(x0, 2, how());
        "jax.lax.reduce_window(x0, -jnp.inf, jax.lax.max, (1, 1, 3), (1, 1, 1), 'SAME')"
            => max_pool(x0, 3, how().stride(1).same());
        "jax.lax.reduce_window(x0, 0.0, jax.lax.add, (1, 1, 3), (1, 1, 2), 'SAME') / 3"
            => avg_pool(x0, 3, how().stride(2).same());
        "jax.nn.softmax(x0 @ jnp.swapaxes(x1, -1, -2) / jnp.sqrt(x0.shape[-1])) @ x2" => attention(x0, x1, x2, None);
    }
    None
}
