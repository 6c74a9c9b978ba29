def spread(values, places):
    """The values in order where a place is true, and None elsewhere."""
    values = iter(values)
    return tuple(next(values) if place else None for place in places)
