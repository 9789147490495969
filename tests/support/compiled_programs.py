"""Random functions compared with their versions by ``torch.compile``: values, gradients, writes, random numbers."""

import random
import re
import warnings

import tensh as torch
from tests.fuzz.differential.grammar import ACTIVATIONS, UNARY

LINES = [
    *(f"torch.{name}({{f}})" for name in UNARY.split() if name not in ("conj_physical", "angle")),
    *(f"F.{name}({{f}})" for name in ACTIVATIONS.split()),
    *["{f} + {f}", "{f} * {f}", "{f} - {f}", "{f} / ({f}.abs() + 1)", "{f} * {n} + {m}", "{n} - {f}", "{n} / ({f}.abs() + 2)"] * 4,
    *["torch.maximum({f}, {f})", "torch.where({f} > {n}, {f}, {f})", "{f}.clamp({n}, {m})", "torch.lerp({f}, {f}, 0.3)"] * 2,
    "torch.addcmul({f}, {f}, {f}, value={n})", "{f}.masked_fill({f} > 0, {n})", "{f}.pow(2)", "{f} ** 3", "torch.hypot({f}, {f})",
    "torch.atan2({f}, {f})", "torch.logaddexp({f}, {f})", "{f}.float() * {i}", "{i} + {f}", "{i} % 3 + {i} // 2", "{i}.float().mean()",
    *["{f}.sum()", "{f}.sum(-1)", "{f}.mean(0)", "{f}.sum(0, keepdim=True)", "{f}.amax(-1)", "{f}.logsumexp(-1)", "{f}.var(-1)"] * 2,
    *["{f}.softmax(-1)", "{f}.log_softmax(0)", "{f}.cumsum(0)", "{f}.norm()", "{f}.prod(-1)", "{f}.std()", "{f}.sort(-1)[0]", "{f}.max(-1)[0]"],
    *["{f}.t()", "{f}.transpose(0, -1)", "{f}.reshape(-1)", "{f}.unsqueeze(0)", "{f}.squeeze()", "{f}[0]", "{f}[..., 1:]", "{f}[:, None]",
      "{f}.flatten()", "{f}.view({f}.shape)", "{f}.expand(2, *{f}.shape)", "{f}.flip(0)", "{f}.roll(1, 0)", "{f}.repeat(2, 1)", "{f}.contiguous()",
      "{f}.chunk(2, -1)[0]", "{f}.unbind(0)[-1]", "{f}.detach()", "{f}.clone()", "{f}.split(1, 0)[0]", "{f}.diagonal()", "{f}.tril()"],
    *["torch.cat([{f}, {f}])", "torch.stack([{f}, {f}])", "{f} @ {f}.t()", "{f} @ {f}", "torch.einsum('ij,ij->i', {f}, {f})", "F.linear({f}, w, b)",
      "F.layer_norm({f}, {f}.shape[-1:])", "F.mse_loss({f}, {f})", "F.pad({f}, (1, 1))", "torch.outer({f}, {f})", "F.normalize({f})"],
    *["{f}.gather(0, {i})", "{f}[{i}[0]]", "{f}.index_select(0, {i}[0])", "F.one_hot({i}, 4).float()", "{f}.take({i})", "{f}.scatter(0, {i}, {n})"],
    *["F.dropout({f}, 0.4)", "torch.rand_like({f})", "{f} * torch.randn(3)", "torch.bernoulli({f}.sigmoid().detach())"],
    *["torch.zeros(3) + {f}", "torch.ones_like({f})", "torch.arange(3) * {f}", "torch.full((3,), {n}) * {f}", "torch.tensor({n}) * {f}", "{f}.new_zeros(3)"],
    *["{f} * {f}.sum().item()", "torch.tensor({f}.tolist())", "{f}[{f} > {n}]", "{f} + float({f}.mean())"],
    "sum(row.sum() * n for n, row in enumerate({f}))", "{f} if {f}.shape[0] > 1 else {f} * 2", "{f}.double().float()", "{f}.half().float()",
]  # fmt: skip
WRITES = [
    "{t}.add_({f})", "{t}.mul_({n})", "{t}[0] = {n}", "{t}[..., 0] += {f}.sum()", "{t}.clamp_(min={n})", "{t}.zero_()",
    "{t} += {n}", "{t}.relu_()", "{t}[1:].mul_({n})", "{t}.copy_({f})", "{t}.masked_fill_({t} > {n}, 0.5)", "{t}.exp_()",
    "{t}.t().add_({n})", "c.add_({n})", "c[0] = {n}",
]  # fmt: skip
SHAPES = {"x": (2, 3), "y": (2, 3), "v": (3,), "s": (), "w": (4, 3), "b": (4,), "c": (2, 3)}
"""Arguments: all but ``c`` require grad, ``i`` holds indices."""


