"""Looking at tensors: tables and pictures of them in text.

Every function returns data that can be looked at: at the prompt an expression shows it, in colour and in the width of
the window; elsewhere `print` does, as plain text. The commands of the prompt (`%who`, `%hist x`) are these functions.
Only `track` is of another kind: it shows how far a long loop is.

>>> import tensh
>>> tensh.show.hist(tensh.tensor([1., 2., 2., 3.]), bins=2)
[1.0, 2.0)  1  ████████████████▋
[2.0, 3.0]  3  ██████████████████████████████████████████████████
# [4] float32 · 4 values in [1, 3] · mean 2 · std 0.8165
"""

import importlib

# name: the module that has it. Found on first use, so that naming one function loads one.
PLACES = {
    "accumulation": "passes",
    "cmp": "comparison",
    "contents": "containers",
    "full": "whole",
    "gradcheck": "checking",
    "grads": "gradients",
    "graph": "graphs",
    "heat": "heatmap",
    "hist": "histogram",
    "image": "picture",
    "memory": "retained",
    "plot": "curves",
    "static": "captured",
    "statistics": "measures",
    "steps": "passes",
    "summary": "modules",
    "trace": "tracing",
    "track": "progress",
    "who": "names",
    "why": "reasons",
}
__all__ = list(PLACES)


def __getattr__(name):
    if name not in PLACES:
        raise AttributeError(f"module 'tensh.show' has no attribute '{name}'")
    globals()[name] = getattr(importlib.import_module(f"tensh.show.{PLACES[name]}"), name)
    return globals()[name]


def __dir__():
    return __all__
