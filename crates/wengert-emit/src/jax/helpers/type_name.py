def type_name(x):
    """The type of an array: f32[2,3]."""
    name, sizes = x.dtype.name, ",".join(map(str, x.shape))
    for long, short in (("complex", "c"), ("float", "f"), ("uint", "u"), ("int", "i")):
        if long in name:
            return f"{name.replace(long, short)}[{sizes}]"
    return f"{name}[{sizes}]"
