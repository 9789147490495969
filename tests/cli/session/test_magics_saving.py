"""Saved sessions: saved values are loaded unchanged."""

import math
import os

import numpy as np
import pytest

from tensh.utils.safetensors.format import DTYPES, read, write


def again(prompt, *blocks):
    """Run blocks, save, forget everything and load."""
    prompt(*blocks, "%save work", "%reset", "%load work")


VALUES = {
    "numbers": "x = [0, -1, 10**30, 1.5, float('inf'), -0.0, 1e-320, 2 - 3j, True, None]",
    "texts": "x = ['', 'a', '损失', '\\n\\0', '\\ud800']",
    "containers": "x = [(), (1,), {1, 2}, frozenset('a'), {1: 'a', 'b': [2.5]}, [[]]]",
    "an ordered dictionary": "from collections import OrderedDict; x = OrderedDict(a=1, b=torch.ones(2)); del OrderedDict",
    "sizes and dtypes": "x = torch.Size([2, 3]), torch.bfloat16, torch.complex128",
    "no elements": "x = torch.zeros(0, 3), torch.zeros(3, 0, dtype=torch.int64)[:, :0]",
    "a number": "x = torch.tensor(3.25)",
    "a transposed matrix": "x = torch.arange(6.).view(2, 3).T",
    "every second": "x = torch.arange(10)[1::2]",
    "an expanded row": "x = torch.arange(3.).expand(4, 3)",
    "nan": "x = torch.tensor([float('nan'), float('inf'), -0.0])",
    "an array": "x = np.arange(6, dtype=np.int16).reshape(2, 3)[:, ::-1]",
    "an array in another order": "x = np.asfortranarray(np.arange(6.).reshape(2, 3))",
    "a parameter": "x = nn.Parameter(torch.ones(2))",
    "a leaf with a gradient": "x = torch.ones(2, requires_grad=True); (x * 3).sum().backward()",
}


@pytest.mark.parametrize("code", VALUES.values(), ids=VALUES)
def test_what_is_kept_comes_back(prompt, code):
    look = "x", "getattr(x, 'grad', None)", "getattr(x, 'shape', None)", "type(x).__name__"
    prompt(code)
    before = prompt.text(*look)
    again(prompt)
    assert prompt.text(*look) == before != ""


@pytest.mark.parametrize("dtype", [*DTYPES.values(), "complex32", "complex128"])
def test_every_dtype(prompt, dtype):
    prompt(f"x = torch.tensor([[0, 1, 3], [1, 0, 2]]).to(torch.{dtype})[:, 1:]", "y = x.clone()")
    before = prompt.text("x", "y", "x.dtype")
    again(prompt)
    assert prompt.text("x", "y", "x.dtype") == before


SHARED = {
    "a view": ("x = torch.zeros(3, 4); y = x[1]", "y.fill_(5)", "x[1].sum().item()", 20),
    "views of one base that has no name": ("base = torch.zeros(6); x, y = base[1:], base[:3]; del base", "y.fill_(1)", "x.sum().item()", 2),
    "two names for one tensor": ("x = torch.zeros(2); y = x", "y += 1", "x is y", True),
    "a tensor in a list": ("x = torch.zeros(2); y = [x, x]", "y[0] += 1", "x is y[1]", True),
    "a gradient with a name": ("x = torch.ones(1, requires_grad=True); (x * 2).backward(); y = x.grad", "y += 1", "x.grad.item()", 3),
    "an array": ("a = np.zeros(3); x = torch.from_numpy(a)", "a[0] = 4", "x.sum().item()", 4),
}  # fmt: skip


@pytest.mark.parametrize("code, write, look, expected", SHARED.values(), ids=SHARED)
def test_what_shared_memory_shares_it_again(prompt, code, write, look, expected):
    again(prompt, code)
    prompt(write + ";")
    assert prompt.values(look) == [expected]


def test_a_part_of_a_large_memory_is_stored_once(prompt, tmp_path):
    prompt("x = torch.zeros(1000)", "y = [x[i:] for i in range(100)]", "%save work")
    assert (tmp_path / "work.safetensors").stat().st_size < 40_000


