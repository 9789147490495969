"""The help page of a name: signature, description, gradient, example, and related names."""

import ast
import inspect
import re
import textwrap
from pathlib import Path

from tensh.cli.session.help import gradient, names
from tensh.cli.session.help.derivation import derivations
from tensh.cli.session.help.examples import example
from tensh.cli.session.help.view import fill_paragraph
from tensh.engine.codegen.operator import Inplace, Op
from tensh.show.reading.reprs import safe_repr
from tensh.support.language import _

ROOT = Path(__file__).parents[4]
MOST = 6  # operators whose derivatives are listed
WIDTH = 120  # columns, as in the source
WORDS = re.compile(r"``([\w.]+)``")
SENTENCE = re.compile(r"(?<=\.)\s+(?=Shapes?:\s|Raises?\s+[A-Z])")


def page(name, with_source=False):
    """Yield the page of a Name as (kind, text) pairs; on request with derivatives, declaration and generated function."""
    shown = gradient.formulas(name, parameters(name))
    sections = [head(name), text(name), gradient.section(shown)]
    if with_source or not shown:
        sections.append(derivative(name))
    sections += [session(name), other_names(name)]
    if with_source:
        sections.append(source(name))
    for number, section in enumerate(filter(None, map(list, sections))):
        yield "plain", "\n" * bool(number)
        yield from section


def facts(name):
    """Return the page as plain data."""
    return {
        "name": name.path,
        "kind": name.kind,
        "signature": signature(name.value, name.space == "torch.Tensor") if callable(name.value) else None,
        "text": prose(name.doc),
        "gradients": [
            {key: each[key] for key in ("if", "gradients", "with") if each[key]}
            for each in gradient.formulas(name, parameters(name))
        ],
        "derivatives": {d.op.name: {"node": d.op.node, **d.parts, **d.derivatives} for d in derivations(name.entry)},
        "example": example(name),
        "see_also": see_also(name),
    }


def head(name):
    """Show the name and its signature or kind."""
    yield "keyword", name.path
    if name.kind == "constant":
        shown = repr(name.entry)
        yield "plain", "" if shown == name.path else f" = {shown}"
        yield "note", f"  {type(name.entry).__name__}\n"
    elif name.kind in ("module", "property"):
        yield "note", f"  {_(name.kind)}\n"
    else:
        yield "signature", signature(name.value, name.space == "torch.Tensor") + "\n"


def signature(value, is_method=False):
    """Return a function's signature; for a method without self."""
    try:
        known = inspect.signature(value)
        parameters = [
            p if p.default is p.empty else p.replace(default=Default(p.default)) for p in known.parameters.values()
        ]
        if is_method and parameters and parameters[0].kind is not parameters[0].VAR_POSITIONAL:
            del parameters[0]
        return str(inspect.Signature(parameters, return_annotation=known.return_annotation))
    except KeyboardInterrupt:
        raise
    except BaseException:  # there is no signature, or user code failed
        return "(...)"


class Default:
    """A default value: a module, class or function is shown by its name."""

    def __init__(self, value):
        try:
            self.text = value.__name__
        except Exception:  # an attribute defined by the user
            self.text = safe_repr(value)

    def __repr__(self):
        return str(self.text)


def documentation_of(value):
    """Return the documentation of a value, or None; failures of user code are ignored."""
    try:
        return inspect.getdoc(value)
    except Exception:  # raised by the user's class
        return None


def text(name):
    """Show the documentation, without its example."""
    words = prose(name.doc) if name.kind != "constant" else ""
    if words:
        yield "prose", words + "\n"
    number = sum(1 for _ in names.list_names(name.path + ".")) if name.kind in ("module", "class") else 0
    if number:
        yield (
            "note",
            "\n" + _("{number} names: {command}").format(number=number, command=f"tensh api {name.path}") + "\n",
        )


def prose(doc):
    """Return the prose of a docstring; shapes and errors become separate paragraphs."""
    parts = [part for part in doc.replace("``", "`").split("\n\n") if not part.lstrip().startswith(">>>")]
    summary, *others = [piece for part in parts for piece in SENTENCE.split(part)] or [""]
    return "\n\n".join([summary, *(fill_paragraph(each, WIDTH) for each in others)]).strip()


