"""Looking at tensors: tables and pictures in text.

Every function returns a view: the prompt displays it in colour and fitted to the window, `print` as plain text. The
commands of the prompt (`%who`, `%hist x`) call these functions. Only `track` differs: it shows the progress of a loop.

>>> import tensh
>>> tensh.show.hist(tensh.tensor([1., 2., 2., 3.]), bins=2)
[1.0, 2.0)  1  ████████████████▋
[2.0, 3.0]  3  ██████████████████████████████████████████████████
# [4] float32 · 4 values in [1, 3] · mean 2 · std 0.8165
"""

import importlib

# name -> the module that defines it, which is loaded on first use
PLACES = {
    "accumulation": "graphs.passes",
    "cmp": "tables.comparison",
    "contents": "tables.containers",
    "full": "printed.whole",
    "gradcheck": "tables.checking",
    "grads": "tables.gradients",
    "graph": "graphs.views",
    "heat": "pictures.heatmap",
    "hist": "pictures.histogram",
    "image": "pictures.picture",
    "memory": "graphs.retained",
    "plot": "pictures.curves",
    "static": "graphs.captured",
    "statistics": "reading.measures",
    "steps": "graphs.passes",
    "summary": "tables.modules",
    "trace": "tables.tracing",
    "track": "loops.progress",
    "who": "tables.names",
    "why": "graphs.reasons",
}
__all__ = list(PLACES)


def __getattr__(name):
    if name not in PLACES:
        raise AttributeError(f"module 'tensh.show' has no attribute '{name}'")
    globals()[name] = getattr(importlib.import_module(f"tensh.show.{PLACES[name]}"), name)
    return globals()[name]


def __dir__():
    return __all__
