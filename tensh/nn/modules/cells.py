"""One step of a recurrent network: RNNCell, LSTMCell and GRUCell.

All weights start uniform within 1 / sqrt(hidden_size) of zero.
"""

import math

from tensh.engine import find_public
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import is_overriding
from tensh.engine.operators.layers.composites.recurrent import cell
from tensh.nn import init
from tensh.nn.modules.module import Module
from tensh.nn.parameter import Parameter


class RNNCellBase(Module):
    """Weights of a recurrent cell with ``num_chunks`` gates.

    Shapes: ``weight_ih`` [gates * hidden_size, input_size], ``weight_hh`` [gates * hidden_size, hidden_size], biases
    [gates * hidden_size]; all start uniform within 1 / sqrt(hidden_size) of zero.

    >>> import tensh as torch
    >>> torch.nn.RNNCellBase(2, 3, bias=True, num_chunks=4).weight_hh.shape
    torch.Size([12, 3])
    """

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        made, gates = {"device": device, "dtype": dtype}, num_chunks * hidden_size
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        self.weight_ih = Parameter(find_public("empty")((gates, input_size), **made))
        self.weight_hh = Parameter(find_public("empty")((gates, hidden_size), **made))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(find_public("empty")(gates, **made)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new initial values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        return text if nonlinearity == "tanh" else f"{text}, nonlinearity={nonlinearity}"

    def _step(self, mode, input, states, names):
        """Return the new states of a batch, or of one sample."""
        kind = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{kind}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for state, name in zip(() if states is None else states, names, strict=False):
            if state.dim() not in (1, 2):
                raise ValueError(f"{kind}: Expected {name} to be 1D or 2D, got {state.dim()}D instead")
        alone = input.dim() == 1
        batch = input.unsqueeze(0) if alone else input
        if states is None:
            states = [
                find_public("zeros")(batch.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
            ] * len(names)
        elif alone:
            states = [each.unsqueeze(0) for each in states]
        elif isinstance(states, Tensor):
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        if len(states) != len(names):
            raise RuntimeError("lstm_cell expects two hidden states")
        check_cell(self, batch, states)
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if is_overriding():  # modes and classes override the public function, such as ``torch.lstm_cell``
            found = find_public(f"{mode.lower()}_cell")(batch, states if len(names) > 1 else states[0], *weights)
            states = list(found) if len(names) > 1 else [found]
        else:
            states = cell(mode, batch, states, *weights)
        return [each.squeeze(0) for each in states] if alone else states


def check_cell(layer, input, states):
    """Raise PyTorch's errors for inputs and states of the wrong sizes."""
    if input.size(1) != layer.input_size:
        raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected {layer.input_size}")
    for number, state in enumerate(states):
        if input.size(0) != state.size(0):
            raise RuntimeError(
                f"Input batch size {input.size(0)} doesn't match hidden{number} batch size {state.size(0)}"
            )
        if state.size(1) != layer.hidden_size:
            raise RuntimeError(
                f"hidden{number} has inconsistent hidden_size: got {state.size(1)}, expected {layer.hidden_size}"
            )


class RNNCell(RNNCellBase):
    """One step of an RNN: ``h' = tanh(W x + b + U h + c)``, or relu.

    Shapes: input [N, input_size] and state [N, hidden_size] to the new state [N, hidden_size], all with or without N.
    ``bias=False`` leaves out the biases. Raise RuntimeError for an unknown nonlinearity and for sizes that do not fit.

    >>> import tensh as torch
    >>> torch.nn.RNNCell(10, 20)(torch.ones(3, 10)).shape
    torch.Size([3, 20])
    """

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        """Return the new state."""
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(f"RNN_{self.nonlinearity.upper()}", input, None if hx is None else (hx,), ("hidden",))[0]


class LSTMCell(RNNCellBase):
    """One step of an LSTM.

    Shapes: input [N, input_size] and states (h, c), each [N, hidden_size], to the new states, all with or without N.
    ``bias=False`` leaves out the biases. Raise RuntimeError for sizes that do not fit.

    >>> import tensh as torch
    >>> hidden, cell = torch.nn.LSTMCell(10, 20)(torch.ones(3, 10))
    >>> hidden.shape, cell.shape
    (torch.Size([3, 20]), torch.Size([3, 20]))
    """

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input, hx=None):
        """Return (hidden state, cell state)."""
        return tuple(self._step("LSTM", input, hx, ("hx[0]", "hx[1]")))


class GRUCell(RNNCellBase):
    """One step of a GRU.

    Shapes: input [N, input_size] and state [N, hidden_size] to the new state [N, hidden_size], all with or without N.
    ``bias=False`` leaves out the biases. Raise RuntimeError for sizes that do not fit.

    >>> import tensh as torch
    >>> torch.nn.GRUCell(10, 20)(torch.ones(3, 10)).shape
    torch.Size([3, 20])
    """

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input, hx=None):
        """Return the new state."""
        return self._step("GRU", input, None if hx is None else (hx,), ("hidden",))[0]
