"""Files of saved sessions that are malformed, tampered with or damaged: refused, and nothing changes."""

import json

import numpy as np
import pytest

from tensh.utils.safetensors.format import read, write


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
    "an unknown dtype": file_of({"x": entry("F4", (8,))}, b"1234"),
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
    assert prompt.message("%load nowhere") == "%load: nowhere.safetensors: no such file"
    (tmp_path / "folder.safetensors").mkdir()
    assert prompt.message("%load folder") == "%load: folder.safetensors: this is a folder, not a file"
    assert "no/folder.safetensors: No such file or directory" in prompt.message("x = 1", "%save no/folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.safetensors"]


@pytest.mark.parametrize("kind", ["dict", "OrderedDict", "set", "frozenset"])
def test_a_table_whose_keys_have_one_hash_is_damaged(kind):
    from tensh.cli.session.files.session_reading import Reader

    keys = [{"plain": i * (2**61 - 1)} for i in range(1, 300)]
    entry = {kind: [[key, key] for key in keys] if "ict" in kind else keys}
    with pytest.raises(RuntimeError, match="same hash"):
        Reader(None, {}, []).value(entry)


@pytest.mark.parametrize("name", ["load", "nosuch", "Tensor", "", None, 3])
def test_the_dtype_of_a_tensor_without_elements_is_not_looked_up_elsewhere(name):
    """A lookup of any other name would load all of the engine."""
    from tensh.cli.session.files.session_reading import Reader

    row = {"meta": [2], "strides": [1], "dtype": name}
    with pytest.raises(ValueError):
        Reader(None, {}, [row]).value({"tensor": 0})  # there is no engine to ask


DAMAGE = {  # message -> how the table is changed
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
