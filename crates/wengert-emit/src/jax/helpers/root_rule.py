def root_rule(root, f, tangent_solve, shared, primals, tangents):
    """The derivative of a root: that of its equation."""
    row = lambda x: x if isinstance(x, tuple) else (x,)
    x = root(*primals)
    if shared == 0:
        return x, jax.tree.map(jnp.zeros_like, x)
    held = primals[:shared]
    _, y = jax.jvp(lambda *held: f(*held, *row(x)), held, tangents[:shared])
    return x, tangent_solve(*held, *row(x), *(-y for y in row(y)))
