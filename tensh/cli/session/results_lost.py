"""The note on a result that nothing keeps, in code that runs."""

import re

from tensh.cli.session.failure import Place
from tensh.explain.lost import find_lost
from tensh.explain.place import parse_source
from tensh.language import _

MEASURED = re.compile(r"\b(time|timeit|perf_counter|profile|profiler|raises)\b")
"""What stands where it counts that something is computed, not what comes of it."""


def find_lost_result(statement, namespace):
    """(place, message, advice) of a line within a statement whose result is lost; None where all is well."""
    source = statement.source
    tree = None if MEASURED.search(source.text) else parse_source(source.text)
    found = tree and find_lost(tree, (statement.first, statement.last), namespace)
    if not found:
        return None
    node = found.node
    place = Place(source, None, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
    if found.is_layer:
        message = _("this makes a layer, and computes nothing: {name} stays as it is")
    else:
        message = _("this gives a new tensor, and nothing keeps it: {name} stays as it is")
    return place, message.format(name=found.name), found.code
