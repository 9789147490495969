"""``torch._dynamo.testing``: back ends that keep their graphs, and comparisons of results."""

import re

import tensh as torch
from tensh.functorch.compile import aot_autograd


class EagerAndRecordGraphs:
    """A back end that keeps its graph modules in ``graphs``, and runs them unchanged.

    >>> import tensh as torch
    >>> backend = torch._dynamo.testing.EagerAndRecordGraphs()
    >>> torch.compile(lambda x: x + 1, backend=backend)(torch.ones(1)), len(backend.graphs)
    (tensor([2.]), 1)
    """

    __module__ = "torch._dynamo.testing"

    def __init__(self):
        self.graphs = []

    def __call__(self, gm, example_inputs):
        self.graphs.append(gm)
        return gm.forward


class AotEagerAndRecordGraphs(EagerAndRecordGraphs):
    """A back end that also keeps the graphs of operators of both passes, in ``fw_graphs`` and ``bw_graphs``."""

    __module__ = "torch._dynamo.testing"

    def __init__(self):
        super().__init__()
        self.fw_graphs, self.bw_graphs = [], []

    def __call__(self, gm, example_inputs):
        self.graphs.append(gm)

        def keep(graphs):
            def compile(module, inputs):
                graphs.append(module)
                return module.forward

            return compile

        return aot_autograd(fw_compiler=keep(self.fw_graphs), bw_compiler=keep(self.bw_graphs))(gm, example_inputs)


def normalize_gm(gm_str):
    """Return the code of a graph module without comments, blanks at the end of lines, and several empty lines.

    >>> import tensh as torch
    >>> torch._dynamo.testing.normalize_gm("x = 1  # one\\ny")
    'x = 1\\ny'
    """
    text = "\n".join(line.rstrip() for line in re.sub("#.*", "", gm_str).split("\n"))
    return re.sub(r"\n\n+", "\n\n", text)


def same(ref, res, fp64_ref=None, cos_similarity=False, tol=1e-4, equal_nan=False, exact_dtype=True, **options):
    """Return True if two results are alike: tensors to a tolerance, containers item by item, other values by equality.

    >>> import tensh as torch
    >>> torch._dynamo.testing.same([torch.ones(2)], [torch.ones(2)])
    True
    """

    def compare(a, b):
        return same(a, b, None, cos_similarity, tol, equal_nan, exact_dtype)

    if isinstance(ref, (list, tuple)):
        return isinstance(res, (list, tuple)) and len(ref) == len(res) and all(map(compare, ref, res))
    if isinstance(ref, dict):
        return ref.keys() == res.keys() and all(compare(ref[key], res[key]) for key in ref)
    if not isinstance(ref, torch.Tensor):
        return ref is res or type(ref) is type(res) and ref == res
    if not isinstance(res, torch.Tensor) or exact_dtype and ref.dtype is not res.dtype or ref.shape != res.shape:
        return False
    if ref.dtype is torch.bool or not exact_dtype:
        ref, res = ref.to(torch.float32), res.to(torch.float32)
    if cos_similarity:
        a, b = ref.flatten().to(torch.float32), res.flatten().to(torch.float32)
        return torch.allclose(a, b, tol, tol, True) or torch.nn.functional.cosine_similarity(a, b, 0).item() >= 0.99
    return torch.allclose(ref, res, atol=tol, rtol=tol, equal_nan=equal_nan)


def rand_strided(size, stride, dtype=torch.float32, device="cpu", extra_size=0):
    """Return a tensor of random numbers with a shape and strides; zeros if its dtype is not a floating point type.

    >>> import tensh as torch
    >>> torch._dynamo.testing.rand_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    count = extra_size
    if all(each > 0 for each in size):
        count += sum((each - 1) * step for each, step in zip(size, stride)) + 1
    if not dtype.is_floating_point:
        buffer = torch.zeros(count, dtype=dtype, device=device)
    elif dtype.itemsize == 1:
        buffer = torch.randn(count, dtype=torch.float16, device=device).to(dtype)
    else:
        buffer = torch.randn(count, dtype=dtype, device=device)
    return torch.as_strided(buffer, size, stride)


def reduce_to_scalar_loss(out):
    """Return the mean of a result, over tensors in containers, too.  Raise NotImplementedError for other values.

    >>> import tensh as torch
    >>> torch._dynamo.testing.reduce_to_scalar_loss([torch.ones(2), torch.zeros(2)])
    tensor(0.5000)
    """
    if isinstance(out, torch.Tensor):
        return out.sum() / out.numel()
    if isinstance(out, (list, tuple, dict)):
        values = out.values() if isinstance(out, dict) else out
        return sum(map(reduce_to_scalar_loss, values)) / len(out)
    raise NotImplementedError("Don't know how to reduce", type(out))


def clone_input(x, *, dtype=None):
    """Return a copy of a tensor with its strides and marks; that of a leaf is a leaf, with a copy of the gradient.

    >>> import tensh as torch
    >>> torch._dynamo.utils.clone_input(torch.ones(2, 3).mT).stride()
    (1, 3)
    """
    with torch.no_grad():
        made = torch.empty_strided(x.size(), x.stride(), dtype=dtype or x.dtype, device=x.device).copy_(x)
        if x.is_leaf:
            made.requires_grad_(x.requires_grad)
            if x.grad is not None:
                made.grad = clone_input(x.grad, dtype=dtype)
    vars(made).update((name, value) for name, value in vars(x).items() if name.startswith("_dynamo_"))
    return made


def clone_inputs(example_inputs):
    """Return a list, or a dictionary, of copies of tensors."""
    if type(example_inputs) is dict:
        return {
            key: clone_inputs(each) if isinstance(each, tuple) else clone_input(each)
            for key, each in example_inputs.items()
        }
    return [clone_input(each) if isinstance(each, torch.Tensor) else each for each in example_inputs]


def is_compile_supported(device_type):
    """Return True if functions of tensors on a device can be compiled: those on the CPU.

    >>> import tensh as torch
    >>> torch._dynamo.utils.is_compile_supported("cpu"), torch._dynamo.utils.is_compile_supported("meta")
    (True, False)
    """
    return torch.device(device_type).type == "cpu"
