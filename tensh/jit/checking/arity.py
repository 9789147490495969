"""The numbers of arguments of the functions of Python that have a special meaning in scripts."""

__all__ = ["wrong_number"]

EXACTLY = {isinstance: 2, hasattr: 2, list: 1, tuple: 1}
BETWEEN = {range: (1, 3), enumerate: (1, 2), zip: (1, None)}
OPTIONAL = (list,)
"""Functions that may also be called without arguments."""


def wrong_number(function, count):
    """Return the text of the error of a call with a number of arguments; None if the function takes so many."""
    name = getattr(function, "__name__", "")
    if function is getattr and not 2 <= count <= 3:
        return f"getattr expected to have number of arguments between 2 and 3 but found {count}"
    exactly = next((number for each, number in EXACTLY.items() if each is function), None)
    if exactly is not None and count != exactly and (count or function not in OPTIONAL):
        return f"{name} expected exactly {exactly} arguments but found {count}"
    least, most = next((pair for each, pair in BETWEEN.items() if each is function), (0, None))
    if count < least:
        return f"{name} expected at least {least} arguments, got {count}"
    if most is not None and count > most:
        return f"{name} expected at most {most} arguments, got {count}"
    return None
