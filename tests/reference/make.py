#!/usr/bin/env python3
"""Computes the reference values with JAX on the CPU, and writes them under data/. See README.md.

    python3 make.py [FAMILY…]
"""

import pathlib
import sys

import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

from cases import FAMILIES  # noqa: E402
from store import Store  # noqa: E402

DATA = pathlib.Path(__file__).parent / "data"


def main():
    DATA.mkdir(exist_ok=True)
    for name in sys.argv[1:] or FAMILIES:
        store = Store()
        FAMILIES[name](store)
        store.save(DATA / name)
        more = "".join(f", {n} {what}" for what, n in store.counts.items())
        print(f"{name}: {len(store.names)} cases{more}; {len(store.bytes)} bytes of arrays", flush=True)


if __name__ == "__main__":
    main()
