"""Recurrent layers: RNN, LSTM and GRU.

All weights start uniform within 1 / sqrt(hidden_size) of zero.  Inputs are [L, N, input_size], with ``batch_first``
[N, L, input_size], without a batch [L, input_size], or packed sequences; states are [layers * directions, N, size].
"""

import inspect
import math
import numbers
import operator
from itertools import islice

from tensh.engine import find_public
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import is_overriding
from tensh.engine.errors.warnings import warn
from tensh.engine.operators.layers.composites.recurrent import put_batch_first, recurrent
from tensh.nn import init
from tensh.nn.modules.module import Module
from tensh.nn.modules.rnn_checks import (  # noqa: F401 - names of PyTorch's module
    CellChecks,
    RecurrentChecks,
    _apply_permutation,
    apply_permutation,
    permute_state,
)
from tensh.nn.parameter import Parameter
from tensh.nn.utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}  # number of gates by mode

GIVEN = "_given_weights"  # attribute with weights that a program has set, and those of the layer before
IN_PICKLES = ("_flat_weights_names", "_flat_weights")  # attributes of PyTorch's layers, computed when pickling


class RNNBase(RecurrentChecks, Module):
    """The weights of recurrent layers, and the forward pass through the layers.

    Shapes: ``weight_ih_l0`` [gates * hidden_size, input_size] and so on; all start uniform within 1 / sqrt(hidden_size)
    of zero. ``num_layers``, ``bias``, ``batch_first``, ``dropout``, ``bidirectional`` and ``proj_size`` are those of
    LSTM. Raise ValueError for an unknown mode and for settings that are out of range.

    >>> import tensh as torch
    >>> torch.nn.RNNBase("GRU", 2, 3).weight_ih_l0.shape
    torch.Size([9, 2])
    """

    _states = 1  # number of tensors passed from step to step

    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):  # fmt: skip
        super().__init__()
        check(mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size)
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        made = {"device": device, "dtype": dtype}
        # multiplying a bool would make it an integer
        gates = GATES[mode] * hidden_size if GATES[mode] > 1 else hidden_size
        directions, out = 2 if bidirectional else 1, proj_size or hidden_size
        self._all_weights = []
        for layer in range(num_layers):
            width = out * directions if layer else input_size
            shapes = {"weight_ih": (gates, width), "weight_hh": (gates, out)}
            if bias:
                shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
            if proj_size:
                shapes["weight_hr"] = (proj_size, hidden_size)
            for suffix in ("", "_reverse")[:directions]:
                names = {name: f"{name}_l{layer}{suffix}" for name in shapes}
                for name, shape in shapes.items():
                    setattr(self, names[name], Parameter(find_public("empty")(shape, **made)))
                self._all_weights.append(list(names.values()))
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new initial values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self):
        """Do nothing, because no accelerator requires contiguous weights."""

    @property
    def all_weights(self):
        """The weights of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights_names(self):
        return [name for names in self._all_weights for name in names]

    def _own_weights(self):
        return [getattr(self, name) for name in self._flat_weights_names]

    @property
    def _flat_weights(self):
        """The weights that the layer computes with: those of the attributes, once the program has set one."""
        given, before = self.__dict__.get(GIVEN, (None, ()))
        own = self._own_weights()
        return given if given is not None and all(map(operator.is_, own, before)) else own

    @_flat_weights.setter
    def _flat_weights(self, weights):
        self.__dict__[GIVEN] = weights, self._own_weights()

    def _apply(self, fn, recurse=True):
        self.__dict__.pop(GIVEN, None)
        return super()._apply(fn, recurse)

    def __getstate__(self):
        state = super().__getstate__() | {name: getattr(self, name) for name in IN_PICKLES}
        state.pop(GIVEN, None)
        return state

    def __setstate__(self, state):
        super().__setstate__({name: value for name, value in state.items() if name not in IN_PICKLES})

    def extra_repr(self):
        usual = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0,
            "bidirectional": False,
        }
        changed = {name: getattr(self, name) for name, value in usual.items() if getattr(self, name) != value}
        return f"{self.input_size}, {self.hidden_size}" + "".join(
            f", {name}={value}" for name, value in changed.items()
        )

    # ── forward ──────────────────────────────────────────────────────────────

    def _run(self, input, hx):
        """Return (output, states) in the form of the input; ``hx`` is a tuple of states, or None."""
        if isinstance(input, PackedSequence):
            data, batch_sizes, order, back = input
            sizes = batch_sizes.tolist()
            if hx is None:
                states = self._begin(data, sizes[0])
            else:
                self._check_kinds(hx, data, batch_sizes)
                states = [permute_state(each, order) for each in self._read_states(hx)]
            self._check(data, states, sizes)
            if is_overriding():
                output, states = self._call_public((data, batch_sizes), states)
            else:
                output, states = self._compute(data, states, sizes)
            return PackedSequence(output, batch_sizes, order, back), [permute_state(each, back) for each in states]
        dims = input.dim()
        if dims not in (2, 3):
            kind = self.mode.partition("_")[0]
            tensor = " tensor" if kind == "RNN" else ""
            raise ValueError(f"{kind}: Expected input to be 2D or 3D, got {dims}D{tensor} instead")
        batch_dim = 0 if self.batch_first else 1
        if hx is not None:
            given, hx = hx, self._read_states(hx)
            self._check_dims(hx, dims)
            self._check_kinds(given, input)
        if dims == 2:
            input = input.unsqueeze(batch_dim)
            hx = hx and [each.unsqueeze(1) for each in hx]
        states = self._begin(input, input.size(batch_dim)) if hx is None else hx
        self._check(input, states, None)
        if is_overriding():
            output, states = self._call_public((input,), states, self.batch_first)
        else:
            steps = input.transpose(0, 1) if self.batch_first else input
            output, states = self._compute(steps, states, None)
            if self.batch_first:
                output = put_batch_first(self.mode, output)
        if dims == 2:
            return output.squeeze(batch_dim), [each.squeeze(1) for each in states]
        return output, states

    def _compute(self, steps, states, sizes):
        dropout = self.dropout if self.training else 0.0
        return recurrent(self.mode, steps, states, self._layers(), 2 if self.bidirectional else 1, dropout, sizes)

    def _call_public(self, input, states, *form):
        """Compute by the public function, such as ``torch.lstm``, which modes and classes override."""
        settings = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        hx = tuple(states) if self._states == 2 else states[0]
        output, *states = find_public(self.mode.lower())(*input, hx, self._flat_weights, *settings, *form)
        return output, states

    def _layers(self):
        """Return (w_ih, b_ih, w_hh, b_hh, w_hr) of each layer and direction, with None for missing ones."""
        parameters, layers = self._parameters, []
        given = iter(self._flat_weights) if GIVEN in self.__dict__ else None
        for names in self._all_weights:
            if given is not None:
                w_ih, w_hh, *rest = islice(given, len(names))
            else:
                w_ih, w_hh, *rest = [parameters[name] if name in parameters else getattr(self, name) for name in names]
            b_ih, b_hh = rest[:2] if self.bias else (None, None)
            layers.append((w_ih, b_ih, w_hh, b_hh, rest[-1] if self.proj_size else None))
        return layers

    def _sizes(self, batch):
        """Return the shapes of the states."""
        count = self.num_layers * (2 if self.bidirectional else 1)
        return [(count, batch, self.proj_size or self.hidden_size), (count, batch, self.hidden_size)][: self._states]

    def _begin(self, input, batch):
        return [find_public("zeros")(shape, dtype=input.dtype, device=input.device) for shape in self._sizes(batch)]

    # ── checks ───────────────────────────────────────────────────────────────

    def _check(self, input, states, sizes):
        self.check_forward_args(input, tuple(states) if self._states == 2 else states[0], sizes)

    def _read_states(self, hx):
        """Return the given states as a list."""
        states = [hx[number] for number in range(self._states)]
        if len(hx) != self._states:
            raise RuntimeError("lstm expects two hidden states")
        return states

    def _check_kinds(self, hx, *input):
        """Call the functional form, which raises its error, if the states are not two tensors in a tuple or list."""
        if self._states == 2 and not (
            isinstance(hx, (tuple, list)) and len(hx) == 2 and all(isinstance(each, Tensor) for each in hx)
        ):
            form = () if len(input) == 2 else (self.batch_first,)
            settings = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
            find_public("lstm")(*input, hx, self._flat_weights, *settings, *form)

    def _check_dims(self, hx, dims):
        """Raise RuntimeError unless the states and the input agree in having a batch."""
        kind = "batched 3-D" if dims == 3 else "unbatched 2-D"
        found = [each.dim() for each in hx]
        if any(n != dims for n in found):
            what, got = "hx should", f"{found[0]}-D tensor"
            if self._states == 2:
                what, got = "hx and cx should", f"({found[0]}-D, {found[1]}-D) tensors"
            raise RuntimeError(f"For {kind} input, {what} also be {dims}-D but got {got}")


def check(mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size):
    """Raise PyTorch's errors for invalid settings."""
    float(dropout)
    if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    if dropout > 0 and num_layers == 1:
        warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater than "
            f"1, but got dropout={dropout} and num_layers={num_layers}"
        )
    for name, value in (("bias", bias), ("batch_first", batch_first)):
        if not isinstance(value, bool):
            raise TypeError(f"{name} should be of type bool, got: {type(value).__name__}")
    for name, value in (("input_size", input_size), ("hidden_size", hidden_size)):
        if not isinstance(value, int):
            raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
        if value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")
    if mode not in GATES:
        raise ValueError("Unrecognized RNN mode: " + mode)


