def power(x, n):
    """x to the power of n for integers, modulo their range; truncated where n < 0."""
    zero, one = jnp.zeros_like(x), jnp.ones_like(x)
    y, square, rest = one, x, n
    for _ in range(8 * x.dtype.itemsize):
        odd = lax.ne(lax.bitwise_and(rest, one), zero)
        y = lax.select(odd, lax.mul(y, square), y)
        square = lax.mul(square, square)
        rest = lax.shift_right_logical(rest, one)
    if not jnp.issubdtype(x.dtype, jnp.signedinteger):
        return y
    ones = lax.eq(x, one) | lax.eq(x, lax.neg(one))
    return lax.select(lax.lt(n, zero) & ~ones, zero, y)
