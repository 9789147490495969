"""The formulas of tensh/graph/textbook, evaluated: their words are functions of tensors."""

import ast
import inspect
import math

import tensh as torch
from tensh.graph.textbook.facts import SHAPES
from tensh.nn import functional as F

STEP = 2.0**-10


# ── words ────────────────────────────────────────────────────────────────────
def sum_(x, dim=None):
    return x.sum(dim, keepdim=True) if dim is not None else x.sum()


def mean(x, dim=None):
    return x.mean(dim, keepdim=True) if dim is not None else x.mean()


def sum_of(values):
    return values.sum() if isinstance(values, torch.Tensor) else sum(values)


def sum_after(x, dim):
    return x.flip(dim).cumsum(dim).flip(dim)


def bracket(condition):
    return condition.double() if isinstance(condition, torch.Tensor) else float(condition)


def transposed(x):
    return x.mT if x.ndim > 1 else x


def onehot(target, classes, ignored):
    """1 at the class along the dimension of the classes."""
    known = target != ignored
    made = F.one_hot(target * known, classes).double() * known[..., None]
    return made.movedim(-1, 1) if target.ndim else made


def averaged_where(mask, reduction):
    return mask.sum() if reduction == "mean" else 1


def per_channel(x, like):
    return x.sum([d for d in range(x.ndim) if d != 1]) if like.ndim > 1 else x.sum(0, keepdim=True)


def along(w, like):
    if not isinstance(w, torch.Tensor) or like.ndim < 2:
        return w
    return w.reshape(-1, *[1] * (like.ndim - 2))


def triangle(m, upper, unitriangular):
    return m.triu(int(unitriangular)) if upper else m.tril(-int(unitriangular))


def half_tril(m):
    return (m.tril() + m.tril(-1)) / 2


def gaps(v):
    made = v[..., None, :] - v[..., :, None]
    return made + torch.diag_embed(torch.full_like(v, math.inf))


def blocks(a, b):
    return torch.cat([torch.cat([a, b], -1), torch.cat([torch.zeros_like(a), a], -1)], -2)


def upper_right(m):
    n = m.shape[-1] // 2
    return m[..., :n, n:]


