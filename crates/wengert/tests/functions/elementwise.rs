//! Elementwise functions and activations.

use super::calls;
use wengert::{Array, DType, complex, where_};

pub fn call(text: &str, [x0, x1, x2]: &[Array; 3]) -> Option<Vec<Array>> {
    calls! { text;
        "jnp.exp2(x0)" => x0.exp2();
        "jnp.log2(x0)" => x0.log2();
        "jnp.log10(x0)" => x0.log10();
        "jnp.sinc(x0)" => x0.sinc();
        "jnp.cbrt(x0)" => x0.cbrt();
        "jnp.i0(x0)" => x0.bessel_i0();
        "jnp.square(x0)" => x0.square();
        "jnp.reciprocal(x0)" => x0.reciprocal();
        "jnp.positive(x0)" => x0.clone();
        "jnp.sign(x0)" => x0.sign();
        "jnp.abs(x0)" => x0.abs();
        "jnp.trunc(x0)" => x0.trunc();
        "jnp.rint(x0)" => x0.round();
        "jnp.round(x0, 1)" => x0.round_to(1);
        "jnp.degrees(x0)" => x0.degrees();
        "jnp.radians(x0)" => x0.radians();
        "jnp.deg2rad(x0)" => x0.radians();
        "jnp.isnan(x0)" => x0.is_nan();
        "jnp.isinf(x0)" => x0.is_inf();
        "jnp.isfinite(x0)" => x0.is_finite();
        "jnp.nan_to_num(x0)" => x0.nan_to_num();
        "jnp.signbit(x0)" => x0.signbit();
        "jnp.copysign(x0, x1)" => x0.copysign(x1);
        "jnp.hypot(x0, x1)" => x0.hypot(x1);
        "jnp.arctan2(x0, x1)" => x0.atan2(x1);
        "jnp.logaddexp(x0, x1)" => x0.logaddexp(x1);
        "jnp.heaviside(x0, 0.5)" => x0.heaviside(0.5);
        "jnp.float_power(x0, 2.0)" => x0.pow(2.0);
        "jnp.modf(x0)" => x0.modf();
        "jnp.isclose(x0, x0)" => x0.is_close(x0, 1e-5, 1e-8);
        "jnp.add(x0, x1)" => x0 + x1;
        "jnp.less_equal(x0, x1)" => x0.le(x1);
        "jnp.not_equal(x0, x1)" => x0.ne(x1);
        "jnp.fmod(x0, x1)" => x0.rem(x1);
        "jnp.nextafter(x0, x1)" => x0.nextafter(x1);
        "jax.lax.complex(x0, x1)" => complex(x0, x1);
        "jax.lax.clz(x0)" => x0.leading_zeros();
        "jnp.subtract(x0, x1)" => x0 - x1;
        "jnp.multiply(x0, x1)" => x0 * x1;
        "jnp.maximum(x0, x1)" => x0.maximum(x1);
        "jnp.minimum(x0, x1)" => x0.minimum(x1);
        "jnp.equal(x0, x1)" => x0.eq(x1);
        "jnp.less(x0, x1)" => x0.lt(x1);
        "jnp.greater_equal(x0, x1)" => x0.ge(x1);
        "jnp.floor_divide(x0, x1)" => x0.floor_divide(x1);
        "jnp.mod(x0, x1)" => x0.modulo(x1);
        "jnp.remainder(x0, x1)" => x0.modulo(x1);
        "jnp.clip(x0, 1, 2)" => x0.clip(1, 2);
        "jnp.clip(x0, x1, x2)" => x0.clip(x1, x2);
        "jnp.where(x0 > 1, x0, x1)" => where_(x0.gt(1), x0, x1);
        "jnp.where(x0, x1, x2)" => where_(x0, x1, x2);
        "jnp.divide(x0, x1)" => x0.divide(x1);
        "jnp.power(x0, x1)" => x0.pow(x1);
        "jnp.power(x0, 3)" => x0.pow(3);
        "jnp.logical_and(x0, x1)" => x0.logical_and(x1);
        "jnp.logical_or(x0, x1)" => x0.logical_or(x1);
        "jnp.logical_xor(x0, x1)" => x0.logical_xor(x1);
        "jnp.logical_not(x0)" => x0.logical_not();
        "jnp.bitwise_and(x0, x1)" => x0 & x1;
        "jnp.bitwise_or(x0, x1)" => x0 | x1;
        "jnp.bitwise_xor(x0, x1)" => x0 ^ x1;
        "jnp.left_shift(x0, x1)" => x0 << x1;
        "jnp.right_shift(x0, x1)" => x0 >> x1;
        // NumPy counts in u8.
        "jnp.bitwise_count(x0)" => x0.abs().count_ones().to(DType::U8);
        "jnp.real(x0)" => x0.real();
        "jnp.imag(x0)" => x0.imag();
        "jnp.conj(x0)" => x0.conj();
        "jnp.angle(x0)" => x0.angle();
    }
    None
}

pub fn learning(text: &str, [x0, ..]: &[Array; 3]) -> Option<Vec<Array>> {
    calls! { text;
        "jax.nn.relu(x0)" => x0.relu();
        "jax.nn.relu6(x0)" => x0.relu6();
        "jax.nn.sigmoid(x0)" => x0.sigmoid();
        "jax.nn.silu(x0)" => x0.silu();
        "jax.nn.softplus(x0)" => x0.softplus();
        "jax.nn.soft_sign(x0)" => x0.soft_sign();
        "jax.nn.log_sigmoid(x0)" => x0.log_sigmoid();
        "jax.nn.hard_tanh(x0)" => x0.hard_tanh();
        "jax.nn.hard_sigmoid(x0)" => x0.hard_sigmoid();
        "jax.nn.hard_swish(x0)" => x0.hard_silu();
        "jax.nn.mish(x0)" => x0.mish();
        "jax.nn.selu(x0)" => x0.selu();
        "jax.nn.elu(x0)" => x0.elu(1.0);
        "jax.nn.celu(x0)" => x0.celu(1.0);
        "jax.nn.leaky_relu(x0)" => x0.leaky_relu(0.01);
        "jax.nn.squareplus(x0)" => x0.squareplus(4.0);
        "jax.nn.gelu(x0)" => x0.gelu(true);
        "jax.nn.gelu(x0, approximate=False)" => x0.gelu(false);
        "jax.nn.glu(x0)" => x0.glu(-1);
        "jax.nn.softmax(x0)" => x0.softmax(-1);
        "jax.nn.softmax(x0, axis=0)" => x0.softmax(0);
        "jax.nn.softmax(x0, axis=(0, 1))" => x0.softmax([0, 1]);
        "jax.nn.log_softmax(x0, axis=-1)" => x0.log_softmax(-1);
        "jax.nn.standardize(x0)" => x0.standardize(-1, 1e-5);
        "jax.nn.one_hot(x0, 4)" => x0.one_hot(4, DType::F64);
        "jax.nn.one_hot(x0, 3, axis=0)" => x0.one_hot(3, DType::F64).move_axis(-1, 0);
        "jax.nn.logsumexp(x0, axis=1)" => x0.logsumexp(1);
    }
    None
}
