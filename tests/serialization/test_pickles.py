"""Pickles in a program whose `torch` is tensh: read by PyTorch and from PyTorch, and by no name of tensh's."""

import pickle
import pickletools
import subprocess
import sys
from pathlib import Path

import pytest

import tensh
import tensh.alias
from tensh.serialization import program_objects
from tensh.serialization.containers import DamagedError

PROGRAM = Path(__file__).with_name("pickled_values.py")
TENSH = [sys.executable, "-m", "tensh", "exec", sys.executable]
PYTORCH = [sys.executable]


def run(library, *arguments):
    done = subprocess.run([*library, str(PROGRAM), *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def pickles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pickles")
    run(TENSH, "write", folder)
    return folder


def test_what_tensh_writes_is_read_by_tensh(pickles):
    assert run(TENSH, "read", pickles) == ""


def test_what_tensh_writes_is_read_by_pytorch(oracle, pickles):
    assert run(PYTORCH, "read", pickles) == ""


def test_what_pytorch_writes_is_read_by_tensh(oracle, tmp_path):
    run(PYTORCH, "write", tmp_path)
    assert run(TENSH, "read", tmp_path) == ""


def test_no_name_of_tensh_is_in_them(pickles):
    for path in pickles.iterdir():
        texts = [text for _, text, _ in pickletools.genops(path.read_bytes()) if isinstance(text, str)]
        assert texts and not [text for text in texts if text.startswith("tensh")], path.name


def test_tensors_that_share_memory_share_it_afterwards():
    x = tensh.arange(4.0)
    with tensh.alias.torch_is_tensh():
        import torch

        one, other = pickle.loads(pickle.dumps([x[:2], x[1:]]))
        one[1] = 7
        assert other[0] == 7 and torch.equal(x, torch.arange(4.0))


def test_classes_of_the_user_keep_their_class_and_attributes():
    with tensh.alias.torch_is_tensh():
        made = tensh.ones(2).as_subclass(Marked)
        made.mark = "here"
        again = pickle.loads(pickle.dumps(made))
        assert type(again) is Marked and again.mark == "here" and again.tolist() == [1, 1]


class Marked(tensh.Tensor):
    """A tensor of another class."""


def test_a_parameter_keeps_its_attributes():
    p = tensh.nn.Parameter(tensh.ones(2))
    p.note = "kept"
    assert pickle.loads(pickle.dumps(p)).note == "kept"


PLACES = """torch.nn.modules.container.Sequential torch.nn.Sequential
torch.nn.modules.conv.LazyConv1d torch.nn.LazyConv1d
torch.amp.autocast_mode.autocast torch.autocast
torch.amp.grad_scaler.GradScaler torch.amp.GradScaler
torch.signal.windows.windows.hann torch.signal.windows.hann
torch.storage.UntypedStorage torch.UntypedStorage
torch._tensor.Tensor torch.Tensor
torch._lowrank.svd_lowrank torch.svd_lowrank
torch._C.Generator torch.Generator""".splitlines()


@pytest.mark.parametrize("line", PLACES)
def test_names_are_found_where_pytorch_keeps_them(line):
    place, usual = line.split()
    module, _, name = place.rpartition(".")
    code = f"import torch\nfrom {module} import {name} as found\nassert found is {usual}\nassert {place} is found"
    with tensh.alias.torch_is_tensh():
        exec(code, {})


def test_names_are_found_in_a_module_that_was_there_before_torch():
    code = (
        "import tensh, tensh.alias; tensh._C.DisableTorchFunctionSubclass\n"
        "with tensh.alias.torch_is_tensh():\n    import torch\n    from torch._C import Generator\nassert Generator is tensh.Generator"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_is_in_no_place_is_said_to_be_missing():
    with tensh.alias.torch_is_tensh():
        with pytest.raises(ImportError, match="cannot import name 'Nothing'"):
            from torch.nn.modules.container import Nothing  # noqa: F401
        with pytest.raises(ImportError, match=r"No module named 'torch\.amp\.nothing'"):
            import torch.amp.nothing  # noqa: F401


FUNCTIONS = """
torch.relu torch.conv1d torch.where torch.tensor torch.hann_window torch.nn.functional.gelu torch.nn.functional.relu
torch.nn.functional.logsigmoid torch.nn.functional.elu_ torch.fft.fft torch.linalg.norm torch.special.expit torch.Tensor.add
torch.Tensor.uniform_ torch.Tensor.view
""".split()


def test_public_functions_are_pickled_by_name(tmp_path):
    """As attributes of a module, by ``pickle`` and by ``torch.save``."""
    (tmp_path / "program.py").write_text(f"""
import pickle, torch
functions = [{", ".join(FUNCTIONS)}]
assert pickle.loads(pickle.dumps(functions)) == functions
m = torch.nn.Module()
m.f = functions
torch.save(m, "m.pt")
assert torch.load("m.pt", weights_only=False).f == functions
""")
    done = subprocess.run(
        [sys.executable, "-m", "tensh", "run", "program.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.oracle
def test_functions_in_files_are_pytorchs(oracle, tmp_path):
    """Each reads files that the other wrote."""
    module = oracle.nn.Module()
    module.f = [eval(name, {"torch": oracle}) for name in FUNCTIONS]
    oracle.save(module, tmp_path / "theirs.pt")
    found = tensh.load(tmp_path / "theirs.pt", weights_only=False)
    assert [each.__name__ for each in found.f] == [each.__name__ for each in module.f]
    tensh.save(found, tmp_path / "ours.pt")
    assert oracle.load(tmp_path / "ours.pt", weights_only=False).f == module.f


@pytest.mark.parametrize("space", [tensh.Tensor, program_objects.Functions, str, tensh])
@pytest.mark.parametrize("name", ["__class__", "__subclasses__", "__reduce__", "data", "Tensor", "format"])
def test_a_file_gets_no_other_attribute(space, name):
    with pytest.raises(DamagedError, match="not a function of torch"):
        program_objects.find_attribute(space, name)
