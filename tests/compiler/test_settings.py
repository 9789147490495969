"""Settings of torch.compile that have an effect: limits, errors, and options that are refused."""

import importlib
import unittest.mock

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


@pytest.mark.parametrize(
    ("setting", "value"), [("suppress_errors", True), ("recompile_limit", 3), ("cache_size_limit", 3)]
)
def test_mock_changes_a_setting_and_restores_it(setting, value):
    before = getattr(config, setting)
    with unittest.mock.patch(f"tensh._dynamo.config.{setting}", value):
        assert getattr(config, setting) == value
    assert getattr(config, setting) == before


def test_a_deleted_setting_is_absent_until_it_is_set():
    for module, name in (config, "verbose"), (torch._inductor.config.triton, "cudagraphs"):
        before = getattr(module, name)
        delattr(module, name)
        with pytest.raises(AttributeError, match=f"{name} does not exist"):
            getattr(module, name)
        setattr(module, name, before)
        assert getattr(module, name) == before
    with pytest.raises(KeyError):
        del config.nonsense
    del config.verbose
    assert config.get_config_copy()["verbose"] is False and config.codegen_config() == ""
    config.verbose = False


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


IN_CI = {"error_on_custom_op_aliasing"}
"""Settings that the environment variable CI turns on."""


def test_settings_and_options_are_pytorchs(oracle):
    import torch._dynamo.config as theirs
    import torch._inductor.config as inductor

    from tensh.compiler.configuration.config_modules import PATHS, read_aliases, read_settings, read_value
    from tensh.compiler.configuration.settings import READ, list_options

    assert {name: getattr(theirs, name) for name in READ} == READ
    assert [*list_options()] == [*inductor.get_config_copy()]
    for path in PATHS:
        found, module = read_settings()[path], importlib.import_module(path)
        assert [*found] == [*module.get_config_copy()]
        assert read_aliases()[path] == {name: entry.alias for name, entry in module._config.items() if entry.alias}
        for name, (_, value) in found.items():
            if value != "?" and name not in IN_CI and module._is_default(name):  # otherwise another test has set it
                assert read_value(value) == module.get_config_copy()[name]


@pytest.mark.parametrize(
    ("path", "name", "other", "value"),
    [
        ("_dynamo.config", "cache_size_limit", "_dynamo.config.recompile_limit", 3),
        ("compiler.config", "recompile_limit", "_dynamo.config.recompile_limit", 3),
        ("compiler.config", "dynamic_shapes", "_dynamo.config.dynamic_shapes", False),
        ("_inductor.config", "force_disable_caches", "compiler.config.force_disable_caches", True),
    ],
)
def test_a_setting_has_several_names(path, name, other, value):
    module, (elsewhere, _, same) = follow(torch, path), other.rpartition(".")
    with module.patch({name: value}):
        assert getattr(follow(torch, elsewhere), same) == getattr(module, name) == value
    assert getattr(follow(torch, elsewhere), same) == getattr(module, name) != value


def follow(library, path):
    for name in path.split("."):
        library = getattr(library, name)
    return library


def test_settings_of_all_modules_can_be_set_and_are_restored():
    for path, name, value in (
        ("_inductor.config", "max_autotune", True), ("_inductor.config.triton", "cudagraphs", True), ("_inductor.config.cpp", "threads", 4),
        ("_inductor.config.trace", "enabled", True), ("_dynamo.config", "capture_scalar_outputs", True),
        ("_functorch.config", "donated_buffer", False), ("compiler.config", "job_id", "a"), ("fx.experimental._config", "use_duck_shape", False),
    ):  # fmt: skip
        module = follow(torch, path)
        before = getattr(module, name)
        setattr(module, name, value)
        assert getattr(module, name) == value != before
        setattr(module, name, before)
        with pytest.raises(AttributeError, match=f"torch.{path}.nonsense does not exist"):
            module.nonsense = 1
        assert not hasattr(module, "nonsense")
    inductor = torch._inductor.config
    with inductor.patch({"triton.cudagraphs": True, "max_autotune": True}):
        assert inductor.triton.cudagraphs and inductor.get_config_copy()["triton.cudagraphs"] and inductor.max_autotune
        kept = inductor.save_config()
    assert not inductor.triton.cudagraphs and not inductor.max_autotune
    with inductor.patch("max_autotune", False):
        inductor.load_config(kept)
        assert inductor.max_autotune and inductor.triton.cudagraphs
        inductor.triton.cudagraphs = False
    for path in ("_dynamo.config", "_inductor.config"):  # some of whose settings are sets
        module = follow(torch, path)
        before = module.get_config_copy()
        module.load_config(module.save_config())
        assert module.get_config_copy() == before
    with pytest.raises(AttributeError, match="triton.nonsense does not exist"):
        inductor.patch({"triton.nonsense": True})


def count_kinds(torch, stance):
    """Return what calls of a function give under a stance: 1 more where a graph is made for them."""
    x, found = torch.ones(2), []
    torch._dynamo.reset()

    def add(x):
        return x + (1 if torch.compiler.is_compiling() else 0)

    compiled = torch.compile(add, backend="eager")
    for _ in range(2):
        with torch.compiler.set_stance(stance):
            for each in (x, x, torch.ones(3), torch.ones(4), torch.ones(2).double()):
                try:
                    found.append(compiled(each)[0].item())
                except RuntimeError:
                    found.append(None)
        compiled(x)
    return found


@pytest.mark.parametrize(
    "stance", "default force_eager eager_on_recompile fail_on_recompile eager_then_compile".split()
)
def test_stances_of_functions_that_run_unchanged_are_pytorchs(oracle, stance):
    assert count_kinds(torch, stance) == count_kinds(oracle, stance)


def call_with_constants(torch, backend, method):
    """Return what a function gives that multiplies by a number which counts its own calls."""
    numbers = []
    torch._dynamo.reset()

    class Layer(torch.nn.Module):
        @torch.compiler.assume_constant_result
        def count(self):
            numbers.append(1)
            return len(numbers)

        def forward(self, x):
            return x * self.count()

    @torch.compiler.assume_constant_result
    def count():
        numbers.append(1)
        return torch.full((2,), float(len(numbers)))

    compiled = torch.compile(Layer() if method else lambda x: x * count(), backend=backend)
    given = torch.ones(2), torch.ones(2), torch.ones(2).double(), torch.ones(2)
    return [compiled(x).tolist() for x in given], len(numbers)


@pytest.mark.parametrize("method", [False, True])
def test_constant_results_are_computed_once_for_each_graph(oracle, method):
    theirs = call_with_constants(oracle, "eager", method)
    for backend in "eager", lambda graph, examples: graph.forward:
        assert call_with_constants(torch, backend, method) == theirs
    assert call_with_constants(torch, "inductor", method) == theirs
