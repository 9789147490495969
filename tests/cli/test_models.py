"""Models in files: `tensh export`, `tensh open` and `%export` with files of torch.jit, torch.export and ONNX."""

import os

import pytest

import tensh as torch
from tensh.cli.actions import model_export
from tensh.cli.session.files.opening import contents
from tests.support.command_line import Done

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")


class Branch(torch.nn.Module):
    def forward(self, x):
        return x * 2 if bool(x.sum() > 0) else x


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
    torch.jit.trace(model, torch.ones(1, 3)).save("script.pt")
    torch.export.save(
        torch.export.export(model, (torch.ones(2, 3),), dynamic_shapes=({0: torch.export.Dim("batch")},)), "program.pt2"
    )
    torch.save(model.state_dict(), "weights.pt")
    torch.save(model, "module.pt")
    torch.jit.save(torch.jit.script(Branch()), "branch.pt")
    (tmp_path / "empty.pt").write_bytes(b"")
    (tmp_path / "cut.pt").write_bytes((tmp_path / "weights.pt").read_bytes()[:900])
    return model


def test_saved_models_are_written_as_onnx(model):
    done = Done("export", "script.pt", "--onnx", "a.onnx", "--shape", "1,3", "--dynamic", "0")
    assert (done.status, done.output, done.errors) == (0, "a.onnx: input_0 -> relu, 3 nodes, opset 18\n", "")
    done = Done("export", "program.pt2", "--onnx", "b.onnx")
    assert (done.status, done.output) == (0, "b.onnx: input -> relu, 3 nodes, opset 18\n")
    x = torch.randn(4, 3)
    for name in ("a.onnx", "b.onnx"):
        assert torch.allclose(contents(name, torch)[name[0]](x), model(x))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("script.pt --onnx a.onnx", "give the shape of each input, such as --shape 1,3,224,224"),
        ("script.pt --onnx a.onnx --shape 1,x", "expected sizes such as"),
        ("script.pt --onnx a.onnx --shape 1,3:banana", "banana is not a dtype"),
        ("script.pt --onnx weights.pt --shape 1,3", "weights.pt already exists; --force overwrites it"),
        ("weights.pt --onnx a.onnx --shape 1,3", "holds weights (OrderedDict), not a program"),
        ("none.pt --onnx a.onnx --shape 1,3", "none.pt"),
        (
            "script.pt --onnx a.onnx --shape 1,3 --dynamic 2",
            "--dynamic 2: expected the number of a dimension, from 0 to 1",
        ),
        ("script.pt --onnx a.onnx --shape 1,3 --dynamic=-1", "--dynamic -1: expected the number of a dimension"),
        ("module.pt --onnx a.onnx --shape 1,3 --shape 1,3", "the model takes (input), but 2 shapes were given"),
        ("program.pt2 --onnx a.onnx --shape 5,3", "describes its inputs itself: leave out --shape"),
        ("program.pt2 --onnx a.onnx --dynamic 0", "describes its inputs itself: leave out --dynamic"),
        ("program.pt2 --onnx program.pt2 --force", "program.pt2 is the model itself"),
        ("program.pt2 --onnx .", ".: this is a folder, not a file"),
        ("branch.pt --onnx a.onnx --shape 3", "Python reads a tensor as a boolean. An exported program cannot contain"),
        ("empty.pt --onnx a.onnx", "empty.pt: the file is empty, or it ends too early"),
        ("cut.pt --onnx a.onnx", "your checkpoint file is corrupted.\n"),
    ],
)
def test_what_cannot_be_exported_is_said(model, words, said):
    done = Done("export", *words.split())
    assert done.status == 2 and said in done.errors and not done.output


@pytest.mark.parametrize("target", ["nowhere/a.onnx", "folder", "n" * 300, "weights.pt/a.onnx", "/dev/full"])
def test_a_file_that_cannot_be_written_is_one_line(model, tmp_path, target):
    if target == "/dev/full" and not os.path.exists(target):
        pytest.skip("there is no such device")
    (tmp_path / "folder").mkdir()
    before = sorted(os.listdir())
    done = Done("export", "program.pt2", "--onnx", target, "--force")
    assert (done.status, done.output, done.errors.count("\n")) == (2, "", 1)
    assert done.errors.startswith(f"tensh export: {target[:90]}") and sorted(os.listdir()) == before


class Failing(torch.nn.Module):
    """A model that raises, which is not a fault of tensh."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def forward(self, x):
        raise self.error


@pytest.mark.parametrize("error", [IndexError("index 5"), KeyError("k"), ZeroDivisionError("zero"), MemoryError()])
def test_a_model_that_fails_on_zeros_is_one_line(model, monkeypatch, error):
    monkeypatch.setattr(model_export, "load_model", lambda *_: Failing(error))
    done = Done("export", "script.pt", "--onnx", "a.onnx", "--shape", "1,3")
    assert (done.status, done.output, done.errors.count("\n")) == (2, "", 1)
    assert done.errors == f"tensh export: {str(error) or 'MemoryError'}\n" and not os.path.exists("a.onnx")


def test_models_are_names_of_a_session(model):
    Done("export", "program.pt2", "--onnx", "b.onnx")
    assert isinstance(contents("script.pt", torch)["script"], torch.jit.ScriptModule)
    assert isinstance(contents("module.pt", torch)["module"], torch.nn.Sequential)
    assert isinstance(contents("program.pt2", torch)["program"], torch.export.ExportedProgram)
    done = Done("-c", "%load b.onnx\nb\nb(torch.zeros(1, 3)).shape")
    assert done.status == 0
    lines = done.output.splitlines()
    assert lines[0] == "OnnxModule(input -> relu, opset 18)" and lines[-1] == "torch.Size([1, 2])"
    assert "  (_0_weight): [2, 3] float32" in lines and "  relu_3 = Relu(gemm_1)" in lines


def test_the_prompt_writes_models(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "net = nn.Linear(2, 1)\nx = torch.ones(1, 2)\n%export net x new.onnx --over"
    done = Done("-c", text)
    assert done.status == 0 and "new.onnx: ONNXProgram(input -> linear, 2 nodes)" in done.output + done.errors
    done = Done("-c", "net = nn.Linear(2, 1)\n%export net torch.ones(1, 2) other.onnx")
    assert done.status == 0 and "other.onnx: ONNXProgram(input -> linear, 2 nodes)" in done.output + done.errors
    assert "there is no y" in Done("-c", "net = nn.Linear(2, 1)\n%export net y z.onnx").errors
