"""Dynamic dimensions as a program declares them: ``dynamic_shapes`` has the structure of the arguments.

Containers that a program has registered are declared as the list of their children.
"""

import inspect

from tensh.engine.core.tensor import Tensor
from tensh.func.trees import BRANCHES, BUILT_IN, flatten, kind_of
from tensh.nn.modules.module import Module
from tensh.tracing.arguments import list_inputs
from tensh.tracing.sizes.dims import INFINITY, STATIC, ConstraintViolationError, Dim, UserError, _DimHint, read_derived
from tensh.utils._pytree_paths import MappingKey, SequenceKey, keystr, tree_map_with_path

CASE = "dynamic-shapes-validation"


class Unnamed(str):
    """The generated name of a dimension that is ``Dim.AUTO`` or ``Dim.DYNAMIC``, stored in ``kind``."""

    kind, min, max = "AUTO", None, None


class Name(str):
    """The name of a dimension with its declared range, and that of the dimension it is derived from."""

    min = max = root = None


class Whole(int):
    """An integer among the arguments, which may be dynamic itself."""


def combine(model, args, kwargs):
    """Return name of a parameter -> its argument.  Raise TypeError if the call does not fit the signature."""
    called = model.forward if isinstance(model, Module) else model
    try:
        return dict(inspect.signature(called).bind(*args, **kwargs).arguments)
    except ValueError:  # a function without a signature
        return {f"args_{number}": each for number, each in enumerate(args)} | kwargs


def is_own(value):
    """Return True for a leaf, and for a container of a class that a program has registered."""
    return kind_of(value) not in BUILT_IN


def match(function, tree, *shapes):
    """Apply ``function(path, leaf, declaration)`` to the leaves of arguments. Raise UserError for another structure."""

    def apply(path, leaf, *declaration):
        if (kind := kind_of(leaf)) in BRANCHES:
            return tree_map_with_path(apply, list(BRANCHES[kind].flatten_fn(leaf)[0]), *declaration, is_leaf=is_own)
        return function(path, leaf, *declaration)

    try:
        return tree_map_with_path(apply, tree, *shapes, is_leaf=is_own)
    except ValueError as error:
        if "mismatch" in str(error):
            for each in shapes:
                compare_structures(flatten(tree, is_own)[1], flatten(each, is_own)[1])
        raise


def compare_structures(spec, other, path=()):
    """Raise UserError where declarations differ from the structure of the arguments."""
    where = keystr(path)
    ours, theirs = f"`inputs{where}`", f"`dynamic_shapes{where}`"
    if spec.is_leaf():
        return
    if other.is_leaf():
        refuse_structure(f"{ours} is a {spec.type}, but {theirs} is not")
    if spec.type != other.type:
        refuse_structure(f"{ours} is a {spec.type}, but {theirs} is a {other.type}")
    if spec.num_children != other.num_children:
        refuse_structure(f"{ours} has {spec.num_children} elements, but {theirs} has {other.num_children} elements")
    children = other.children()
    if spec.type is dict:
        if {*spec.context} != {*other.context}:
            refuse_structure(f"{ours} has keys {spec.context}, but {theirs} has keys {other.context}")
        known = dict(zip(other.context, children, strict=True))
        children = [known[key] for key in spec.context]
    for number, (child, each) in enumerate(zip(spec.children(), children, strict=True)):
        key = MappingKey(spec.context[number]) if spec.type is dict else SequenceKey(number)
        compare_structures(child, each, (*path, key))


def refuse_structure(reason):
    raise UserError(f"Detected mismatch between the structure of `inputs` and `dynamic_shapes`: {reason}", CASE)


