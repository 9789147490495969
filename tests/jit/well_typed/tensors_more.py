"""Correct scripts with tensors."""

# ruff: noqa

from typing import Optional

from tests.jit.collecting import collect


def make(torch):
    """Return name -> function."""
    F = torch.nn.functional

    def helper(x, k: int = 2, scale: Optional[float] = None):
        if scale is None:
            scale = 1.0
        return x * k * scale

    def half(v: float):
        return v / 2

    def hlp(x):
        return x + 1

    def list_mixed(x):
        return [x, 1]

    def result_of_helper(x):
        y = 1
        y = helper(x, 2)
        return y

    def assert_text(x, s: str):
        assert s, "text"
        return x

    def tensor_to_int(x):
        return half(x)

    def isinst_dead(x):
        if isinstance(x, int):
            return missing
        return x

    def scripting_dead(x):
        if not torch.jit.is_scripting():
            return missing
        return x

    def false_dead(x):
        if False:
            return missing
        return x

    def zeros_tensor(x):
        return torch.zeros(x.sum())

    def bool_times_tensor(x, b: bool):
        return x * b

    def bool_clamp(x, b: bool):
        return torch.clamp(x, b)

    def int_and_tensor(x, k: int):
        return k & x

    def int_mod_tensor(x, k: int):
        return k % x

    def int_floordiv_tensor(x, k: int):
        return k // x

    def int_pow_tensor(x, k: int):
        return k**x

    def int_shift_tensor(x, k: int):
        return k << x

    def int_eq_tensor(x, k: int):
        return k == x

    def number_ops(x):
        return x.item() + 1, x.item() * 2.0, x.item() > 1, -x.item()

    def number_int(x) -> int:
        return x.item()

    def number_list(x):
        l = [1]
        l.append(x.item())
        return l

    def not_tensor(x):
        return not x

    def tern_none(x, k: int):
        return x if k > 1 else None

    def float_call(x, k: int):
        return float(k) + float(x) + float("3")

    def tensor_bool_ctx(x):
        while x.sum() > 0:
            x = x - 1
        return x

    def number_join(x, k: int):
        y = x.item()
        if k > 1:
            y = 2
        return y

    def number_if(x, k: int):
        if k > 1:
            y = x.item()
        else:
            y = 1
        return y

    def abs_t(x):
        return abs(x), round(2.5), pow(2, 3), pow(x, 2), x.__abs__() if False else x

    def view_shape(x, y):
        return (
            x.view(y.shape),
            x.view(x.shape[0], -1),
            x.reshape(y.size()),
            x.view([-1] + x.shape[1:]),
            x.expand_as(y),
            x.view_as(y),
            x.new_zeros(x.shape),
        )

    def index_put(x, i, v: float):
        x[i] = v
        x[i, 0] = x[0, 0]
        x[0:2] = x[2:4]
        x[..., 0] = v
        x[0][1] = 3
        x[0, 1] += v
        return x

    def zero_d(x):
        return x[0].item() if x.numel() else 0

    def float_ret_item(x) -> float:
        return x.item()

    def float_ret_tensor(x) -> float:
        return x.sum()

    def fstr(x, k: int, s: str):
        return f"{x} {k + 1} {s.upper()} {x.shape}"

    def where_(x, k: int):
        return (
            torch.where(x > 0, x, 0.0),
            torch.where(x > 0),
            x.where(x > 0, x),
            torch.max(x, x),
            torch.max(x, 0),
            torch.min(x, dim=0, keepdim=True),
        )

    def norm_(x):
        return (
            x.norm(p=2, dim=1),
            torch.norm(x),
            torch.norm(x, dim=1),
            F.normalize(x),
            torch.linalg.vector_norm(x, dim=-1),
            torch.cdist(x, x),
            F.cosine_similarity(x, x),
        )

    def fft_(x):
        return (
            torch.fft.fft(x),
            torch.fft.rfft(x, n=3),
            torch.view_as_real(torch.fft.fft(x)),
            torch.stft(x, 4, return_complex=True) if False else x,
        )

    def split_(x, n: int):
        return (
            x.split(n),
            x.split([1, 2]),
            torch.split(x, [1, 2], dim=1),
            x.chunk(n, -1),
            torch.tensor_split(x, n),
            x.unbind(1),
        )

    def dtype_arg(x, dt: torch.dtype, dev: torch.device):
        return (
            x.to(dt),
            x.to(dev),
            torch.zeros(2, dtype=dt, device=dev),
            x.to(dev, dt),
            x.to(dtype=dt),
            x.type(dt) if False else x,
        )

    def fork_(x):
        fut = torch.jit.fork(hlp, x)
        return torch.jit.wait(fut)

    return collect(locals(), __name__, "helper", "half", "hlp")
