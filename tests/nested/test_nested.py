"""Nested tensors, beside what tests/recorded/sessions/nested_*.md records: what PyTorch refuses, files, other processes."""

import io
import pickle
import subprocess
import sys

import pytest

import tensh as torch

pytestmark = pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
LAYOUTS = pytest.mark.parametrize("layout", [torch.strided, torch.jagged], ids=str)


def make(layout, **options):
    return torch.nested.nested_tensor([[1.0, 2.0], [3.0]], layout=layout, **options)


def lists(nested):
    return [each.tolist() for each in nested.unbind()]


@LAYOUTS
def test_numbers_that_require_grad_are_a_leaf(layout):
    x = make(layout, requires_grad=True)
    (x * x).to_padded_tensor(0.0).sum().backward()
    assert x.is_leaf and lists(x.grad) == [[2.0, 4.0], [6.0]]


@LAYOUTS
def test_a_hook_gets_a_nested_gradient_and_may_replace_it(layout):
    x, seen = make(layout, requires_grad=True), []
    x.register_hook(lambda g: seen.append(g) or g * 10)
    (x * 3).to_padded_tensor(0.0).sum().backward()
    assert lists(seen[0]) == [[3.0, 3.0], [3.0]] and lists(x.grad) == [[30.0, 30.0], [30.0]]


@LAYOUTS
def test_gradients_asked_for_are_nested(layout):
    x = make(layout, requires_grad=True)
    (found,) = torch.autograd.grad(x * 2, x, torch.ones_like(x))
    assert found.is_nested and lists(found) == [[2.0, 2.0], [2.0]]


@LAYOUTS
def test_a_graph_with_a_hook_dies_with_its_tensor(layout):
    import gc
    import weakref

    gc.disable()
    try:
        x = make(layout, requires_grad=True)
        x.register_hook(lambda g: None)
        gone = weakref.ref(x)
        del x
        assert gone() is None
    finally:
        gc.enable()


WRITES = {
    "a part": (lambda y: y[0].mul_(5), [[5.0, 10.0], [3.0]], [[5.0, 5.0], [1.0]]),
    "the values": (lambda y: y.values().mul_(5), [[5.0, 10.0], [15.0]], [[5.0, 5.0], [5.0]]),
    "itself": (lambda y: y.mul_(5), [[5.0, 10.0], [15.0]], [[5.0, 5.0], [5.0]]),
    "a view": (lambda y: y.unsqueeze(-1).mul_(5), [[5.0, 10.0], [15.0]], [[5.0, 5.0], [5.0]]),
    "a part of a view": (lambda y: y.unsqueeze(-1)[1].zero_(), [[1.0, 2.0], [0.0]], [[1.0, 1.0], [0.0]]),
}


@LAYOUTS
@pytest.mark.parametrize("name", WRITES)
def test_writes_through_views_are_seen_and_differentiated(layout, name):
    write, values, gradients = WRITES[name]
    x = make(layout, requires_grad=True)
    y = x * 1
    write(y)
    assert lists(y) == values
    y.to_padded_tensor(0.0).sum().backward()
    assert lists(x.grad) == gradients


