"""The scopes and places of lines in the printed form of a traced graph."""


class Place:
    """The scope of a line, and the comment with the module and the place in the program."""

    def __init__(self, scope="", text=""):
        self.scope, self.text = scope, text

    def without_line(self):
        """Return the place with its scope alone."""
        return Place(self.scope, self.text.partition(" # ")[0])


NOWHERE = Place()


def place_of(node, in_modules):
    """Return the place of a node: the scope that a library named, otherwise the module."""
    stack, place = node.meta.get("nn_module_stack"), node.meta.get("place")
    scope = node.meta.get("scope") or ("/".join(f"__module.{each}" for each in stack) if stack and in_modules else "")
    shown = f", scope: {scope}" if scope else ""
    return Place(scope, f"{shown} # {place[0]}:{place[1]}:0" if place else shown)
