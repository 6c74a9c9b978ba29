"""Products summed: contractions, convolutions, Fourier transforms."""

import numpy as np
from jax import lax

from store import ALL, op
from values import ordinary

# Shapes of both sides, contracted axes, batch axes.
DOTS = {
    "matrices": ((2, 3), (3, 4), ([1], [0]), ([], [])),
    "inner": ((3,), (3,), ([0], [0]), ([], [])),
    "outer": ((2,), (3,), ([], []), ([], [])),
    "scalars": ((), (), ([], []), ([], [])),
    "matrix vector": ((2, 3), (3,), ([1], [0]), ([], [])),
    "turned": ((3, 2), (4, 3), ([0], [1]), ([], [])),
    "two axes": ((2, 3, 4), (4, 2, 2), ([0, 2], [1, 0]), ([], [])),
    "batched": ((2, 3, 2), (2, 2, 2), ([2], [1]), ([0], [0])),
    "batched last": ((3, 2, 2), (2, 4, 2), ([1], [0]), ([2], [2])),
    "two batches": ((2, 3, 1, 2), (3, 2, 2, 2), ([3], [3]), ([0, 1], [1, 0])),
    "elementwise": ((2, 3), (2, 3), ([], []), ([0, 1], [0, 1])),
    "nothing to sum": ((2, 0), (0, 3), ([1], [0]), ([], [])),
    "no rows": ((0, 2), (2, 3), ([1], [0]), ([], [])),
    "ones": ((1, 1), (1, 1), ([1], [0]), ([], [])),
}


def dot_general(store):
    for d in ALL:
        for tag, (l, r, contract, batch) in DOTS.items():
            if d == "bool":
                # StableHLO's sum of products on bool: JAX has it for numbers only.
                fn = lambda x, y: lax.ne(  # noqa: E731
                    lax.dot_general(x.astype(np.int32), y.astype(np.int32), (contract, batch)), np.int32(0)
                )
            else:
                fn = lambda x, y: lax.dot_general(x, y, (contract, batch), precision="highest")  # noqa: E731
            text = op("dot_general", contract=contract, batch=batch)
            x, y = ordinary(d, l), ordinary(d, r, salt=1)
            diff = (0, 1) if d in ("f64", "c128") else ()
            store.op(text, [x, y], fn, tag, diff=diff, tol=4 if d in ("f16", "bf16") else None)


def conv(lhs, rhs, axes=None, **how):
    """A convolution: shapes, the orders of axes, and what is not plain about it."""
    n = len(lhs) - 2
    plain = list(range(n + 2))
    l, r, o = axes or (plain, plain, plain)
    numbers = dict(lhs=l, rhs=r, out=o)
    rest = dict(
        strides=[1] * n,
        padding=[(0, 0)] * n,
        lhs_dilation=[1] * n,
        rhs_dilation=[1] * n,
        reversal=[False] * n,
        feature_groups=1,
        batch_groups=1,
    )
    return lhs, rhs, numbers | rest | how


NHWC = ([0, 3, 1, 2], [3, 2, 0, 1], [0, 3, 1, 2])
CONVOLUTIONS = {
    "1d": conv((1, 2, 6), (3, 2, 3)),
    "0d": conv((2, 3), (4, 3)),
    "2d": conv((2, 1, 4, 3), (2, 1, 2, 2)),
    "3d": conv((1, 1, 3, 2, 3), (1, 1, 2, 2, 2)),
    "strides": conv((1, 1, 7), (1, 1, 2), strides=[3]),
    "padding": conv((1, 1, 4), (2, 1, 3), padding=[(2, 1)]),
    "negative padding": conv((1, 1, 6), (1, 1, 2), padding=[(-1, -2)]),
    "mixed padding": conv((1, 1, 6), (1, 1, 2), padding=[(-1, 3)]),
    "lhs dilation": conv((1, 1, 3), (1, 1, 3), lhs_dilation=[2], padding=[(1, 1)]),
    "rhs dilation": conv((1, 1, 7), (1, 1, 2), rhs_dilation=[3]),
    "reversal": conv((1, 2, 5), (2, 2, 3), reversal=[True]),
    "reversal of one": conv((1, 1, 3, 3), (1, 1, 2, 2), reversal=[False, True]),
    "feature groups": conv((1, 4, 5), (6, 2, 2), feature_groups=2),
    "depthwise": conv((1, 3, 4), (3, 1, 2), feature_groups=3),
    "batch groups": conv((4, 2, 3), (2, 2, 2), batch_groups=2),
    "nhwc": conv((1, 3, 4, 2), (2, 2, 2, 3), NHWC),
    "transposed": conv((1, 1, 4), (1, 1, 3), lhs_dilation=[2], padding=[(2, 2)], reversal=[True]),
    "all": conv(
        (2, 5, 4, 2),
        (2, 2, 1, 4),
        NHWC,
        strides=[2, 1],
        padding=[(1, 0), (0, 2)],
        lhs_dilation=[1, 2],
        rhs_dilation=[2, 1],
        reversal=[True, False],
        feature_groups=2,
    ),
    "too large": conv((1, 1, 2), (1, 1, 3)),
    "empty batch": conv((0, 2, 4), (3, 2, 2)),
    "no features": conv((1, 0, 4), (2, 0, 2)),
}


