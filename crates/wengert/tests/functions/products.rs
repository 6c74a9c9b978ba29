//! Products, linear algebra, signals.

use super::calls;
use wengert::{Array, ConvolveMode, block, einsum};

pub fn call(text: &str, [x0, x1, x2]: &[Array; 3]) -> Option<Vec<Array>> {
    calls! { text;
        "jnp.matmul(x0, x1)" => x0.matmul(x1);
        "jnp.dot(x0, x1)" => x0.dot(x1);
        "jnp.vdot(x0, x1)" => x0.vdot(x1);
        "jnp.inner(x0, x1)" => x0.inner(x1);
        "jnp.outer(x0, x1)" => x0.outer(x1);
        "jnp.kron(x0, x1)" => x0.kron(x1);
        "jnp.cross(x0, x1)" => x0.cross(x1, -1);
        "jnp.tensordot(x0, x1, 1)" => x0.tensordot(x1, 1);
        "jnp.tensordot(x0, x1, 2)" => x0.tensordot(x1, 2);
        "jnp.tensordot(x0, x1, ([0], [1]))" => x0.tensordot(x1, ([0], [1]));
        "jnp.einsum('ij,jk->ik', x0, x1)" => einsum("ij,jk->ik", [x0, x1]);
        "jnp.einsum('ij->ji', x0)" => einsum("ij->ji", [x0]);
        "jnp.einsum('ii', x0)" => einsum("ii", [x0]);
        "jnp.einsum('ii->i', x0)" => einsum("ii->i", [x0]);
        "jnp.einsum('ij->', x0)" => einsum("ij->", [x0]);
        "jnp.einsum('i,j->ij', x0, x1)" => einsum("i,j->ij", [x0, x1]);
        "jnp.einsum('bij,bjk->bik', x0, x1)" => einsum("bij,bjk->bik", [x0, x1]);
        "jnp.einsum('...ij,...j->...i', x0, x1)" => einsum("...ij,...j->...i", [x0, x1]);
        "jnp.einsum('ij,jk,kl->il', x0, x1, x2)" => einsum("ij,jk,kl->il", [x0, x1, x2]);
        "jnp.einsum('bhqd,bhkd->bhqk', x0, x1)" => einsum("bhqd,bhkd->bhqk", [x0, x1]);
        "jnp.linalg.matrix_power(x0, 3)" => x0.matrix_power(3);
        "jnp.linalg.det(x0)" => x0.det();
        "jnp.linalg.slogdet(x0)" => x0.slogdet();
        "jnp.linalg.inv(x0)" => x0.inv();
        "jnp.linalg.solve(x0, x1)" => x0.solve(x1);
        "jnp.linalg.pinv(x0)" => x0.pinv(None);
        "jnp.linalg.lstsq(x0, x1)[0]" => x0.lstsq(x1, None);
        "jnp.linalg.cholesky(x0 @ x0.T + 3 * jnp.eye(3, dtype=x0.dtype))"
            => (x0.matmul(x0.t()) + Array::identity(3, x0.dtype()) * 3).cholesky();
        "jnp.linalg.eigvalsh(x0 + x0.T)" => (x0 + x0.t()).eigvalsh();
        "jnp.linalg.svd(x0, compute_uv=False)" => x0.svdvals();
        "jnp.linalg.matrix_rank(x0)" => x0.matrix_rank(None);
        "jnp.polyval(x0, x1)" => x0.polyval(x1);
        "jnp.convolve(x0, x1)" => x0.convolve(x1, ConvolveMode::Full);
        "jnp.convolve(x0, x1, mode='same')" => x0.convolve(x1, ConvolveMode::Same);
        "jnp.fft.fft(x0)" => x0.fft(-1);
        "jnp.fft.rfft(x0)" => x0.rfft(-1);
        "jnp.fft.irfft(jnp.fft.rfft(x0))" => x0.rfft(-1).irfft(6, -1);
        "jnp.fft.fft2(x0)" => x0.fft([-2, -1]);
        "jnp.fft.fftshift(x0)" => x0.fftshift(..);
        "jnp.fft.ifftshift(x0)" => x0.ifftshift(..);
        "jnp.fft.ifft(x0)" => x0.ifft(-1);
        "jax.scipy.linalg.expm(x0)" => x0.expm();
        "jax.scipy.linalg.solve_triangular(x0 + 4 * jnp.eye(3, dtype=x0.dtype), x1, lower=True)"
            => (x0 + Array::identity(3, x0.dtype()) * 4).solve_triangular(x1, true);
        "jnp.block([[x0, x1], [x1, x0]])" => block([[x0, x1], [x1, x0]]);
    }
    None
}