def make_arguments(seed):
    torch.manual_seed(seed)
    made = {name: torch.randn(shape).requires_grad_(name != "c") for name, shape in SHAPES.items()}
    return made | {"i": torch.randint(0, 2, (2, 3))}


def make_program(seed):
    """The source of a function, each line of which runs; None if chance leads nowhere."""
    draw = random.Random(seed)
    names, fresh, lines = ["x", "y", "v", "s"] * 2, [], []
    scope = {"torch": torch, "F": torch.nn.functional, **make_arguments(seed)}
    for number in range(draw.randrange(3, 14)):
        write = fresh and draw.random() < 0.12
        form, tries = draw.choice(WRITES if write else LINES), 0
        line = fill(form, names, fresh, draw)
        if not write:
            line = f"t{number} = {line}"
        if draw.random() < 0.05:
            line = f"with torch.no_grad(): {line}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(line, scope)
        except Exception:
            tries += 1
            if write:
                return None
            continue
        lines.append(line)
        if not write:
            made = scope[f"t{number}"]
            if not isinstance(made, torch.Tensor) or made.numel() > 5000:
                lines.pop()
                continue
            if made.is_floating_point():
                names += [f"t{number}"] * 3
                fresh.append(f"t{number}")
    if not fresh:
        return None
    results = [draw.choice(fresh) for _ in range(draw.randrange(1, 4))]
    return (
        "\n    ".join(["def f(x, y, v, s, w, b, c, i):", *lines, f"return {', '.join(dict.fromkeys(results))},"]) + "\n"
    )


def fill(form, names, fresh, draw):
    while "{" in form:
        at = form.index("{")
        kind = form[at + 1]
        value = {
            "f": lambda: draw.choice(names), "t": lambda: draw.choice(fresh), "i": lambda: "i",
            "n": lambda: draw.choice(["0.5", "2", "-1.5", "3"]), "m": lambda: draw.choice(["1.0", "4"]),
        }[kind]()  # fmt: skip
        form = form[:at] + value + form[at + 3 :]
    return form


def run_source(source, filename="<program>"):
    """The function ``f`` that the source defines."""
    scope = {"torch": torch, "F": torch.nn.functional}
    exec(compile(source, filename, "exec"), scope)
    return scope["f"]


def drop_dead_writes(source):
    """Remove writes that change no result, because a trace leaves them out, even if they would make a gradient fail.

    PyTorch's traces also keep only writes that are read afterwards.
    """
    expected, lines = run_source(source)(**make_arguments(0)), source.splitlines(True)
    for line in reversed(lines[1:-1]):
        if re.match(r"    (t\d+ = |c)", line):  # arguments are written for others
            continue
        fewer = [each for each in lines if each is not line]
        results = run_source("".join(fewer))(**make_arguments(0))
        if all(torch.equal(a.nan_to_num(7.0), b.nan_to_num(7.0)) for a, b in zip(results, expected, strict=True)):
            lines = fewer
    return "".join(lines)


def answer(function, seed):
    """Return the outcome of a call: results, gradients, the written argument and the next random number, or its exception."""
    given = make_arguments(seed)
    torch.manual_seed(seed)
    try:
        results = function(**given)
        wanted = [each for each in results if each.requires_grad]
        leaves = [each for each in given.values() if each.requires_grad]
        grads = ()
        if wanted:
            weights = [torch.arange(1.0, each.numel() + 1).view(each.shape) for each in wanted]
            total = sum((each * weight).sum() if seed else each.sum() for each, weight in zip(wanted, weights))
            grads = torch.autograd.grad(total, leaves, allow_unused=True)
    except Exception as error:
        return error
    return [*results, given["c"], torch.rand(1)], list(grads)


