def split(values, n):
    """The first n values, and the others."""
    return values[:n], values[n:]
