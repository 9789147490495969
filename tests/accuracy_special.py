"""Special functions and the inputs on which their errors are measured, against 50 digits of mpmath."""

TITLE = "Special functions"
TEXT = "Relative to the exact result."


def measure(modules, wanted, quick):
    """Yield (function, dtype, input, (error of each module)) for the functions that are ``wanted``."""
    return iter(())
