def mul_add(x, y, z):
    """x * y + z, rounded once: by a wider type, or for float64 where XLA fuses it."""
    if x.dtype == jnp.float64:
        return lax.add(lax.mul(x, y), z)
    x, y, z = (lax.convert_element_type(v, jnp.float64) for v in (x, y, z))
    return lax.convert_element_type(lax.add(lax.mul(x, y), z), jnp.float32)
