"""The formulas of the textbook, as data: every function that can be differentiated has one, and each is the gradient."""

import pytest

import tensh as torch
from tensh.cli.session.help import names
from tensh.cli.session.help.derivation import derivations
from tensh.graph.textbook.facts import WORDS
from tensh.graph.textbook.printing import names_in, print_formula, spell_signs
from tensh.graph.textbook.table import FAMILIES as BOOK
from tensh.graph.textbook.table import entries, read
from tests.graph import textbook_calls
from tests.recorded.operators import resolve, tensor
from tests.support.operators import FAMILIES
from tests.support.project import ROOT
from tests.support.sampling import few_of
from tests.support.textbook import Explained

pytestmark = pytest.mark.filterwarnings("ignore")
SPACES = ("torch", "torch.Tensor", "torch.linalg", "torch.nn.functional", "torch.special", "torch.fft")
COMPLEX = {"real", "imag", "conj", "polar", "complex", "view_as_real", "view_as_complex"}
"""Functions of complex numbers whose formula is of these; others are of real ones."""
NOT_DIFFERENTIABLE = {
    "asarray", "from_numpy", "frombuffer", "embedding_renorm", "nonzero", "one_hot", "searchsorted", "unravel_index",
    "matrix_rank", "histogram", "histogramdd", "bernoulli", "multinomial", "normal", "poisson", "apply", "map", "map2",
    "module_load",
}  # fmt: skip
"""Functions made of operators with derivatives that have none themselves.

Their results are integers, counts, drawn, new, detached, or those of a Python function.
"""
OTHER_SETTINGS = {
    "nn.functional.triplet_margin_loss": {1}, "nn.functional.embedding": {1}, "matmul": {4, 5}, "inner": {2},
    "linalg.lu": {1, 2}, "linalg.eigvalsh": {1}, "linalg.cond": {1}, "cdist": {3}, "max": {3}, "min": {3},
    "linalg.matrix_norm": {1, 2, 3}, "linalg.norm": {2}, "renorm": {1}, "var": {4}, "std": {4}, "cov": {1}, "corrcoef": {1},
}  # fmt: skip
"""Calls with settings that no entry is for: the numbers of the samples."""
CALLS = [(name, calls) for f in FAMILIES for name, calls in f.SAMPLES.items()]
ENTRIES = [
    pytest.param(entry, id=f"{family}:{entry.names[0]}-{number}")
    for family in BOOK
    for number, entry in enumerate(
        read((ROOT / f"tensh/graph/textbook/{family}.txt").read_text(encoding="utf-8"), family)
    )
]


def explain(name, function, call):
    """A call with its gradients; None where backward refuses it."""
    made = call.arrays(prefix=name)
    leaves = [tensor(torch, array, dtype) for _, dtype, array in made]
    for leaf, (argument, _, _) in zip(leaves, made, strict=True):
        leaf.requires_grad_(argument.differentiable)
    args, kwargs = call.filled(leaves)
    try:
        explained = Explained(function, args, kwargs)
    except RuntimeError as error:
        if "derivative for" in str(error) or "not implemented" in str(error):
            return None
        raise
    return explained if any(g is not None for g in explained.gradients) else None


@pytest.mark.parametrize(("name", "calls"), few_of(CALLS, every=3), ids=[name for name, _ in CALLS])
def test_formulas_are_the_gradients(name, calls):
    """Every formula, evaluated on the recorded samples, is what backward gives."""
    for number, call in enumerate(calls):
        made = explain(name, resolve(torch, name), call)
        if made is None:
            continue
        entry = next((each for each in entries(name) if made.holds(each)), None)
        if entry is None:
            assert number in OTHER_SETTINGS.get(name, ()), f"no formula for call {number}"
            continue
        is_complex = any(t.is_complex() for t in (*made.leaves, *made.results))
        if not is_complex or entry.family == "fourier" or COMPLEX & set(entry.names):
            check_gradients(made, entry)


@pytest.mark.parametrize(("name", "function", "call"), textbook_calls.CALLS)
def test_formulas_of_other_calls_are_the_gradients(name, function, call):
    made = explain(name, function, call)
    check_gradients(made, next(each for each in entries(name) if made.holds(each)))


