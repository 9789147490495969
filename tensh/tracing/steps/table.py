"""Functions that consist of several operators in a trace, as in PyTorch: indexing, recurrent layers."""

import tensh as torch
from tensh._aten.steps.library import LIBRARY
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.state import state
from tensh.nn.modules.cells import check_cell
from tensh.nn.utils.rnn import PackedSequence
from tensh.support.temporary import temporarily
from tensh.tracing.steps.attention import attention
from tensh.tracing.steps.indexing import getitem, setitem
from tensh.tracing.steps.layers import CALLS, COMPOSED
from tensh.tracing.translation import FAMILY


def recording(recorder, on=True):
    """Return a context that turns recording within the recorder's own calls on, or off."""
    others = tuple(mode for mode in state.modes if mode is not recorder)
    return temporarily(state, modes=(*others, recorder) if on else others)


# ── functions ────────────────────────────────────────────────────────────────
def split(recorder, tensor, split_size_or_sections, dim=0, **options):
    sections = options.get("split_size", split_size_or_sections)
    name = "split" if isinstance(sections, int) else "split_with_sizes"
    return recorder.run(name, tensor, sections if isinstance(sections, int) else list(sections), dim)


def einsum(recorder, equation, *operands):
    if not isinstance(equation, str):
        return NotImplemented
    operands = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    return recorder.run("einsum", equation, list(operands))


def constant(recorder, data, *args, **options):
    """Record ``torch.tensor(...)`` as a constant of the graph, or as a copy of a tensor."""
    if isinstance(data, Tensor):
        recorder.free_value(torch.tensor(data, *args, **options), "torch.tensor", True)  # warns for copies, too
        return copy_of(recorder, data, **options)
    if recorder.is_traced(data):
        return NotImplemented
    return recorder.free_value(torch.tensor(data, *args, **options), "torch.tensor", True)


