"""Takes programs and arrays from the standard input, runs them with XLA on the CPU, and writes what they give."""
import os, re, signal, struct, sys, threading, time

signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the process that asks
parent = os.getppid()


def end_with_parent():
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)


threading.Thread(target=end_with_parent, daemon=True).start()
out = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # what libraries print is no answer
inp = sys.stdin.buffer


def write(data):
    out.write(struct.pack("<Q", len(data)))
    out.write(data)


def read():
    head = inp.read(8)
    if len(head) < 8:
        sys.exit(0)
    return inp.read(struct.unpack("<Q", head)[0])


def number():
    return struct.unpack("<Q", inp.read(8))[0]


try:
    import jax, ml_dtypes, numpy as np
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jaxlib import _jax
    from jaxlib.mlir import ir

    jax.config.update("jax_enable_x64", True)
    client = jax.devices("cpu")[0].client
    try:
        from jaxlib.lapack import _lapack
        _lapack.initialize()
    except Exception:
        pass
except Exception as e:
    write(f"{type(e).__name__}: {e}".encode())
    out.flush()
    sys.exit(1)

NAMES = {"bool": np.bool_, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64,
         "c64": np.complex64, "c128": np.complex128}
NAMES.update({f"{k}{n}": getattr(np, f"{'u' if k == 'u' else ''}int{n}") for k in "iu" for n in (8, 16, 32, 64)})
BACK = {np.dtype(v): k for k, v in NAMES.items()}


def array():
    dtype = np.dtype(NAMES[read().decode()])
    shape = [number() for _ in range(number())]
    inp.read(1)
    return np.frombuffer(read(), dtype).reshape(shape)


SOLVE = re.compile(r'"stablehlo.triangular_solve"(\(.*?\)) <?\{(.*?)\}>? : \(tensor<((?:\d+x)+)(f32|f64|complex<f32>|complex<f64>)>')
LETTERS = {"f32": "s", "f64": "d", "complex<f32>": "c", "complex<f64>": "z"}


def by_lapack(solve):
    """The call that JAX makes of a triangular solve: XLA's own one has other numbers where the matrix is singular."""
    operands, given, sizes, dtype = solve.groups()
    flag = lambda name, yes, no: ord(yes if f"{name} = true" in given else no)
    trans = ord({"ADJOINT": "C", "NO_TRANSPOSE": "N"}.get(re.search(r"transpose (\w+)", given).group(1), "T"))
    options = {"diag": flag("unit_diagonal", "U", "N"), "side": flag("left_side", "L", "R"), "trans_x": trans}
    options["uplo"] = flag("lower", "L", "U")
    rank = sizes.count("x")
    layout = f"dense<{[rank - 2, rank - 1, *reversed(range(rank - 2))]}> : tensor<{rank}xindex>"
    config = ", ".join(f"{name} = {value} : ui8" for name, value in options.items())
    return (
        f'"stablehlo.custom_call"{operands} <{{call_target_name = "lapack_{LETTERS[dtype]}trsm_ffi", backend_config = "", '
        f"operand_layouts = [{layout}, {layout}], result_layouts = [{layout}]}}> {{mhlo.backend_config = {{{config}}}, "
        f'mhlo.frontend_attributes = {{num_batch_dims = "{rank - 2}"}}}} : (tensor<{sizes}{dtype}>'
    )


def run(text, arrays):
    devices = jax.devices("cpu")[:1]
    with mlir.make_ir_context():
        module = ir.Module.parse(SOLVE.sub(by_lapack, text))
        options = xla_client.CompileOptions()
        made = client.compile_and_load(mlir.module_to_bytecode(module), _jax.DeviceList(tuple(devices)), options)
    args = [jax.device_put(a, devices[0]) for a in arrays]
    return [np.asarray(x[0]) for x in made.execute_sharded(args).disassemble_into_single_device_arrays()]


write(b"ready")
out.flush()
while True:
    text = read().decode()
    arrays = [array() for _ in range(number())]
    try:
        results = run(text, arrays)
        write(b"results")
        out.write(struct.pack("<Q", len(results)))
        for x in results:
            x = np.asarray(x)
            write(BACK[x.dtype].encode())
            out.write(struct.pack("<Q", x.ndim) + b"".join(struct.pack("<Q", n) for n in x.shape) + b"\0")
            write(np.ascontiguousarray(x).tobytes())
    except Exception as e:
        write((f"{type(e).__name__}: {e}".strip() or type(e).__name__)[:4000].encode())
    out.flush()
