//! Arrays from nothing.

use super::calls;
use wengert::{Array, DType};

pub fn call(text: &str) -> Option<Vec<Array>> {
    for d in DType::ALL {
        calls! { text;
            format!("jnp.zeros((2, 3), {d})") => Array::zeros([2, 3], d);
            format!("jnp.ones((0, 2), {d})") => Array::ones([0, 2], d);
            format!("jnp.full((2,), 1, {d})") => Array::full(2, 1, d);
            format!("jnp.eye(3, dtype={d})") => Array::identity(3, d);
            format!("jnp.eye(2, 4, 1, {d})") => Array::eye(2, 4, 1, d);
            format!("jnp.identity(2, {d})") => Array::identity(2, d);
            format!("jnp.tri(3, 4, -1, {d})") => Array::tri(3, 4, -1, d);
            format!("jnp.linspace(0.0, 1.0, 5, dtype={d})") => Array::linspace(0.0, 1.0, 5, d);
            format!("jnp.linspace(2.0, -1.0, 4, dtype={d})") => Array::linspace(2.0, -1.0, 4, d);
            format!("jnp.linspace(0.0, 1.0, 1, dtype={d})") => Array::linspace(0.0, 1.0, 1, d);
            format!("jnp.logspace(0.0, 2.0, 3, dtype={d})") => Array::logspace(0.0, 2.0, 3, 10.0, d);
            format!("jnp.geomspace(1.0, 8.0, 4, dtype={d})") => Array::geomspace(1.0, 8.0, 4, d);
        }
    }
    calls! { text;
        "jnp.arange(0, 5, 1, i32)" => Array::arange(0, 5, 1);
        "jnp.arange(1, 8, 3, i32)" => Array::arange(1, 8, 3);
        "jnp.arange(5, 0, -2, i32)" => Array::arange(5, 0, -2);
        "jnp.arange(0, 5, 1, f32)" => Array::arange(0.0f32, 5.0, 1.0);
        "jnp.arange(1, 8, 3, f32)" => Array::arange(1.0f32, 8.0, 3.0);
        "jnp.arange(5, 0, -2, f32)" => Array::arange(5.0f32, 0.0, -2.0);
        "jnp.arange(0, 5, 1, f64)" => Array::arange(0.0, 5.0, 1.0);
        "jnp.arange(1, 8, 3, f64)" => Array::arange(1.0, 8.0, 3.0);
        "jnp.arange(5, 0, -2, f64)" => Array::arange(5.0, 0.0, -2.0);
    }
    None
}
