"""Every overridable function of PyTorch exists, and calls ``__torch_function__`` of its arguments.

The functions and their parameters are those of ``torch.overrides.get_testing_overrides()``; arguments with which
PyTorch dispatches a call must make tensh do so.
"""

import inspect
import itertools
import re
import warnings

import tensh
from tests.support.databases import oracle

ABSENT = {  # names below torch -> why they are absent
    r"(q_|fbgemm_|quantize|fake_quantize|int_repr|choose_qparams|fused_moving|dequantize|miopen_).*": "other kernels",
    r"batch_norm_(?!with).*|native_norm|slice_inverse": "parts of other devices' kernels",
    r"(nn\.functional\._)?sym_.*|nn\.functional\._sym_int": "symbolic sizes of the compiler",
    r"\w*(indices|values)_copy": "copies for the compiler",
    r"Tensor\.(q_\w+|qscheme|int_repr|dequantize|to_mkldnn|mtia|xpu|ipu|record_stream|__cuda_array.*)": "other devices",
    r"Tensor\.(_\w+|__setstate__|__div__|volatile|grad_dtype|index|resize|resize_as|resize_as_sparse_|module_load"
    r"|slice_inverse)(\.__get__)?": "private, or gone from Python's PyTorch",
}
"""Functions that tensh does not have."""

SILENT = r"(Tensor\.)?get_device|Tensor\._base\.__get__|(nn\.functional\._)?sym_.*"
"""Facts of a tensor that tensh reads without asking its class, and functions of symbolic numbers, which no tensor is."""


def functions():
    """Yield (name, function of PyTorch, its stand-in) of functions with a public name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for function, answer in oracle.overrides.get_testing_overrides().items():
            name = oracle.overrides.resolve_name(function)
            if name is not None:
                yield name.removeprefix("torch."), function, answer


def find(name):
    """Return the object of that name in tensh, or None."""
    found = tensh
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def is_absent(name):
    return any(re.fullmatch(pattern, name) for pattern in ABSENT)


EACH = {name: (function, answer) for name, function, answer in functions()}


def test_every_name_is_there():
    missing = sorted(name for name in EACH if find(name) is None and not is_absent(name))
    assert not missing


def probe(m):
    """A subclass of tensors that answers every call itself."""

    class Probe(m.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            return NAMED

    return m.ones(2, 2).as_subclass(Probe)


NAMED = object()


def arguments(answer):
    """Ways to fill the parameters that have no default: with one tensor each, or some with lists of them."""
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    needed = [
        each.name
        for each in inspect.signature(answer).parameters.values()
        if each.kind in kinds and each.default is inspect.Parameter.empty
    ]
    yield lambda one: [one] * len(needed)
    yield lambda one: [[one, one], *[one] * (len(needed) - 1)]
    yield lambda one: [one, *[1] * (len(needed) - 1)]
    yield lambda one: [one, one]


def dispatches(function, given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*given) is NAMED
        except Exception:
            return False


def test_every_function_dispatches():
    wrong, one, other = [], probe(oracle), probe(tensh)
    for name, (function, answer) in EACH.items():
        mine = find(name)
        if mine is None or re.fullmatch(SILENT, name):
            continue
        ways = itertools.islice((way for way in arguments(answer) if dispatches(function, way(one))), 1)
        wrong += [name for way in ways if not dispatches(mine, way(other))]
    assert not wrong
