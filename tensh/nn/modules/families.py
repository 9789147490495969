"""Families of layers that differ only in the number of dimensions, and lazy layers: classes made from one declaration.

``AvgPool1d, AvgPool2d, AvgPool3d = family("AvgPool{n}d", _AvgPoolNd, DOC, computes="avg_pool{n}d(input, ...)")``

Texts have fields: ``{n}`` dimensions; ``{item}`` and ``{items}`` ("an image", "images"); ``{spatial}`` ("H, W");
``{shapes}``, ``{sized}`` and ``{channels}``, sentences about shapes; ``{each:4}``, which repeats its text for each
dimension ("4, 4").  Examples use inputs of one row: ``{row:4}`` makes one of four numbers, ``{along:2}`` is a setting
of 2 along it ("(1, 2)"), and ``{ends}`` pads it by one on both ends ("(1, 1, 0, 0)").
"""

ITEMS = {1: ("a row", "rows"), 2: ("an image", "images"), 3: ("a volume", "volumes")}
LETTERS = {1: "L", 2: "HW", 3: "DHW"}
LAZY = """{name} that takes ``{counted}`` from the first input.

    The first call turns the layer into {name}.
    {facts}

    >>> import tensh as torch
    >>> layer = torch.nn.Lazy{name}({arguments})
    >>> output = layer(torch.ones(1, 2, {each:5}))
    >>> layer.{counted}, type(layer).__name__
    (2, '{name}')
    """


class Field:
    """A field whose text is computed from its format specification, the part after the colon."""

    def __init__(self, write):
        self.write = write

    def __format__(self, text):
        return self.write(text)


def fields(n):
    """Return the fields of texts about ``n`` dimensions."""
    item, items = ITEMS[n]
    spatial, out = ", ".join(LETTERS[n]), ", ".join(f"{letter}_out" for letter in LETTERS[n])
    shapes = f"Shapes: input [N, C, {spatial}], output [N, C, {out}], or both without N."
    return {
        "n": n,
        "item": item,
        "items": items,
        "spatial": spatial,
        "each": Field(lambda text: ", ".join([text] * n)),
        "row": Field(lambda count: f"torch.arange({count}.).view({', '.join(['1'] * n)}, {count})"),
        "along": Field(lambda number: number if n == 1 else f"({', '.join(['1'] * (n - 1))}, {number})"),
        "ends": f"(1, 1{', 0, 0' * (n - 1)})",
        "shapes": shapes,
        "batches": f"[N, C, {spatial}]" + " or [N, C]" * (n == 1),
        "sized": shapes.replace(out, "*output_size"),
        "channels": shapes.replace(" C,", " in_channels,", 1).replace(" C,", " out_channels,"),
    }


def family(name, base, doc, dimensions=(1, 2, 3), members=None, **declared):
    """Make a subclass of ``base`` for each number of dimensions, ``_dimensions``, and fill in the fields of texts.

    ``base`` is one class, or a class for each number of dimensions; ``members`` are attributes, name -> function of
    that number.
    """
    for place, n in enumerate(dimensions):
        known, own = fields(n), base if isinstance(base, type) else base[place]
        options = {key: value.format(**known) if isinstance(value, str) else value for key, value in declared.items()}
        body = {"_dimensions": n} | {key: value(n) for key, value in (members or {}).items()}
        yield make(own.__pytorch_module__, name.format(**known), (own,), doc.format(**known), body, **options)


def declare_lazy(origin, mixin, layers, counted, arguments="", base=None):
    """Make the lazy form of each layer, which lacks the setting ``counted``; ``arguments`` belong to its example."""
    for layer in layers:
        name = layer.__name__
        known = fields(layer._dimensions) | {"facts": "\n    ".join(read_facts(layer.__doc__))}
        doc = LAZY.format(**known, name=name, counted=counted, arguments=arguments)
        body = {"_dimensions": layer._dimensions, "cls_to_become": layer}
        if base is not None:
            body["_fitting"] = layer._fitting
        yield make(origin, f"Lazy{name}", (mixin, base or layer), doc, body)


def read_facts(doc):
    """Yield the lines of a docstring that contain its sentences about shapes and errors."""
    within = False
    for line in map(str.strip, (doc or "").splitlines()):
        if within or line.startswith(("Shapes: ", "Raise ")):
            yield line
            within = not line.endswith(".")


def make(origin, name, bases, doc, body, **declared):
    """Make a class as a ``class`` statement in the module ``origin`` would."""
    return type(name, bases, {"__module__": origin, "__qualname__": name, "__doc__": doc, **body}, **declared)
