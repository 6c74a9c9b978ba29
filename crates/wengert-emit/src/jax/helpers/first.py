def first(values):
    """The first value, and the others."""
    return values[0], values[1:]
