"""An example for every public name: from its docstring, from ``examples.txt``, or by its kind.

A line of the file is ``NAME: ARGUMENTS`` or ``NAME: STATEMENT; ARGUMENTS``: the function is called with the arguments,
by the requested path; a method is called on the first of them. ``>>>`` introduces whole statements. The output of an
example is not stored: it runs when it is shown.
"""

import ast
import contextlib
import inspect
import io
import os
import warnings
from functools import cache
from types import ModuleType

from tensh.engine.codegen.operator import Inplace, Op
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.operators.layers.composites.registry import LAYERS

FILE = os.path.join(os.path.dirname(__file__), "examples.txt")
USUAL = {  # operands of pointwise operators, by their number and whether floating-point numbers are accepted
    (1, True): "torch.tensor([0.25, 0.5, 0.75])",
    (1, False): "torch.tensor([1, 2, 3])",
    (2, True): "torch.tensor([1.0, 2.0, 3.0]), torch.tensor([3.0, 2.0, 1.0])",
    (2, False): "torch.tensor([1, 2, 3]), torch.tensor([3, 2, 1])",
}


@cache
def read_examples():
    """Return name -> example, read from the file."""
    table = {}
    with open(FILE, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                names, _, text = line.partition(":")
                table |= dict.fromkeys(names.split(), text.strip())
    return table


def example(name):
    """Return the lines of a session that demonstrates a Name; [] if there is no example."""
    lines = read_docstring_examples(name.doc)
    if lines:
        return lines
    code = code_of(name)
    return transcript(code) if code else []


def read_docstring_examples(text):
    """Return the example lines of a docstring, without the import at their start."""
    lines, begun = [], False
    for line in text.split("\n"):
        begun = line.startswith(">>>") or begun and bool(line.strip())
        if begun and line != ">>> import tensh as torch":
            lines.append(
                line.replace("<BLANKLINE>", "")
                .replace("import tensh as torch", "")
                .replace(">>> import numpy as np, ", ">>> import numpy as np")
            )
    return lines


def code_of(name):
    """Return the statements of an example for a Name, or None."""
    short = name.path.removeprefix("torch.")
    text = read_examples().get(short)
    if text is None and isinstance(name.entry, (type, ModuleType)):  # the examples are for a function of this name
        return None
    if text is not None and text.startswith(">>>"):
        return text.removeprefix(">>>").strip().replace("; ", "\n")
    ways = (
        (find_arguments(name.name), find_arguments(name.name.removesuffix("_")), usual(name.entry))
        if text is None
        else (text,)
    )
    text = next((each for each in ways if each is not None), None)
    if text is None:
        return None
    *before, arguments = text.split("; ")
    is_method = name.space == "torch.Tensor"
    call = method_call(name.name, arguments) if is_method else [f"{name.path}({arguments})"]
    return "\n".join([*before, *call])


def find_arguments(name):
    """Return example arguments for a function of this name, whatever its namespace, or None."""
    if name in read_examples():
        return None if read_examples()[name].startswith(">>>") else read_examples()[name]
    entry = PUBLIC.get(name) or LAYERS.get(name)
    doc = entry.doc if isinstance(entry, Op) else inspect.getdoc(entry) if inspect.isroutine(entry) else None
    sources = [line[4:] for line in read_docstring_examples(doc or "") if line.startswith((">>>", "..."))]
    try:
        *before, last = ast.parse("\n".join(sources)).body
        call = last.value
        if not (isinstance(call, ast.Call) and call.func.attr == name and call.func.value.id in ("torch", "F")):
            return None
    except (SyntaxError, ValueError, AttributeError):  # not an example of this function
        return None
    arguments = [ast.unparse(each) for each in (*call.args, *call.keywords)]
    return "; ".join([*map(ast.unparse, before), ", ".join(arguments)])


def method_call(name, arguments):
    """Return the statements that call a method on the first argument of its function."""
    call = ast.parse(f"f({arguments})").body[0].value
    first, rest = call.args[0], [ast.unparse(each) for each in call.args[1:]]
    rest += [ast.unparse(each) for each in call.keywords]
    subject = ast.unparse(first)
    before = [] if isinstance(first, ast.Name) else [f"x = {subject}"]
    return [*before, f"{subject if not before else 'x'}.{name}({', '.join(rest)})"]


def usual(entry):
    """Return example arguments for a pointwise operator."""
    op = entry.op if isinstance(entry, Inplace) else entry
    if isinstance(op, Op) and op.pointwise:
        return USUAL.get((len(op.inputs), "f" in op.types))
    return None


def transcript(code):
    """Run code and return it as a transcript, with the value of each expression. Does not affect the session."""
    import numpy

    import tensh

    names = {"torch": tensh, "nn": tensh.nn, "F": tensh.nn.functional, "np": numpy}
    state = tensh.get_rng_state()
    try:
        tensh.manual_seed(0)
        with warnings.catch_warnings(), tensh.enable_grad():
            warnings.simplefilter("ignore")
            return [*run_examples(code, names)]
    finally:
        tensh.set_rng_state(state)


def run_examples(code, names):
    """Yield each statement with a prompt, its output, and its value."""
    for node in ast.parse(code).body:
        first, *more = ast.get_source_segment(code, node).split("\n")
        yield from (f">>> {first}", *(f"... {line}" for line in more))
        printed, value, failure = io.StringIO(), None, None
        try:
            with contextlib.redirect_stdout(printed):
                if isinstance(node, ast.Expr):
                    value = eval(compile(ast.Expression(node.value), "<example>", "eval"), names)
                else:
                    exec(compile(ast.Module([node], []), "<example>", "exec"), names)
        except Exception as error:  # some functions always raise, such as those of torch.cuda
            failure = f"{type(error).__name__}: {error}"
        yield from printed.getvalue().splitlines()
        if failure is not None:
            yield failure
            return
        if value is not None:
            yield from repr(value).split("\n")
