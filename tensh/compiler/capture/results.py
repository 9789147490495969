"""The structure of a function's result: which tensors are arguments, new, or views of either, and their containers."""

import dataclasses
import types

from tensh.compiler.breaks import Break
from tensh.compiler.capture.contents import Content
from tensh.compiler.capture.kinds import SIMPLE
from tensh.compiler.programs.steps import is_basic, origin
from tensh.engine.arrays.owners import memory_of
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.capture.lines import Value, rebuild


class InputRef(int):
    """The index of an input that is returned."""


class OutputRef(int):
    """The index of an output."""


class ElementRef(int):
    """The index of an output whose only element is part of a result."""


class ObjectRef(int):
    """The index, behind those of inputs, of a container from outside that is returned itself."""


class Shared:
    """A new container that is in several places of a result."""

    def __init__(self, part):
        self.part = part


class Constant:
    """A part of a result that never changes."""

    def __init__(self, value):
        self.value = value


class ArgumentNumber(Constant):
    """A number that is returned as it was given, at the path of a guard, which fixes its value."""

    def __init__(self, value, path):
        super().__init__(value)
        self.path = path


class DerivedView:
    """A view of an input or output, by the lines that lead to it, each with an index into its result, or None."""

    def __init__(self, base, lines):
        self.base, self.lines = base, lines

    def follow(self, t):
        """Repeat the lines that lead to a view."""
        for line, place in self.lines:
            before, mode.grad = mode.grad, line.grad and mode.grad
            try:
                t = line.function(t, *line.args[1:], **line.options)
            finally:
                mode.grad = before
            t = t if place is None else t[place]
        return t


class Result:
    """The structure of a result, with new values in ``outputs``; a call with the tensors of a run builds the result.

    Then it makes the ``changes`` of containers from outside.
    """

    def __init__(self, result, recorder, inputs, contents=None, changed=()):
        self.recorder, self.inputs, self.outputs, self.views = recorder, inputs, [], {}
        self.contents, self.objects = contents, []  # containers from outside; those among them that are returned
        self.repeated, self.shared, tensors = set(), {}, []
        changes = [each.list_changes() for each in changed]
        whole = result, [items for _, items in changes]
        collect_tensors(whole, tensors)
        if contents is not None:
            find_repeated(whole, set(), self.repeated)
        found = self.find_values(tensors)
        self.add_bases(tensors, found)
        for t in tensors:
            if not any(value.tensor is t for value in inputs):
                if t.is_inference():
                    raise Break("the result contains an inference tensor")
                self.place(t, found)
        self.structure = self.describe(result)
        self.changes = [
            (self.describe_object(content), gone, self.describe_new(items))
            for content, (gone, items) in zip(changed, changes, strict=True)
        ]
        self.recorder = self.contents = self.shared = self.repeated = None

    def find_values(self, tensors):
        """Return id of a value -> its tensor; of several that share memory it is the one of which the others are views."""
        found = {}
        for t in tensors:
            value = self.recorder.find(t)
            if id(value) not in found or isinstance(value, Value) and find_base(value)[0].tensor is t:
                found[id(value)] = t
        return found

    def add_bases(self, tensors, found):
        """Add the tensors of which two or more results are views to the outputs, unless they are results themselves."""
        seen = set()
        for t in tensors:
            value = self.recorder.find(t)
            base, lines = find_base(value) if value is not None else (None, ())
            whole = self.recorder.find(base.tensor) if lines and base.line is not None else None
            if whole is None or id(whole) in found:
                continue
            if id(whole) in seen:
                found[id(whole)] = base.tensor
                self.outputs.append((whole, base.tensor))
            seen.add(id(whole))

    def place(self, t, found):
        """Classify a tensor: new, or a view of a new or given one."""
        value = self.recorder.find(t)
        if value is None or type(t) is not Tensor:
            raise Break(f"the result contains a {type(t).__name__} that no operator created")
        if has_forbidden_write(t):
            raise Break("the base of a view in the result was written where the view's gradient is ambiguous")
        base, lines = find_base(value)
        lines = () if base.tensor is t else lines
        given = next((i for i, each in enumerate(self.inputs) if each is origin(base)), None)
        if given is not None and not lines:
            raise Break("a result is another name of an argument that was written")
        if given is not None:
            view = self.views[id(t)] = DerivedView(InputRef(given), lines)
            if view.follow(self.inputs[given].tensor).requires_grad != t.requires_grad:
                raise Break("a result is a view of an argument that was written under another name")
        elif lines and found.get(id(whole := self.recorder.find(base.tensor)), t) is not t:
            self.views[id(t)] = view = DerivedView(whole, lines)
            if view.follow(base.tensor).requires_grad != t.requires_grad:
                raise Break("a result is a view of another that was written under another name")
        elif not any(each is t for _, each in self.outputs):
            others = [*(each.tensor for each in self.inputs), *(each for _, each in self.outputs)]
            if any(memory_of(each.array) is memory_of(t.array) for each in others):
                raise Break("two results share memory, or a result and an argument")
            self.outputs.append((value, t))

    def describe(self, part):
        cls = type(part)
        if isinstance(part, Tensor):
            return self.describe_tensor(part)
        if isinstance(part, tuple):
            return cls, [self.describe(each) for each in part]
        content = self.contents and self.contents.find(part)
        if content is not None and content.is_outside:
            return self.describe_object(content)
        return self.describe_shared(part) if id(part) in self.repeated else self.describe_new(part)

    def describe_new(self, part):
        cls = type(part)
        if cls is list:
            return cls, [self.describe(each) for each in part]
        if cls is dict:
            return dict, [(key, self.describe(each)) for key, each in part.items()]
        if is_plain_dataclass(part):
            return cls, [(name, self.describe(each)) for name, each in vars(part).items()]
        if cls in SIMPLE or cls is types.FunctionType or self.contents and id(part) in self.contents.objects:
            return Constant(part)
        raise Break(f"the result contains a {cls.__name__}")

    def describe_object(self, content):
        if content not in self.objects:
            self.objects.append(content)
        return ObjectRef(len(self.inputs) + self.objects.index(content))

    def describe_shared(self, part):
        """Describe a new container that is in several places."""
        if id(part) not in self.shared:
            self.shared[id(part)] = Shared(self.describe_new(part))
        return self.shared[id(part)]

    def describe_tensor(self, t):
        given = next((i for i, value in enumerate(self.inputs) if value.tensor is t), None)
        if given is not None:
            return InputRef(given)
        view = self.views.get(id(t))
        if view is None:
            return OutputRef(next(i for i, (_, each) in enumerate(self.outputs) if each is t))
        if isinstance(view.base, Value):
            view.base = OutputRef(next(i for i, (value, _) in enumerate(self.outputs) if value is view.base))
        return view

    def __call__(self, tensors, made):
        shared: dict = {}
        result = build(self.structure, tensors, made, shared)
        for place, gone, part in self.changes:
            Content("", tensors[place]).repeat(gone, build(part, tensors, made, shared))
        return result


