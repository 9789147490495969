"""Nodes show what they saved under PyTorch's names: of every operator in PyTorch's database some samples are run by both.

A node shows no other name than PyTorch's; numbers, texts and tuples of them that both show are equal.
"""

import sys

import pytest

import tensh
from tests.support.project import SHARED

oracle = pytest.importorskip("torch")
if not (SHARED / "conformance").is_dir():
    pytest.skip("no reference material beside the project", allow_module_level=True)
sys.path.append(str(SHARED / "conformance"))
environ = pytest.importorskip("harness.environ")
binding, convert, scope = (pytest.importorskip(f"harness.{name}") for name in ("binding", "convert", "scope"))

SAMPLES = 3  # of an entry
SEED = 7

OTHERS = {
    "AsStridedBackward0": "tensh computes where the storage begins, and lays out results in row-major order",
    "AsStridedScatterBackward0": "as for AsStridedBackward0",
    **dict.fromkeys(["AddBackward1", "DivBackward1", "MulBackward1"], "the class is that of a tensor operand"),
    "AvgPool2DBackward0": "tensh saves the stride that is used in place of an empty one",
    "AvgPool3DBackward0": "as for AvgPool2DBackward0",
    "CtcLossBackward0": "lengths are tensors in tensh, however they were given",
    "LinalgSolveTriangularBackward0": "tensh does not need the result for this gradient",
    "LinalgVectorNormBackward0": "tensh saves the dimensions that it adds over",
    "MmBackward0": "composites pass factors with other strides",
    "PowBackward0": "powers by a number and by a tensor share a node class",
    **dict.fromkeys(
        ["NarrowCopyBackward0", "PermuteBackward0", "SelectScatterBackward0"], "dimensions are counted first"
    ),
    "ViewBackward0": "composites reshape in other steps",
    "SliceBackward0": "tensh saves the end as it was given",
    **dict.fromkeys(["StdBackward0", "StdMeanBackward0", "VarBackward0", "VarMeanBackward0"], "tensh saves the number"),
}
"""Nodes whose values or names differ, and why."""


def nodes_of(m, made):
    """The first node of each class behind the results, by name."""
    found, level = {}, [t.grad_fn for t in convert.tensors_in(m, made)]
    while level:
        level = [node for node in level if node is not None and type(node).__name__ not in found]
        for node in level:
            found.setdefault(type(node).__name__, node)
        level = [edge for node in level for edge, _ in node.next_functions]
    return found


def shown(m, node):
    """Name -> saved value of a node; a tensor is only "tensor"."""
    names = [name for name in dir(node) if name.startswith("_saved_")]
    return {name: as_text(m, getattr(node, name)) for name in names}


def as_text(m, value):
    if isinstance(value, m.Tensor):
        return "tensor"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(as_text(m, each) for each in value)})"
    return f"{float(value):g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else repr(value)


def run(m, op, sample):
    """The nodes behind the results of a sample."""
    first, args, kwargs = convert.Importer(m, grad=True)((sample.input, sample.args, sample.kwargs))
    m.manual_seed(SEED)
    return nodes_of(m, binding.function(m, op)(first, *args, **kwargs))


ENTRIES = [
    op
    for op in scope.selected(environ.load_op_db())
    if op.supports_autograd and oracle.float64 in op.supported_backward_dtypes("cpu")
]


@pytest.mark.oracle
@pytest.mark.parametrize("op", [pytest.param(op, id=scope.op_id(op)) for op in ENTRIES])
def test_a_node_shows_what_pytorch_s_shows(op):
    oracle.manual_seed(SEED)
    samples = list(op.sample_inputs("cpu", oracle.float64, requires_grad=True, set_seed=False))
    for sample in samples[:SAMPLES]:
        try:
            theirs = run(oracle, op, sample)
        except (RuntimeError, IndexError, ValueError):
            continue
        ours = run(tensh, op, sample)
        for name in theirs.keys() & ours.keys() - OTHERS.keys():
            expected, found = shown(oracle, theirs[name]), shown(tensh, ours[name])
            assert found == {each: expected.get(each) for each in found}, name
