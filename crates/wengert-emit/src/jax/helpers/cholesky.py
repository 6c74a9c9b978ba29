def cholesky(x):
    """The lower factor of x, and NaN throughout where there is none."""
    factor = lax.linalg.cholesky(x, symmetrize_input=False)
    return jnp.where(jnp.isnan(factor[..., :1, :1]), jnp.nan, factor)
