"""tensh as torch for whole programs: `tensh exec`, `tensh run -m`, `tensh alias`, `pytest --tensh`, ``tensh.install()``."""

import os
import pickle
import subprocess
import sys
import venv

import pytest

import tensh
import tensh.alias
from tensh.torch_version import TorchVersion
from tests.support.project import ROOT, plain_environment

PROGRAM = """
import importlib.metadata, importlib.util, multiprocessing, subprocess, sys
import torch

def work(x):
    return (x * 2).sum().item(), torch.__name__

if __name__ == "__main__":
    print(sys.argv[1:], torch.__name__, importlib.metadata.version("torch") == torch.__version__)
    spec = importlib.util.find_spec("torch")
    print(spec.name, spec.origin == torch.__file__)
    for method in sys.argv[2:]:
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(pool.map(work, [torch.ones(3)]))
    child = [sys.executable, "-c", "import torch.nn; print(torch.__version__.partition('+')[2].partition('.')[0])"]
    print(subprocess.run(child, capture_output=True, text=True).stdout.strip())
    sys.exit(7)
"""
SHOWN = "['-x', 'spawn'] torch True\ntorch True\n[(6.0, 'torch')]\ntensh\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


WAYS = {
    "exec": ["-m", "tensh", "exec", sys.executable, "program.py"],
    "run -m": ["-m", "tensh", "run", "-m", "program"],
    "run": ["-m", "tensh", "run", "program.py", "--"],
    "install": ["-c", "import tensh, runpy, sys; tensh.install(); runpy.run_path('program.py', run_name='__main__')"],
}


@pytest.mark.thorough
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_whole_program_has_tensh_for_torch(folder, way):
    methods = ["spawn"] if way[0] == "-m" else []  # a program of -c has no file that a new process could read
    done = subprocess.run([sys.executable, *way, "-x", *methods], cwd=folder, capture_output=True, text=True)
    expected = SHOWN if methods else SHOWN.replace(", 'spawn'", "").replace("[(6.0, 'torch')]\n", "")
    assert (done.stdout, done.returncode) == (expected, 7), done.stderr


@pytest.mark.parametrize(
    "arguments", [["exec"], ["exec", "no-such-command"], ["run", "-m"], ["run", "-m", "no_such_module"], ["alias"]]
)
def test_what_cannot_be_run_is_a_usage_error(tensh_command, arguments):
    done = tensh_command(*arguments)
    assert done.returncode == 2 and "Traceback" not in done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("mode", ["prepend", "importlib"])
