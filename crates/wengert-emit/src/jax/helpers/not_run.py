def not_run(*_):
    """The linear half of a custom_vjp, which can be transposed and not run."""
    raise NotImplementedError("custom_vjp defines only the reverse derivative")
