//! Discrete Fourier transforms.

use super::body::Handler;
use wengert_core::ops::Fft;

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.fft" => |c, op, x| {
            let f = c.fields(op);
            let kind = f.choice("fft_type", "a Fourier transform")?;
            c.push(Fft { kind, lengths: f.dims("fft_length")? }, x)
        },
        _ => return None,
    })
}
