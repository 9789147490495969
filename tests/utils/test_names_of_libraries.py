"""Parts of torch that libraries use beside tensors: trees, lists of tensors, operators of their own, benchmarks, profiles."""

import gzip
import json
import subprocess
import sys

import pytest

import tensh
from tensh import functorch
from tensh.engine.codegen.vocabulary import OPS
from tensh.nn.parallel import data_parallel
from tensh.utils import _pytree, benchmark

FOREACH = {
    "_foreach_add": "[a, b], [b, a], alpha=2",
    "_foreach_mul": "[a, b], 3.0",
    "_foreach_div": "[a, b], [2.0, 4.0]",
    "_foreach_addcdiv": "[a, b], [a, b], [b, a], [1.0, 2.0]",
    "_foreach_addcmul": "[a, b], [a, b], [b, a], value=0.5",
    "_foreach_lerp": "[a, b], [b, a], 0.25",
    "_foreach_norm": "[a, b]",
    "_foreach_clone": "[a, b]",
    "_foreach_mm": "[a[None], b[None]], [b[:, None], a[:, None]]",
    "_foreach_powsum": "[a, -b], 3",
    "_foreach_pow": "[a, b], 2",
    "_foreach_maximum": "[a, b], [b, a]",
    "_foreach_clamp_min": "[a, b], 1.5",
    "_foreach_sqrt": "[a, b]",
}


@pytest.mark.parametrize("name", FOREACH)
def test_lists_of_tensors_are_computed_as_in_pytorch(oracle, name):
    found = []
    for torch in (oracle, tensh):
        names = {"a": torch.tensor([1.0, 2.0]), "b": torch.tensor([3.0, 0.5]), "f": getattr(torch, name)}
        found.append([t.flatten().tolist() for t in eval(f"f({FOREACH[name]})", names)])
        if hasattr(oracle, f"{name}_"):
            lists = names["a"], names["b"]
            eval(f"f_({FOREACH[name]})", names | {"f_": getattr(torch, f"{name}_")})
            found[-1] += [t.tolist() for t in lists]
    assert found[0] == [pytest.approx(each) for each in found[1]]


CHECKS = ["_check", "_check_index", "_check_value", "_check_type", "_check_not_implemented"]


@pytest.mark.parametrize("name", CHECKS)
def test_conditions_raise_as_in_pytorch(oracle, name):
    for arguments in ((False,), (False, lambda: "no"), (1,)):
        raised = []
        for torch in (oracle, tensh):
            with pytest.raises(Exception) as caught:
                getattr(torch, name)(*arguments)
            raised.append((caught.type, str(caught.value)))
        assert raised[0] == raised[1]
    assert getattr(tensh, name)(True) is None


CONDITIONS = [
    "_check_tensor_all(torch.ones(2) > 0)",
    "_check_tensor_all(torch.ones(2) > 1, lambda: 'no')",
    "_check_tensor_all(True)",
    "_check_tensor_all(torch.ones(2))",
    "_check_tensor_all_with(ValueError, torch.ones(2) > 1)",
    "_check_tensor_all_with(ValueError, torch.ones(2) > 1, 'no')",
    "_check_tensor_all_with(ValueError, [])",
    "_check(torch.ones(2) > 1)",
    "_check_with(KeyError, False, lambda: 'no')",
]


@pytest.mark.parametrize("call", CONDITIONS)
def test_conditions_on_tensors_raise_as_in_pytorch(oracle, call):
    found = []
    for torch in (oracle, tensh):
        try:
            found.append(eval(f"torch.{call}", {"torch": torch}))
        except Exception as error:
            found.append((type(error), str(error)))
    assert found[0] == found[1]


@pytest.mark.parametrize("other", ["x", "x.to('meta')", "x.to_sparse()", "x.int()", "x[:1]"])
def test_types_that_data_may_be_assigned_are_pytorchs(oracle, other):
    found = []
    for torch in (oracle, tensh):
        x = torch.ones(2)
        both = x, eval(other, {"x": x})
        found.append([torch._has_compatible_shallow_copy_type(a, b) for a, b in (both, both[::-1], both[1:] * 2)])
    assert found[0] == found[1]


