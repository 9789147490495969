"""The origin of a step as a comment next to it: its layer, or the user's source."""

from tensh.graph.source import piece
from tensh.support.naming import is_of_torch


def note(step):
    """Return a comment with the origin of a step: the layer, or the user's source."""
    line = step.line
    if line is None or line.place is None:
        return ""
    text = words_of(step)
    if is_layer(line):
        return f"  # {text}"
    return f"  # line {line.place.line}{f': {text}' if text else ''}"


def is_layer(line):
    """Return True if a line comes from a layer of torch.nn."""
    return bool(line.modules) and is_of_torch(type(line.modules[-1]).__module__)


def words_of(step):
    """Return the user's expression for a step, or the layer of torch.nn that contains it; None if neither is known."""
    if step.line is not None and is_layer(step.line):
        module = step.line.modules[-1]
        path = next((path for path, each in step.line.modules[0].named_modules() if each is module), "")
        return f"{path}: {type(module).__name__}" if path else type(module).__name__
    place = step.line.place if step.line is not None else None
    found = None if place is None else piece(place.code, place.instruction)
    return None if found is None else found.text[:60]