def group_mean(x, groups):
    parts = x.reshape(x.shape[0], groups, -1).mean(-1)
    repeated = parts.repeat_interleave(x.shape[1] // groups, 1)
    return repeated.reshape(*repeated.shape, *[1] * (x.ndim - 2))


def gates(x, kinds):
    parts = x.chunk(len(kinds), -1)
    return [torch.sigmoid(p) if kind == "s" else torch.tanh(p) for p, kind in zip(parts, kinds, strict=True)]


def others_sum(x, dim):
    return sum_(x, tuple(d for d in range(x.ndim) if d != dim % x.ndim))


def mask_of(mask):
    """An attention mask as numbers to add."""
    if isinstance(mask, torch.Tensor) and mask.dtype == torch.bool:
        return torch.where(mask, 0.0, -math.inf)
    return mask


def causal(q, k):
    n, m = q.shape[-2], k.shape[-2]
    return torch.full((n, m), -math.inf).triu(1).double()


def norm_pdf(x):
    return torch.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def over_classes(function):
    """A function along the dimension of the classes, if no other is given."""
    return lambda x, dim=None: function(x, (1 if x.ndim > 1 else 0) if dim is None else dim)


def elementary(name):
    """A function of numbers or tensors."""
    return lambda x: getattr(torch, name)(x) if isinstance(x, torch.Tensor) else getattr(math, name)(x)


WORDS = SHAPES | {
    "sum": sum_, "mean": mean, "sum_of": sum_of, "sum_after": sum_after, "averaged_where": averaged_where,
    "along": along, "per_channel": per_channel, "triangle": triangle, "half_tril": half_tril, "gaps": gaps, "blocks": blocks,
    "upper_right": upper_right, "group_mean": group_mean, "gates": gates, "others_sum": others_sum, "mask_of": mask_of,
    "causal": causal, "bracket": bracket, "transposed": transposed, "pdf": norm_pdf, "cdf": torch.special.ndtr,
    "halves": lambda x, dim: x.chunk(2, dim), "thirds": lambda x: x.chunk(3, -1),
    "outer": lambda u, v: u[..., :, None] * v[..., None, :], "symmetric": lambda m: m.tril() + m.tril(-1).mT,
    "skew": lambda m: (m - m.mT) / 2, "power": torch.linalg.matrix_power, "inv": torch.linalg.inv, "solve": torch.linalg.solve,
    "pinv": torch.linalg.pinv, "svd": lambda a: torch.linalg.svd(a, full_matrices=False), "eigh": torch.linalg.eigh,
    "solve_triangular": torch.linalg.solve_triangular, "is_tensor": torch.is_tensor, "eye_like": lambda a: torch.eye(*a.shape[-2:]).double(),
    "fft": torch.fft.fft, "ifft": torch.fft.ifft, "softmax": over_classes(F.softmax), "log_softmax": over_classes(F.log_softmax), "softplus": F.softplus,
    "differences": lambda u, v: u[..., :, None, :] - v[..., None, :, :], "pairwise": lambda v: v[..., None],
    "sum_over_first": lambda v: v.sum(-3), "sum_over_second": lambda v: v.sum(-2), "column": lambda t: t[..., None],
    "epsilon": lambda x: torch.finfo(x.dtype).eps,
    "i1": torch.special.i1, "i0e": torch.special.i0e, "i1e": torch.special.i1e,
    "zeta": torch.special.zeta, "gamma": lambda a: torch.exp(torch.lgamma(a)), "inf": math.inf, "pi": math.pi,
    "is_complex": torch.is_complex, "real": lambda v: v.real if v.is_complex() else v, "imag": lambda v: v.imag if v.is_complex() else v * 0,
} | {name: elementary(name) for name in "sqrt log exp floor".split()}  # fmt: skip


class Spelled(ast.NodeTransformer):
    """A formula as Python: ``A.T``, ``[condition]``, ``a < b < c`` and ``not`` of tensors become calls."""

    def visit_Attribute(self, node):
        self.generic_visit(node)
        return _call("transposed", node.value) if node.attr == "T" else node

    def visit_List(self, node):
        is_condition = len(node.elts) == 1 and isinstance(node.elts[0], ast.Compare | ast.UnaryOp | ast.Name | ast.Call)
        self.generic_visit(node)
        return _call("bracket", node.elts[0]) if is_condition else node

    def visit_Compare(self, node):
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        pairs = [ast.Compare(a, [op], [b]) for a, b, op in zip(sides, sides[1:], node.ops, strict=False)]
        made = pairs[0]
        for pair in pairs[1:]:
            made = ast.BinOp(made, ast.BitAnd(), pair)
        return made

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return ast.Compare(node.operand, [ast.Eq()], [ast.Constant(0)]) if isinstance(node.op, ast.Not) else node


def _call(name, *args):
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def evaluate(text, values):
    """The value of a formula."""
    tree = ast.fix_missing_locations(Spelled().visit(ast.parse(text, mode="eval")))
    return eval(compile(tree, text, "eval"), {**_torch(text), **WORDS, **values})


def _torch(text):
    names = [n.id for n in ast.walk(ast.parse(text, mode="eval")) if isinstance(n, ast.Name)]
    return {n: getattr(torch, n) for n in names if n not in WORDS and hasattr(torch, n)}


# ── a call ───────────────────────────────────────────────────────────────────
class Explained:
    """One call with gradients, and the formulas of its entry as numbers."""

    def __init__(self, function, args, kwargs):
        self.function = function
        self.bound = bind(function, args, kwargs)
        self.args, self.kwargs = args, kwargs
        self.leaves = [t for t in flat((args, kwargs)) if isinstance(t, torch.Tensor) and t.requires_grad]
        self.results = [r for r in flat(function(*args, **kwargs)) if isinstance(r, torch.Tensor)]
        generator = torch.Generator().manual_seed(1)
        roots = [r for r in self.results if r.requires_grad]
        self.gs = {id(r): torch.randn(r.shape, generator=generator, dtype=r.dtype) for r in roots}
        self.gradients = (
            torch.autograd.grad(roots, self.leaves, [self.gs[id(r)] for r in roots], allow_unused=True) if roots else ()
        )
        self.gradient_of = {id(leaf): g for leaf, g in zip(self.leaves, self.gradients, strict=False)}

    def values(self, entry):
        """letter -> its value in this call, and those of the results."""
        parameters = [p for p in self.bound.arguments if p not in ("out",)]
        self.parameters = entry.bind(parameters)
        keeps = entry.family in ("reductions", "losses", "activations")
        values = {}
        for letter, default in entry.letters.items():
            value = self.bound.arguments.get(self.parameters.get(letter))
            values[letter] = evaluate(default, {}) if value is None and default is not None else plain(value)
        first = next(iter(values.values()))
        outputs = entry.outputs or ("y",)
        for name, result in zip(outputs, self.results, strict=False):
            suffix = f"_{name}" if entry.outputs else ""
            g = self.gs.get(id(result))
            g = torch.zeros_like(result) if g is None else g
            values[name] = self.restored(result.detach(), first) if keeps else result.detach()
            values[f"g{suffix}"] = self.restored(g, first) if keeps else g
        if isinstance(first, torch.Tensor):
            classes = first.shape[1] if first.ndim > 1 else first.numel()
            ignored = self.bound.arguments.get("ignore_index") or -100
            values["onehot"] = lambda target, n=classes: onehot(target, n, ignored)
        dim = values.get("dim", -1)
        values["cross"] = lambda u, v: torch.linalg.cross(u, v, dim=dim)
        return values

    def restored(self, result, operand):
        """A reduction's result, with the dimensions that were reduced."""
        if not isinstance(operand, torch.Tensor) or result.ndim >= operand.ndim:
            return result
        dim = self.bound.arguments.get("dim")
        if isinstance(dim, int | tuple | list):
            dims = sorted(d % operand.ndim for d in (dim if isinstance(dim, tuple | list) else [dim]))
            for d in dims if result.ndim + len(dims) == operand.ndim else ():
                result = result.unsqueeze(d)
        elif result.ndim and result.shape == operand.shape[: result.ndim]:
            result = result.reshape(*result.shape, *[1] * (operand.ndim - result.ndim))
        return result

    # ── words that ask the function ──────────────────────────────────────────
    def back(self, operand):
        """Move every element of the gradients to the position that its value has in an operand."""
        places = {value: i for i, value in enumerate(operand.detach().reshape(-1).tolist())}
        made = torch.zeros(operand.numel(), dtype=operand.dtype)
        for result in self.results:
            if id(result) in self.gs:
                for value, g in zip(result.detach().reshape(-1).tolist(), self.gs[id(result)].reshape(-1), strict=True):
                    if value in places:
                        made[places[value]] += g
        return made.reshape(operand.shape)

    def adjoint(self, operand):
        """The transposed Jacobian times the gradients; its columns are differences, which must not depend on the step."""
        kept = operand.detach().clone()
        flat_ = operand.detach().view(-1) if operand.is_contiguous() else None
        made = torch.zeros(kept.numel(), dtype=kept.dtype)
        for i in range(kept.numel()):
            for unit in (1, 1j) if kept.is_complex() else (1,):
                sizes = []
                for step in (STEP, 2 * STEP):
                    flat_[i] += step * unit
                    moved = [
                        r.detach().clone()
                        for r in flat(self.function(*self.args, **self.kwargs))
                        if isinstance(r, torch.Tensor)
                    ]
                    flat_.copy_(kept.reshape(-1))
                    slope = 0.0
                    for was, now in zip(self.results, moved, strict=True):
                        if id(was) in self.gs:
                            slope += ((now - was.detach()) * self.gs[id(was)].conj()).real.sum().item() / step
                    sizes.append(slope)
                assert sizes[0] == sizes[1] or abs(sizes[0] - sizes[1]) < 1e-9 * (1 + abs(sizes[0])), "not linear"
                made[i] += sizes[0] * unit
        return made.reshape(kept.shape)

    def evaluate(self, entry, letter, operand):
        """The formula of an operand as a tensor of its shape."""
        values = self.values(entry)
        values |= {
            "back": lambda g: self.back(operand), "adjoint": lambda g: self.adjoint(operand),
            "conv_transpose": lambda g, w: self.adjoint(operand), "conv": lambda g, w: self.adjoint(operand),
            "correlation": lambda x, g: self.adjoint(operand),
        }  # fmt: skip
        for names, text in entry.parts.items():
            value = evaluate(text, values)
            values |= (
                {names: value} if "," not in names else dict(zip(map(str.strip, names.split(",")), value, strict=False))
            )
        value = evaluate(entry.formulas[letter].text, values)
        return value if isinstance(value, tuple) else fit(value, operand)

    def holds(self, entry):
        """Return True if the formulas of an entry apply to this call."""
        settings = self.values(entry)
        for letter in entry.letters:
            if f"{letter} is" in entry.when:  # the condition is about None, for which the formulas have a default
                settings[letter] = self.bound.arguments.get(self.parameters.get(letter), settings[letter])
        return bool(eval(entry.when, {**WORDS, **settings}))


def fit(value, operand):
    """A gradient in the shape of its operand: broadcast dimensions are summed, reduced ones expanded."""
    value = torch.as_tensor(value)
    if value.is_complex() and not operand.is_complex():
        value = value.real
    if value.shape == operand.shape:
        return value
    try:
        return value.expand(operand.shape)
    except RuntimeError:
        return value.sum_to_size(operand.shape)


def bind(function, args, kwargs):
    """The arguments of a call by the names of the parameters."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError:  # sizes as separate arguments: x.view(2, 3)
        bound = inspect.signature(function).bind(args[0], args[1:], **kwargs)
    bound.apply_defaults()
    bound.arguments = {k: None if type(v).__name__ == "Absent" else v for k, v in bound.arguments.items()}
    return bound


def plain(value):
    return value.detach() if isinstance(value, torch.Tensor) else value


def flat(value):
    """The parts of nested tuples, lists and dicts."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        return [each for part in value for each in flat(part)]
    return [value]
