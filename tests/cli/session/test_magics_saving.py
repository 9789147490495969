"""Saved sessions: what is kept comes back as it was, and no file makes anything else happen."""

import json
import math

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


def test_loading_can_be_taken_back(prompt):
    prompt("x = 1", "%save work", "x = 2; y = 3", "%load work")
    assert prompt["x"] == 1
    prompt("%undo")
    assert (prompt["x"], prompt["y"]) == (2, 3)


# ── files that are none ──────────────────────────────────────────────────────


def file_of(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def entry(dtype="F32", shape=(1,), offsets=(0, 4)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


MALFORMED = {
    "nothing": b"",
    "too short": b"\0\0\0",
    "a length beyond the end": file_of({}, length=1000),
    "a length beyond all bounds": file_of({}, length=2**63),
    "text": b"print('hello, this is no tensor file at all')",
    "no JSON": file_of(b"{"),
    "no text": file_of(b"\xff\xfe"),
    "no table": file_of([1, 2]),
    "nested without end": file_of(b"[" * 100_000),
    "twice the same name": file_of(b'{"x": {}, "x": {}}'),
    "an entry that is none": file_of({"x": 3}),
    "an entry without a shape": file_of({"x": {"dtype": "F32", "data_offsets": [0, 4]}}, b"1234"),
    "a negative size": file_of({"x": entry(shape=(-1, -1))}, b"1234"),
    "a size that is no number": file_of({"x": entry(shape=("1",))}, b"1234"),
    "a size that is a truth": file_of({"x": entry(shape=(True,))}, b"1234"),
    "a size without end": file_of({"x": entry(shape=(2**61, 2**61), offsets=(0, 4))}, b"1234"),
    "an unknown dtype": file_of({"x": entry("F8_E4M3", (4,))}, b"1234"),
    "bytes that do not fit the shape": file_of({"x": entry(shape=(2,))}, b"1234"),
    "a place that is none": file_of({"x": entry(offsets=(4, 0))}, b"1234"),
    "three offsets": file_of({"x": entry(offsets=(0, 4, 8))}, b"1234"),
    "beyond the end": file_of({"x": entry(offsets=(0, 4))}, b"12"),
    "a gap": file_of({"x": entry(offsets=(4, 8))}, b"12345678"),
    "an overlap": file_of({"x": entry(), "y": entry()}, b"1234"),
    "bytes left over": file_of({"x": entry()}, b"12345"),
    "metadata that are no texts": file_of({"__metadata__": {"a": 1}}),
}


@pytest.mark.parametrize("content", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_file_is_refused_in_a_sentence(prompt, tmp_path, content):
    (tmp_path / "bad.safetensors").write_bytes(content)
    prompt("x = 1")
    message = prompt.message("%load bad.safetensors")
    assert message.startswith("bad.safetensors: ") and "\n" not in message
    assert prompt["x"] == 1


def session_file(**changes):
    """A saved session with something else in its table."""
    random = {"random state": np.zeros(5056, np.uint8)}
    usual = {"version": 1, "names": {"x": {"plain": 1}}, "tensors": [], "default_dtype": "float32"}
    return random | {"m": np.arange(4.0)}, {"tensh": json.dumps(usual | changes), "source": ""}


ROW = {"memory": "m", "dtype": "float64"}
TAMPERED = {
    "another version": {"version": 2},
    "no names": {"names": 3},
    "an unknown kind": {"names": {"x": {"call": "os.system"}}},
    "two kinds": {"names": {"x": {"plain": 1, "float": "0x1p0"}}},
    "a value of no plain kind": {"names": {"x": {"plain": [1]}}},
    "no float": {"names": {"x": {"float": "words"}}},
    "a list in a set": {"names": {"x": {"set": [{"list": []}]}}},
    "no such row": {"names": {"x": {"tensor": 7}}},
    "a row that is no number": {"names": {"x": {"tensor": "0"}}},
    "no such memory": {"names": {"x": {"tensor": 0}}, "tensors": [{"memory": "n", "dtype": "float64"}]},
    "another dtype": {"names": {"x": {"tensor": 0}}, "tensors": [{"memory": "m", "dtype": "float32"}]},
    "beyond the memory": {
        "names": {"x": {"tensor": 0}},
        "tensors": [ROW | {"shape": [5], "strides": [1], "offset": 0}],
    },
    "before the memory": {
        "names": {"x": {"tensor": 0}},
        "tensors": [ROW | {"shape": [2], "strides": [1], "offset": -1}],
    },
    "steps beyond it": {"names": {"x": {"tensor": 0}}, "tensors": [ROW | {"shape": [2], "strides": [9], "offset": 0}]},
    "steps that overflow": {
        "names": {"x": {"tensor": 0}},
        "tensors": [ROW | {"shape": [2**24], "strides": [2**40], "offset": 0}],
    },
    "a size that overflows": {
        "names": {"x": {"array": 0}},
        "tensors": [ROW | {"shape": [2**61 + 1], "strides": [8], "offset": 0}],
    },
    "an offset that overflows": {
        "names": {"x": {"array": 0}},
        "tensors": [ROW | {"shape": [1], "strides": [1], "offset": 2**61}],
    },
    "steps backwards": {
        "names": {"x": {"array": 0}},
        "tensors": [ROW | {"shape": [2], "strides": [-1], "offset": 3}],
    },
    "half a step": {"names": {"x": {"array": 0}}, "tensors": [ROW | {"shape": [2], "strides": [0.5], "offset": 0}]},
    "a size without end": {
        "names": {"x": {"array": 0}},
        "tensors": [ROW | {"shape": [2**40, 2**40], "strides": [0, 0], "offset": 0}],
    },
    "its own gradient": {"names": {"x": {"tensor": 0}}, "tensors": [ROW | {"requires_grad": True, "grad": 0}]},
    "a dtype that is none": {"default_dtype": "os"},
    "an integer dtype": {"default_dtype": "int64"},
    "an attribute of the module": {"names": {"x": {"dtype": "load"}}},
}


@pytest.mark.parametrize("changes", TAMPERED.values(), ids=TAMPERED)
def test_a_tampered_table_is_refused_and_changes_nothing(prompt, tmp_path, changes):
    write(tmp_path / "bad.safetensors", *session_file(**changes))
    prompt("x = 'mine'", "torch.manual_seed(3);")
    state = prompt.text("torch.get_rng_state().sum()")
    message = prompt.message("%load bad.safetensors")
    assert message.startswith("bad.safetensors: ") and "\n" not in message
    assert prompt["x"] == "mine" and prompt.text("torch.get_rng_state().sum()") == state
    assert prompt.text("torch.get_default_dtype()") == "torch.float32"


def test_a_damaged_state_of_the_random_numbers_is_refused(prompt, tmp_path):
    arrays, texts = session_file()
    write(tmp_path / "bad.safetensors", arrays | {"random state": np.zeros(3, np.uint8)}, texts)
    assert "damaged" in prompt.message("%load bad.safetensors")


def test_a_file_that_is_not_there(prompt, tmp_path):
    assert prompt.message("%load nowhere") == "nowhere.safetensors: no such file"
    (tmp_path / "folder.safetensors").mkdir()
    assert prompt.message("%load folder") == "folder.safetensors: this is a folder, not a file"
    assert "no/folder.safetensors: No such file or directory" in prompt.message("x = 1", "%save no/folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.safetensors"]


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


@pytest.mark.parametrize("kind", ["dict", "OrderedDict", "set", "frozenset"])
def test_a_table_whose_keys_have_one_hash_is_damaged(kind):
    from tensh.cli.session.files.session_reading import Reader

    keys = [{"plain": i * (2**61 - 1)} for i in range(1, 300)]
    entry = {kind: [[key, key] for key in keys] if "ict" in kind else keys}
    with pytest.raises(RuntimeError, match="same hash"):
        Reader(None, {}, []).value(entry)


DAMAGE = {  # what is said -> how the table is changed
    "x is not something that %save writes": lambda table: table["names"].update(x={"tensor": 99}),
    "y is not something that %save writes": lambda table: table["names"].update(y=5),
    "expected names, tensors, a dtype and a random state": lambda table: table.pop("names"),
    "a dtype and a random state": lambda table: table.update(default_dtype="int64"),
}


@pytest.mark.parametrize("words, change", DAMAGE.items(), ids=DAMAGE)
def test_of_a_damaged_table_is_said_what_was_expected(words, change, prompt):
    prompt("x = torch.ones(2)", "y = 5", "%save work")
    arrays, metadata = read("work.safetensors")
    table = json.loads(metadata["tensh"])
    change(table)
    write("work.safetensors", arrays, metadata | {"tensh": json.dumps(table)})
    said = prompt.message("%load work")
    assert said.startswith("work.safetensors: its table of names is damaged: ") and said.endswith(words)


def test_the_header_is_read_once_and_tensors_have_memory_of_their_own(prompt, monkeypatch):
    from tensh.utils.safetensors import format

    prompt("x = torch.ones(2)", "a = np.ones(2)", "%save work", "%reset")
    read_header, seen = format._header, []
    monkeypatch.setattr(format, "_header", lambda *given: seen.append(1) or read_header(*given))
    prompt("%load work")
    assert len(seen) == 1
    assert prompt.values("list(x.resize_(3).shape)", "torch.from_numpy(a).shape == (2,)") == [[3], True]
    assert "not resizable" in prompt.message("torch.from_numpy(a).resize_(3)")
