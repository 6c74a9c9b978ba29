//! Reductions, running sums, sorting and searching.

use super::calls;
use wengert::{Array, choose, keep, lexsort};

pub fn call(text: &str, [x0, x1, _]: &[Array; 3]) -> Option<Vec<Array>> {
    macro_rules! along_axes {
        ($($f:ident)*) => {
            calls! { text; $(
                concat!("jnp.", stringify!($f), "(x0)") => x0.$f(..);
                concat!("jnp.", stringify!($f), "(x0, axis=0)") => x0.$f(0);
                concat!("jnp.", stringify!($f), "(x0, axis=-1)") => x0.$f(-1);
                concat!("jnp.", stringify!($f), "(x0, axis=(0, 2))") => x0.$f([0, 2]);
                concat!("jnp.", stringify!($f), "(x0, axis=1, keepdims=True)") => x0.$f(keep(1));
                concat!("jnp.", stringify!($f), "(x0, axis=1)") => x0.$f(1);
            )* }
        };
    }
    along_axes!(sum prod max min any all mean median ptp argmax count_nonzero nansum nanmean);
    calls! { text;
        "jnp.mean(x0, axis=(0, 2), keepdims=True)" => x0.mean(keep([0, 2]));
        "jnp.var(x0)" => x0.var(..);
        "jnp.var(x0, axis=0, ddof=1)" => x0.var_ddof(0, 1.0);
        "jnp.std(x0, axis=-1)" => x0.std(-1);
        "jnp.std(x0, axis=1, keepdims=True)" => x0.std(keep(1));
        "jnp.quantile(x0, 0.3)" => x0.quantile(0.3, ..);
        "jnp.quantile(x0, 0.25, axis=1)" => x0.quantile(0.25, 1);
        "jnp.quantile(x0, x1, axis=0)" => x0.quantile(x1, 0);
        "jnp.percentile(x0, 40.0, axis=-1)" => x0.quantile(0.4, -1);
        "jnp.average(x0, axis=1, weights=x1)" => x0.average(x1, 1);
        "jnp.linalg.norm(x0)" => x0.norm(2, ..);
        "jnp.linalg.norm(x0, axis=-1)" => x0.norm(2, -1);
        "jnp.linalg.norm(x0, ord=1, axis=0)" => x0.norm(1, 0);
        "jnp.linalg.norm(x0, ord=jnp.inf, axis=1)" => x0.norm(f64::INFINITY, 1);
        "jax.scipy.special.logsumexp(x0)" => x0.logsumexp(..);
        "jax.scipy.special.logsumexp(x0, axis=-1, keepdims=True)" => x0.logsumexp(keep(-1));
        "jnp.trapezoid(x0)" => x0.trapezoid(1.0, -1);
        "jnp.cov(x0)" => x0.cov();
        "jnp.corrcoef(x0)" => x0.corrcoef();
        "jnp.argmin(x0, axis=-2)" => x0.argmin(-2);
        "jnp.argmax(x0, axis=0, keepdims=True)" => x0.argmax(keep(0));
        "jnp.cumsum(x0)" => x0.cumsum(0);
        "jnp.cumsum(x0, axis=-1)" => x0.cumsum(-1);
        "jnp.cumprod(x0, axis=0)" => x0.cumprod(0);
        "jnp.nanmax(x0, axis=0)" => x0.nanmax(0);
        "jnp.nanmin(x0)" => x0.nanmin(..);
        "jnp.nanprod(x0, axis=-1)" => x0.nanprod(-1);
        "jnp.std(x0, axis=0, ddof=1)" => x0.std_ddof(0, 1.0);
        "jax.lax.cummax(x0, axis=1)" => x0.cummax(1);
        "jax.lax.cummin(x0, axis=0)" => x0.cummin(0);
        "jax.lax.cumlogsumexp(x0, axis=0)" => x0.cumlogsumexp(0);
        "jnp.diff(x0)" => x0.diff(1, -1);
        "jnp.diff(x0, n=2, axis=0)" => x0.diff(2, 0);
    }
    None
}

pub fn order(text: &str, [x0, x1, x2]: &[Array; 3]) -> Option<Vec<Array>> {
    calls! { text;
        "jnp.sort(x0)" => x0.sort(-1);
        "jnp.sort(x0, axis=0)" => x0.sort(0);
        "jnp.sort(x0, descending=True)" => x0.sort(-1).flip(-1);
        "jnp.argsort(x0)" => x0.argsort(-1);
        "jnp.argsort(x0, axis=0)" => x0.argsort(0);
        "jnp.searchsorted(jnp.sort(x0), x1)" => x0.sort(-1).searchsorted(x1, false);
        "jnp.searchsorted(jnp.sort(x0), x1, side='right')" => x0.sort(-1).searchsorted(x1, true);
        "jnp.unique(x0, size=5, fill_value=0)" => x0.unique(5, 0);
        "jnp.bincount(jnp.abs(x0), length=4)" => x0.abs().bincount(4);
        "jnp.bincount(jnp.abs(x0), weights=x1, length=4)" => x0.abs().bincount_weighted(x1, 4);
        "jnp.choose(jnp.abs(x0), [x1, x2], mode='clip')" => choose(x0.abs(), [x1, x2]);
        "jnp.nonzero(x0 > 0, size=3, fill_value=-1)" => x0.gt(0).nonzero(3, -1);
        "jnp.histogram(x0, bins=4, range=(-3.0, 3.0))" => x0.histogram(4, -3.0, 3.0);
        "jax.lax.top_k(x0, 2)" => x0.top_k(2);
        "jnp.lexsort([x0, x1])" => lexsort([x0, x1]);
        "jnp.digitize(x0, jnp.sort(x1))" => x0.digitize(x1.sort(-1), false);
        "jnp.interp(x0, jnp.sort(x1), x2)" => x0.interp(&x1.sort(-1), x2);
    }
    None
}
