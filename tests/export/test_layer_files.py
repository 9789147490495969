"""Every layer of torch.nn in files: exported or traced, written and read again, it computes the same."""

import io

import pytest

import tensh as torch
from tests.recorded.layers.cases import CASES, copied, made
from tests.support.sampling import few_of

pytestmark = pytest.mark.filterwarnings("ignore")
LINES = [f"{layer} <- {inputs}" for layer, inputs in CASES]
OTHER = {
    "CrossMapLRN2d": "PyTorch writes into buffers of its own",
    "Dropout1d(0.3, True)": "dropout in place without effect is no operator here",
    "MultiheadAttention(4, 4, batch_first=True)": "PyTorch converts the mask before it turns the batch",
    "Transformer(4, 2, 1, 1, 6, 0.0, batch_first=True)": "PyTorch converts the mask before it turns the batch",
}
"""Beginning of a line -> why its operators are others than PyTorch's."""
REFUSALS = (
    "a leaf Variable that requires grad is being used in an in-place operation",
    "Could not guard on data-dependent expression",
    "Can't serialize TreeSpec of namedtuple class",
    "Only tensors, lists, tuples of tensors",
    "a packed sequence cannot be traced",
    "Type 'Tuple[",
)
"""Beginnings of the errors of layers whose arguments or results no file can have."""


def leaves(value):
    """Return the tensors and other values in a result."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else None
    return [value] if parts is None else [leaf for part in parts for leaf in leaves(part)]


def export(module, given):
    file = io.BytesIO()
    torch.export.save(torch.export.export(module, given), file)
    file.seek(0)
    return torch.export.load(file).module()


def trace(module, given):
    file = io.BytesIO()
    torch.jit.save(torch.jit.trace(module, given, check_trace=False), file)
    file.seek(0)
    return torch.jit.load(file)


@pytest.mark.parametrize("write", [export, trace])
@pytest.mark.parametrize("line", few_of([line for line in LINES if not line.startswith("Lazy")], every=8))
def test_layers_in_files_compute_the_same(line, write):
    layer, inputs = line.split(" <- ")
    # a function of its own, whose forward pass has no history
    grads = write is trace or not line.startswith("CrossMapLRN2d")
    for training in True, False:

        def make(training=training):
            module, given = made(torch, layer, inputs)
            return module.train(training), given

        module, given = make()
        torch.manual_seed(3)
        expected = leaves(module(*copied(torch, given)))
        module, given = make()
        try:
            again = write(module, given)
        except RuntimeError as error:
            assert str(error).startswith(REFUSALS)
            continue
        torch.manual_seed(3)
        found = leaves(again(*copied(torch, given)))
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            if isinstance(one, torch.Tensor):
                assert one.dtype == other.dtype and torch.equal(one.nan_to_num(), other.nan_to_num())
                assert one.requires_grad == other.requires_grad or not grads


def list_calls(library, layer, inputs):
    module, given = made(library, layer, inputs)
    program = library.export.export(module, given)
    return [f"{n.name} {n.target} {n.args} {n.kwargs}" for n in program.graph.nodes if n.op == "call_function"]


@pytest.mark.parametrize("line", few_of(LINES))
def test_exported_layers_have_pytorchs_operators(oracle, line):
    layer, inputs = line.split(" <- ")
    if any(line.startswith(each) for each in OTHER):
        pytest.skip("its operators are others")
    try:
        expected = list_calls(oracle, layer, inputs)
    except Exception:
        pytest.skip("PyTorch does not export it")
    assert list_calls(torch, layer, inputs) == expected


NESTED = {
    "tuple": lambda a, b: (a, (a, (b, b)), (a, b)), "list": lambda a, b: (a, (a, (b, a)), [a, b]), "dict": lambda a, b: (a, (a, (b, a)), {"u": a, "v": b}),
}  # fmt: skip


def combine(x, hx, z):
    h, (c, d) = hx
    first, second = z.values() if isinstance(z, dict) else z
    return x + h * c - d + first - second


@pytest.mark.parametrize("name", NESTED)
def test_nested_inputs_are_parameters_of_their_type(oracle, name, tmp_path):
    codes = []
    for library in torch, oracle:
        given = NESTED[name](library.arange(2.0), library.ones(2) * 3)
        traced = library.jit.trace(combine, given, strict=False)
        codes.append(traced.code)
        if library is torch:
            torch.jit.save(traced, tmp_path / "traced.pt")
            assert torch.jit.load(tmp_path / "traced.pt")(*given).tolist() == combine(*given).tolist()
        else:
            assert oracle.jit.load(tmp_path / "traced.pt")(*given).tolist() == combine(*given).tolist()
    assert codes[0] == codes[1]