def test_properties_of_operators_are_pytorchs(oracle):
    described = [
        [(repr(tag), str(tag), int(tag), tag.name, tag == tag.value) for tag in map(torch.Tag, range(20))]
        for torch in (oracle, tensh)
    ]
    assert described[0] == described[1] and tensh.Tag.core is tensh._C.Tag.core


def test_an_operator_of_a_library_has_its_derivative_and_is_found_by_name():
    @tensh.library.custom_op("tests::cube", mutates_args=())
    def cube(x: tensh.Tensor, times: int = 1) -> tensh.Tensor:
        return x**3 * times

    cube.register_autograd(
        lambda ctx, g: (3 * ctx.saved_tensors[0] ** 2 * g, None),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
    )
    x = tensh.tensor([2.0], requires_grad=True)
    y = tensh.ops.tests.cube(x)
    y.backward()
    assert (y.item(), x.grad.item()) == (8.0, 12.0)
    with pytest.raises(AttributeError):
        tensh.ops.tests.nobody  # noqa: B018


def test_classes_of_a_library_are_branches_of_trees():
    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

    _pytree.register_pytree_node(Pair, lambda p: ([p.a, p.b], "pair"), lambda children, _: Pair(*children))
    leaves, spec = _pytree.tree_flatten({"x": Pair(1, [2, 3])})
    assert leaves == [1, 2, 3] and _pytree.tree_unflatten(leaves, spec)["x"].b == [2, 3]
    added = _pytree.tree_map(lambda a, b: a + b, (1, {"k": 2}), (10, {"k": 20}))
    assert added == (11, {"k": 22})
    with pytest.raises(ValueError, match="arity"):
        _pytree.tree_map(lambda a, b: a, [1, 2], [1])


def test_a_profile_counts_operations_and_named_parts():
    with tensh.profiler.profile() as profile, tensh.profiler.record_function("part"):
        for _ in range(3):
            tensh.exp(tensh.ones(2))
    counts = {each.key: each.count for each in profile.key_averages()}
    assert counts["part"] == 1 and counts["aten::exp"] == 3
    assert "Self CPU" in profile.key_averages().table(sort_by="cpu_time_total", row_limit=1)


def test_measurements_are_compared_in_a_table():
    tasks = [("rows", "mine", 2.0), ("rows", "theirs", 4.0), ("columns", "mine", 6.0)]
    found = [
        benchmark.Measurement(
            10, [seconds] * 5, benchmark.TaskSpec("x", "", label="sums", sub_label=row, description=column)
        )
        for row, column, seconds in tasks
    ]
    lines = str(benchmark.Compare(found)).splitlines()
    assert "sums" in lines[0] and lines[1].split() == ["|", "mine", "|", "theirs"]
    assert [line.split() for line in lines[3:5]] == [
        ["rows", "|", "200.0", "|", "400.0"],
        ["columns", "|", "600.0", "|"],
    ]


def test_models_for_several_devices_compute_on_one():
    model = tensh.nn.Sequential(tensh.nn.BatchNorm1d(2))
    parallel = tensh.nn.DataParallel(model)
    assert list(parallel.state_dict())[0] == "module.0.weight"
    assert data_parallel(model.eval(), tensh.zeros(1, 2)).tolist() == [[0.0, 0.0]]
    (sync,) = tensh.nn.SyncBatchNorm.convert_sync_batchnorm(model)
    assert isinstance(sync, tensh.nn.SyncBatchNorm) and sync.weight is model[0].weight