def test_tests_have_tensh_for_torch(tmp_path, mode):
    (tmp_path / "test_it.py").write_text("import torch\ndef test_it():\n    assert 'tensh' in torch.__version__\n")
    options = ["-q", "--tensh", f"--import-mode={mode}", "-p", "no:cacheprovider"]
    done = subprocess.run([sys.executable, "-m", "pytest", *options], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_tests_see_names_of_torch_however_it_became_tensh(tmp_path):
    """pytest finds modules of its plugins itself, under their own names."""
    code = "import torch\ndef test_it():\n    assert torch.optim.SGD.__module__ == 'torch.optim.sgd'\n"
    (tmp_path / "test_it.py").write_text(code)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | tensh.alias.environment(os.environ), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_an_environment_has_tensh_for_torch_until_it_is_taken_back(tmp_path):
    venv.create(tmp_path / "env", symlinks=os.name != "nt")
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    (path,) = (tmp_path / "env").rglob("site-packages")
    (path / "these.pth").write_text(
        "\n".join(each for each in sys.path if each.endswith("site-packages"))
        + f"\n{os.path.dirname(os.path.dirname(tensh.__file__))}\n"
    )
    ask = "import importlib.metadata as m; print([d.version for d in m.distributions(name='torch')][0]); import torch; print(torch.__version__)"
    run = lambda *words: subprocess.run([python, *words], capture_output=True, text=True)  # noqa: E731
    assert run("-m", "tensh", "alias", "--venv").returncode == 0
    assert run("-c", ask).stdout.split() == [tensh.__version__] * 2
    written = {each.name for each in path.iterdir()}
    assert run("-m", "tensh", "alias", "--venv", "--remove").returncode == 0
    assert written - {each.name for each in path.iterdir()} == {
        "tensh-alias.pth",
        f"torch-{tensh.__version__}.dist-info",
    }


def test_nothing_of_tenshs_own_is_found_in_torch():
    with tensh.alias.torch_is_tensh():
        import torch
        import torch.distributions

        own = "alias cli engine explain graph replacing show switched_off tolerances install SUBMODULES".split()
        assert not [name for name in own if hasattr(torch, name)]
        assert torch.torch is torch and torch.nn is tensh.nn and torch.ones is tensh.ones
        assert (torch.__name__, torch.distributions.__name__) == ("torch", "torch.distributions")
        assert {"sin", "nn", "Tensor"} <= vars(torch).keys() and "Bernoulli" in torch.distributions.__dict__
        assert torch.optim.SGD.__module__ == "torch.optim.sgd"
        subset = torch.utils.data.Subset([1, 2], [1])
        assert b"torch.utils.data.dataset" in pickle.dumps(subset) and pickle.loads(pickle.dumps(subset))[0] == 2
    assert tensh.distributions.__name__ == "tensh.distributions"
    assert pickle.loads(pickle.dumps(tensh.utils.data.Subset([1, 2], [1])))[0] == 2
    version = pickle.loads(pickle.dumps(tensh.__version__))
    assert version == tensh.__version__ and version > (2, 12) and type(version) is type(tensh.__version__)


VERSIONS = "2.13.0+cpu 2.13.0 2.9 2.10 2.13 2.14.0a0 2.13.0.dev1 2.13.0rc1 1!1.0 2.13.0.post1".split()


DEFINED = """
import sys
import types
import tensh, tensh.alias

def modules():
    # what each function and class of tensh says of where it is
    return [
        (value, value.__module__)
        for module in [*sys.modules.values()]
        if module.__name__.split(".")[0] in ("tensh", "torch")
        for value in [*types.ModuleType.__dict__["__dict__"].__get__(module).values()]
        if isinstance(value, (type, types.FunctionType))
    ]

import tensh.func, tensh.nn, tensh.optim, tensh.utils.data, tensh.distributions, tensh.sparse, tensh.linalg
before = modules()
with tensh.alias.torch_is_tensh():
    import torch, torch.func, torch.nn.functional, torch.fft
    assert torch.optim.SGD.__module__.startswith("torch.")
print([(value, name) for value, name in before if value.__module__ != name])
"""


def test_names_are_as_before_once_torch_is_torch_again():
    done = subprocess.run(
        [sys.executable, "-c", DEFINED], cwd=ROOT, env=plain_environment(), capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


NAMESPACES = """
import importlib, sys
import tensh, tensh.alias

loaded = (
    "compiler distributed distributed.distributed_c10d export fx fx.experimental fx.passes fx.passes.infra jit nn.parallel"
).split()
with tensh.alias.torch_is_tensh():
    for name in loaded:
        importlib.import_module("torch." + name)
sys.modules["torch"] = None  # nothing is found there any more
for name in loaded:
    module = importlib.import_module("tensh." + name)
    for each in dir(module):
        if not each.startswith("_"):
            getattr(module, each)
"""


def test_namespaces_find_their_names_once_torch_is_torch_again():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", NAMESPACES],
        cwd=ROOT,
        env=plain_environment(),
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_whose_torch_it_is_is_said_when_the_program_asks():
    """tensh's own imports, as those of an explanation, are not the program's."""
    told = []
    own = os.path.join(os.path.dirname(tensh.__file__), "explain", "search.py")
    with tensh.alias.torch_is_tensh(lambda: told.append(1)):
        for name in ("torch.fft", "torch.linalg"):  # there if other tests have loaded tensh's
            sys.modules.pop(name, None)
        exec(compile("import torch.nn", own, "exec"), {})
        exec(compile("import importlib; importlib.import_module('torch.linalg')", own, "exec"), {})
        assert not told
        exec(compile("import torch.fft\nimport torch", "program.py", "exec"), {})
        assert told == [1]


@pytest.mark.parametrize("other", [*VERSIONS, (2, 13), (2, 0, 1)], ids=str)
def test_versions_compare_as_in_pytorch(oracle, other):
    theirs = oracle.torch_version.TorchVersion
    for text in VERSIONS:
        a, b = TorchVersion(text), theirs(text)
        assert (a < other, a <= other, a == other, a > other, a >= other) == (
            b < other,
            b <= other,
            b == other,
            b > other,
            b >= other,
        )


OFF = {
    "torch.distributed.is_available()": True,
    "torch.distributed.is_nccl_available()": False,
    "torch._subclasses.fake_tensor.is_fake(1)": False,
    "isinstance(1, torch.SymInt)": False,
    "torch.nn.common_types._size_2_t": int | tuple[int, int],
    "torch.utils.data._utils.worker._generate_state(123456789012, 3)": [769313048, 1460814176, 2980110427, 1364817390],
    "torch.jit.is_scripting() or torch.compiler.is_compiling()": False,
    "torch.jit.ignore(drop=True)(f) is f": True,
    "isinstance(torch.nn.Linear(1, 1), torch.jit.ScriptModule)": False,
    "torch.jit.annotate(list[int], [1])": [1],
    "torch.futures.Future[int] is not None": True,
    "issubclass(torch.distributed.DistBackendError, Exception)": True,
    "torch.distributed.ReduceOp.SUM.name": "SUM",
    "torch.jit.isinstance([1], list[int])": True,
    "isinstance(1, torch.sparse.SparseSemiStructuredTensor)": False,
    "isinstance(1, torch.nn.functional.ScalingType)": False,
}


@pytest.mark.parametrize("code", OFF)
def test_what_is_switched_off_answers(code):
    assert eval(code, {"torch": tensh, "f": lambda x: x}) == OFF[code]


@pytest.mark.parametrize(
    "code",
    [
        "torch.distributed.rpc.rpc_sync(1)",
        "torch.distributed.fsdp.fully_shard(1)",
        "torch.fx.experimental.unify_refinements.infer_symbolic_types(1)",
        "torch.nn.functional.scaled_mm(1)",
    ],
)
def test_the_use_of_what_is_switched_off_gives_the_reason(code):
    with pytest.raises(NotImplementedError, match=r"torch\.[\w.]+ is switched off in tensh: "):
        eval(code, {"torch": tensh})


@pytest.mark.parametrize(
    "code", ["raise ValueError(text)", "import sys; sys.exit(text)", "raise ExceptionGroup('', [OSError(text)])"]
)
def test_what_ends_a_module_is_shown_without_control_characters(code, tmp_path):
    (tmp_path / "program.py").write_text(f"text = 'a\\x1b[2Jb'\n{code}\n")
    done = subprocess.run(
        [sys.executable, "-m", "tensh", "run", "-m", "program"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1 and "\x1b" not in done.stderr and r"a\x1b[2Jb" in done.stderr


MODULES = """
torch.backends.mps torch.backends.mkl torch.backends.mkldnn torch.backends.openmp torch.cuda.amp.autocast_mode
torch.cuda.amp.grad_scaler torch.cuda.memory torch.cuda.graphs torch.masked._ops torch.profiler.profiler torch.nn._reduction
torch.utils._contextlib torch.utils._mode_utils torch._vmap_internals torch._functorch.apis torch._functorch.eager_transforms
torch._functorch.functional_call torch.fx._compatibility torch._guards torch.jit._recursive
torch.utils.mobile_optimizer torch.utils.data.graph torch._decomp torch.distributed.distributed_c10d torch.futures
torch.nn.parallel.distributed torch.distributed.tensor._utils torch.distributed.constants torch.distributed.fsdp functorch
""".split()


def test_modules_that_libraries_import_are_there_with_what_tensh_has(tmp_path):
    (tmp_path / "program.py").write_text(f"""
import importlib
for each in {MODULES}:
    importlib.import_module(each)
import torch
torch.nn.ReLU  # loads the file of activations
assert torch.nn.modules.activation.MultiheadAttention is torch.nn.MultiheadAttention and torch.nn.modules.rnn.RNNCellBase
assert isinstance(torch._C.ScriptMethod, type) and torch._C._is_alias_of(torch.ones(1), torch.ones(1)) is False
from torch._functorch.apis import grad
from torch._functorch.eager_transforms import jacrev
from torch._vmap_internals import _vmap
from torch.cuda.amp.autocast_mode import autocast
from torch.fx._compatibility import compatibility
from torch.nn._reduction import get_enum, legacy_get_string
from torch.utils._contextlib import _DecoratorContextManager
from torch.autograd.gradcheck import GradcheckError
from torch.nn.utils.spectral_norm import SpectralNorm, spectral_norm
from torch.nn.utils.weight_norm import WeightNorm, weight_norm
from torch.optim._functional import adamw
from torch.optim.adamw import AdamW, adamw as same
from torch.amp.grad_scaler import GradScaler, OptState
from torch._tensor_str import _str_intern, get_printoptions, printoptions
from torch.fx._symbolic_trace import compatibility as same_decorator
from torch.multiprocessing.reductions import StorageWeakRef
from torch.testing import FileCheck
assert [each.name for each in OptState] == ["READY", "UNSCALED", "STEPPED"] and same_decorator is compatibility
with printoptions(precision=2):
    assert _str_intern(torch.tensor([1.23456])) == "tensor([1.23])" and get_printoptions()["precision"] == 2
assert adamw is same and AdamW is torch.optim.AdamW
assert torch.autograd.gradcheck(torch.sin, torch.ones(1, dtype=torch.float64, requires_grad=True))
assert torch.nn.utils.weight_norm is weight_norm and torch.nn.utils.spectral_norm is spectral_norm
assert grad is torch.func.grad and jacrev is torch.func.jacrev and autocast is torch.cuda.amp.autocast
assert _vmap(torch.sin)(torch.zeros(2)).tolist() == [0.0, 0.0]
assert get_enum("sum") == 2 and legacy_get_string(None, False, False) == "none"
assert not (torch.backends.mps.is_available() or torch.backends.mkldnn.is_available())
with torch.backends.mkldnn.flags(enabled=False):
    pass
@compatibility(is_backward_compatible=True)
def f(): return 1
class Count(_DecoratorContextManager):
    inside = 0
    def __enter__(self): Count.inside += 1
    def __exit__(self, *error): Count.inside -= 1
@Count()
def g():
    got = yield Count.inside
    yield got, Count.inside
steps = g()
assert (next(steps), Count.inside, steps.send("a"), f()) == (1, 0, ("a", 1), 1)
""")
    done = subprocess.run(
        [sys.executable, "-m", "tensh", "run", "program.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


NAMED = """nn.Module nn.ReLU nn.Embedding nn.MultiheadAttention nn.Parameter nn.utils.rnn.PackedSequence optim.Optimizer
optim.Adam optim.lr_scheduler.StepLR distributions.Normal utils.data.DataLoader no_grad nn.init.orthogonal_""".split()


@pytest.mark.parametrize("way", ["run", "install"])
def test_classes_are_in_the_loaded_modules_that_they_name(tmp_path, way):
    """Tools such as cloudpickle pickle a class by value unless ``sys.modules`` has it, and functions with their modules."""
    (tmp_path / "program.py").write_text(f"""
import operator, pickle, sys
import torch
for name in {NAMED}:
    value = operator.attrgetter(name)(torch)
    assert value.__module__.startswith("torch."), name
    assert getattr(sys.modules.get(value.__module__), value.__qualname__, None) is value, name
assert sys.modules["torch.nn.modules.module"] is torch.nn.modules.module
for module in (torch, torch.nn.functional, torch.optim):
    assert pickle.loads(pickle.dumps(module)) is module
""")
    done = subprocess.run([sys.executable, *WAYS[way]], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_plugins_named_in_the_environment_have_tensh_for_torch(tmp_path):
    (tmp_path / "later.py").write_text("import torch\nassert 'tensh' in torch.__version__\n")
    (tmp_path / "test_it.py").write_text("import sys\ndef test_it():\n    assert 'later' in sys.modules\n")
    options = ["-q", "--tensh", "-p", "no:cacheprovider"]
    environment = os.environ | {"PYTEST_PLUGINS": "later", "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_plugin_that_imports_pytorch_first_is_a_usage_error(tmp_path):
    (tmp_path / "first.py").write_text("import sys, types\nsys.modules['torch'] = types.ModuleType('torch')\n")
    (tmp_path / "test_it.py").write_text("def test_it():\n    pass\n")
    options = ["-q", "-p", "first", "--tensh", "-p", "no:cacheprovider"]
    done = subprocess.run([sys.executable, "-m", "pytest", *options], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 4 and "tensh exec pytest" in done.stderr and "Traceback" not in done.stderr


def test_the_finder_has_the_name_by_which_programs_that_compare_engines_import_it():
    from tensh.alias.finder import Finder

    spec = Finder().find_spec("torch.nn")
    assert spec is not None and spec.name == "torch.nn"