def copy_of(recorder, data, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """Record ``torch.tensor(x)``."""
    if requires_grad:
        return NotImplemented
    plain = recorder.run("detach", data)
    return recorder.run("to", plain, dtype) if dtype not in (None, data.dtype) else recorder.run("clone", plain)


def new_tensor(recorder, input, data, dtype=None, **options):
    if isinstance(data, Tensor):
        recorder.free_value(input.new_tensor(data))  # warns for copies
        return copy_of(recorder, data, dtype or data.dtype, **options)
    return NotImplemented


def as_tensor(recorder, data, dtype=None, device=None):
    if isinstance(data, Tensor):
        return data if dtype in (None, data.dtype) else recorder.run("to", data, dtype)
    return recorder.free_value(torch.as_tensor(data, dtype=dtype), "torch.as_tensor")


def asarray(recorder, data, dtype=None, **options):
    if isinstance(data, Tensor):
        return data if dtype in (None, data.dtype) and not options.get("copy") else NotImplemented
    return recorder.free_value(torch.asarray(data, dtype=dtype, **options))


def divide_number(recorder, input, other):
    """Record ``other / input`` of a number, which PyTorch computes as a product with the reciprocal."""
    if isinstance(other, Tensor) or not isinstance(input, Tensor):
        return NotImplemented
    return recorder.run("mul", recorder.run("reciprocal", input), other)


def unpack(recorder, tensor):
    return iter(recorder.run("unbind", tensor, 0))


def public(function):
    """Decorate a step written in public functions, each of which is recorded."""

    def step(recorder, *args, **options):
        with recording(recorder):
            return function(*args, **options)

    return step


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    if out is not None:
        return NotImplemented
    return input / torch.linalg.vector_norm(input, p, dim, keepdim=True).clamp_min(eps).expand_as(input)


def scale_direction(recorder, v, g, dim):
    """Record a weight of weight normalisation, from its direction and norms."""
    if v.dim() > 1 and (dim == -1 or dim % v.dim() in (0, v.dim() - 1)):
        return recorder.run("_weight_norm", v, g, dim)
    dims = [each for each in range(v.dim()) if dim == -1 or each != dim % v.dim()]
    return v * (g / torch.linalg.vector_norm(v, 2, dims, keepdim=dim != -1))


def pool_largest(dims):
    """Return the step for ``adaptive_max_pool``, whose operator also returns indices."""

    def step(recorder, input, output_size, return_indices=False):
        sizes = list(output_size) if isinstance(output_size, (tuple, list)) else [output_size] * dims
        if None in sizes:
            return NotImplemented
        found = recorder.run(f"adaptive_max_pool{dims}d", input, sizes)
        return found if return_indices else found[0]

    return step


def norm(recorder, input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """Record ``norm`` as a vector norm, unless singular values are requested."""
    if out is not None or p == "nuc" or p is None:
        return NotImplemented
    dim = [dim] if isinstance(dim, int) else dim
    return recorder.run("linalg_vector_norm", input, 2 if p == "fro" else p, dim, keepdim, dtype=dtype)


# ── recurrent layers ─────────────────────────────────────────────────────────
RECURRENT = {"LSTM": "lstm", "GRU": "gru", "RNN_TANH": "rnn_tanh", "RNN_RELU": "rnn_relu"}


def run_recurrent(recorder, module, input, hx):
    """Record a recurrent module as one operator, with zero states by default; return (output, states)."""
    if isinstance(input, PackedSequence):
        raise NotImplementedError("a packed sequence cannot be traced: pass the padded one")
    dims, batch_dim = input.dim(), 0 if module.batch_first else 1
    if dims not in (2, 3):
        raise ValueError(f"{module.mode}: Expected input to be 2D or 3D, got {dims}D instead")
    if hx is not None:
        hx = module._read_states(hx)
        module._check_dims(hx, dims)
    if dims == 2:
        input = input.unsqueeze(batch_dim)
        hx = hx and [each.unsqueeze(1) for each in hx]
    states = module._begin(input, input.size(batch_dim)) if hx is None else hx
    module._check(input, states, None)
    weights = [getattr(module, name) for names in module._all_weights for name in names]
    output, *states = recorder.run(
        RECURRENT[module.mode], input, list(states) if module._states == 2 else states[0], weights, module.bias,
        module.num_layers, float(module.dropout), module.training, module.bidirectional, module.batch_first,
    )  # fmt: skip
    if dims == 2:
        return output.squeeze(batch_dim), [each.squeeze(1) for each in states]
    return output, states


def run_cell(recorder, module, mode, input, states, names):
    """Record a recurrent cell as one operator; return the new states."""
    alone = input.dim() == 1
    batch = input.unsqueeze(0) if alone else input
    if states is None:
        states = [torch.zeros(batch.size(0), module.hidden_size, dtype=input.dtype, device=input.device)] * len(names)
    elif alone:
        states = [each.unsqueeze(0) for each in states]
    check_cell(module, batch, states)
    weights = module.weight_ih, module.weight_hh, *((module.bias_ih, module.bias_hh) if module.bias else ())
    hx = list(states) if mode == "LSTM" else states[0]
    found = recorder.run(f"{RECURRENT[mode]}_cell", batch, hx, *weights)
    found = list(found) if mode == "LSTM" else [found]
    return [each.squeeze(0) for each in found] if alone else found


STEPS = {
    "getitem": getitem, "__getitem__": getitem, "setitem": setitem, "__setitem__": setitem, "split": split, "einsum": einsum,
    "tensor": constant, "as_tensor": as_tensor, "asarray": asarray, "new_tensor": new_tensor, "__iter__": unpack, "__rdiv__": divide_number, "__rtruediv__": divide_number, "normalize": public(normalize),
    "multi_head_attention_forward": public(attention), "norm": norm,
    **{f"adaptive_max_pool{dims}d": pool_largest(dims) for dims in (1, 2, 3)},
    **{name: public(function) for name, function in COMPOSED.items()}, **CALLS,
}  # fmt: skip
"""Public function -> (recorder, arguments) -> its result, or NotImplemented if the function handles itself."""


def compose(recorder, name, func, args, kwargs):
    """Return the result of a function by its steps, which are recorded; NotImplemented if it has none for these arguments."""
    space = getattr(func, "__module__", None)
    if space == "torch.nn.functional" and name in LIBRARY:
        with recording(recorder):
            result = LIBRARY[name](*args, **kwargs)
        if result is not NotImplemented:
            return result
    step = None if space in FAMILY else STEPS.get(name)
    return NotImplemented if step is None else step(recorder, *args, **kwargs)
