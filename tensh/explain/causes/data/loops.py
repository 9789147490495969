"""Loops over loaders of batches."""

import ast


def loop_over_loader(situation):
    """Return (the for statement on the failing line, its loader); None if there is none."""
    tree, line = situation.place.tree(), situation.place.line
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.For | ast.comprehension) and getattr(node.iter, "lineno", 0) == line:
            loader = situation.look_up(node.iter)
            if hasattr(type(loader), "__iter__") and hasattr(loader, "dataset"):
                return node, loader
            if (
                isinstance(node.iter, ast.Call)
                and ast.unparse(node.iter.func).endswith("DataLoader")
                and node.iter.args
            ):
                return node, situation.look_up(node.iter.args[0])
    return None
