"""An LSTM layer as one operator, with one loop over the steps and one for the derivative; packed sequences."""

import numpy as np

from tensh.engine.arrays.matmul import multiply_matrices
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, word
from tensh.engine.operators.reductions.summation import add_along

SAVED = "input, w_ih, w_hh, b_ih, b_hh, hidden, cell, backwards, outputs, gates, cells"


ORDER = [0, 1, 3, 2]  # order of PyTorch's gates that makes the three sigmoids adjacent


def order_gates(weight):
    """Return all gates' weights or biases, the tanh last, the others negated for sigmoid(x) = 1 / (1 + exp(-x))."""
    gates = weight.reshape(4, -1, *weight.shape[1:])[ORDER]
    np.negative(gates[:3], gates[:3])
    return gates.reshape(weight.shape)


def steps_of(count, backwards):
    return range(count - 1, -1, -1) if backwards else range(count)


# ── forward ──────────────────────────────────────────────────────────────────
@op(
    public=False, out=False, many=True, node="MkldnnRnnLayerBackward0",
    outs=("outputs", "last_hidden", "last_cell", "gates", "cells"),
    let={"slopes": f"lstm_slopes(g_outputs, g_last_hidden, g_last_cell, {SAVED})"},
    input="slopes[0]", w_ih="slopes[1]", w_hh="slopes[2]", b_ih="slopes[3]", b_hh="slopes[3]", hidden="slopes[4]",
    cell="slopes[5]",
)  # fmt: skip
def lstm_layer(input, w_ih, w_hh, b_ih, b_hh, hidden, cell, backwards):
    """The hidden states of all steps [L, N, H], the last hidden and cell states, and all steps' gates and cell states.

    ``input`` is [L, N, features]; the weights are those of ``torch.nn.LSTM``, the states [N, H].
    """
    count, batch, _ = input.shape
    width, dtype = hidden.shape[-1], input.dtype
    # Each gate of a step is contiguous: with rows of four gates, operations on one gate take twice as long
    gates, one = np.empty((count, 4, batch, width), dtype), dtype.type(1)
    products = multiply_matrices(input.reshape(count * batch, -1), order_gates(w_ih).T)
    products += order_gates(b_ih + b_hh)
    products = products.reshape(count, batch, 4 * width)
    outputs, cells = np.empty((count, batch, width), dtype), np.empty((count, batch, width), dtype)
    turned, spare = np.ascontiguousarray(order_gates(w_hh).T), np.empty((batch, width), dtype)
    rows = np.empty((batch, 4 * width), dtype)
    columns = rows.reshape(batch, 4, width).swapaxes(0, 1)
    of_sigmoids, of_tanh = columns[:3], columns[3]
    for step in steps_of(count, backwards):
        row, new_cell = gates[step], cells[step]
        np.dot(hidden, turned, rows)
        rows += products[step]
        into, forget, out, new = row
        sigmoids = np.exp(of_sigmoids, row[:3])
        np.reciprocal(np.add(sigmoids, one, sigmoids), sigmoids)
        np.tanh(of_tanh, new)
        np.multiply(forget, cell, new_cell)
        new_cell += np.multiply(into, new, spare)
        hidden, cell = np.multiply(out, np.tanh(new_cell, spare), outputs[step]), new_cell
    return outputs, hidden.copy(), cell.copy(), gates, cells


# ── backward ─────────────────────────────────────────────────────────────────
def shift_states(states, first, backwards):
    """Return the state before each step."""
    return np.concatenate([states[1:], first[None]] if backwards else [first[None], states[:-1]])


def slopes_of_arrays(
    g_outputs, g_hidden, g_cell, input, w_ih, w_hh, b_ih, b_hh, hidden, cell, backwards, outputs, gates, cells
):
    """The gradients of input, w_ih, w_hh, either bias, and both states."""
    count, batch, width = outputs.shape
    into, forget, out, new = gates.swapaxes(0, 1)
    tanhs, before = np.tanh(cells), shift_states(cells, cell, backwards)
    # factors of the gradient of a hidden state, or of a cell, for each gate
    by_hidden, by_out = out * (1 - tanhs * tanhs), tanhs * out * (1 - out)
    by_cell = np.empty((count, 3, batch, width), gates.dtype)
    np.multiply(new * into, 1 - into, by_cell[:, 0])
    np.multiply(before * forget, 1 - forget, by_cell[:, 1])
    np.multiply(into, 1 - new * new, by_cell[:, 2])
    slopes, room = np.empty((count, batch, 4, width), gates.dtype), np.empty((4, batch, width), gates.dtype)
    rows, of_cell, of_out, columns = slopes.reshape(count, batch, -1), room[:3], room[3], room.swapaxes(0, 1)
    for step in reversed(steps_of(count, backwards)):
        g_hidden = g_outputs[step] + g_hidden
        g_cell = g_cell + g_hidden * by_hidden[step]
        np.multiply(by_cell[step], g_cell, of_cell)
        np.multiply(g_hidden, by_out[step], of_out)
        np.copyto(slopes[step], columns)
        g_hidden, g_cell = rows[step].dot(w_hh), g_cell * forget[step]
    flat, flat_input = slopes.reshape(count * batch, -1), input.reshape(count * batch, -1)
    earlier = shift_states(outputs, hidden, backwards).reshape(count * batch, width)
    g_input = multiply_matrices(flat, w_ih).reshape(input.shape)
    g_w_ih, g_w_hh = multiply_matrices(flat.T, flat_input), multiply_matrices(flat.T, earlier)
    return g_input, g_w_ih, g_w_hh, add_along(flat, 0), g_hidden, g_cell


ARRAYS["lstm_slopes"] = slopes_of_arrays  # for tensors, see composites/recurrent.py


# ── packed sequences ─────────────────────────────────────────────────────────
def as_rows(shape):
    """Return the shape with its first two dimensions merged."""
    return (shape[0] * shape[1], *shape[2:])


word(as_rows)


@op(
    public=False, out=False, node="PackPaddedSequenceBackward0",
    input="reshape(index_select_back(g, as_rows(input.shape), 0, places), input.shape)", places=None,
)  # fmt: skip
def packed_rows(input, places):
    """The rows at these positions of the first two dimensions of ``input``, flattened."""
    return input.reshape(as_rows(input.shape))[places]