def test_functorch_is_there_with_what_it_had_for_modules(tmp_path):
    (tmp_path / "program.py").write_text("""
import functorch, torch
from functorch import combine_state_for_ensemble, grad, make_functional, vmap
models = [torch.nn.Linear(2, 1) for _ in range(3)]
f, params, buffers = combine_state_for_ensemble(models)
x = torch.ones(4, 2)
together = vmap(f, in_dims=(0, 0, None))(params, buffers, x)
assert torch.allclose(together, torch.stack([m(x) for m in models]))
one, own = make_functional(models[0])
assert [p.requires_grad for p in own] == [True, True] and torch.equal(one(own, x), models[0](x))
assert [g.shape for g in grad(lambda p: one(p, x).sum())(own)] == [(1, 2), (1,)]
""")
    done = subprocess.run(
        [sys.executable, "-m", "tensh", "run", tmp_path / "program.py"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "models", [[], [tensh.nn.Linear(1, 1), tensh.nn.ReLU()], [tensh.nn.ReLU(), tensh.nn.ReLU().eval()]]
)
def test_functorch_refuses_modules_that_are_not_alike(models):
    with pytest.raises(RuntimeError, match="combine_state_for_ensemble: Expected "), pytest.warns(FutureWarning):
        functorch.combine_state_for_ensemble(models)
    with pytest.raises(ValueError, match="has buffers"), pytest.warns(FutureWarning):
        functorch.make_functional(tensh.nn.BatchNorm1d(2))


def test_functorch_warns_once_that_another_function_replaces_it():
    model, instead = tensh.nn.Linear(1, 1), "torch.func.functional_call"
    calls = {
        "vmap": (tensh.sin, "torch.vmap"), "grad": (tensh.sin, "torch.func.grad"), "hessian": (tensh.sin, "torch.func.hessian"),
        "make_functional": (model, instead), "make_functional_with_buffers": (model, instead),
        "combine_state_for_ensemble": ([model], "torch.func.stack_module_state"),
    }  # fmt: skip
    for name, (given, replacement) in calls.items():
        with pytest.warns(FutureWarning) as caught:
            getattr(functorch, name)(given)
        (warning,) = caught
        assert f"`functorch.{name}` is deprecated" in str(warning.message) and f"use `{replacement}`" in str(
            warning.message
        )
        assert warning.filename == __file__


@pytest.mark.parametrize("name", ["qint8", "quint8", "qint32", "quint4x2", "quint2x4"])
def test_quantized_dtypes_are_names(name, oracle):
    ours, theirs = getattr(tensh, name), getattr(oracle, name)
    assert (str(ours), ours.itemsize, ours.is_floating_point) == (str(theirs), theirs.itemsize, False)
    assert isinstance(ours, tensh.dtype) and ours is getattr(tensh, name)
    with pytest.raises(NotImplementedError, match="no quantized tensors"):
        tensh.zeros(1, dtype=ours)


def test_the_default_device_is_not_found_where_there_is_none():
    tensh.set_default_device("cuda")
    try:
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            tensh.get_default_device()
    finally:
        tensh.set_default_device(None)
    assert tensh.get_default_device() == tensh.device("cpu")


def test_hooks_of_all_modules_are_found_by_the_names_that_libraries_read():
    module = tensh.nn.modules.module
    for register, name in [
        (module.register_module_forward_hook, "_global_forward_hooks"),
        (module.register_module_forward_pre_hook, "_global_forward_pre_hooks"),
        (module.register_module_full_backward_hook, "_global_backward_hooks"),
        (module.register_module_parameter_registration_hook, "_global_parameter_registration_hooks"),
        (module.register_module_buffer_registration_hook, "_global_buffer_registration_hooks"),
        (module.register_module_module_registration_hook, "_global_module_registration_hooks"),
    ]:
        handle = register(print)
        assert [*getattr(module, name).values()] == [print]
        handle.remove()
        assert not getattr(module, name)


def test_hooks_on_the_last_operation_of_all_modules(monkeypatch):
    module, seen = tensh.nn.modules.module, []
    monkeypatch.setattr("tensh.nn.modules.calls.IS_FULL", {})
    shapes = lambda grads: [None if g is None else tuple(g.shape) for g in grads]  # noqa: E731
    handle = module.register_module_backward_hook(
        lambda m, gi, go: seen.append((type(m).__name__, shapes(gi), shapes(go)))
    )
    model = tensh.nn.Sequential(tensh.nn.Linear(2, 3), tensh.nn.ReLU())
    with pytest.warns(FutureWarning, match="multiple autograd Nodes"):
        model(tensh.ones(3, 2, requires_grad=True)).sum().backward()
    assert seen == [
        ("ReLU", [(3, 3)], [(3, 3)]),
        ("Sequential", [(3, 3)], [(3, 3)]),
        ("Linear", [(3,), (3, 2), (2, 3)], [(3, 3)]),
    ]
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full"):
        module.register_module_full_backward_hook(print)
    handle.remove()


def test_private_names_of_libraries_are_there_or_refuse(tmp_path):
    (tmp_path / "program.py").write_text("""
import torch
from torch import TensorType, nn
from torch._functorch.vmap import Tensor, _flat_vmap, tree_flatten
from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket
from torch.utils._pytree import Context, KeyPath
def annotated(mask: TensorType): return mask
assert isinstance(torch.ops.aten.add.Tensor, OpOverload) and isinstance(torch.ops.aten.add, OpOverloadPacket)
assert Tensor is torch.Tensor and tree_flatten([1])[0] == [1]
for refused in (TensorType, _flat_vmap):
    try: refused()
    except NotImplementedError: continue
    raise AssertionError(refused)
""")
    done = subprocess.run(
        [sys.executable, "-m", "tensh", "run", tmp_path / "program.py"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_what_libraries_ask_of_a_build_and_of_traces_is_answered():
    from tensh.fx.graph_module import _CodeOnlyModule, _copy_attr
    from tensh.switched_off import load

    assert tensh.backends.cpu.get_cpu_capability() in ("AVX512", "AVX2", "DEFAULT")
    assert isinstance(tensh.ones(2).untyped_storage(), tensh.StorageBase)
    assert not isinstance(tensh.ones(2), tensh.StorageBase)
    guards = load("tensh._guards")
    assert guards.active_fake_mode() is guards.detect_fake_mode([tensh.ones(2)]) is None
    source, target = tensh.nn.Sequential(tensh.nn.Linear(2, 1)), tensh.nn.Module()
    _copy_attr(source, target, "0.weight")
    assert getattr(target, "0").weight is source[0].weight
    assert [*_CodeOnlyModule(vars(source)).parameters()] == [*source.parameters()]


def test_redispatch_leaves_out_one_level_of_overrides():
    found = []

    class Logged(tensh.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            found.append(func.__name__)
            return tensh.overrides.redispatch_function(func, types, args, kwargs)

    def multiply_and_add(a, b):
        if tensh.overrides.has_torch_function((a, b)):
            return tensh.overrides.handle_torch_function(multiply_and_add, (a, b), a, b)
        return a * b + 1

    result = multiply_and_add(Logged(tensh.tensor([3.0])), tensh.tensor([4.0]))
    assert (found, type(result), result.tolist()) == (["multiply_and_add", "mul"], tensh.Tensor, [13.0])


def test_a_trace_is_written_under_the_name_of_its_worker(tmp_path):
    write = tensh.profiler.tensorboard_trace_handler(str(tmp_path / "new"), "w0", use_gzip=True)
    with tensh.profiler.profile(on_trace_ready=write):
        tensh.ones(2) + 1
    (path,) = (tmp_path / "new").iterdir()
    assert path.name.startswith("w0.") and path.name.endswith(".pt.trace.json.gz")
    assert json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]


def test_old_modules_pass_on_names_and_modules_of_settings_have_their_defaults(tmp_path):
    (tmp_path / "program.py").write_text("""
import torch
import torch._inductor.config, torch._dynamo.config
from torch.quantization.observer import HistogramObserver, MinMaxObserver
from torch.quantization.qconfig import QConfig
from torch.nn.quantized.dynamic import Linear
from torch.sparse._triton_ops_meta import get_meta
from torch._inductor.decomposition import register_decomposition
from torch._library.infer_schema import infer_schema
assert issubclass(Linear, torch.nn.Module) and issubclass(MinMaxObserver, torch.nn.Module)
assert torch._inductor.config.max_autotune_gemm_search_space == "DEFAULT" and torch._dynamo.config.recompile_limit == 8
assert infer_schema is torch.library.infer_schema and register_decomposition is torch._decomp.register_decomposition
""")
    done = subprocess.run(
        [sys.executable, "-m", "tensh", "run", tmp_path / "program.py"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_every_operator_lists_its_overloads():
    """Libraries read the schemas of all operators; those in which tensh differentiates have an overload without one."""
    packets = [found for name in OPS if (found := getattr(tensh.ops.aten, name, None)) is not None]
    schemas = [getattr(getattr(each, name), "_schema", None) for each in packets for name in each.overloads()]
    assert len(schemas) >= len(packets) > 500
    assert all(each is None or each.name.startswith("aten::") for each in schemas)


def test_a_class_of_a_compiled_library_is_absent():
    """It is no attribute for programs that ask all modules for a name, as pickle does."""
    with pytest.raises(RuntimeError, match="^Tried to instantiate class 'sampling.Graph'"):
        _ = tensh.classes.sampling.Graph
    assert not hasattr(tensh.classes.sampling, "Graph")
