def largest(numbers, dtypes):
    """The size of the largest that is finite and no outlier, such as the -1e9 of a mask."""
    sizes = abs(numbers[np.isfinite(numbers) & (numbers != 0)])
    sizes, counts = np.unique(sizes, return_counts=True)
    if sizes.size == 0:
        return 0.0
    median = sizes[sizes.size // 2]
    floats = [d for d in dtypes if d is not None and jnp.issubdtype(d, jnp.inexact)]
    epsilon = max([float(jnp.finfo(d).eps) for d in floats], default=0.0)
    # What is left where numbers cancel out is about a rounding of them.
    roundings = median / np.maximum(epsilon * sizes, 1e-300)
    is_left = (roundings >= np.where(counts > 2, 0.1, 0.01)) & (roundings < 100)
    return sizes[(sizes <= 1e4 * median) | is_left].max(initial=0.0)


def orthonormal(matrices, tolerance):
    """Whether the columns of matrices are of length 1 and orthogonal, and whether the rows are."""
    if matrices.ndim < 2:
        return [False, False]
    both = [matrices, np.swapaxes(matrices, -1, -2)]
    products = [np.swapaxes(m.conj(), -1, -2) @ m for m in both]
    return [bool((abs(p - np.eye(p.shape[-1])) <= tolerance).all()) for p in products]


def check(
    results, expected, within=None, free=(), narrowest=None, scales=None, subnormal=()
):
    """Exits with 1 if results are not as recorded, up to rounding or a part of the largest."""
    tolerances = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-4, "float64": 1e-8}
    tolerances |= {"complex64": 1e-4, "complex128": 1e-8}
    failed = len(results) != len(expected)
    if failed:
        print(f"{len(results)} results, and {len(expected)} were recorded")
    for i, (got, want) in enumerate(zip(results, expected)):
        if type_name(got) != type_name(want):
            print(f"result {i}: {type_name(got)}, and {type_name(want)} was recorded")
            failed = True
            continue
        # What goes for all results, or a list with one for each.
        part, narrow = (v[i] if isinstance(v, list) else v for v in (within, narrowest))
        tolerance = tolerances.get(got.dtype.name, 0.0)
        if tolerance > 0.0:
            tolerance = max(tolerance, tolerances.get(narrow, 0.0))
        # A number may be what is left of large ones: a share of the largest counts.
        share = 1.0 if tolerance == 0.0 else 0.1 if tolerance < 1e-3 else 0.5
        if part is not None and tolerance > 0.0:
            tolerance, share = part, 1.0
        wide = np.complex128 if got.dtype.kind == "c" else np.float64
        x, y = (np.asarray(v).astype(wide) for v in (got, want))
        if wide is np.complex128:
            for a, b in [(x.real, y.real), (x.imag, y.imag)]:
                # Nothing is to be told of an infinite part that is the same.
                told = np.isinf(a) & (a == b)
                a[...], b[...] = (np.where(told, 0.0, v) for v in (a, b))
        with np.errstate(all="ignore"):
            scale = largest(y, [got.dtype] if part is not None else [got.dtype, narrow])
            if scales is not None and scales[i] is not None:
                scale = scales[i]
            elif part is None and scale == 0.0:
                scale = 1.0  # Zeros alone do not say what they are left of.
            distance = abs(x - y) / np.maximum(abs(y), share * scale)
        same = np.asarray(got) == np.asarray(want)
        if tolerance > 0.0:
            # Subnormal numbers are zero to some machines.
            tiny = float(jnp.finfo(got.dtype).tiny)
            same |= (abs(x) < tiny) & (abs(y) < tiny)
        distance = np.where(same | (np.isnan(x) & np.isnan(y)), 0.0, distance)
        distance = np.where(~same & (distance == 0.0) & ~np.isnan(x), 1.0, distance)
        worst = np.where(np.isnan(distance), np.inf, distance).max(initial=0.0)
        # What passes for zeros is not compared.
        sized = scales is not None and scales[i] is not None
        decided = not sized or (abs(y) > tolerance * share * scale).any()
        if worst <= tolerance and not decided:
            print(f"result {i}: {type_name(got)} is decided by rounding alone")
        elif worst <= tolerance:
            print(f"result {i}: {type_name(got)} equal within {tolerance}")
        elif i in subnormal:
            print(f"result {i}: {type_name(got)} is another by subnormal numbers")
        elif i in free and all(
            (np.isfinite(x) == np.isfinite(y)).all() and (now or not then)
            for now, then in zip(*(orthonormal(m, 10 * tolerance) for m in (x, y)))
        ):
            print(f"result {i}: {type_name(got)} is another: it is not determined")
        else:
            print(f"result {i}: {type_name(got)} differs by {worst}, over {tolerance}")
            failed = True
    if failed:
        sys.exit(1)