@LAYOUTS
def test_a_leaf_that_requires_grad_is_not_written(layout):
    x = make(layout, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        x.mul_(2)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used in an in-place"):
        x.values().mul_(2)


@LAYOUTS
def test_a_tensor_of_another_process_knows_its_functions(layout):
    read = (
        "import pickle, sys, warnings; warnings.simplefilter('ignore'); t = pickle.load(sys.stdin.buffer); "
        "print((t * 2).to_padded_tensor(0.0).tolist())"
    )
    data = pickle.dumps(make(layout))
    done = subprocess.run([sys.executable, "-c", read], input=data, capture_output=True, check=False)
    assert done.stdout.split(b"\n")[0] == b"[[2.0, 4.0], [6.0, 0.0]]", done.stderr.decode()


def hostile(**changes):
    facts = {
        "values": torch.arange(4.0), "offsets": torch.tensor([0, 2, 4]), "lengths": None, "_ragged_idx": 1, "_metadata_cache": {},
        "requires_grad": False,
    }  # fmt: skip
    return facts | changes


@pytest.mark.parametrize(
    "changes",
    [
        {"offsets": torch.tensor([0, 9])},
        {"offsets": torch.tensor([3, 1])},
        {"offsets": torch.tensor([-1, 2])},
        {"offsets": torch.tensor([0.0, 1.0])},
        {"offsets": torch.tensor([], dtype=torch.int64)},
        {"lengths": torch.tensor([3, 3])},
        {"lengths": torch.tensor([1])},
        {"_ragged_idx": 2},
        {"_ragged_idx": "1"},
        {"values": [1.0]},
        {"values": torch.arange(4), "requires_grad": True},
        {"_metadata_cache": {"max_seqlen": 3}},
        {"more": 1},
    ],
    ids=str,
)
def test_a_file_whose_parts_do_not_fit_is_refused(changes):
    from tensh.serialization.containers import DamagedError
    from tensh.serialization.nested import rebuild_jagged

    with pytest.raises(DamagedError):
        rebuild_jagged(hostile(**changes))


@pytest.mark.parametrize(
    "places", [([[9]], [[1]], [0]), ([[2]], [[1]], [3]), ([[2]], [[1, 1]], [0]), ([[1], [1]], [[1]], [0])]
)
def test_a_file_whose_places_lie_outside_is_refused(places):
    from tensh.serialization.containers import DamagedError
    from tensh.serialization.nested import rebuild_strided

    with pytest.raises(DamagedError):
        rebuild_strided(torch.arange(4.0), *map(torch.tensor, places))


@LAYOUTS
def test_pytorch_reads_what_was_saved(oracle, layout):
    file = io.BytesIO()
    torch.save(make(layout), file)
    file.seek(0)
    assert lists(oracle.load(file)) == [[1.0, 2.0], [3.0]]


@LAYOUTS
def test_what_pytorch_saved_is_read(oracle, layout):
    file = io.BytesIO()
    oracle.save(oracle.nested.nested_tensor([[1.0, 2.0], [3.0]], layout=getattr(oracle, str(layout)[6:])), file)
    file.seek(0)
    found = torch.load(file)
    assert found.layout is layout and lists(found) == [[1.0, 2.0], [3.0]]


def test_plain_programs_load_nothing_of_it():
    code = "import tensh as torch, sys; x = torch.ones(2); x + x; print([each for each in sys.modules if each.startswith('tensh.nested')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout == "[]\n"


def test_a_prototype_warns_once():
    code = (
        "import tensh as torch, warnings\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    torch.nested.nested_tensor([[1.]], layout=torch.jagged); a = len(seen)\n"
        "    torch.nested.nested_tensor([[1.]]); torch.nested.nested_tensor([[1.]])\n"
        "print(a, len(seen))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout == "0 1\n"


RAGGED = [[0.0, 1.0], [2.0, 3.0, 4.0]]
REFUSED = {
    "all of a tensor": (lambda t: t.all(torch.tensor([0])), r"all\(\) received an invalid combination of arguments"),
    "a product with a tuple": (lambda t: t.bmm((1, 2)), r"bmm\(\): argument 'mat2' \(position 1\) must be Tensor, not tuple"),
    "offsets that are a number": (
        lambda t: torch.nested.nested_tensor_from_jagged(t.values(), 1.5), r"argument 'offsets' \(position 2\) must be Tensor, not float"),
    "values that are a dict": (
        lambda t: torch.nested.nested_tensor_from_jagged({}, t.offsets()), r"argument 'input' \(position 1\) must be Tensor, not dict"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_wrong_arguments_have_pytorchs_type_of_error(call, words):
    nested = torch.nested.nested_tensor([torch.tensor(part).view(-1, 1) for part in RAGGED], layout=torch.jagged)
    with pytest.raises(TypeError, match=words):
        call(nested)
