"""Forms of recurrent layers, whose gates ONNX orders differently."""

import numpy as np

from tensh.nn import functional as F
from tensh.onnx.errors import OnnxExporterError, describe_line, no_form
from tensh.onnx.forms.table import compose, form

GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}
"""Operator -> positions of PyTorch's gates in ONNX's order: input, output, forget, cell; update, reset, new."""


@form("lstm gru rnn_tanh rnn_relu")
def recurrent(o, node, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    name, directions = node.target._opname, 2 if bidirectional else 1
    if train and dropout:
        raise OnnxExporterError(
            f"dropout between layers draws random numbers{describe_line(node.meta.get('place'))}: export the model in evaluation, after model.eval()"
        )
    states = hx if isinstance(hx, (list, tuple)) else [hx]
    size = 4 if has_biases else 2
    if len(params) != size * directions * num_layers:
        raise no_form(node)
    x = o.Transpose(input, perm=[1, 0, 2]) if batch_first else input
    last = [[] for _ in states]
    for layer in range(num_layers):
        begin = layer * directions
        weights = [params[size * (begin + d) : size * (begin + d + 1)] for d in range(directions)]
        w, r = (stack_weights(o, [each[place] for each in weights], GATES[name]) for place in (0, 1))
        b = join_biases(o, weights, GATES[name]) if has_biases else None
        given = [o.Slice(each, [begin], [begin + directions], [0]) if num_layers > 1 else each for each in states]
        attributes = {"hidden_size": states[0].shape[-1], "direction": "bidirectional" if bidirectional else None}
        if name == "lstm":
            out, *ends = o.LSTM(x, w, r, b, None, *given, outputs=3, **attributes)
        elif name == "gru":
            out, *ends = o.GRU(x, w, r, b, None, *given, outputs=2, linear_before_reset=1, **attributes)
        else:
            kind = "Tanh" if name == "rnn_tanh" else "Relu"
            out, *ends = o.RNN(x, w, r, b, None, *given, outputs=2, activations=[kind] * directions, **attributes)
        for found, each in zip(last, ends):
            found.append(each)
        # [L, directions, N, H] -> [L, N, directions * H]
        x = o.Reshape(o.Transpose(out, perm=[0, 2, 1, 3]), [0, 0, -1])
    x = o.Transpose(x, perm=[1, 0, 2]) if batch_first else x
    return [x, *(each[0] if len(each) == 1 else o.Concat(*each, axis=0) for each in last)]


def reorder(tensor, gates):
    """Put the weights of the gates into ONNX's order."""
    parts = np.split(np.asarray(tensor), len(gates), axis=0)
    return np.concatenate([parts[place] for place in gates], axis=0)


def stack_weights(o, values, gates):
    """Stack the weights of all directions: [directions, gates * hidden, size]."""
    return o.array(
        np.stack([reorder(each.example.detach().array, gates) for each in values]), values[0].dtype, o.name("weight")
    )


def join_biases(o, weights, gates):
    rows = [
        np.concatenate([reorder(each[place].example.detach().array, gates) for place in (2, 3)]) for each in weights
    ]
    return o.array(np.stack(rows), weights[0][2].dtype, o.name("bias"))


@compose("lstm_cell")
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    gates = F.linear(input, w_ih, b_ih) + F.linear(hx[0], w_hh, b_hh)
    into, forget, new, out = gates.chunk(4, -1)
    cell = forget.sigmoid() * hx[1] + into.sigmoid() * new.tanh()
    return out.sigmoid() * cell.tanh(), cell


@compose("gru_cell")
def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    mine, theirs = F.linear(input, w_ih, b_ih).chunk(3, -1), F.linear(hx, w_hh, b_hh).chunk(3, -1)
    reset, update = (mine[0] + theirs[0]).sigmoid(), (mine[1] + theirs[1]).sigmoid()
    new = (mine[2] + reset * theirs[2]).tanh()
    return (hx - new) * update + new


@compose("rnn_tanh_cell")
def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return (F.linear(input, w_ih, b_ih) + F.linear(hx, w_hh, b_hh)).tanh()


@compose("rnn_relu_cell")
def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return (F.linear(input, w_ih, b_ih) + F.linear(hx, w_hh, b_hh)).relu()
