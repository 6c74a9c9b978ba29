def select_and_scatter(select, combine, operand, source, init, size, strides, padding):
    """XLA's operation of this name, which JAX has as a primitive only."""
    zero = jnp.zeros((), operand.dtype)
    selected = jax.make_jaxpr(select)(zero, zero)
    combined = jax.make_jaxpr(combine)(init, init)
    return lax.select_and_scatter_p.bind(
        operand,
        source,
        init,
        select_jaxpr=selected.jaxpr,
        select_consts=tuple(selected.consts),
        scatter_jaxpr=combined.jaxpr,
        scatter_consts=tuple(combined.consts),
        window_dimensions=size,
        window_strides=strides,
        padding=padding,
    )