@pytest.mark.parametrize(("name", "function", "arguments", "settings"), textbook_calls.POSITIVE)
def test_formulas_of_factors_are_the_gradients(name, function, arguments, settings):
    """They are those of matrices that have such factors."""
    half = torch.randn(2, 3, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    made = Explained(function, arguments(half @ half.mT + torch.eye(3)), settings)
    check_gradients(made, next(each for each in entries(name) if made.holds(each)))


def check_gradients(made, entry):
    """Compare the gradient of every operand with its formula, unless that is a sentence."""
    made.values(entry)
    letters = {parameter: letter for letter, parameter in made.parameters.items()}
    for parameter, value in made.bound.arguments.items():
        for index, operand in enumerate(value if isinstance(value, tuple | list) else (value,)):
            expected = made.gradient_of.get(id(operand))
            if expected is None:
                continue
            assert letters.get(parameter) in entry.formulas, f"no formula for {parameter}"
            formula = entry.formulas[letters[parameter]]
            if not formula.sentence:
                found = made.evaluate(entry, letters[parameter], operand)
                found = found[index] if isinstance(found, tuple) else found
                assert torch.allclose(found.to(expected.dtype), expected, 1e-6, 1e-8, True), (
                    f"{parameter}: {formula.text}"
                )


def differentiable_names():
    """The paths of all public functions that are made of operators with derivatives."""
    for space in SPACES:
        for name in names.list_names(f"{space}."):
            if name.space == space and name.kind not in ("class", "module", "constant") and derivations(name.entry):
                yield name


def test_every_differentiable_function_has_formulas():
    """None is left out."""
    missing = {
        name.path
        for name in differentiable_names()
        if not entries(name.path.removeprefix("torch.")) and name.name.removesuffix("_") not in NOT_DIFFERENTIABLE
    }
    assert not missing


@pytest.mark.parametrize("entry", ENTRIES)
def test_entries_are_complete(entry):
    """What an entry says can be parsed and printed; its letters are its own, its results', or those of explained words."""
    known = {*entry.letters, *entry.outputs, "y", "g", *(f"g_{name}" for name in entry.outputs), *WORDS, *PLAIN}
    for target in entry.parts:
        known |= set(target.split(", "))
    for text in [*entry.parts.values(), *(formula.text for formula in entry.formulas.values())]:
        assert print_formula(text, {})
        assert names_in(text) <= known, names_in(text) - known
    assert entry.formulas.keys() <= entry.letters.keys()


PLAIN = set(
    "exp log log1p sqrt sin cos tanh cosh sinh sigmoid softplus softmax log_softmax sign abs floor trunc clamp where real imag conj "
    "isfinite isnan pi inf sum mean numel range digamma polygamma gamma zeta i0 i1 i0e i1e cat stack reshape transpose flip "
    "index_select gather take inv pinv solve solve_triangular svd eigh qr matrix_exp tril triu diag_embed eye_like cross fft ifft "
    "j k all_but from_dim last epsilon mask_of column sum_over_first sum_over_second".split()
)
"""Words that need no explanation: functions of torch and of mathematics, and what says itself."""


@pytest.mark.parametrize(
    ("text", "words", "printed"),
    [
        ("g * (1 - y**2)", {"y": "h"}, "g * (1 - h²)"),
        ("g * p * x**(p - 1)", {"p": "3", "x": "a + b"}, "g * 3 * (a + b)²"),
        ("alpha * (g @ B.T)", {"alpha": "1", "B": "net.0.weight"}, "g @ net.0.weight.T"),
        ("g * [x >= 0]", {"x": "z"}, "g * [z ≥ 0]"),
        ("-alpha * g", {"alpha": "1"}, "-g"),
        ("g / n", {"n": "32", "g": "1"}, "1 / 32"),
        ("g * x", {"x": "a @ b"}, "g * (a @ b)"),
        ("g @ B.T", {"B": "a @ b"}, "g @ (a @ b).T"),
        ("g * exp(x)", {"x": "a @ b"}, "g * exp(a @ b)"),
        ("'g where x is'", {"x": "z"}, "g where z is"),
    ],
)
def test_formulas_are_printed_with_names(text, words, printed):
    assert print_formula(text, words) == printed


def test_signs_are_spelled_where_a_page_has_none():
    assert spell_signs("g * (1 - h²) * [x ≥ π]") == "g * (1 - h**2) * [x >= pi]"


def test_layers_that_read_whole_numbers_have_formulas_and_reasons():
    """The call of an embedding has no operand with a gradient but its weights, and a recurrent layer several outputs."""
    torch.manual_seed(0)
    embedding, lstm = torch.nn.Embedding(10, 8), torch.nn.LSTM(8, 6, batch_first=True)
    y = lstm(embedding(torch.randint(0, 10, (4, 7))))[0].sum()
    names = {"y": y, "embedding": embedding, "lstm": lstm}
    assert "g, 0, 1" in str(torch.show.graph(y, names, formulas=True))
    assert "output 0: norm" in str(torch.show.why(embedding.weight, y, names))
