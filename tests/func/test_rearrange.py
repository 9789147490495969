"""torch.func.rearrange: the dimensions of a tensor by names; results, views, gradients and refusals are PyTorch's."""

import random
import warnings

import pytest

import tensh as torch

# A pattern for a tensor of 2 x 3 x 4, and lengths.
PATTERNS = [
    ("a b c -> a b c", {}), ("a b c -> c b a", {}), ("a b c -> (a b) c", {}), ("a b c -> a (c b)", {}),
    ("a (b d) c -> d b c a", {"d": 3}), ("a b (c d) -> (b d) (a c)", {"c": 2}), ("a b (c d) -> a b c d", {"c": 2, "d": 2}),
    ("(a x) (b y) (c z) -> x (a b) (y c) z", {"a": 1, "b": 3, "z": 2}), ("a b c -> a b c", {"a": 2}),
    ("a b c -> a 1 b () c", {}), ("a b c -> (a 1 b) c", {}), ("a b c -> a b c 1 1", {}), ("a b (c d 1) -> a b c d", {"d": 1}),
    ("a ... -> ... a", {}), ("a ... -> a (...)", {}), ("... c -> (... c)", {}), ("a b c ... -> ... a b c", {}),
    ("a b c ...-> a b c (...)", {}), ("a ... c -> c (a ...) 1", {}), ("a b é -> é b a", {}), ("a b (c) -> a b c", {}),
]  # fmt: skip


def run(module, pattern, lengths, kind="float64"):
    leaf = module.arange(24, dtype=getattr(module, kind)).reshape(2, 3, 4)
    x = leaf.requires_grad_() * 1 if kind.startswith("float") else leaf
    out = module.func.rearrange(x, pattern, **lengths)
    facts = [out.shape, out.stride(), out.storage_offset(), str(out.dtype), out.detach().tolist()]
    if kind.startswith("float"):
        weights = module.arange(24, dtype=out.dtype).reshape(out.shape)
        facts += [out.grad_fn.name(), module.autograd.grad(out, leaf, weights)[0].tolist()]

    with module.no_grad():
        before = x.clone()
        out.zero_()
        facts.append(bool((x == before).all()))  # no view
    return facts


@pytest.mark.parametrize("pattern, lengths", PATTERNS)
def test_rearranged_tensors_are_those_of_pytorch(oracle, pattern, lengths):
    assert run(torch, pattern, lengths) == run(oracle, pattern, lengths)
    assert run(torch, pattern, lengths, "int32") == run(oracle, pattern, lengths, "int32")


@pytest.mark.parametrize("seed", range(40))
def test_random_patterns(oracle, seed):
    chance = random.Random(seed)
    names = list("abcdefg")[: chance.randint(1, 7)]
    sizes = dict(zip(names, chance.choices([1, 2, 3], k=len(names)), strict=True))

    def side(names):
        names, groups = names[:], []
        while names:
            group = [names.pop(0) for _ in range(chance.randint(1, min(3, len(names))))]
            groups.append(group)
        text = " ".join(f"({' '.join(group)})" if len(group) > 1 else group[0] for group in groups)
        return text, groups

    left, groups = side(names)
    right, _ = side(chance.sample(names, len(names)))
    lengths = {name: sizes[name] for group in groups for name in chance.sample(group, len(group) - 1)}
    shape = [torch.Size([sizes[name] for name in group]).numel() for group in groups]
    if len(shape) == 1:  # which PyTorch takes for several indices
        left, shape = f"{left} z", [*shape, 2]
        right = f"z {right}"

    def run(module):
        out = module.func.rearrange(
            module.arange(torch.Size(shape).numel()).reshape(shape), f"{left}->{right}", **lengths
        )
        return out.shape, out.tolist()

    assert run(torch) == run(oracle)