def check_names(known, shapes):
    """Raise UserError unless the top-level keys are the names of the parameters."""
    if sorted(shapes) == sorted(known):
        return
    first = next(iter(known), None)
    advice = (
        "Since here `inputs` is a list/tuple enclosing a single dict, maybe you just forgot to enclose `dynamic_shapes` in a list/tuple?"
        if len(known) == 1 and first not in shapes and isinstance(known[first], dict)
        else "Alternatively, you could also ignore arg names entirely and specify `dynamic_shapes` as a list/tuple matching `inputs`."
    )
    raise UserError(
        f"When `dynamic_shapes` is specified as a dict, its top-level keys must be the arg names {list(known)} of `inputs`, but here "
        f"they are {list(shapes)}. {advice}",
        CASE,
    )


def check_declaration(path, leaf, declaration, ranges, kinds):
    """Raise UserError unless a declaration fits the tensor; ``ranges`` has the range of each name so far.

    ``kinds`` are those of dimensions beside ``Dim``.
    """
    where = f"specified at `dynamic_shapes{keystr(path)}`"
    if isinstance(leaf, Whole):
        if isinstance(declaration, Dim):
            raise ValueError(
                "Unable to specify input integers as dynamic through named Dims. Please use Dim.AUTO/DYNAMIC instead."
            )
        if declaration is not None and not isinstance(declaration, (int, _DimHint)):
            raise AssertionError(
                f"expected dynamic_shape to be None, int, or _DimHint for _IntWrapper, got {type(declaration)}"
            )
        return
    if not isinstance(leaf, Tensor):
        if declaration is not None:
            raise UserError(
                f"Cannot associate shape {declaration} {where} to non-tensor type {type(leaf)} at `inputs{keystr(path)}` (expected None)",
                CASE,
            )
        return
    if declaration is None:
        return
    listed = isinstance(declaration, (tuple, list))
    if not listed and not isinstance(declaration, dict):
        raise UserError(
            f"Unexpected input tensor shape {declaration} {where} (expected either a list/tuple of dimensions, or a dict mapping indices to "
            "dimensions, where each dimension is an int, a Dim, Dim.AUTO, Dim.STATIC, or Dim.DYNAMIC)",
            CASE,
        )
    if listed and len(declaration) != leaf.dim():
        raise UserError(
            f"Expected dynamic shape spec {declaration} {where} to have the same length as the actual tensor shape {leaf.shape} "
            f"(expected {leaf.dim()}, but got {len(declaration)} instead)",
            CASE,
        )
    for place, dim in enumerate(declaration) if listed else declaration.items():
        if isinstance(dim, Dim):
            check_range(dim, ranges)
        elif dim is not None and not isinstance(dim, kinds):
            which, space = (f"#{place}", "") if listed else (f"mapped to index {place}", " ")
            raise UserError(
                f"Unexpected dimension {which} in input tensor shape {declaration} {where} (expected None, an int, a Dim, Dim.AUTO, "
                f"Dim.STATIC, or Dim.DYNAMIC, {space}but got {dim!r} instead)",
                CASE,
            )


def check_range(dim, ranges):
    """Raise UserError if a name has been declared with another range."""
    name, limits = dim.__name__, (dim.min, dim.max)
    if ranges.setdefault(name, limits) != limits:
        texts = [Dim.write(name, *each) for each in (ranges[name], limits)]
        raise UserError(f"Found different definitions {texts[0]} and {texts[1]} for the same symbolic dimension {dim}!")


def read_declarations(model, args, kwargs, shapes, strings):
    """Return [(path, name, tensor, {dimension: declaration})] in the order of a program's inputs, all of them checked.

    Raise UserError, AssertionError, TypeError or ValueError, as PyTorch does, for what is not a declaration of the arguments.
    """
    len(shapes)  # TypeError for a number
    known, ranges, found = combine(model, args, kwargs), {}, []
    kinds = (int, _DimHint, str) if strings else (int, _DimHint)
    if not isinstance(shapes, (dict, tuple, list)):
        raise AssertionError(f"expected dynamic_shapes to be dict, tuple, or list, got {type(shapes)}")
    if isinstance(shapes, dict) and strings and shapes.keys() <= known.keys():
        shapes = {name: shapes.get(name) for name in known}
    if isinstance(shapes, dict):
        check_names(known, shapes)
    tree = known if isinstance(shapes, dict) else type(shapes)(known.values())

    def note(path, leaf, declaration):
        if type(leaf) is int:
            leaf = Whole(leaf)
        check_declaration(path, leaf, declaration, ranges, kinds)
        if isinstance(leaf, Tensor):
            found.append(read_dimensions(leaf, declaration))

    match(note, tree, shapes)
    paths = [path for path, _, _ in list_inputs(lambda **given: 0, (), known)]
    by_path = dict(zip((path[1:] for path in paths), found, strict=True))
    return [(path, name, each, by_path[path]) for path, name, each in list_inputs(model, args, kwargs)]