def test_leaves_are_leaves_and_results_are_values(prompt):
    prompt("w = torch.ones(2, requires_grad=True)", "y = w * 2", "frozen = torch.ones(1)")
    assert prompt.notices("%save work")[1] == "  without the graph behind them: y"
    prompt("%reset", "%load work")
    assert prompt.values("w.requires_grad, w.is_leaf, y.requires_grad, frozen.requires_grad") == [
        (True, True, False, False)
    ]


def test_what_is_not_kept_is_named(prompt):
    prompt("def f(): pass", "import os", "class A: pass", "a = A()", "x = [f]", "n = 1")
    notices = prompt.notices("%save work")
    assert notices[0] == "work.safetensors: n"
    assert notices[1].startswith(
        "  not saved, except for the source: f (function), os (module), A (type), a (A), x (list)"
    )


MODULE = """\
class Model:
    def __init__(self):
        self.weight = torch.zeros(2)
    def state_dict(self):
        return {"weight": self.weight, "steps": 3}
    def load_state_dict(self, state):
        self.weight.copy_(state["weight"])
"""


def test_the_state_of_a_module_goes_into_one_that_is_there(prompt):
    prompt(MODULE, "model = Model()", "model.weight += 5", "%save work", "%reset")
    assert prompt.notices("%load work") == [
        "work.safetensors: no names",
        "  model is the state of a Model: create one under that name (%history has the source), then %load again",
    ]
    assert "model" not in prompt.session.namespace
    prompt(MODULE, "model = Model()")
    assert prompt.notices("%load work") == ["work.safetensors: model"]
    assert prompt.text("model.weight") == "tensor([5., 5.])"


def test_a_state_that_does_not_fit_is_refused_in_a_sentence(prompt):
    prompt("m = nn.Linear(2, 3)", "%save work", "m = nn.Linear(3, 3)", "torch.manual_seed(3);")
    state = prompt.text("torch.get_rng_state().sum()")
    message = prompt.message("%load work")
    assert message.startswith("work.safetensors: the saved state does not fit m: ") and "\n" not in message
    assert prompt.text("torch.get_rng_state().sum()") == state


def test_the_source_is_kept(prompt):
    prompt("# numbers\nx = 1", "def f():\n    return 2\n", "1 / 0", "%who", "%save work")
    other = type(prompt)()
    other("%load work")
    assert other.text("%history") == "1  %load work\n2  # numbers\n   x = 1\n3  def f():\n       return 2\n4  %who"
    assert "f" not in other.session.namespace


def test_random_numbers_go_on(prompt):
    prompt("torch.manual_seed(5);", "torch.rand(3);", "n = 1", "%save work")
    expected = prompt.text("torch.randn(3)")
    prompt("torch.manual_seed(0);", "%load work")
    assert prompt.text("torch.randn(3)") == expected


def test_the_default_dtype_comes_back(prompt):
    try:
        prompt(
            "torch.set_default_dtype(torch.float64)",
            "n = 1",
            "%save work",
            "torch.set_default_dtype(torch.float32)",
            "%load work",
        )
        assert prompt.text("torch.zeros(1)") == "tensor([0.])" and prompt.values("torch.zeros(1).element_size()") == [8]
    finally:
        prompt("torch.set_default_dtype(torch.float32)")


def test_save_writes_over_saved_sessions_only(prompt, tmp_path):
    write(tmp_path / "model.safetensors", {"w": np.ones(2)})
    prompt("x = 1")
    assert "not a saved session" in prompt.message("%save model")
    assert read("model.safetensors")[0]["w"].tolist() == [1, 1]
    assert prompt.notices("%save model --over", "x = 2", "%save model", "%load model") and prompt["x"] == 2


