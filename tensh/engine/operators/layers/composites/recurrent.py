"""Recurrent networks: a cell run along a sequence, in layers and in one or both directions.

The input's part of the gates is one product for all steps; each step adds the hidden state's part.  Sequences are lists
of steps [batch, features], whose batches may shrink (packed sequences).
"""

from tensh.engine.arguments.binding import make_leaf
from tensh.engine.arrays.absent import drop_elements, is_absent, place_beside
from tensh.engine.autograd.gradients import grad
from tensh.engine.autograd.modes import enable_grad
from tensh.engine.codegen.vocabulary import TENSORS
from tensh.engine.core.tensor import wrap
from tensh.engine.dispatch.override.points import watch_inner
from tensh.engine.dtypes.dtype import float32
from tensh.engine.methods.creation.fill import zeros
from tensh.engine.operators.layers.composites.dropout import dropout as drop
from tensh.engine.operators.layers.composites.projection import product
from tensh.engine.operators.layers.recurrent import lstm_layer
from tensh.engine.operators.shapes.composites.joining import cat
from tensh.engine.operators.shapes.composites.parts import chunk_together
from tensh.engine.operators.shapes.rearrangement import stack


# ── cells ────────────────────────────────────────────────────────────────────
def tanh_state(gates, state, projection):
    """``tanh(W x + U h)``"""
    return (gates.tanh(),)


def relu_state(gates, state, projection):
    """``relu(W x + U h)``"""
    return (gates.relu(),)


