def scatter_all_by(combine, operands, indices, updates, gather_numbers, slice_sizes):
    """Scatters into several arrays at once, by a function of all their elements, one update after the other."""
    shape, size = operands[0].shape, operands[0].size
    places = jnp.arange(size, dtype=jnp.int32).reshape(shape)
    places = lax.gather(
        places, indices, gather_numbers, slice_sizes, mode="fill", fill_value=size
    ).ravel()
    updates = [update.ravel() for update in updates]

    def step(i, values):
        at = places[i]
        new = combine(
            *(v.at[at].get(mode="clip") for v in values), *(u[i] for u in updates)
        )
        return tuple(v.at[at].set(y, mode="drop") for v, y in zip(values, new))

    values = tuple(operand.ravel() for operand in operands)
    if size > 0:
        values = lax.fori_loop(0, places.size, step, values)
    return tuple(v.reshape(shape) for v in values)