def read_dimensions(tensor, declaration):
    """Return {dimension: declaration} of a tensor, without fixed sizes that are those of the example."""
    sizes = list(tensor.shape)
    for dim in declaration if isinstance(declaration, dict) else ():
        sizes[dim] = None  # raises for what is not a dimension, with PyTorch's text
    table = declaration if isinstance(declaration, dict) else dict(enumerate(declaration or ()))
    return {dim % tensor.dim(): each for dim, each in table.items() if each is not None and each is not STATIC}


def read_dynamic_shapes(model, args, kwargs, shapes, strings=False):
    """Read ``dynamic_shapes``: return index of an input -> {dimension: name}.

    With ``strings``, names may be strings, too, and arguments may be missing.
    """
    dynamic, first, unnamed = {}, {}, iter(range(1000))
    for place, (path, _, tensor, table) in enumerate(read_declarations(model, args, kwargs, shapes, strings)):
        for dim, declaration in table.items():
            source, size = f"L{keystr(path)}.size()[{dim}]", tensor.shape[dim]
            if isinstance(declaration, int):
                if declaration != size:
                    raise ConstraintViolationError(
                        f"Static shape constraint of {declaration} does not match input size of {size}, for {source}"
                    )
                continue
            name = make_name(declaration, f"dim_{next(unnamed)}")
            if isinstance(declaration, _DimHint) and size < 2:
                require_changing(name, size, path, dim)
                continue
            require_range(declaration, size)
            if read_derived(name) is not None:
                check_derived(name, size, source, first)
            elif first.setdefault(name, (size, source))[0] != size:
                known, other = first[name]
                raise UserError(f"{source} = {size} is not equal to {other} = {known}")
            dynamic.setdefault(place, {})[dim] = name
    return dynamic


def make_name(declaration, unnamed):
    """Return the name of a declared dimension, with its range."""
    if isinstance(declaration, str):
        return Name(declaration)
    if isinstance(declaration, _DimHint):
        name = Unnamed(unnamed)
        name.kind = declaration.__name__
    else:
        name = Name(declaration.__name__)
        name.root = make_name(declaration.root, unnamed) if hasattr(declaration, "root") else None
    name.min, name.max = declaration.min, None if declaration.max == INFINITY else declaration.max
    return name


def require_changing(name, size, path, dim):
    """Raise ValueError for a size 0 or 1, which is taken for a constant, of a dimension that is ``Dim.DYNAMIC``."""
    if name.kind == "DYNAMIC":
        raise ValueError(
            "Found the following conflicts between user-specified ranges and inferred ranges from model tracing:\n"
            f"- Received user-specified dim hint Dim.DYNAMIC(min={name.min}, max={name.max}), but export 0/1 specialized due to hint "
            f"of {size} for dimension inputs{keystr(path)}.shape[{dim}]."
        )


def require_range(dim, size):
    """Raise ConstraintViolationError for a size outside of a dimension's range."""
    low, high = getattr(dim, "min", None), getattr(dim, "max", None)
    if low is not None and size < low or high is not None and size > high:
        low = max(low or 0, 2)
        raise ConstraintViolationError(f"{size} not in range [{low}, {'int_oo' if high is None else high}]")


