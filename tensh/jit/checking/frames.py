"""The variables of a script, block by block: what a name stands for, and why it stands for nothing."""

from tensh.jit.checking.values import Value, convert, describe, fits, join, members
from tensh.jit.scripting.kinds import NUMBER, element_of

__all__ = ["Frame", "Frames"]

EMPTY_LISTS = (
    "Empty lists default to List[Tensor]. Add a variable annotation to the assignment to create an empty list of another type "
    "(torch.jit.annotate(List[T, []]) where T is the type of elements in the list for Python 2)\n"
)


class Frame:
    """The variables that a block assigns.  ``exits`` is True if the last statement leaves the block."""

    def __init__(self, parent=None):
        self.parent, self.names, self.errors, self.exits = parent, {}, {}, False

    def find(self, name):
        """Return what a name stands for, here or around; None for a name that is not defined."""
        found = self.names.get(name)
        return self.parent.find(name) if found is None and self.parent is not None else found

    def find_error(self, name):
        """Return why a name is not defined, None if nothing is known about it."""
        found = self.errors.get(name)
        return self.parent.find_error(name) if found is None and self.parent is not None else found


class Frames:
    """The part of the checker that keeps variables."""

    def store(self, name, value, node, kind=None):
        """Let a name stand for a value; ``kind`` is the type that the assignment declares."""
        outer = self.frame.parent.find(name) if self.frame.parent is not None else None
        if outer is not None and kind is not None:
            text = f"Attempting to declare and annotate the type of variable '{name}' but it is already defined in an outer block"
            self.refuse(node, text)
        if isinstance(outer, Value) and isinstance(value, Value):
            value = convert(value, outer.kind)
            if not fits(value.kind, outer.kind):
                text = f"Variable '{name}' previously had type {describe(outer)} but is now being assigned to a value of type "
                both_lists = element_of(outer.kind) is not None and element_of(value.kind) is not None
                self.refuse(node, f"{text}{describe(value)}\n{EMPTY_LISTS if both_lists else ''}")
        if kind is not None and isinstance(value, Value):
            if not fits(convert(value, kind, loose=False).kind, kind):
                text = f"Variable '{name}' is annotated with type {describe(kind)} but is being assigned to a value of type "
                self.refuse(node, text + describe(value))
            value = Value(kind)
        if isinstance(value, Value) and value.empty:
            value = Value(value.kind)
        self.frame.names[name] = value

    def within(self, run):
        """Run a function in a block around which nothing is known of it afterwards; return the block."""
        made = self.frame = Frame(self.frame)
        try:
            run()
        finally:
            self.frame = made.parent
        return made

    def branch(self, node, condition, arms):
        """Check the arms of a branch, functions for where the condition holds and does not, and merge their variables."""
        if condition.static is not None:
            self.refine(condition.holding if condition.static else condition.failing)
            arms[0 if condition.static else 1]()
            return
        refined = (condition.holding, condition.failing)
        made = [self.within(lambda arm=arm, each=each: (self.refine(each), arm())) for arm, each in zip(arms, refined)]
        left = [each for each in made if not each.exits]
        if not left:
            self.frame.exits = True
        elif len(left) == 1:
            self.frame.names.update(left[0].names)
            self.frame.errors.update(left[0].errors)
        else:
            self.merge(node, *made)

    def merge(self, node, one, other):
        """Take the variables of both arms of a branch into the block around."""
        for name in sorted({*one.names, *other.names}):
            values = one.find(name), other.find(name)
            if None in values:
                arm = "false" if values[1] is None else "true"
                self.frame.errors[name] = self.describe_error(node, f"{name} is not defined in the {arm} branch")
            elif all(isinstance(each, Value) for each in values):
                self.merge_values(node, name, *values)
            else:
                self.frame.names[name] = values[0]

    def merge_values(self, node, name, one, other):
        outer = self.frame.find(name)
        wide = isinstance(outer, Value) and (len(members(outer.kind)) > 1 or outer.kind is NUMBER)
        kind = join(one.kind, other.kind)
        if kind is None and wide:
            kind = outer.kind
        if kind is not None:
            self.frame.names[name] = Value(kind, one.inferred and other.inferred)
            return
        text = f"Type mismatch: {name} is set to type {describe(one)} in the true branch and type {describe(other)} in the false branch"
        if outer is not None:
            self.refuse(node, text)
        self.frame.errors[name] = self.describe_error(node, text)

    def refine(self, kinds):
        """Narrow the types of names."""
        for name, kind in kinds.items():
            self.frame.names[name] = Value(kind)

    @staticmethod
    def without(kind, left_out):
        """Return a type without some of its members; the type itself, if nothing would be left."""
        rest = [each for each in members(kind) if each not in left_out]
        found = rest[0] if rest else kind
        for each in rest[1:]:
            found = found | each
        return found
