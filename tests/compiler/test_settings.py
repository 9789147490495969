"""Settings of torch.compile that have an effect: limits, errors, and options that are refused."""

import pytest

import tensh as torch

config = torch._dynamo.config
pytestmark = pytest.mark.filterwarnings("ignore")


def count_graphs(calls, **options):
    """Return how many graphs a function gets that is called with so many numbers."""
    made = []

    def backend(module, inputs):
        made.append(module)
        return module

    function = torch.compile(lambda x, k: x + k, backend=backend, dynamic=False, **options)
    assert [function(torch.ones(1), k).item() for k in range(calls)] == [1 + k for k in range(calls)]
    return len(made)


def test_no_more_graphs_are_made_than_the_limit():
    assert count_graphs(10) == 8 and count_graphs(6, recompile_limit=3) == 3
    for name in "recompile_limit", "cache_size_limit":
        with config.patch({name: 2}):
            assert count_graphs(5) == config.recompile_limit == config.cache_size_limit == 2
    assert config.recompile_limit == 8


def test_limits_and_recompilations_can_be_errors():
    with config.patch(recompile_limit=2):
        with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit, match="Hard failure due to fullgraph=True"):
            count_graphs(5, fullgraph=True)
        with (
            config.patch(fail_on_recompile_limit_hit=True),
            pytest.raises(RuntimeError, match="due to fail_on_recompile"),
        ):
            count_graphs(5)
    with config.patch(error_on_recompile=True), pytest.raises(torch._dynamo.exc.RecompileError, match="Recompiling"):
        count_graphs(2)


def test_compilation_can_be_switched_off_and_errors_of_backends_suppressed():
    with config.patch(disable=True):
        assert count_graphs(3) == 0

    def fail(module, inputs):
        raise ValueError("no")

    with config.patch(suppress_errors=True):
        assert torch.compile(torch.neg, backend=fail)(torch.ones(1)).item() == -1
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed):
        torch.compile(torch.neg, backend=fail)(torch.ones(1))


WRONG = {
    "option": lambda torch: torch.compile(torch.neg, options={"nonsense": 1}),
    "type": lambda torch: torch.compile(torch.neg, options={"max_autotune": "yes"}),
    "no dictionary": lambda torch: torch.compile(torch.neg, options=3),
    "both": lambda torch: torch.compile(torch.neg, mode="default", options={"max-autotune": False}),
    "mode": lambda torch: torch.compile(torch.neg, mode="fast"),
    "no function": lambda torch: torch.compile(3),
    "no setting": lambda torch: setattr(torch._dynamo.config, "nonsense", 1),
    "no such setting": lambda torch: torch._dynamo.config.nonsense,
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_options_are_pytorchs_errors(oracle, name):
    errors = []
    for library in torch, oracle:
        with pytest.raises(Exception) as raised:
            WRONG[name](library)
        errors.append((raised.type.__name__, str(raised.value)))
    assert errors[0] == errors[1]


def test_settings_and_options_are_pytorchs(oracle):
    import torch._dynamo.config as theirs
    import torch._inductor.config as inductor

    from tensh.compiler.settings import ALIASES, READ, list_options

    assert {name: getattr(theirs, name) for name in READ} == READ
    assert all(getattr(config, old) == getattr(config, new) for old, new in ALIASES.items())
    assert [*list_options()] == [*inductor.get_config_copy()]
