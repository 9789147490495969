"""Counts of things in words, in the current language."""

from tensh.support.language import _

MOST_COUNTED = 10**18  # paths of a graph are counted up to this number; there may be exponentially many


def count_steps(number):
    return _("1 step") if number == 1 else _("{number} steps").format(number=f"{number:,}")


def count_leaves(number):
    return _("1 leaf") if number == 1 else _("{number} leaves").format(number=f"{number:,}")


def count_paths(number):
    if number >= MOST_COUNTED:
        return _("more than 10^18 paths")
    return _("1 path") if number == 1 else _("{number} paths").format(number=f"{number:,}")


def count_entries(number):
    return _("1 entry") if number == 1 else _("{number} entries").format(number=f"{number:,}")


def count_nodes(number):
    return _("1 node") if number == 1 else _("{number} nodes").format(number=f"{number:,}")