def derivative(name):
    """Show the declared derivatives of the operators of a function, in terms of their kernels."""
    found = derivations(name.entry)
    if found:
        yield "title", _("derivative") + "\n"
    for each in found[:MOST]:
        yield "name", f"  {each.op.name}"
        yield "note", f"  {each.op.node}\n"
        for part, formula in each.parts.items():
            yield "formula", f"    {part} = {formula}\n"
        for parameter, formula in each.derivatives.items():
            yield "formula", f"    {parameter}: {formula}\n"
    if len(found) > MOST:
        yield "note", "  " + _("and {count} more operators").format(count=len(found) - MOST) + "\n"


def session(name):
    """Show an example with its output."""
    lines = example(name)
    if lines:
        yield "title", _("example") + "\n"
    for line in lines:
        yield "example", f"  {line}\n"


def other_names(name):
    """List the other forms of the function, and names mentioned in its documentation."""
    also = see_also(name)
    if also:
        yield "title", _("see also") + "\n"
        yield "prose", "  " + ", ".join(also) + "\n"


def see_also(name):
    """Return the paths of other forms (method, in-place, another namespace), then of mentioned names."""
    base = "" if name.kind == "module" else name.name.removesuffix("_")
    forms = [(space, form) for space in names.FIRST for form in (base, base + "_")]
    paths = [f"{space}.{form}" for space, form in forms if names.entry(space, form) is not names.ABSENT] if base else []
    for word in WORDS.findall(name.doc):
        found = names.find_name(word) if word[0].islower() and word not in parameters(name) else None
        if found and (found.kind != "constant" and found.kind != "property"):
            paths.append(found.path)
    return [path for path in dict.fromkeys(paths) if path != name.path]


def parameters(name):
    """Return the parameters of a function; () if they are unknown."""
    try:
        return inspect.signature(name.value).parameters
    except (ValueError, TypeError):
        return ()


# ── source ───────────────────────────────────────────────────────────────────


def source(name):
    """Show the declaration with its location, and the function generated from it."""
    op = name.entry.op if isinstance(name.entry, Inplace) else name.entry
    if isinstance(op, Op):
        op.write()
        yield from quote_code(_("declared in"), *op.place, declaration(*op.place))
        yield "title", "\n" + _("the function generated from it") + "\n"
        yield "code", indent(strip_documentation(op.text))
        return
    function = inspect.unwrap(name.value) if callable(name.value) else name.value
    yield from source_of(function)
    for each in derivations(name.entry)[:1]:
        yield from quote_code(
            "\n" + _("{name} is declared in").format(name=each.op.name), *each.op.place, declaration(*each.op.place)
        )


def source_of(value):
    """Show the source of a function or class; of a wrapped one, such as a compiled one, that of the function within."""
    try:
        value = inspect.unwrap(value) if callable(value) else value
        lines, first = inspect.getsourcelines(value)
        yield from quote_code(_("written in"), inspect.getsourcefile(value), max(first, 1), "".join(lines))
    except Exception:  # there is none, or user code failed
        yield "note", _("its source is not Python") + "\n"


def quote_code(words, file, line, code):
    yield "title", words + " "
    yield "place", f"{short(file)}:{line}\n"
    yield "code", indent(code)


def short(file):
    """Return a file of the project by its relative path."""
    path = Path(file)
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def indent(code):
    code = textwrap.dedent(code)
    return "".join(f"  {line}\n".replace("  \n", "\n") for line in code.rstrip("\n").split("\n"))


def strip_documentation(code):
    """Remove the docstring of a generated function, which is shown above already."""
    first, second, *rest = code.split("\n")
    return "\n".join([first, *rest] if second.lstrip().startswith(("'", '"')) else [first, second, *rest])


def declaration(file, line):
    """Return the top-level statement at a line of a file, with its decorators."""
    text = Path(file).read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        if first <= line <= node.end_lineno:
            return "\n".join(text.split("\n")[first - 1 : node.end_lineno])
    return ""