SETTINGS = [p for p in inspect.signature(RNNBase.__init__).parameters.values() if p.name != "mode"]
NONLINEARITY = inspect.Parameter("nonlinearity", inspect.Parameter.POSITIONAL_OR_KEYWORD, default="tanh")


def show_settings(*more, projects=False):
    """Give a constructor a signature with the settings of RNNBase; ``more`` follow the number of layers.

    Without a projection, the settings after it cannot be given by position: their positions stay reserved.
    """
    shown = [*SETTINGS[:4], *more, *SETTINGS[4:]]
    if not projects:
        place = [p.name for p in shown].index("proj_size")
        shown[place:] = [p.replace(kind=p.KEYWORD_ONLY) for p in shown[place + 1 :]]

    def mark(init):
        init.__signature__ = inspect.Signature(shown)
        return init

    return mark


def refuse_projection(options):
    """Raise ValueError for a projection, which only LSTM has."""
    if "proj_size" in options:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(RNNBase):
    """Elman's network: ``h = tanh(W x + b + U h + c)``, or relu.

    Called with ``(input, h0)``, gives (outputs, last state). Shapes: input [L, N, input_size], with ``batch_first`` [N,
    L, input_size], without a batch [L, input_size], or packed; outputs of all steps [L, N, directions * hidden_size],
    states [num_layers * directions, N, hidden_size]. ``dropout`` is applied between layers in training. ``nonlinearity``
    is "tanh" or "relu"; with ``bidirectional`` there are two directions, and ``bias=False`` leaves out b and c. Raise
    ValueError for settings that are out of range, RuntimeError for sizes that do not fit.

    >>> import tensh as torch
    >>> output, state = torch.nn.RNN(10, 20, 2)(torch.ones(5, 3, 10))
    >>> output.shape, state.shape
    (torch.Size([5, 3, 20]), torch.Size([2, 3, 20]))
    """

    @show_settings(NONLINEARITY)
    def __init__(self, *args, **kwargs):
        refuse_projection(kwargs)
        if len(args) > 3:
            nonlinearity, args = args[3], args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        """Return (outputs, last state)."""
        output, (hidden,) = self._run(input, None if hx is None else (hx,))
        return output, hidden


