"""Functions with ``fullgraph=True``: those that PyTorch refuses, and those of which it makes one graph."""

# ruff: noqa

import contextlib
import logging
import os
import sys
import threading
import time
import warnings

LIST, TABLE = [1], {}


class Thing:
    pass


THING = Thing()


def make(torch):
    """Return (the functions that are refused, those that are not), by name."""
    linear = torch.nn.Linear(2, 2)

    def counting(x):
        global COUNT
        COUNT = 1
        return x * 2

    def branch(x):
        return x * 2 if x.sum() > 0 else x

    def branch_on_an_element(x):
        return x * 2 if x.sum().item() > 0 else x

    def loop(x):
        while x.sum() < 10:
            x = x * 2
        return x

    def opening(x):
        with open(os.devnull):
            return x * 2

    def locking(x):
        with threading.Lock():
            return x * 2

    def gradient(x):
        y = x.clone().requires_grad_()
        (y * 2).sum().backward()
        return y.grad

    def asserting(x):
        assert x.sum() > 0
        return x * 2

    def without_gradients(x):
        with torch.no_grad():
            return x * 2

    def suppressing(x):
        with contextlib.suppress(ValueError):
            return x * 2

    refused = {
        "print": lambda x: (print("hi"), x * 2)[1],
        "open": opening,
        "breakpoint": lambda x: (breakpoint(), x * 2)[1],
        "logging": lambda x: (logging.getLogger("quiet").info("a"), x * 2)[1],
        "warning": lambda x: (warnings.warn("a"), x * 2)[1],
        "write": lambda x: (sys.stdout.write(""), x * 2)[1],
        "flush": lambda x: (sys.stdout.flush(), x * 2)[1],
        "time": lambda x: (time.time(), x * 2)[1],
        "sleep": lambda x: (time.sleep(0), x * 2)[1],
        "exists": lambda x: (os.path.exists("/"), x * 2)[1],
        "exec": lambda x: (exec("a = 1"), x * 2)[1],
        "compile": lambda x: (compile("1", "a", "eval"), x * 2)[1],
        "import": lambda x: (__import__("math"), x * 2)[1],
        "globals": lambda x: (globals(), x * 2)[1],
        "frame": lambda x: (sys._getframe(), x * 2)[1],
        "lock": locking,
        "backward": gradient,
        "seed": lambda x: (torch.manual_seed(0), x * 2)[1],
        "tolist": lambda x: x * x.tolist()[0],
        "repr": lambda x: (repr(x), x * 2)[1],
        "str": lambda x: (str(x), x * 2)[1],
        "equal": lambda x: x * 2 if torch.equal(x, x) else x,
        "branch": branch,
        "branch on an element": branch_on_an_element,
        "loop": loop,
        "not": lambda x: x * 2 if not x.sum() else x,
        "graph break": lambda x: (torch._dynamo.graph_break(), x * 2)[1],
    }
    whole = {
        "eval": lambda x: x * eval("2"),
        "locals": lambda x: (locals(), x * 2)[1],
        "attribute": lambda x: (setattr(THING, "a", 1), x * 2)[1],
        "list": lambda x: (LIST.append(1), x * 2)[1],
        "dictionary": lambda x: (TABLE.update(a=1), x * 2)[1],
        "global": counting,
        "item": lambda x: x * x.sum().item(),
        "numpy": lambda x: torch.from_numpy(x.numpy() * 2),
        "format": lambda x: (x * 2, f"{x}"),
        "nonzero": lambda x: x.nonzero(),
        "mask": lambda x: x[x > 0],
        "unique": lambda x: x.unique(),
        "next": lambda x: next(iter([x])) * 2,
        "data_ptr": lambda x: (x.data_ptr(), x * 2)[1],
        "assertion": asserting,
        "no_grad": without_gradients,
        "suppress": suppressing,
        "default dtype": lambda x: (torch.set_default_dtype(torch.float32), x * 2)[1],
        "random": lambda x: x + torch.rand(2),
        "module": lambda x: linear(x),
        "transform": lambda x: torch.func.grad(lambda a: (a * a).sum())(x),
        "environment": lambda x: (os.environ.get("A"), x * 2)[1],
    }
    return refused, whole
