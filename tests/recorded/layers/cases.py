"""Layers and what goes into them, for the generic tests in tests/nn/test_modules.py.

Each line of layers.txt is a case, ``LAYER <- INPUTS``: both are expressions in the names of ``torch.nn`` and ``torch``.  Those of
mistakes.txt are refused.  One seed goes before both expressions, so that the starting weights and the inputs are drawn in
PyTorch's order.  ``python -m tests.recorded layers``, where PyTorch is installed, records figures of what each does there.
"""

import math
import warnings
from pathlib import Path

HERE = Path(__file__).parent


def cases(name):
    """The cases of a file."""
    lines = HERE.joinpath(name).read_text(encoding="utf-8").splitlines()
    return [tuple(line.split(" <- ")) for line in lines if line]


CASES, MISTAKES = cases("layers.txt"), cases("mistakes.txt")
SEED = 7
STEPS = 10  # of gradient descent


class Names(dict):
    """The names of ``torch.nn``, then those of ``torch``."""

    def __init__(self, torch):
        self.torch = torch
        self["nn"] = torch.nn

    def __missing__(self, name):
        for space in (self.torch.nn, self.torch):
            if hasattr(space, name):
                return getattr(space, name)
        raise KeyError(name)


def made(torch, layer, inputs):
    """Return (module, tuple of inputs); floating point tensors among these require grad."""
    torch.manual_seed(SEED)
    module = eval(layer, {}, Names(torch))
    given = eval(f"({inputs},)", {}, Names(torch))
    return module, tuple(wanting_grad(torch, value) for value in given)


def wanting_grad(torch, value):
    if isinstance(value, torch.Tensor):
        is_number = value.is_floating_point() or value.is_complex()
        return value.detach().requires_grad_() if is_number and not value.isinf().any() else value  # a mask is no input
    if type(value) is tuple:
        return tuple(wanting_grad(torch, each) for each in value)
    return value


def tensors(torch, value):
    """The tensors in a value, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for each in value for t in tensors(torch, each)] if isinstance(value, list | tuple) else []


def outcome(torch, layer, inputs):
    """What a layer does, as (what, value) pairs.

    These are its printed form, its state, outputs and gradients in training, the state after a few steps, and outputs in
    evaluation.
    """
    module, given = made(torch, layer, inputs)
    yield "repr", repr(module)
    yield from ((f"start {name}", plain(value)) for name, value in state(torch, module))
    for step in range(STEPS):
        results = [t for t in tensors(torch, module(*copied(torch, given))) if t.is_floating_point() or t.is_complex()]
        yield from ((f"step {step} output {n}", plain(t)) for n, t in enumerate(results))
        loss = sum((t * torch.linspace(0.5, 1.5, t.numel()).view(t.shape).to(t.dtype)).sum() for t in results)
        loss = loss.real if isinstance(loss, torch.Tensor) and loss.is_complex() else loss
        if not loss.requires_grad:
            break
        loss.backward()
        leaves = [t for t in tensors(torch, given) if t.requires_grad]
        yield from ((f"step {step} input {n}", plain(t.grad)) for n, t in enumerate(leaves))
        for name, parameter in module.named_parameters():
            yield f"step {step} {name}", plain(parameter.grad)
            with torch.no_grad():
                if parameter.grad is not None:
                    parameter.sub_(0.001 * parameter.grad)
            parameter.grad = None
        for leaf in leaves:
            leaf.grad = None
    yield "repr after", repr(module)
    yield "versions", {key: value["version"] for key, value in module.state_dict()._metadata.items()}
    yield from ((f"end {name}", plain(value)) for name, value in state(torch, module))
    module.eval()
    yield from ((f"evaluation {n}", plain(t)) for n, t in enumerate(tensors(torch, module(*copied(torch, given)))))


def copied(torch, given):
    """The inputs, for modules that may write into them."""
    return [value * 1 if isinstance(value, torch.Tensor) and value.requires_grad else value for value in given]


def state(torch, module):
    for name, value in module.state_dict().items():
        yield name, value if type(value) in (torch.Tensor, torch.nn.Parameter) else repr(value)


def plain(value):
    """A tensor as its dtype, shape and numbers."""
    if value is None or isinstance(value, str):
        return value
    numbers = value.detach().flatten().tolist()
    if value.is_complex():
        numbers = [part for number in numbers for part in (number.real, number.imag)]
    return str(value.dtype), tuple(value.shape), numbers


def refusal(torch, layer, inputs):
    """The error that a layer, or its call, raises."""
    try:
        module, given = made(torch, layer, inputs)
        module(*given)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


# ── recorded figures ─────────────────────────────────────────────────────────
FIGURES, REFUSALS = HERE / "layers.json", HERE / "mistakes.json"
KINDS = {"start": "start", "output": " output ", "grad": "step ", "end": "end", "evaluation": "evaluation"}


def figures(torch, layer, inputs):
    """For each kind of what a layer does: (norm, projection) of all its numbers in a row."""
    rows = {kind: [] for kind in KINDS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for what, value in outcome(torch, layer, inputs):
            kind = next((kind for kind, mark in KINDS.items() if mark in what), None)
            if kind and isinstance(value, tuple):
                rows[kind] += [number for number in value[2] if math.isfinite(number)]
    return {kind: [float(f"{figure:.5g}") for figure in summary(numbers)] for kind, numbers in rows.items() if numbers}


def summary(numbers):
    weighted = sum(number * math.cos(place) for place, number in enumerate(numbers))
    return math.sqrt(sum(number * number for number in numbers)), weighted