def lstm_state(gates, state, projection):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997), optionally with a projection of the output."""
    into, forget, new, out = chunk_together(gates, 4, 1)
    into, forget, new, out = into.sigmoid(), forget.sigmoid(), new.tanh(), out.sigmoid()
    cell = forget * state[1] + into * new
    hidden = out * cell.tanh()
    return (hidden if projection is None else hidden.matmul(projection.t())), cell


def gru_step(inputs, state, weights):
    """The gated recurrent unit (Cho et al., 2014), with the reset gate applied after the product."""
    mine = chunk_together(inputs, 3, 1)
    theirs = chunk_together(product(state[0], *weights[:2]), 3, 1)
    reset = (theirs[0] + mine[0]).sigmoid()
    update = (theirs[1] + mine[1]).sigmoid()
    new = mine[2].add(theirs[2] * reset).tanh()
    return ((state[0] - new) * update + new,)


def add_gates(gates, others):
    """``gates + others``, of which PyTorch adds the second in place; here a new array takes half of the time."""
    return gates + others


watch_inner(lstm_state, "lstm_state")
watch_inner(gru_step, "gru_step")
watch_inner(add_gates, "add_gates")
STATES = {"RNN_TANH": tanh_state, "RNN_RELU": relu_state, "LSTM": lstm_state}
"""Mode -> function of the gates ``W x + U h``, the state and the weight of a projection; GRU has two sums of gates."""


def step_of(mode):
    """Return the function (what the input adds to the gates, state, weights of the state) -> state."""
    if mode == "GRU":
        return gru_step
    new_state = STATES[mode]

    def step(inputs, state, weights):
        return new_state(add_gates(product(state[0], *weights[:2]), inputs), state, weights[2])

    return step


def cell(mode, input, state, w_ih, w_hh, b_ih, b_hh):
    """Compute one step for a batch; return the new state."""
    if mode == "GRU":
        return gru_step(product(input, w_ih, b_ih), state, (w_hh, b_hh, None))
    gates = add_gates(product(state[0], w_hh, b_hh), product(input, w_ih, b_ih))
    return STATES[mode](gates, state, None)


# ── one layer in one direction ───────────────────────────────────────────────
def forwards(step, inputs, state, weights):
    """Return (outputs, last state) of steps whose batches may shrink; the states of samples that end are collected."""
    outputs, ended = [], []
    for each in inputs:
        batch = each.array.shape[0]
        if batch < state[0].array.shape[0]:
            ended.append([s[batch:] for s in state])
            state = [s[:batch] for s in state]
        state = step(each, state, weights)
        outputs.append(state[0])
    if ended:
        state = [cat(parts) for parts in zip(state, *reversed(ended), strict=True)]
    return outputs, state


def backwards(step, inputs, start, weights):
    """Return (outputs, last state) of steps from the last to the first, which samples join at their last step."""
    last = inputs[-1].array.shape[0]
    outputs, state = [], [s if s.array.shape[0] == last else s[:last] for s in start]
    for each in reversed(inputs):
        batch, present = each.array.shape[0], state[0].array.shape[0]
        if batch > present:
            state = [cat([s, first[present:batch]]) for s, first in zip(state, start, strict=True)]
        state = step(each, state, weights)
        outputs.append(state[0])
    return outputs[::-1], state


def one_direction(mode, input, start, weights, backward, sizes=None):
    """Return (outputs, *last state) of one layer, step by step; ``weights`` are (w_ih, b_ih, w_hh, b_hh, w_hr)."""
    w_ih, b_ih, *inner = weights
    gates = product(input, w_ih, b_ih)
    steps = gates.unbind(0) if sizes is None else gates.split(sizes)
    outputs, end = (backwards if backward else forwards)(step_of(mode), steps, start, inner)
    return stack.fn(outputs) if sizes is None else cat(outputs), *end


def is_one_piece(input, state, weights):
    """Return True for a layer that PyTorch computes as one operation, with gates in single precision."""
    return input.dtype is float32 and weights[-1] is None and input.array.size and state[0].array.size


# ── all layers ───────────────────────────────────────────────────────────────
def run_lstm_layer(input, start, weights, reverse):
    """Return (output, last hidden state, last cell state) of an LSTM layer that is one operation."""
    w_ih, b_ih, w_hh, b_hh, _ = weights
    if b_ih is None:
        b_ih, b_hh = (zeros(len(w_ih.array), dtype=w_ih.dtype) for _ in range(2))
        if is_absent(w_ih):
            b_ih = b_hh = wrap(drop_elements(b_ih.array))
    output, hidden, cell, _, _ = lstm_layer.fn(input, w_ih, w_hh, b_ih, b_hh, *start, reverse)
    return output, hidden, cell


def recurrent(mode, input, state, layers, directions, dropout, sizes=None):
    """Return (output, last states) of layers [(w_ih, b_ih, w_hh, b_hh, w_hr), ...], both directions in turn.

    ``input`` is [steps, batch, features], or [samples, features] with the ``sizes`` of the batches of a packed sequence;
    ``state`` has tensors [layers, batch, features].  Between layers values are dropped with the probability ``dropout``.
    """
    if sizes is None and not input.array.shape[0]:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    last, starts = [], None
    if mode == "LSTM" and sizes is None and is_one_piece(input, state, layers[0]):
        input = input.contiguous()  # as PyTorch does, which its graph shows
    for number in range(0, len(layers), directions):
        if number and dropout:
            input = drop(input, dropout, True)
        results = []
        for direction in range(directions):
            weights = layers[number + direction]
            if mode == "LSTM" and sizes is None and is_one_piece(input, state, weights):
                start = [s[number + direction] for s in state]
                output, *end = run_lstm_layer(input, start, weights, direction == 1)
            else:
                starts = starts or list(zip(*(s.unbind(0) for s in state)))
                start = starts[number + direction]
                output, *end = one_direction(mode, input, start, weights, direction == 1, sizes)
            results.append(output)
            last.append(end)
        input = cat(results, -1) if directions == 2 else results[0]
    return input, [stack.fn(parts) for parts in zip(*last, strict=True)]


def put_batch_first(mode, output):
    """Transpose [steps, batch, features]: in place unless of an LSTM, which the graph shows."""
    return (output.transpose if mode == "LSTM" else output.transpose_)(0, 1)


def lstm_slopes(g_outputs, g_hidden, g_cell, input, w_ih, w_hh, b_ih, b_hh, hidden, cell, backwards, *saved):
    """Return the derivative of an LSTM layer as tensors, from the layer run step by step."""

    def reached(each):  # tangents also need gradients of inputs that require none
        return each if each.requires_grad else make_leaf(each.array, True)

    input, w_ih, w_hh, b_ih, hidden, cell = given = [*map(reached, (input, w_ih, w_hh, b_ih, hidden, cell))]
    with enable_grad():  # on the device meta also in a pass that is not recorded
        results = one_direction("LSTM", input, (hidden, cell), (w_ih, b_ih, w_hh, b_hh, None), backwards)
    gradients = g_outputs, g_hidden, g_cell
    if is_absent(input):  # zeros for results that nothing uses have elements
        gradients = [g if is_absent(g) else wrap(place_beside(g.array, input.array)) for g in gradients]
    return grad(results, given, gradients, create_graph=True, allow_unused=True)


TENSORS["lstm_slopes"] = lstm_slopes
