"""Decompositions of recurrent layers: their steps, one after the other."""

from tensh._aten.calls import aten
from tensh._aten.steps.products import linear
from tensh._decomp.rules import rule


def lstm_step(inp, state, weight, bias, *projection):
    """Return the state (hidden, cell) after one step."""
    gates = aten("add", linear(state[0], weight, bias), inp)
    hidden, cell = lstm_gates(gates, state[1], 2)
    return (linear(hidden, *projection) if projection else hidden), cell


def lstm_gates(gates, cell, dim):
    """Return the state that follows from the gates, which stand side by side in a dimension."""
    gates = aten("chunk", gates, 4, dim)
    keep, forget, new, out = (aten("tanh" if place == 2 else "sigmoid", gate) for place, gate in enumerate(gates))
    cell = aten("add", aten("mul", forget, cell), aten("mul", keep, new))
    return aten("mul", out, aten("tanh", cell)), cell


def gru_step(inp, state, weight, bias):
    """Return the state after one step."""
    given = aten("chunk", inp, 3, 1)
    return (gru_gates(given, linear(state[0], weight, bias), state[0], 2),)


def gru_gates(given, known, hidden, dim):
    """Return the state that follows from what the input gives for the gates and what the state does."""
    known = aten("chunk", known, 3, dim)
    reset = aten("sigmoid", aten("add", known[0], given[0]))
    update = aten("sigmoid", aten("add", known[1], given[1]))
    new = aten("tanh", aten("add", given[2], aten("mul", known[2], reset)))
    return aten("add", aten("mul", aten("sub", hidden, new), update), new)


def plain_step(name):
    """Return the step of a layer with one activation."""

    def step(inp, state, weight, bias):
        return (aten(name, aten("add", linear(state[0], weight, bias), inp)),)

    return step


def run_layer(inp, state, weights, biased, step, reverse, early):
    """Return (outputs, last state) of one layer in one direction; ``early`` makes the state before the products."""
    own, known = weights[:2]
    biases = weights[2:4] if biased else (None, None)
    projection = weights[4 if biased else 2 :]
    state = [aten("unsqueeze", each, 0) for each in state] if early else state
    given = linear(inp, own, biases[0])
    given = aten("flip", given, [0]) if reverse else given
    state = state if early else [aten("unsqueeze", each, 0) for each in state]
    found = []
    for each in aten("unbind", given):
        state = step(each, state, known, biases[1], *projection)
        found.append(state[0])
    out = aten("cat", found[::-1] if reverse else found)
    return out, [aten("squeeze", each, 0) for each in state]


def run(input, hx, params, biased, layers, dropout, train, bidirectional, batch_first, step):
    """Return (outputs, last states) of all layers; ``hx`` has one tensor for each part of the state."""
    states = list(zip(*(aten("unbind", each) for each in hx)))
    input = aten("transpose", input, 0, 1) if batch_first else input
    ways, early = (2 if bidirectional else 1), step is lstm_step
    size, last = len(params) // (layers * ways), []
    for layer in range(layers):
        found = []
        for way in range(ways):
            place = layer * ways + way
            weights = params[place * size : (place + 1) * size]
            out, state = run_layer(input, states[place], weights, biased, step, way == 1, early)
            found.append(out)
            last.append(state)
        input = aten("cat", found, found[0].dim() - 1) if bidirectional else found[0]
        if dropout and train and layer < layers - 1:
            input = aten("dropout", input, dropout, True)
    input = aten("transpose", input, 0, 1) if batch_first else input
    return input, *(aten("stack", list(parts)) for parts in zip(*last))


@rule("lstm_cell")
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    gates = aten("add", linear(hx[0], w_hh, b_hh), linear(input, w_ih, b_ih))
    return lstm_gates(gates, hx[1], 1)


@rule("gru_cell")
def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    given = aten("chunk", linear(input, w_ih, b_ih), 3, 1)
    return gru_gates(given, linear(hx, w_hh, b_hh), hx, 1)


def plain_cell(name):
    """Return the rule of a cell with one activation."""

    def decompose(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
        return aten(name, aten("add", linear(hx, w_hh, b_hh), linear(input, w_ih, b_ih)))

    return decompose


rule("rnn_tanh_cell")(plain_cell("tanh"))
rule("rnn_relu_cell")(plain_cell("relu"))


@rule("lstm.input")
def lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    settings = has_biases, num_layers, dropout, train, bidirectional, batch_first
    return run(input, hx, params, *settings, lstm_step)


def single(step):
    """Return the rule of a layer with one state."""

    def decompose(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
        settings = has_biases, num_layers, dropout, train, bidirectional, batch_first
        return run(input, [hx], params, *settings, step)

    return decompose


rule("gru.input")(single(gru_step))
rule("rnn_tanh.input")(single(plain_step("tanh")))
rule("rnn_relu.input")(single(plain_step("relu")))