def check_program(source, filename="<program>"):
    """Compare three calls of the compiled function with the function; return (differences, graphs, the reason for none)."""
    import linecache

    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    plain = run_source(source, filename)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch.compile(plain)
        for seed in range(3):
            ours, expected = answer(compiled, seed), answer(plain, seed)
            if found := differ_or_raise(ours, expected):
                return f"call {seed}: {found}", compiled
    return None, compiled


def differ_or_raise(ours, expected):
    """The first difference of two answers, each of which may be an exception; None if they agree."""
    if isinstance(expected, Exception) or isinstance(ours, Exception):
        same = (type(ours), first_words(ours)) == (type(expected), first_words(expected))
        return None if same else f"{ours!r} against {expected!r}"
    return differ(ours, expected)


def first_words(error):
    """Return an error's text; for a saved value that was written, without what depends on which was found first."""
    return str(error).partition(" by an inplace operation")[0]


def differ(ours, expected):
    """The first difference of two answers, or None; gradients may be added in another order."""
    for part, (mine, other) in enumerate(zip(ours, expected, strict=True)):
        for place, (a, b) in enumerate(zip(mine, other, strict=True)):
            if a is None or b is None:
                if a is not b:
                    return f"gradient {place} is {a}, not {b}"
                continue
            facts = (a.shape, a.dtype, a.requires_grad, a.is_leaf), (b.shape, b.dtype, b.requires_grad, b.is_leaf)
            if facts[0] != facts[1]:
                return f"{'gradient' if part else 'result'} {place}: {facts[0]}, not {facts[1]}"
            a, b = a.detach(), b.detach()
            same = (
                torch.allclose(
                    a,
                    b,
                    rtol=1e-4,
                    atol=1e-4 * max(1.0, float(b.nan_to_num().abs().max()) if b.numel() else 1.0),
                    equal_nan=True,
                )
                if part
                else torch.equal(a.nan_to_num(7.0), b.nan_to_num(7.0))
            )
            if not same:
                return f"{'gradient' if part else 'result'} {place}: {a}, not {b}"
    return None


def writes_constant(source):
    """Return True for a function that writes into a tensor made of numbers, which a trace keeps as it was at its end."""
    made = re.findall(r"(t\d+) = torch\.tensor\(", source)
    return any(
        re.search(rf"^ *{name}(\[[^\]]*\])?(\.\w+_\(| [-+*/]?=(?! torch\.tensor))", source, re.M) for name in made
    )


def check_traces(source, filename="<program>"):
    """Compare the ``torch.jit.trace`` and ``torch.fx`` versions with the function: kind -> first difference, or None.

    A kind that cannot trace the function is left out.  No trace has blocks of ``no_grad``, none draws numbers that
    nobody reads, and constants that are written stay so.
    """
    if any(word in source for word in ("no_grad", "rand", "dropout", "bernoulli")) or writes_constant(source):
        return {}
    plain, found = run_source(source, filename), {}

    def trace():
        given = make_arguments(0)
        torch.manual_seed(0)
        return torch.jit.trace(plain, tuple(given.values()), check_trace=False)

    for kind, make, same in (
        ("jit.trace", trace, source),
        ("fx", lambda: torch.fx.symbolic_trace(plain), re.sub(r"(t\d+) \+= ", r"\1 = \1 + ", source)),
    ):
        expected = answer(run_source(same, filename), 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                traced = make()
            except Exception:
                continue
            ours = answer(lambda **given: traced(*given.values()), 0)  # noqa: B023
        if kind == "jit.trace" and isinstance(expected, Exception) and not isinstance(ours, Exception):
            expected = answer(run_source(drop_dead_writes(source), filename), 0)
        found[kind] = differ_or_raise(ours, expected)
    return found
