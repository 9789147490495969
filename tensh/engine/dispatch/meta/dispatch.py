"""Dispatch of operators and functions on meta tensors."""

from tensh.engine.arrays.absent import Absent, is_absent
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.meta.functions import FUNCTIONS
from tensh.engine.dispatch.meta.kernels import function_of
from tensh.engine.dispatch.meta.probing import probe
from tensh.engine.inplace.out import write_out
from tensh.engine.inplace.writes import begin_write, write_inplace

UNCHECKED = frozenset(
    "mm bmm baddbmm correlate correlate_back match lookup ctc index_put gather index_select scatter_src scatter_value scatter_add "
    "scatter_reduce take pair_distances euclidean_dist linalg_cross linalg_solve_ex product_of_three put masked_scatter slice_put select_put "
    "masked_select bincount index index_back".split()
)
"""Operators for which PyTorch compares no devices."""


SECOND_FIRST = frozenset("addmm addr binary_entropy binary_entropy_of_logits masked_fill nll prelu_kernel".split())
"""Operators for which the second tensor determines the device that PyTorch expects."""
SOURCES = {"copy_": 1, "setitem": 2}
"""Functions that copy -> the place of the argument that they copy from."""


def require_one_device(args):
    """Raise unless all tensors are on the device of the first one; tensors without dimensions may be on the CPU."""
    expected = None
    for each in args:
        if isinstance(each, (tuple, list)):
            tensors = [t for t in each if isinstance(t, Tensor)]
        else:
            tensors = [each] if isinstance(each, Tensor) else []
        for t in tensors:
            absent = type(t.array) is Absent
            if not absent and not t.array.ndim:
                continue
            if expected is None:
                expected = absent
            elif absent is not expected:
                names = ("meta", "cpu") if absent else ("cpu", "meta")
                raise RuntimeError("Tensor on device {} is not on the expected device {}!".format(*names))


def require_elements_for(target, source):
    """Raise PyTorch's error if a tensor of the CPU is to get the elements of a meta tensor."""
    if type(target.array) is not Absent and is_absent(source):
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")


def operator(name, /, *args, out=None, **options):
    """Apply the operator ``name``; "add_" is the in-place form of "add"."""
    if name not in OPS:
        compute = lambda name, *args, **options: function_of(name)(*args, **options)  # noqa: E731
        return write(name, args[0], compute, (name.removesuffix("_"), *args), options)
    if name == "copying":
        require_elements_for(*args)
    elif name not in UNCHECKED and mode.running is None:  # derivatives may use what has been saved on the CPU
        require_one_device((*args[1:], args[0]) if name in SECOND_FIRST else args)
    result = function_of(name)(*args, **options)
    return result if out is None else write_out(out, result, name)


def function(name, fn, args, options, /):
    """Apply a composite that needs elements itself."""
    out = options.get("out")
    if out is not None:
        rest = {k: v for k, v in options.items() if k != "out"}
        return write_out(out, function(name, fn, args, rest), name)
    if name in SOURCES:
        require_elements_for(args[0], args[SOURCES[name]])
    if name in FUNCTIONS:
        return FUNCTIONS[name](*args, **options)
    return probe(fn, args, options, name)


def write(name, target, call, args, options):
    """Write the result of a call into ``target``, if given."""
    others = [each for each in args[2:] if isinstance(each, Tensor)]
    since = begin_write(target, *others)
    value = call(*args, **options)
    if type(target.array) is not Absent:
        return target  # as in PyTorch, a CPU tensor stays unchanged
    return write_inplace(target, since, value, name)
