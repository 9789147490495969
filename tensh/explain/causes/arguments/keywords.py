"""Keywords that a function lacks, and the ones that are meant."""

import ast
import functools
import inspect
import os
import types

from tensh.explain.model import Explanation, Fit
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.attempts import make_shadow, works
from tensh.explain.trials.trusted import is_module, is_tensh_value
from tensh.support.language import _, list_names
from tensh.support.spelling import close

TABLE = os.path.join(os.path.dirname(__file__), "keywords.txt")
NUMPY = {"axis": "dim", "keepdims": "keepdim", "x1": "input", "x2": "other"}
"""NumPy's names, which PyTorch accepts as well."""
MOST_NAMES = 8
LEAST_BEGIN = 4  # letters of a name with which a longer keyword begins, as `biased` for bias
OPERATION = "name"  # operation of such an explanation, beside which no other names are suggested
VARIADIC = {"bounds": ("start", "end", "step")}
"""Names of arguments collected by position, as in ``arange(*bounds)``."""


def explain_keyword(situation):
    """Explain `x.sort(reverse=True)`: suggest the arguments that were meant, tried where shapes alone can tell."""
    node = next((each for each in reversed(situation.place.path()) if isinstance(each, ast.Call)), None)
    if node is None or not isinstance(situation.error, TypeError):
        return None
    called = situation.look_up(node.func)
    called = situation.evaluate(node.func) if called is None else called
    is_operation = (
        not isinstance(called, type) and not is_module(called) and is_tensh_value(getattr(called, "__func__", called))
    )
    names, known = list_arguments(called), NUMPY if is_operation else {}
    unknown = [each for each in node.keywords if each.arg and each.arg not in names and each.arg not in known]
    if not names or not unknown:
        return None
    given = {each.arg for each in node.keywords}
    meant = [find_meaning(each.arg, [name for name in names if name not in given]) for each in unknown]
    pair = explain_pair(situation, node, unknown, meant)
    if pair is not None:
        return pair
    function, words = ast.unparse(node.func), list_names([each.arg for each in unknown])
    if None in meant or len({*meant}) < len(meant):
        shown = [name for name in names if name[0] != "_" and name not in known]
        rule = _("{name} has no {argument}: its arguments are {names}").format(
            name=function, argument=words, names=list_names(shown, MOST_NAMES)
        )
        return Explanation(OPERATION, (), rule)
    rule = (
        _("{name} has no {argument}: the name is {meant}")
        if len(meant) == 1
        else _("{name} has no {argument}: the names are {meant}")
    )
    rule = rule.format(name=function, argument=words, meant=list_names(meant))
    fit = rename(situation.place, node, unknown, meant) if works_renamed(situation, node, unknown, meant) else None
    return Explanation(OPERATION, (), rule, (fit,) if fit else ())


def explain_pair(situation, node, unknown, meant):
    """Explain `Adam(p, beta1=0.9, beta2=0.99)`, whose two numbers are one argument; None for other keywords."""
    if len(unknown) != 2 or meant != ["betas", "betas"]:
        return None
    values = [ast.unparse(each.value) for each in sorted(unknown, key=lambda each: each.arg)]
    kept = [ast.unparse(each) for each in (*node.args, *node.keywords) if each not in unknown]
    function, words = ast.unparse(node.func), list_names([each.arg for each in unknown])
    rule = _("{name} has no {argument}: the name is {meant}").format(name=function, argument=words, meant="betas")
    fit = replace_node(situation.place, node, f"{function}({', '.join([*kept, f'betas=({values[0]}, {values[1]})'])})")
    return Explanation(OPERATION, (), rule, (fit,) if fit else ())


def list_arguments(called):
    """Return the parameters of a function, method or class; () if it takes any keyword.

    Runs no code of a class.
    """
    function = called
    if isinstance(called, type) or is_module(called):
        kind, name = (called, "__init__") if isinstance(called, type) else (type(called), "forward")
        function = next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)
    function = getattr(function, "__func__", function)
    if not isinstance(function, types.FunctionType):
        return []
    try:
        parameters = inspect.signature(called if isinstance(called, type) else function).parameters.values()
    except (TypeError, ValueError):
        return []
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return []
    if function is not called and not isinstance(called, type):
        parameters = [*parameters][1:]
    named = (VARIADIC.get(each.name, (each.name,)) for each in parameters)
    return [name for names in named for name in names]


def find_meaning(word, names):
    """Return the argument that a keyword means, by its meaning, spelling, or a part of its name; None if there is none."""
    same = [name for name in meanings().get(word, ()) if name in names]
    spelled = [name for name in names if name.replace("_", "") == word.replace("_", "").lower()]
    near = close(word, names)
    parts = [name for name in names if word in name.split("_")]
    begun = [name for name in names if name.startswith(f"{word}_")]
    parts = begun if len(begun) == 1 else parts
    longer = [name for name in names if len(name) >= LEAST_BEGIN and word.startswith(name)]
    only = next((each for each in (parts, longer) if len(each) == 1), [])
    found = next(iter([*same, *spelled, *([near] if near else []), *only]), None)
    return NUMPY.get(found, found)


@functools.cache
def meanings():
    """Return keyword -> the arguments it may mean, from the table."""
    found = {}
    with open(TABLE, encoding="utf-8") as file:
        for line in file.read().splitlines():
            words, _colon, names = line.partition(":")
            for word in words.split() if line[0] != "#" else ():
                found.setdefault(word, []).extend(names.split())
    return found


def works_renamed(situation, node, unknown, meant):
    """Return True unless the call with renamed arguments fails on stand-ins; one that cannot be tried counts as working."""
    new = dict(zip(unknown, meant, strict=True))
    keywords = [ast.keyword(new.get(each, each.arg), each.value) for each in node.keywords]
    return works(ast.Call(node.func, node.args, keywords), make_shadow(situation.names, node)) is not False


def rename(place, node, keywords, names):
    """Return the Fit of a call with other keywords, as the line or as the failed call itself; None if it spans lines."""
    if node.lineno != node.end_lineno:
        return None
    line, end = place.source.split("\n")[node.lineno - 1].encode(), node.end_col_offset
    for keyword, name in sorted(zip(keywords, names, strict=True), key=lambda pair: -pair[0].col_offset):
        start, length = keyword.col_offset, len(keyword.arg.encode())
        line, end = line[:start] + name.encode() + line[start + length :], end + len(name) - length
    is_piece = node is place.path()[-1]
    return Fit(line[node.col_offset : end].decode()) if is_piece else Fit(line.decode().strip(), "", node.lineno)
