def no_tangent(x):
    """The tangent of what has no derivative."""
    return np.zeros(x.shape, jax.dtypes.float0)