def convolution(store):
    for d in ALL:
        if d == "bool":
            continue
        for tag, (lhs, rhs, a) in CONVOLUTIONS.items():
            if d not in ("f32", "f64", "i32", "c64", "c128") and tag not in ("1d", "all", "feature groups", "2d"):
                continue
            numbers = lax.ConvDimensionNumbers(tuple(a["lhs"]), tuple(a["rhs"]), tuple(a["out"]))

            def fn(x, y):
                y = lax.rev(y, [axis for axis, turned in zip(a["rhs"][2:], a["reversal"]) if turned])
                return lax.conv_general_dilated(
                    x,
                    y,
                    a["strides"],
                    a["padding"],
                    a["lhs_dilation"],
                    a["rhs_dilation"],
                    numbers,
                    a["feature_groups"],
                    a["batch_groups"],
                    precision="highest",
                )

            x, y = ordinary(d, lhs, -2, 2), ordinary(d, rhs, -2, 2, salt=1)
            diff = (0, 1) if d == "f64" and tag not in ("too large", "empty batch", "no features", "0d") else ()
            diff = (0, 1) if d == "c128" and tag in ("1d", "2d", "all") else diff
            store.op(op("convolution", **a), [x, y], fn, tag, diff=diff, tol=4 if d in ("f16", "bf16") else None)


def fft(store):
    for d in ("f32", "f64"):
        c = "c64" if d == "f32" else "c128"
        for shape, lengths in [
            ((4,), [4]),
            ((5,), [5]),
            ((1,), [1]),
            ((2, 6), [6]),
            ((3, 4), [3, 4]),
            ((2, 3, 4), [2, 3, 4]),
            ((2, 3, 5), [3, 5]),
            ((7,), [7]),
            ((0, 4), [4]),
        ]:
            whole = lengths[-1]
            half = (*shape[:-1], whole // 2 + 1)
            tag = "x".join(map(str, lengths))
            for kind, x in [("fft", c), ("ifft", c), ("rfft", d)]:
                fn = lambda x: lax.fft(x, getattr(lax.FftType, kind.upper()), tuple(lengths))  # noqa: E731
                diff = (0,) if d == "f64" and 0 not in shape else ()
                store.op(op("fft", kind=kind, lengths=lengths), [ordinary(x, shape)], fn, f"{kind}/{tag}", diff=diff)
            fn = lambda x: lax.fft(x, lax.FftType.IRFFT, tuple(lengths))  # noqa: E731
            diff = (0,) if d == "f64" and 0 not in shape else ()
            # A spectrum of a real array: what is not one is read differently by each library.
            spectrum = np.asarray(lax.fft(ordinary(d, shape, salt=1), lax.FftType.RFFT, tuple(lengths)))
            assert spectrum.shape == half
            store.op(op("fft", kind="irfft", lengths=lengths), [spectrum], fn, f"irfft/{tag}", diff=diff)


FAMILIES = {"dot_general": dot_general, "convolution": convolution, "fft": fft}
