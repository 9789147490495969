"""The errors of scripts whose types do not fit: their first lines, and the lines that they underline."""

import re
import warnings
from pathlib import Path

from tests.jit.ill_typed import make_wrong
from tests.recorded.answers import format_answers

FILE = Path(__file__).with_name("errors.json")
SHOWN = 2
"""Lines of an error that are compared; behind these, one of a call lists the overloads of an operator."""


def summarize_error(text):
    """Return the first lines of an error, and each line that it underlines with the line above."""
    lines = re.sub(r"___torch_mangle_\d+\.|(?<=unit at: )0x[0-9a-f]+", "", text).splitlines()
    end = next(place for place, line in enumerate(lines) if line.startswith("  File"))
    message = [line for line in lines[:end] if line.strip()][:SHOWN]
    places = [place for place, line in enumerate(lines) if line.strip(" ").startswith("~")]
    return message + [line for place in places for line in lines[place - 1 : place + 1]]


def find_errors(torch):
    """Return name -> summary of the error; None for a function that is scripted."""
    found = {}
    for name, function in make_wrong(torch).items():
        try:
            torch.jit.script(function)
            found[name] = None
        except RuntimeError as error:
            found[name] = summarize_error(str(error))
    return found


def record(wanted):
    if wanted("errors"):
        import torch

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield FILE, format_answers(find_errors(torch))
