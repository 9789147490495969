"""Models invented for the purpose: every way to a graph keeps what they compute, and graphs are PyTorch's."""

import pytest

import tensh as torch
from tests.export.test_decomposing import close, leaves, steps
from tests.support.invented import make_invented
from tests.support.sampling import few_of

MODELS = make_invented(torch)
OTHER_GRAPHS = {
    "Filter": "PyTorch checks inverses by operators with effects",
    "Spectrum": "PyTorch decomposes Fourier transforms",
}
"""Model -> why its graph, or that of its core operators, has other steps."""


def cloned(args, kwargs):
    copy = lambda each: each.clone() if hasattr(each, "clone") else each  # noqa: E731
    return [copy(each) for each in args], {name: copy(each) for name, each in kwargs.items()}


def run(function, name):
    args, kwargs = cloned(*MODELS[name][1:])
    torch.manual_seed(0)
    return leaves(function(*args, **kwargs))


def export(library, models, name):
    make, args, kwargs = models[name]
    args, kwargs = cloned(args, kwargs)
    return library.export.export(make(), tuple(args), kwargs)


UNSCRIPTABLE = "Keywords", "Branching"
"""Models with syntax that scripts cannot contain: keywords with defaults, and lambda."""


@pytest.mark.parametrize("name", few_of(MODELS))
def test_exported_programs_compute_the_same(name):
    expected = run(MODELS[name][0](), name)
    assert close(run(export(torch, MODELS, name).module(), name), expected)
    for table in None, {}:
        assert close(run(export(torch, MODELS, name).run_decompositions(table).module(), name), expected)


@pytest.mark.parametrize("name", few_of(MODELS))
def test_compiled_and_scripted_models_compute_the_same(name):
    make, expected = MODELS[name][0], run(MODELS[name][0](), name)
    assert close(run(torch.compile(make()), name), expected)
    if name in UNSCRIPTABLE:
        with pytest.raises(torch.jit.frontend.NotSupportedError):
            torch.jit.script(make())
        return
    with pytest.warns(DeprecationWarning):
        assert close(run(torch.jit.script(make()), name), expected)


@pytest.mark.parametrize("name", [name for name in MODELS if not MODELS[name][2]])
def test_traced_models_compute_the_same(name):
    make, args, _ = MODELS[name]
    with pytest.warns(DeprecationWarning):
        traced = torch.jit.trace(make(), tuple(cloned(args, {})[0]), check_trace=False, strict=False)
    traced.load_state_dict(make().state_dict())  # as it was before the trace
    assert close(run(traced, name), run(make(), name))


@pytest.mark.parametrize("name", few_of(MODELS))
def test_graphs_and_signatures_are_pytorchs(oracle, name):
    found = []
    for library in torch, oracle:
        models = MODELS if library is torch else make_invented(oracle)
        program = export(library, models, name)
        core = program.run_decompositions()
        found.append(([steps(each) for each in (program, core)], str(program.graph_signature)))
    if name in OTHER_GRAPHS:
        assert found[0][0] != found[1][0]
    else:
        assert found[0] == found[1]
    assert found[0][1] == found[1][1]


@pytest.mark.parametrize("name", ["NormedWeights", "GatedConvolution", "SkipConnections", "Containers", "Normed"])
def test_symbolic_traces_are_pytorchs(oracle, name):
    codes = [
        library.fx.symbolic_trace(make_invented(library)[name][0]()).code for library in (torch, oracle)
    ]  # fmt: skip
    assert codes[0] == codes[1]