class LSTM(CellChecks, RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997); with ``proj_size`` its outputs are projected.

    Called with ``(input, (h0, c0))``, gives (outputs, (last hidden state, last cell state)). Shapes: input [L, N,
    input_size], with ``batch_first`` [N, L, input_size], without a batch [L, input_size], or packed; outputs of all
    steps [L, N, directions * (proj_size or hidden_size)], states [num_layers * directions, N, (proj_size or
    hidden_size)]. ``dropout`` is applied between layers in training. With ``bidirectional`` there are two directions;
    ``bias=False`` leaves out the biases. Raise ValueError for settings that are out of range, RuntimeError for sizes that
    do not fit.

    >>> import tensh as torch
    >>> layer = torch.nn.LSTM(10, 20, bidirectional=True)
    >>> output, (hidden, cell) = layer(torch.ones(5, 3, 10))
    >>> output.shape, hidden.shape, cell.shape
    (torch.Size([5, 3, 40]), torch.Size([2, 3, 20]), torch.Size([2, 3, 20]))
    """

    _states = 2

    @show_settings(projects=True)
    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)

    def forward(self, input, hx=None):
        """Return (outputs, (last hidden state, last cell state))."""
        output, states = self._run(input, hx)
        return output, tuple(states)


class GRU(RNNBase):
    """Gated recurrent units (Cho et al., 2014).

    Called with ``(input, h0)``, gives (outputs, last state). Shapes: input [L, N, input_size], with ``batch_first`` [N,
    L, input_size], without a batch [L, input_size], or packed; outputs of all steps [L, N, directions * hidden_size],
    states [num_layers * directions, N, hidden_size]. ``dropout`` is applied between layers in training. With
    ``bidirectional`` there are two directions; ``bias=False`` leaves out the biases. Raise ValueError for settings that
    are out of range, RuntimeError for sizes that do not fit.

    >>> import tensh as torch
    >>> output, state = torch.nn.GRU(10, 20, batch_first=True)(torch.ones(3, 5, 10))
    >>> output.shape, state.shape
    (torch.Size([3, 5, 20]), torch.Size([1, 3, 20]))
    """

    @show_settings()
    def __init__(self, *args, **kwargs):
        refuse_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input, hx=None):
        """Return (outputs, last state)."""
        output, (hidden,) = self._run(input, None if hx is None else (hx,))
        return output, hidden