def has_forbidden_write(t):
    """Return True for a view whose base was written such that reading the view's ``grad_fn`` raises an error."""
    try:
        t.grad_fn  # noqa: B018 - reading it brings the graph of a written view up to date
    except RuntimeError:
        return True
    return False


def collect_tensors(part, found):
    """Append the tensors in a result."""
    if isinstance(part, Tensor):
        found.append(part)
    elif isinstance(part, (tuple, list)):
        for each in part:
            collect_tensors(each, found)
    elif type(part) is dict or is_plain_dataclass(part):
        for each in part.values() if type(part) is dict else vars(part).values():
            collect_tensors(each, found)


def find_repeated(part, seen, found):
    """Add the ids of the containers that are in several places of a result."""
    if not isinstance(part, (list, dict, tuple)) and not is_plain_dataclass(part):
        return
    if id(part) in seen:
        found.add(id(part))
        return
    seen.add(id(part))
    for each in (
        part.values() if isinstance(part, dict) else part if isinstance(part, (list, tuple)) else vars(part).values()
    ):
        find_repeated(each, seen, found)


def is_plain_dataclass(part):
    """Return True for an object of a dataclass that has only its fields."""
    if not dataclasses.is_dataclass(part) or isinstance(part, type) or not hasattr(part, "__dict__"):
        return False
    return list(vars(part)) == [field.name for field in dataclasses.fields(part)] and type(part).__base__ is object


def find_base(value):
    """Return the value of which another is a view, as it was made, and the lines that lead to the view.

    A write returns the tensor that it writes, so it is no line on the way.
    """
    lines = []
    while (before := base_of_view(value)) is not None or origin(value) is not value:
        if before is None:
            value = origin(value)
            continue
        lines.append((value.line, place_in(value)))
        value = before
    return value, lines[::-1]


def base_of_view(value):
    """Return the value of which another is a view made by a single line; None for others."""
    line = value.line
    if line is None or line.writes or len(line.inputs) != 1 or not line.args or line.args[0] is not line.inputs[0]:
        return None
    basic = line.name in ("detach", "data") or line.name == "__getitem__" and is_basic(line.args[1])
    return line.args[0] if basic or line.operator is not None and line.operator.view else None


def place_in(value):
    """Return the index of a value among the results of its line; None for a single result."""
    parts = value.line.result
    return None if isinstance(parts, Value) else next(i for i, each in enumerate(parts) if each is value)


def build(part, tensors, made, shared):
    """Build a result from the tensors of a run: given ones and new ones; ``shared`` gets what is in several places."""
    cls = type(part)
    if cls is OutputRef:
        return made[part]
    if cls is ElementRef:
        return made[part].item()
    if cls is InputRef or cls is ObjectRef:
        return tensors[part]
    if cls is DerivedView or cls is Shared:
        if part not in shared:
            inner = build(part.base if cls is DerivedView else part.part, tensors, made, shared)
            shared[part] = part.follow(inner) if cls is DerivedView else inner
        return shared[part]
    if issubclass(cls, Constant):
        return part.value
    kind, parts = part
    if kind is dict:
        return {key: build(each, tensors, made, shared) for key, each in parts}
    if (
        parts
        and type(parts[0]) is tuple
        and len(parts[0]) == 2
        and type(parts[0][0]) is str
        and dataclasses.is_dataclass(kind)
    ):
        whole = object.__new__(kind)
        whole.__dict__.update((name, build(each, tensors, made, shared)) for name, each in parts)
        return whole
    return rebuild(kind, [build(each, tensors, made, shared) for each in parts])
