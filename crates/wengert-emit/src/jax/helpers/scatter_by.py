def scatter_by(combine, operand, indices, updates, dimension_numbers, **options):
    """Like lax.scatter_add with another function, which JAX has as a primitive only."""
    zero = jnp.zeros((), operand.dtype)
    jaxpr = jax.make_jaxpr(combine)(zero, zero)
    return lax.scatter_p.bind(
        operand,
        indices,
        updates,
        dimension_numbers=dimension_numbers,
        indices_are_sorted=options.get("indices_are_sorted", False),
        unique_indices=options.get("unique_indices", False),
        mode=lax.GatherScatterMode.FILL_OR_DROP,
        update_jaxpr=jaxpr.jaxpr,
        update_consts=tuple(jaxpr.consts),
    )
