"""Runs emitted files one after another, and writes a line for each: its name, whether it ended well, what it printed."""

import contextlib
import io
import os
import runpy
import sys
import traceback

import jax

for i, path in enumerate(open(sys.argv[1]).read().split()):
    jax.config.update("jax_enable_x64", False)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            runpy.run_path(path, run_name="__main__")
            ended = "ok"
        except SystemExit as e:
            ended = "ok" if not e.code else "failed"
            if isinstance(e.code, str):
                said.write(e.code)
        except Exception as e:
            frames = traceback.extract_tb(e.__traceback__)
            lines = [f.line for f in frames if f.filename == path]
            said.write(f"{type(e).__name__}: {e} at {lines[-1:]}")
            ended = "failed"
    name = os.path.basename(os.path.dirname(path))
    print(name, ended, said.getvalue().strip().replace("\n", " | "), sep="\t", flush=True)
    if i % 200 == 199:
        jax.clear_caches()