def test_save_keeps_the_session_that_another_one_has_saved(prompt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prompt("x = 1", "%save work", "x = 2", "%save work")  # its own
    os.rename("work.safetensors", "old.safetensors")
    assert (
        prompt.message("%save old")
        == "%save old.safetensors: the file holds another saved session; to overwrite it: --over"
    )
    prompt("%reset", "%load old", "%save old")  # loaded: the file is its own now
    assert prompt["x"] == 2


@pytest.mark.parametrize(
    "line, message",
    {
        "%load folder": "%load: folder: this is a folder, not a file",
        "%load link": "%load: link: this link leads to itself, not to a file",
        "%load folder/": "%load: folder/ is a folder; expected a file: %load FILE [--over]",
        "%save .": "%save: . is a folder; expected a file: %save FILE [--over]",
        "%export /": "%export: / is a folder; expected a file: %export FILE [--over], or MODEL INPUT... FILE.onnx",
        "%save a.safetensors x": "%save: expected one file, but got a.safetensors x; a name with spaces is written in quotes",
    }.items(),
)
@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_what_is_no_name_of_a_file(prompt, tmp_path, monkeypatch, line, message):
    monkeypatch.chdir(tmp_path)
    os.mkdir("folder")
    os.symlink("link", "link")
    prompt("x = 1")
    assert prompt.message(line) == message
    assert sorted(os.listdir()) == ["folder", "link"]


def test_a_name_with_spaces_is_written_in_quotes(prompt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prompt("x = 1", "%save 'a b.safetensors'", "%save a b")
    assert os.listdir() == ["a b.safetensors"]


def test_a_session_is_not_saved_as_a_file_of_another_kind(prompt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prompt("x = torch.ones(2)")
    for kind in (".pt", ".npz", ".ipynb"):
        assert prompt.message(f"%save work{kind}") == f"%save work{kind}: expected .safetensors, not {kind}"
    assert prompt.notices("%save work.2") == ["work.2: x"] and os.listdir() == ["work.2"]


def test_the_tensors_of_a_sequential_are_listed_and_saved_again(prompt, tmp_path):
    write(tmp_path / "model.safetensors", {"0.weight": np.ones(2), "_orig_mod.bias": np.ones(1)})
    assert prompt.notices("%load model") == ["model.safetensors: array_0_weight [2], orig_mod_bias [1]"]
    assert "array_0_weight" in prompt.text("%who")
    assert prompt.notices("%save again") == ["again.safetensors: array_0_weight, orig_mod_bias"]


@pytest.mark.skipif(os.name != "posix", reason="needs pipes")
def test_a_pipe_is_no_session(prompt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.safetensors")
    os.mkdir("folder.safetensors")
    prompt("x = torch.ones(2)")
    for name in ("pipe", "folder"):
        assert "not a saved session" in prompt.message(f"%save {name}")  # nobody writes into the pipe


def test_the_tensors_of_another_program(prompt, tmp_path):
    write(
        tmp_path / "model.safetensors",
        {"w": np.ones((2, 3), np.float32), "n": np.int64(3).reshape(())},
        {"format": "pt"},
    )
    assert prompt.notices("%load model.safetensors") == ["model.safetensors: n [], w [2, 3]"]
    assert prompt.text("w.sum(), n") == "(tensor(6.), tensor(3))"


def test_names_of_another_program_become_names_of_python(prompt, tmp_path):
    write(tmp_path / "model.safetensors", {"net.0.weight": np.ones(2), "if": np.ones(1)})
    assert prompt.notices("%load model") == ["model.safetensors: if_ [1], net_0_weight [2]"]


def test_arrays_of_numpy(prompt, tmp_path):
    np.save(tmp_path / "data.npy", np.arange(3.0))
    assert prompt.notices("%load data.npy") == ["data.npy: data [3]"]
    assert prompt.text("data") == "tensor([0., 1., 2.], dtype=torch.float64)"
    (tmp_path / "bad.npy").write_bytes(b"nothing of it")
    assert prompt.message("%load bad.npy") == "bad.npy is not a .npy file: it does not begin like one"
    (tmp_path / "bad.pt").write_bytes(b"hello")
    assert prompt.message("%load bad.pt") == "bad.pt: torch.save writes no such file: it does not begin like one"


def test_loading_tells_what_is_only_in_the_source(prompt):
    prompt("x = torch.ones(2)", "def double(t):\n    return t * 2", "class A: pass", "%save work", "%reset")
    loaded, rest = prompt.notices("%load work")
    assert loaded == "work.safetensors: x [2]"
    assert rest.strip() == "only in the source, which %history shows and does not run: double, A"
    prompt("def double(t): pass", "class A: pass")
    assert prompt.notices("%load work --over") == [loaded]


def test_loading_can_be_taken_back(prompt):
    prompt("x = 1", "%save work", "x = 2; y = 3", "%load work")
    assert prompt["x"] == 1
    prompt("%undo")
    assert (prompt["x"], prompt["y"]) == (2, 3)


def test_what_does_not_give_its_state_away_is_left_out(prompt):
    prompt(
        "m = nn.Sequential(nn.Linear(1, 1))",
        "m._modules['itself'] = m; None",
        "class A(nn.Module):\n    def state_dict(self): raise KeyError\n",
        "a, x = A(), torch.ones(2)",
    )
    assert prompt.notices("%save s") == [
        "s.safetensors: x",
        "  not saved, except for the source: m (Sequential), A (type), a (A)",
    ]


def test_the_state_of_a_model_is_one_value(prompt):
    prompt("net = nn.Sequential(nn.Linear(2, 3))", "torch.save(net.state_dict(), 'seq.pt')")
    prompt("torch.save(dict(net.state_dict()), 'sum.pt')", "torch.save(nn.Linear(1, 1).state_dict(), 'linear.pt')")
    assert prompt.notices("%load seq.pt") == ["seq.pt: seq"] and prompt.notices("%load linear.pt") == [
        "linear.pt: linear"
    ]
    assert prompt.values("seq['0.weight'].shape", "net.load_state_dict(seq)")[0] == (3, 2)
    assert prompt.notices("%load sum.pt") == ["sum.pt: sum_2"] and prompt.values("sum([1, 2])") == [3]


def test_a_checkpoint_brings_its_names(prompt, tmp_path):
    prompt("torch.save({'net.w': torch.ones(2), 'epoch': 3}, 'model.pt')", "torch.save([torch.ones(1)], 'list.pth')")
    assert prompt.notices("%load model.pt") == ["model.pt: net_w [2], epoch"]
    assert prompt.notices("%load list.pth") == ["list.pth: list_2"] and prompt["epoch"] == 3
    prompt("torch.save({f'p{i}': i for i in range(5000)} | {'q' * 9000: 1}, 'many.pt')")
    [said] = prompt.notices("%load many.pt")
    assert said.startswith("many.pt: p0, p1, ") and said.endswith(", p59 and 4,941 more") and prompt["p4999"] == 4999
    [said] = prompt.notices("%save many")
    assert len(said) < 1000
    (tmp_path / "bad.pt").write_bytes(b"nothing of it")
    message = prompt.message("%load bad.pt")
    assert message.startswith("bad.pt: ") and "\n" not in message


def test_numbers_are_exact(prompt):
    again(prompt, "x = [0.1 + 0.2, math.pi, 5e-324, 1.7976931348623157e308]")
    assert prompt["x"] == [0.1 + 0.2, math.pi, 5e-324, 1.7976931348623157e308]


def test_the_header_is_read_once_and_tensors_have_memory_of_their_own(prompt, monkeypatch):
    from tensh.utils.safetensors import format

    prompt("x = torch.ones(2)", "a = np.ones(2)", "%save work", "%reset")
    read_header, seen = format._header, []
    monkeypatch.setattr(format, "_header", lambda *given: seen.append(1) or read_header(*given))
    prompt("%load work")
    assert len(seen) == 1
    assert prompt.values("list(x.resize_(3).shape)", "torch.from_numpy(a).shape == (2,)") == [[3], True]
    assert "not resizable" in prompt.message("torch.from_numpy(a).resize_(3)")
