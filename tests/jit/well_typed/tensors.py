"""Correct scripts with tensors."""

# ruff: noqa

from typing import List, Optional

from tests.jit.collecting import collect


def make(torch):
    """Return name -> function."""
    F = torch.nn.functional
    Tensor = torch.Tensor

    def untyped_helper(x, y):
        return x + y, y

    def helper(x, k: int = 2, scale: Optional[float] = None):
        if scale is None:
            scale = 1.0
        return x * k * scale

    def half(v: float):
        return v / 2

    def total_of_floats(l: List[float]) -> float:
        total = 0.0
        for v in l:
            total += v * 2
        return total / len(l)

    def types_change(x):
        y = 1
        y = x
        y = [y]
        return y

    def dead_instance(x):
        if isinstance(x, int):
            return missing
        return x

    def dead_scripting(x):
        if not torch.jit.is_scripting():
            return missing(x)
        return x

    def dead_after_return(x):
        return x
        return missing

    def empty_to_function(x):
        return torch.cat([x, x]), total_of_floats([])

    def tensors_in_empty(x):
        l = []
        l.append(x)
        return torch.stack(l)

    def dict_literal(x):
        return {"x": x, "y": x + 1}

    def of_tensor(x):
        return (
            x.shape,
            x.size(),
            x.size(0),
            x.dim(),
            x.ndim,
            x.dtype,
            x.device,
            x.numel(),
            x.T,
            x.requires_grad,
            x.is_cuda,
            len(x),
        )

    def conversions(x):
        return (
            x.float(),
            x.double(),
            x.long(),
            x.int(),
            x.half(),
            x.to(torch.float64),
            x.to("cpu"),
            x.to(x.dtype),
            x.to(x.device),
            x.type_as(x),
        )

    def items(x):
        k = x.sum().item()
        return int(k), float(k), k * 2, int(x.sum()), float(x.mean()), bool(x.any())

    def item_as_int(x) -> int:
        return x.sum().item()

    def tensor_as_condition(x):
        while x.sum() > 10:
            x = x / 2
        if x.max() > 1 and x.min() < 0:
            return x
        return -x

    def sizes_of_all(x):
        b, c = x.shape
        b2, c2 = x.size()
        return (
            torch.zeros(b, c),
            torch.zeros((b, c)),
            torch.zeros([b2, c2]),
            torch.ones(b),
            x.new_zeros(b, c),
            x.new_full((b,), 2),
        )

    def reductions(x):
        return (
            x.sum(0),
            x.sum([0, 1]),
            x.sum(dim=1, keepdim=True),
            x.mean(),
            x.mean(-1),
            x.max(),
            x.max(0),
            x.max(dim=0)[0],
            x.argmax(-1),
        )

    def named_results(x):
        m = x.max(dim=0)
        s, i = torch.sort(x)
        v, j = x.topk(2)
        return m.values, m.indices, s, i, v, j, torch.topk(x, 2)[0]

    def indexing(x, i: int, m):
        return (
            x[0],
            x[0, 1],
            x[:, 1:],
            x[..., 0],
            x[None],
            x[i],
            x[m > 0],
            x[[0, 1]],
            x[x.argmax()],
            x[-1, ::2],
            x[i:, None],
        )

    def writing(x, i: int):
        x[0] = 1
        x[i, 0] = 2.0
        x[0] = x[1]
        x[x > 1] = 0
        x[:, 0] += 1
        x += 1
        x -= x
        x *= 2
        x /= 3
        return x

    def mixed_arithmetic(x, k: int, v: float):
        return (
            x + k,
            k + x,
            v * x,
            1 - x,
            2 / x,
            x // 2,
            2**x,
            x**2,
            x % 2,
            k > x,
            x == k,
            k % x,
            x & 1,
            ~(x > 0),
            (x > 0) | (x < 1),
        )

    def scalars(x, k: int):
        return (
            torch.sqrt(x),
            torch.clamp(x, 0, 1),
            torch.clamp(x, min=0.0),
            x.clamp(max=k),
            torch.add(x, 1),
            x.add(x, alpha=2),
            x.mul(2),
        )

    def joined(x, y):
        return (
            torch.cat([x, y]),
            torch.cat((x, y), dim=0),
            torch.stack([x, y], 0),
            torch.where(x > 0, x, y),
            torch.einsum("ij,jk->ik", x, y),
        )

    def functional(x, w):
        y = F.relu(x)
        y = F.softmax(y, dim=-1)
        y = F.dropout(y, 0.5, True)
        y = F.linear(y, w)
        y = F.gelu(y) + F.silu(y) + F.leaky_relu(y, 0.1) + F.elu(y)
        y = F.layer_norm(y, [3]) + F.normalize(y, dim=1)
        y = F.pad(y, [1, 1])
        return (
            F.mse_loss(y, y)
            + F.l1_loss(y, y, reduction="sum")
            + F.cross_entropy(y, y.argmax(1))
            + F.log_softmax(y, 1).sum()
        )

    def convolved(x, w):
        y = F.conv2d(x, w, padding=1)
        y = F.max_pool2d(y, 2)
        y = F.avg_pool2d(y, 2, stride=1)
        y = F.adaptive_avg_pool2d(y, (1, 1))
        return F.interpolate(y, scale_factor=2.0, mode="nearest")

    def linear_algebra(x):
        q, r = torch.linalg.qr(x)
        return (
            torch.linalg.norm(x),
            torch.linalg.inv(x),
            q @ r,
            x @ x.t(),
            x.matmul(x),
            torch.mm(x, x),
            torch.linalg.det(x),
        )

    def none_or_tensor(x, k: int):
        if k > 1:
            y = None
        else:
            y = x
        return y

    def calls(x):
        return helper(x), helper(x, 3), helper(x, k=4), helper(x, scale=2.0), helper(k=1, x=x)

    def calls_untyped(x):
        a, b = untyped_helper(x, x)
        return a - b

    def with_no_grad(x):
        with torch.no_grad():
            y = x * 2
        return y

    def commented(x, k):
        # type: (Tensor, int) -> Tensor
        return x * k if k > 1 else x.view(k, -1)

    def prints(x, k: int):
        print("x", x, k)
        return x

    def devices(x):
        d = torch.device("cpu")
        return torch.zeros(2, device=d), x.to(d), x.device == d, x.dtype == torch.float32, str(x.device)

    def checks(x):
        assert x.dim() == 2, "two dimensions"
        assert x.shape[0] > 1, f"too few rows: {x.shape}"
        assert isinstance(x, Tensor)
        return x

    def lerp(x, y, w: float):
        return (
            torch.lerp(x, y, w),
            torch.addmm(x, x, y),
            torch.bmm(x[None], y[None]),
            x.masked_fill(x > 0, 0.0),
            x.gather(0, y.long()),
            x.scatter(0, y.long(), 1.0),
        )

    def cumulative(x):
        return (
            x.cumsum(0),
            x.cumprod(-1),
            torch.cumsum(x, dim=0),
            x.norm(),
            x.norm(2),
            x.std(),
            x.var(0),
            x.std(dim=0, keepdim=True),
            x.unsqueeze(0).squeeze(),
            x.flatten(1),
            x.repeat(2, 1),
            torch.flatten(x, 1),
            x.contiguous(),
            x.clone(),
            x.detach(),
            x.any(),
            x.all(),
        )

    def type_changes(x):
        y = 1
        y = x
        return y

    def parameter_changes(x):
        x = x.size(0)
        return x

    def tuple_changes(x):
        a, b = x, 1
        a, b = 1, x
        return a

    def return_annotation(x) -> int:
        return x

    def returns_none_sometimes(x, k: int):
        if k > 0:
            return x

    return collect(locals(), __name__, "untyped_helper", "helper", "half", "total_of_floats")
