"""The recorder of a profile: a function that Python calls for every call of an operator.

Operators are generated functions, and named by their files (``<tensh addmm>``); the name of PyTorch's operator is that of
the node which records it, where the name itself is none of PyTorch's.
"""

import os
import re
import sys
from math import prod
from time import perf_counter_ns

from numpy import ndarray

import tensh
from tensh.engine.arguments.caller import AUTOCAST
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.backward import accumulate
from tensh.engine.core.tensor import Tensor
from tensh.profiler.events import FunctionEvent

ROOT = os.path.dirname(os.path.dirname(__file__)) + os.sep
OPTIM = f"{ROOT}optim{os.sep}"
DERIVATIVE = "<tensh derivative of "
"""The beginning of the names of derivatives' files."""
SKIPPED = ("<tensh guard of ", "<tensh guards of ", "<tensh compiled ", "<tensh torch.nn.", AUTOCAST)
"""Beginnings of the names of files with functions around operators."""
EVALUATION = "autograd::engine::evaluate_function: "
ACCUMULATION = "torch::autograd::AccumulateGrad"
CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-zA-Z])(?=\d[dD])")
NAMED = {"softmax": "_softmax", "log_softmax": "_log_softmax", "nll_loss": "nll_loss_forward"}
"""Operator that others call -> its name; their own name is that of a function made of it."""


class Recorder:
    """The events of one recording, in the order in which they began."""

    def __init__(self, shapes=False, memory=False, stacks=False, flops=False):
        self.shapes, self.memory, self.stacks, self.flops = shapes, memory, stacks, flops
        self.events, self.open, self.frames, self.begin = [], [], [], perf_counter_ns()

    def now(self):
        return (perf_counter_ns() - self.begin) / 1000

    def enter(self, name, category="cpu_op", frame=None):
        """Begin an event within those that have begun."""
        arguments = collect_arguments(frame) if frame is not None and (self.shapes or self.flops) else ()
        shapes = [list(a.shape) if isinstance(a, (Tensor, ndarray)) else [] for a in arguments] if self.shapes else ()
        stack = list_lines(frame) if self.stacks and frame is not None else ()
        event = FunctionEvent(len(self.events) + 1, name, self.now(), category, shapes, stack)
        if self.flops:
            event.flops = count_flops(name, arguments)
        if self.open:
            event.cpu_parent = self.open[-1]
            self.open[-1].cpu_children.append(event)
        self.events.append(event)
        self.open.append(event)
        return event

    def leave(self, event, result=None):
        """End an event, and those inside that an exception has ended."""
        if event not in self.open:
            return
        taken = count_bytes(result) if self.memory else 0
        while self.open:
            last = self.open.pop()
            last.end = self.now()
            last.cpu_memory_usage += max(taken, sum(each.cpu_memory_usage for each in last.cpu_children))
            if last is event:
                break

    def on_call(self, frame, kind, argument):
        """Take a call or a return; called by Python."""
        code = frame.f_code
        if kind == "call":
            name = find_name(frame, code)
            if name is not None and not (self.open and self.open[-1].name == name):
                of_node = name is ACCUMULATION or code.co_filename.startswith(DERIVATIVE)
                outer = self.enter(EVALUATION + name, "cpu_op") if of_node else None
                event = self.enter(name, "user_annotation" if "#" in name else "cpu_op", frame)
                self.frames.append((frame, outer or event, event))
        elif kind == "return" and self.frames and self.frames[-1][0] is frame:
            _, outer, event = self.frames.pop()
            self.leave(event, argument)
            self.leave(outer)

    def start(self):
        sys.setprofile(self.on_call)

    def stop(self):
        self.frames.clear()
        while self.open:
            self.leave(self.open[0])


def find_name(frame, code):
    """Return the name of the event that a call is; None if it is none."""
    file = code.co_filename
    if code is accumulate.__code__:
        return ACCUMULATION
    if not file.startswith("<tensh"):
        if file.startswith(OPTIM) and code.co_name in ("step", "zero_grad"):
            optimizer = frame.f_locals.get("self")
            if isinstance(optimizer, tensh.optim.Optimizer) and not called_by_optimizer(frame):
                return f"Optimizer.{code.co_name}#{type(optimizer).__name__}.{code.co_name}"
        return None
    if file.startswith(SKIPPED) or code.co_name[0] == "<":
        return None
    if file.startswith(DERIVATIVE):
        node = frame.f_locals.get("self")
        return node.name() if hasattr(node, "name") else None
    return f"aten::{name_operator(code.co_name.removesuffix('_operator'), file)}"


def called_by_optimizer(frame):
    """Return True for a method that the same optimizer calls, as that of its base class."""
    outer = frame.f_back
    return (
        outer is not None
        and outer.f_code.co_filename.startswith(OPTIM)
        and outer.f_code.co_name == frame.f_code.co_name
    )


def name_operator(name, file):
    """PyTorch's name of an operator."""
    if "wrapper of" in file or name not in OPS:
        return name
    found = name
    if not hasattr(tensh, name) and not hasattr(Tensor, name):
        node = getattr(OPS[name], "node", None) or ""
        found = CAPITAL.sub("_", node.rpartition("Backward")[0]).lower() or name
    return NAMED.get(found, found)


def collect_arguments(frame):
    """Return the positional arguments of a call, without ``self``."""
    code, values = frame.f_code, frame.f_locals
    return [values.get(name) for name in code.co_varnames[: code.co_argcount] if name != "self"]


def list_lines(frame):
    """Return the lines of a program that led to a call, the innermost first."""
    found = []
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith((ROOT, "<tensh")):
            found.append(f"{code.co_filename}({frame.f_lineno}): {code.co_name}")
        frame = frame.f_back
    return found


def count_bytes(result):
    """Return the bytes of the arrays that only a result has."""
    results = result if isinstance(result, (tuple, list)) else (result,)
    arrays = [each.array if isinstance(each, Tensor) else each for each in results]
    return sum(a.nbytes for a in arrays if type(a) is ndarray and a.base is None)


def count_flops(name, arguments):
    """Return the operations on numbers of a product of matrices, and of sums and products of numbers; 0 for others."""
    shapes = [a.shape for a in arguments if isinstance(a, Tensor)]
    if name in ("aten::add", "aten::mul") and shapes:
        return prod(shapes[0])
    matrices = shapes[-2:] if name in ("aten::addmm", "aten::mm", "aten::bmm") else ()
    if len(matrices) != 2 or min(map(len, matrices)) < 2:
        return 0
    (*batch, rows, inner), (*_, columns) = matrices
    return 2 * rows * inner * columns * (batch[0] if batch else 1)