def check_derived(text, size, source, first):
    """Raise UserError unless the size of a dimension follows from that of its root in the example."""
    root, factor, offset = read_derived(text)
    known = first.setdefault(root, ((size - offset) // factor, source))[0]
    if factor * known + offset != size:
        raise UserError(f"Expected input {source} to be equal to {text}, where {root} = {known}, but got {size}")


class ShapesCollection:
    """Declarations of dynamic dimensions by tensor, for arguments that are nested.

    >>> import tensh as torch
    >>> x, y = torch.ones(2, 3), torch.ones(3)
    >>> shapes = torch.export.ShapesCollection()
    >>> shapes[y] = {0: torch.export.Dim("n")}
    >>> class Sum(torch.nn.Module):
    ...     def forward(self, parts):
    ...         return parts["x"].sum() + parts["y"]
    >>> shapes.dynamic_shapes(Sum(), ({"x": x, "y": y},))
    {'parts': {'x': None, 'y': {0: Dim('n', min=0)}}}
    """

    __module__ = "torch.export.dynamic_shapes"

    def __init__(self):
        self._shapes = {}

    def __setitem__(self, tensor, shape):
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"Cannot assign shape to non-tensor or non-_IntWrapper type {type(tensor)}")
        _, known = self._shapes.setdefault(id(tensor), (tensor, shape))
        if known != shape:
            raise AssertionError(f"Shapes assigned to input do not match: expected {known}, got {shape}")

    def __getitem__(self, tensor):
        return self._shapes.setdefault(id(tensor), (tensor, {}))[1]

    def __len__(self):
        return len(self._shapes)

    def dynamic_shapes(self, m, args, kwargs=None):
        """Return the declarations in the structure of the arguments.  Raise ValueError if a tensor is not among them."""
        seen = set()

        def find(path, leaf):
            seen.add(id(leaf))
            return self._shapes.get(id(leaf), (leaf, None))[1]

        found = match(find, combine(m, args, kwargs or {}))
        if not self._shapes.keys() <= seen:
            raise ValueError(
                "Some tensors that were assigned shapes were not found in args. Maybe such tensors were copied when passing them as "
                "args? Maybe such tensors are contained in classes that were not registered with pytree?"
            )
        return found


class AdditionalInputs:
    """Examples of arguments: sizes that differ between them are dynamic.

    >>> import tensh as torch
    >>> more = torch.export.AdditionalInputs()
    >>> more.add((torch.ones(5, 3),))
    >>> more.dynamic_shapes(torch.nn.ReLU(), (torch.ones(2, 3),))
    {'input': (DimHint(DYNAMIC), None)}
    """

    __module__ = "torch.export.dynamic_shapes"

    def __init__(self):
        self._examples = []

    def add(self, args, kwargs=None):
        """Add an example."""
        if type(args) is not tuple:
            raise AssertionError(f"Representative args {args} must be a tuple")
        if kwargs is not None and type(kwargs) is not dict:
            raise AssertionError(f"Representative kwargs {kwargs} must be None or a dict")
        self._examples.append((args, kwargs))

    def dynamic_shapes(self, m, args, kwargs=None):
        """Return the declarations that allow all examples.  Raise ValueError if other values than sizes differ."""
        first, *others = (
            match(
                lambda path, leaf: tuple(leaf.shape) if isinstance(leaf, Tensor) else leaf, combine(m, each, more or {})
            )
            for each, more in [(args, kwargs), *self._examples]
        )

        def compare(path, value, *rest):
            if not all(type(each) is type(value) for each in rest):
                raise ValueError(
                    "The following inputs were found to have differing types, so they cannot be marked as dynamic: "
                    f"{(value, *rest)}."
                )
            if all(each == value for each in rest):
                return None
            if type(value) is int:
                return Dim.DYNAMIC
            raise ValueError(
                f"The following inputs were found to have differing values, but they cannot be marked as dynamic: {(value, *rest)}."
            )

        return tree_map_with_path(compare, first, *others)

    def verify(self, ep):
        """Raise RuntimeError unless an exported program takes all examples."""
        for args, kwargs in self._examples:
            ep._check_input_constraints(args, kwargs or {})
