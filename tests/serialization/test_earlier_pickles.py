"""Pickles by ``import pickle`` in a program whose `torch` is not tensh name functions of tensh: earlier names load, too."""

import pickle
import pickletools

import pytest

import tensh as torch

EARLIER = {
    "tensh.engine.methods.protocols": {"rebuild_tensor": "rebuilt", "rebuild_sparse_tensor": "sparse_again"},
    "tensh.engine.dtypes.device": {"rebuild_device": "made_device", "find_constant": "constant"},
    "tensh.engine.codegen.return_types": {"rebuild_results": "_rebuild"},
    "tensh.engine.operators.sparse.array": {"rebuild_sparse_array": "rebuild"},
    "tensh.engine.random.generator": {"rebuild_generator": "from_state"},
    "tensh.engine.arrays.absent": {"make_absent_strided": "without_elements_of"},
    "tensh.nn.parameter": {"_rebuild_parameter": "_rebuild"},
    "tensh.nn.utils.rnn": {"_rebuild_packed_sequence": "_rebuild_packed"},
    "tensh.nn.modules.module": {"rebuild_module": "again"},
    "tensh.compiler.modules": {"recompile_module": "restart"},
}
"""Module -> {name in a pickle: name in those of earlier versions}."""
VALUES = {
    "tensor": lambda: torch.arange(4.0)[1:],
    "sparse tensor": lambda: torch.eye(2).to_sparse(),
    "tensor without elements": lambda: torch.ones(2, 3, device="meta").t(),
    "device": lambda: torch.device("cpu"),
    "layout": lambda: torch.sparse_coo,
    "results": lambda: torch.ones(2, 2).max(0),
    "generator": lambda: torch.Generator().manual_seed(3),
    "module": lambda: torch.nn.Linear(2, 1),
    "packed sequence": lambda: torch.nn.utils.rnn.pack_sequence([torch.ones(2)]),
    "compiled module": lambda: torch.compile(torch.nn.Linear(2, 1)),
}


def rename(data):
    """Give the functions in a pickle their earlier names; return it and the modules whose names were changed."""
    found = set()
    for module, names in EARLIER.items():
        for name, earlier in names.items():
            changed = data.replace(f"c{module}\n{name}\n".encode(), f"c{module}\n{earlier}\n".encode())
            found |= {(module, name)} if changed != data else set()
            data = changed
    return data, found


def written(value):
    """Return the instructions of a pickle of a value."""
    return [(op.name, argument) for op, argument, _ in pickletools.genops(pickle.dumps(value, protocol=2))]


@pytest.mark.parametrize("name", VALUES)
def test_earlier_names_load(name):
    data = pickle.dumps(VALUES[name](), protocol=2)
    earlier, found = rename(data)
    assert found
    assert written(pickle.loads(earlier)) == written(pickle.loads(data))


def test_every_earlier_name_is_tried():
    tried = set().union(*(rename(pickle.dumps(make(), protocol=2))[1] for make in VALUES.values()))
    assert tried == {(module, name) for module, names in EARLIER.items() for name in names}
