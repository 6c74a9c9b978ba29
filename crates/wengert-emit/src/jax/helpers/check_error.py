def check_error(error, message=None):
    """Exits with 1 if this is not the recorded error, which has this message if it is raised here."""
    if message is not None:
        same = type(error) is RuntimeError and str(error) == message
    else:
        # JAX says it otherwise than the recorded error does; these are mistakes of this file.
        mistakes = (AttributeError, ImportError, NameError, SyntaxError)
        same = not isinstance(error, mistakes)
    if not same:
        sys.exit(f"failed otherwise than recorded: {type(error).__name__}: {error}")
