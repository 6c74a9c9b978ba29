def recorded(name, calls, gives, *given):
    """What code of the user's gave when it was recorded, for the nearest to these."""
    tolerances = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-4, "float64": 1e-8}
    tolerances |= {"complex64": 1e-4, "complex128": 1e-8}

    def distance(x, y):
        wide = np.complex128 if y.dtype.kind == "c" else np.float64
        x, y, exact = x.astype(wide), y.astype(wide), np.asarray(x == y)
        with np.errstate(all="ignore"):
            parts = abs(x - y) / (1.0 + abs(y))
        parts = np.where(exact | (np.isnan(x) & np.isnan(y)), 0.0, parts)
        return np.where(np.isnan(parts), np.inf, parts).max(initial=0.0)

    def look_up(*given):
        best, found = np.inf, None
        for taken, gave in calls:
            pairs = [(np.asarray(x), np.asarray(y)) for x, y in zip(given, taken)]
            each = [distance(x, y) for x, y in pairs]
            limits = [tolerances.get(y.dtype.name, 0.0) for _, y in pairs]
            near = all(d <= limit for d, limit in zip(each, limits))
            if near and max(each, default=0.0) < best:
                best, found = max(each, default=0.0), gave
        if not calls:
            raise ValueError(f"{name} was never called in the recorded run")
        if found is None:
            raise ValueError(f"{name} was not given these when recorded: {given}")
        return tuple(np.asarray(y) for y in found)

    gave = jax.pure_callback(look_up, gives, *given, vmap_method="sequential")
    return gave[0] if len(gives) == 1 else gave
