def read_safetensors(name):
    """The arrays of a file beside this one."""
    file = (pathlib.Path(__file__).parent / name).read_bytes()
    size = int.from_bytes(file[:8], "little")
    kinds = {"F": "float", "I": "int", "U": "uint", "C": "complex", "BF": "bfloat"}
    header, arrays = json.loads(file[8 : 8 + size]), {}
    header.pop("__metadata__", None)
    for name, about in header.items():
        kind, (begin, end) = about["dtype"], about["data_offsets"]
        letters = kind.rstrip("0123456789")
        dtype = jnp.dtype(kinds.get(letters, "bool") + kind[len(letters) :])
        elements = np.frombuffer(file[8 + size + begin : 8 + size + end], dtype)
        arrays[name] = elements.reshape(about["shape"])
    return arrays
