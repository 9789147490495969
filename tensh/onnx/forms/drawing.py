"""Forms of operators that draw random numbers, which differ in every run and come from the runtime's generator."""

import tensh as torch
from tensh.onnx.builder import TYPES, Value
from tensh.onnx.forms.table import form


def draw(o, name, sizes, dtype, **settings):
    """Draw ``RandomUniform`` or ``RandomNormal`` numbers in a shape whose sizes may be values."""
    number = TYPES[str(dtype)[6:]]
    if any(isinstance(each, Value) for each in sizes):
        made = o.call(f"{name}Like", [o.Expand(o.number(0, dtype), o.ints(sizes))], settings)
    else:
        made = o.call(name, [], {"shape": list(sizes) or [1], "dtype": number, **settings})
        made = made if len(sizes) else o.Reshape(made, o.ints([]))
    made.dtype = dtype
    return made


@form("rand")
def rand(o, node, size, **options):
    return draw(o, "RandomUniform", size, node.meta["val"].dtype)


@form("randn")
def randn(o, node, size, **options):
    return draw(o, "RandomNormal", size, node.meta["val"].dtype)


@form("normal")
def normal(o, node, mean=0.0, std=1.0, size=None, **options):
    if isinstance(mean, Value) or isinstance(std, Value):
        shape = mean if isinstance(mean, Value) else std
        return o.Add(o.Mul(o.RandomNormalLike(shape), std), mean)
    return draw(o, "RandomNormal", size, node.meta["val"].dtype, mean=float(mean), scale=float(std))


@form("rand_like randn_like")
def like(o, node, self, **options):
    wanted = node.meta["val"].dtype
    name = "RandomNormalLike" if node.target._opname == "randn_like" else "RandomUniformLike"
    made = o.call(name, [self], {"dtype": TYPES[str(wanted)[6:]]})
    made.dtype = wanted
    return made


@form("uniform")
def uniform(o, node, self, from_=0.0, to=1.0, **options):
    return o.RandomUniformLike(self, low=float(options.get("from", from_)), high=float(to))


@form("randint")
def randint(o, node, low=0, high=None, size=(), **options):
    drawn = draw(o, "RandomUniform", size, torch.float64, low=float(low), high=float(high))
    return o.cast(o.Floor(drawn), node.meta["val"].dtype)


@form("bernoulli")
def bernoulli(o, node, self, p=None, **options):
    # not ONNX's Bernoulli, whose definition compares in the wrong direction, as runtimes do
    return o.cast(o.Less(o.RandomUniformLike(self), self if p is None else p), self.dtype)


@form("multinomial")
def multinomial(o, node, self, num_samples, replacement=False, **options):
    if not replacement and num_samples != 1:
        return NotImplemented
    rows = self if node.args[0].meta["val"].dim() == 2 else o.Unsqueeze(self, o.ints([0]))
    made = o.Multinomial(o.Log(rows), sample_size=num_samples, dtype=TYPES["int64"])
    made.dtype = torch.int64
    return made if rows is self else o.Squeeze(made, o.ints([0]))
