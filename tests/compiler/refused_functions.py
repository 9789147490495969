"""Functions that PyTorch refuses with ``fullgraph=True``: decisions on elements, what has no fake tensor, and errors."""

# ruff: noqa

import collections
import base64
import contextlib
import copy
import datetime
import enum
import heapq
import json
import os
import pathlib
import random
import statistics
import sys
import warnings


class Choice(enum.Enum):
    A = 2


def make(torch):
    """Return name -> function of two ones."""

    def enter_stack(x):
        with contextlib.ExitStack() as stack:
            stack.enter_context(torch.no_grad())
            return x * 2

    def bool_and_branch(x):
        if bool(x.sum() > 0):
            return x + 1
        return x

    def range_of_an_element(x):
        for i in range(int(x.sum())):
            x = x + i
        return x

    def range_of_a_variable(x):
        n = x.long()[0].item()
        for i in range(n):
            x = x + i
        return x

    def branch_on_a_variable(x):
        k = x.sum().item()
        if k > 1:
            return x
        return x * k

    def resized(x):
        y = x.clone()
        y.resize_(4)
        return y

    def resized_as(x):
        y = x.clone()
        y.resize_as_(torch.ones(3))
        return y

    def class_within(x):
        class A:
            k = 2

        return x * A.k

    def forked(x):
        with torch.random.fork_rng():
            y = torch.rand(2)
        return x + y

    def asserting(x):
        assert x.sum() > 0, f"bad {x}"
        return x

    def failing_assertion(x):
        assert False, "no"

    def raising(x):
        raise ValueError("no")

    def gradient(x):
        return torch.autograd.grad(x.clone().requires_grad_().sum(), x)

    layer = torch.nn.GRU(2, 3)

    @torch._dynamo.disable
    def excluded(x):
        return x

    return {
        "bool": bool_and_branch, "range": range_of_an_element, "range of a variable": range_of_a_variable,
        "variable": branch_on_a_variable, "resize_": resized, "resize_as_": resized_as, "class": class_within, "fork_rng": forked,
        "assertion with text": asserting, "failing assertion": failing_assertion, "raise": raising, "disable": lambda x: excluded(x),
        "any": lambda x: any(x), "all": lambda x: all(x > 0), "any of several": lambda x: any(each > 0 for each in x),
        "filter": lambda x: list(filter(lambda each: each > 1, x)), "sorted": lambda x: sorted([x[0], x[1]]),
        "sort": lambda x: [x[0], x[1]].sort(), "and": lambda x: x.sum() and x, "negation": lambda x: not x.sum(),
        "compared": lambda x: 1 if x[0].item() > 0 else 2, "compared integer": lambda x: 1 if x.long()[0].item() > 0 else 2,
        "compared int": lambda x: 1 if int(x[0]) > 0 else 2, "is_nonzero": lambda x: x.sum().is_nonzero(),
        "storage": lambda x: x.storage(), "size of storage": lambda x: x + x.untyped_storage().nbytes(),
        "storage_offset": lambda x: x.storage_offset(), "sparse": lambda x: x.to_sparse(), "csr": lambda x: torch.eye(2).to_sparse_csr(),
        "copy": lambda x: copy.copy(x), "deepcopy": lambda x: copy.deepcopy(x), "random state": lambda x: (torch.get_rng_state(), x)[1],
        "copy of a list": lambda x: x * copy.copy([1])[0], "copy of a dictionary": lambda x: x * copy.copy({"a": 1})["a"],
        "copy of a layer": lambda x: (copy.deepcopy(torch.nn.ReLU()), x)[1], "mean": lambda x: x * statistics.mean([1, 2]),
        "deviation": lambda x: x * statistics.stdev([1, 2]), "random": lambda x: x * random.random(), "warn": lambda x: (warnings.warn("a"), x)[1],
        "now": lambda x: (datetime.datetime.now(), x)[1],
        "recurrent": lambda x: layer(x.view(1, 1, 2))[0], "no method": lambda x: x.foo(), "sizes": lambda x: x + torch.ones(3), "operand": lambda x: x + "a",
        "undefined": lambda x: undefined_name, "division by zero": lambda x: x * (1 / 0), "key": lambda x: {}["a"],
        "json": lambda x: (json.dumps({}), x)[1], "dir": lambda x: (dir(x), x)[1], "heapq": lambda x: x * heapq.nlargest(1, [1])[0],
        "base64": lambda x: (base64.b64encode(b"a"), x)[1], "getsizeof": lambda x: x * sys.getsizeof(1),
        "parameter": lambda x: x * torch.nn.Parameter(torch.ones(2)), "layer within": lambda x: torch.nn.Linear(2, 1)(x),
        "round": lambda x: round(x), "allclose": lambda x: x if torch.allclose(x, x) else x + 1,
        "stack of contexts": enter_stack,
        "step": lambda x: (torch.compiler.cudagraph_mark_step_begin(), x)[1],
    }  # fmt: skip


def make_whole(torch):
    """Return name -> function of two ones that is one graph in PyTorch, though it reads elements or uses unusual objects."""
    return {
        "greatest": lambda x: max(x[0], x[1]), "least": lambda x: min([x[0], x[1]]), "tolist": lambda x: x.long().tolist(),
        "contains": lambda x: (1 in x, x * 2)[1], "member of an enum": lambda x: x * Choice.A.value, "bool": lambda x: bool(x.sum()),
        "join": lambda x: (os.path.join("a", "b"), x * 2)[1], "path": lambda x: (pathlib.Path("a") / "b", x * 2)[1],
        "named tuple": lambda x: x * collections.namedtuple("Pair", "a b")(1, 2).b, "randint": lambda x: x * random.randint(1, 2),
        "generator": lambda x: (random.Random(0).random(), x * 2)[1], "median": lambda x: x * statistics.median([1, 2, 3]),
        "copy of an object": lambda x: (copy.copy(Choice), copy.deepcopy([1]), x * 2)[2],
        "queue": lambda x: x * collections.deque([1, 2]).popleft(), "float": lambda x: x * float(x.sum()), "sort numbers": lambda x: x * sorted([3, 1])[0],
    }  # fmt: skip
