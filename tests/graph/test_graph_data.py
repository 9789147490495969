"""The description of a graph agrees with the graph: with PyTorch's, and with the gradients of backward."""

import itertools
import tracemalloc

import numpy as np
import pytest

import tensh
from tensh.graph.formats import json, tape, tree
from tensh.graph.formats.repeats import blocks, period
from tensh.graph.provenance import place, record_places
from tensh.graph.walk import Graph
from tests.support.chain_programs import LEAVES, chain_program, check_paths
from tests.support.graph_programs import PROGRAMS


# ── random expressions ───────────────────────────────────────────────────────
@pytest.mark.parametrize("seed", range(60))
def test_the_paths_of_why_add_up_to_the_gradient(seed):
    generator = np.random.default_rng(seed)
    lines = chain_program(lambda options: options[generator.integers(len(options))])
    check_paths(lines, {name: tensh.tensor(value, requires_grad=True) for name, value in LEAVES.items()})


# ── repetition ───────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text, length", [("", 0), ("a", 1), ("aaaa", 1), ("abab", 2), ("abababa", 2), ("aab", 3), ("abcabd", 6)]
)
def test_the_shortest_period(text, length):
    assert period(text) == length


@pytest.mark.parametrize("unit", ["a", "ab", "abc", "aab", "abac"])
@pytest.mark.parametrize("times", [3, 5])
def test_a_repeated_block_is_found_with_all_its_repetitions(unit, times):
    assert blocks("xyz" + unit * times + "uvw") == [(3, len(unit), times)]


def test_two_repeated_blocks():
    assert blocks("ababab" + "x" + "ccc") == [(0, 2, 3), (7, 1, 3)]


def test_what_does_not_repeat_three_times_is_no_block():
    assert blocks("abcabcd") == []


# ── large graphs ─────────────────────────────────────────────────────────────
@pytest.fixture(scope="module")
def long_chain():
    w = tensh.tensor(1.0, requires_grad=True)
    y = w
    for _ in range(5_000):
        y = y * 1.5 + w
    return Graph(y, {"w": w, "y": y})


@pytest.mark.thorough
@pytest.mark.parametrize("lines", [lambda graph: tape.lines(graph, tree.Shown(fold=False)), json.lines])
def test_a_long_graph_streams(long_chain, lines):
    """Lines are made one by one, and what was said of the nodes before is forgotten."""
    assert len(long_chain) == 10_001
    stream = lines(long_chain)
    assert len(list(itertools.islice(stream, 3))) == 3
    tracemalloc.start()
    count = sum(1 for _ in stream)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count > 9_990
    assert peak < 8 * 2**20


def test_the_tree_of_a_long_chain_is_short_because_it_repeats(long_chain):
    assert len(list(tree.lines(long_chain))) < 20


def test_an_unfolded_tree_says_that_there_is_more(long_chain):
    lines = ["".join(text for _, text in line) for line in tree.lines(long_chain, tree.Shown(fold=False))]
    assert len(lines) <= tree.MOST + 3
    assert any("--view tape" in line for line in lines)


# ── PyTorch's own graph ──────────────────────────────────────────────────────
@pytest.mark.oracle
def test_names_and_edges_are_those_of_pytorch():
    """The programs of graph_cases: the same walk over next_functions, told by the description here."""
    torch = pytest.importorskip("torch")
    from tests.support.graph_runs import Run

    def described(t):
        graph = Graph(t)
        order = {}

        def number(n):
            return order.setdefault(n, len(order))

        lines, waiting, seen = [], [graph.root], set()
        while waiting:
            n = waiting.pop(0)
            if n in seen:
                continue
            seen.add(n)
            node = graph[n]
            lines.append((number(n), node.name, [(e.number and number(e.number), e.output) for e in node.edges]))
            waiting += [e.number for e in node.edges if e.number]
        return lines

    def walked(t):
        order = {}

        def number(n):
            return order.setdefault(n, len(order))

        lines, waiting, seen = [], [t.grad_fn], set()
        while waiting:
            node = waiting.pop(0)
            if node in seen:
                continue
            seen.add(node)
            me = number(node)
            edges = [(n and number(n), i) for n, i in node.next_functions]
            lines.append((me, node.name().rpartition("::")[2], edges))
            waiting += [n for n, _ in node.next_functions if n is not None]
        return lines

    compared = 0
    for line in PROGRAMS:
        try:
            ours, theirs = Run(line, tensh).out, Run(line, torch).out
        except Exception:  # some programs must fail
            continue
        if isinstance(ours, tensh.Tensor) and ours.grad_fn is not None:
            assert described(ours) == walked(theirs), line
            compared += 1
    assert compared > 500


def test_a_class_that_hands_calls_on_is_not_where_they_were_made():
    """The lines of `%why` and `%graph` were all of the body of `__torch_function__`."""

    class Handing(tensh.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return super().__torch_function__(func, types, args, kwargs or {})

    w = tensh.ones(2).as_subclass(Handing).requires_grad_()
    with record_places():
        y = w * 3
    code, _instruction = place(y.grad_fn)
    assert code is test_a_class_that_hands_calls_on_is_not_where_they_were_made.__code__