@pytest.mark.parametrize("kind", ["float32", "int32", "bool"])
def test_dimensions_without_a_name_are_summed(oracle, kind):
    def run(module):
        x = module.ones(2, 1, 3, 2, dtype=getattr(module, kind))
        results = [module.func.rearrange(x, pattern) for pattern in ("a 1 b c -> c b a", "a 1 b () -> (a b)")]
        return [(str(out.dtype), out.tolist()) for out in results]

    assert run(torch) == run(oracle)


def test_sequences_are_stacked(oracle):
    def run(module):
        x = module.arange(6).reshape(2, 3)
        return [module.func.rearrange(kind([x, x + 9]), "n a b -> a (b n)").tolist() for kind in (list, tuple)]

    assert run(torch) == run(oracle)


@pytest.mark.parametrize(
    "shape, pattern, lengths, expected",
    [
        ((6,), "(a b) -> b a", {"a": 2}, (3, 2)),
        ((2, 3, 4), "... -> ...", {}, (2, 3, 4)),
        ((6, 4), "(a b) ... -> a b ...", {"a": 2}, (2, 3, 4)),
        ((1, 3), "1 a -> a 1", {}, (3, 1)),
        ((), "->", {}, ()),
        ((), "-> 1 ()", {}, (1, 1)),
        ((), "... -> ... 1", {}, (1,)),
        ((2, 0), "a (b c) -> a c b", {"c": 3}, (2, 3, 0)),
    ],
)
def test_shapes_that_pytorch_does_not_take_or_leaves(shape, pattern, lengths, expected):
    assert torch.func.rearrange(torch.zeros(shape), pattern, **lengths).shape == expected


def test_samples_of_vmap(oracle):
    def run(module):
        x = module.arange(24.0).reshape(2, 3, 4)
        return module.vmap(lambda a: module.func.rearrange(a, "b (c d) -> d (c b)", d=2))(x).tolist()

    assert run(torch) == run(oracle)


REFUSED = """
"a b c"
"a -> b -> c"
"a b -> b a"
"a b c d -> a b c d"
"a b c d ... -> a b c d ..."
"() a b c () -> a b c"
"a b c -> a b"
"a b c -> a b c d"
"a ... -> a"
"a b 2 -> a b 2"
"a b 0 -> a b 0"
"a a c -> a c"
"a b c -> a a b c"
"a ((b) c) d -> a b"
"a b) c -> a b c"
"(a b c -> a b c"
"a b c -> (a b c"
"a . b -> a b"
"a ... ... -> a"
"a .... -> a"
"(...) -> ..."
"a b c -> ..."
"a _b c -> a _b c"
"a b_ c -> a b_ c"
"a 2b c -> a 2b c"
"a-b c -> a"
"a\\tb c -> a b c"
"a b c -> a b c", z=1
"a b c -> a b c", b=3.5
"a b c -> a b c", b=True
"a b c -> a b c", b="3"
"a b c -> a b c", **{"\\u2026": 2}
"a b c -> a b c", b=5
"a b (c d) -> a b c d"
"a b (c d) -> a b c d", c=3
"a b (c d) -> a b c d", c=2, d=3
"a b (c d e) -> a b c d e", c=2
"a b (c d e) -> a b c d e", c=2, e=3
"a b (c d) -> a b c d", c=0
""".strip().split("\n")


@pytest.mark.parametrize("arguments", REFUSED)
def test_wrong_patterns_are_refused_as_in_pytorch(oracle, arguments):
    def refusal(module):
        with pytest.raises(Exception) as caught:
            eval(f"module.func.rearrange(x, {arguments})", {"module": module, "x": module.zeros(2, 3, 4)})
        return type(caught.value).__name__, str(caught.value)

    assert refusal(torch) == refusal(oracle)


@pytest.mark.parametrize("name", ["axis", "for"])
def test_names_that_are_discouraged(oracle, name):
    def run(module):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            module.func.rearrange(module.zeros(2, 3), f"a {name} -> {name} a")
        return [(each.category, str(each.message)) for each in caught]

    assert run(torch) == run(oracle)
