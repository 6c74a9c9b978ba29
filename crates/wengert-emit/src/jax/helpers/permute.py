def permute(x, axis, sources):
    """What each member of an axis gets of its source; of none, at -1, zeros. `lax.ppermute` needs a source for each."""
    source = jnp.asarray(sources)[lax.axis_index(axis)]
    return jnp.where(source < 0, jnp.zeros_like(x), lax.all_gather(x, axis)[source])
