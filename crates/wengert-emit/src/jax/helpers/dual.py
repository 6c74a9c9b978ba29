def dual(values, n):
    """The first n values, and a tangent of each: of floats the others, in order."""
    tangents = list(values[n:])
    for i, y in enumerate(values[:n]):
        if not jnp.issubdtype(y.dtype, jnp.inexact):
            tangents.insert(i, np.zeros(y.shape, jax.dtypes.float0))
    if n == 1:
        return values[0], tangents[0]
    return values[:n], tuple(tangents)
