"""The line about a cell in a text file, from which a notebook can be rebuilt.

`[3] A title {"metadata": ...}`: the number with which the cell ran, its title, and everything else as JSON.
"""

import json
import re

from tensh.cli.documents.model import Cell, DocumentError, Output, guess_outputs
from tensh.support import bounded_json
from tensh.support.language import _, deferred

HEAD = re.compile(
    r"(?:\[(?P<count>\d{1,9})\] ?)?(?:\[(?P<kind>markdown|raw)\] ?)?(?P<title>[^{]*)(?P<json>\{.*\})?\Z", re.S
)
KINDS = {"markdown": "prose", "raw": "raw"}
DEEPEST = 100  # nested containers
NAMES = {
    dict: deferred("an object"), list: deferred("a list"), str: deferred("a text"), bool: deferred("true or false"),
    type(None): "null",
}  # fmt: skip
NOT_A_LINE = re.compile("[\r\ud800-\udfff]")  # characters that a line of a text file cannot hold


def loads(text, what):
    """Parse a text as a JSON object; raise DocumentError, whose message begins with ``what``, for other texts."""
    try:
        found = bounded_json.loads(text, DEEPEST)
    except RecursionError:
        raise DocumentError(_("{what}it is nested too deeply").format(what=what)) from None
    except json.JSONDecodeError as error:
        where = (
            _("line {lineno}, column {colno} is invalid ({msg})").format(
                lineno=error.lineno, colno=error.colno, msg=error.msg
            )
            if text.strip()
            else _("it is empty")
        )
        raise DocumentError(_("{what}expected JSON, but {where}").format(what=what, where=where)) from None
    except bounded_json.BoundError as error:
        raise DocumentError(f"{what}{error}") from None
    except ValueError:  # raised by Python for numbers with thousands of digits
        raise DocumentError(_("{what}it has a number with too many digits").format(what=what)) from None
    if not isinstance(found, dict):
        raise DocumentError(
            _("{what}expected an object, but it is {found}").format(what=what, found=name_json_type(found))
        )
    return found


def name_json_type(value):
    """Name the JSON type of a value."""
    return _(NAMES.get(type(value), deferred("a number")))


def dumps(facts):
    """Format a JSON object as one line."""
    text = json.dumps(facts, ensure_ascii=False)
    return json.dumps(facts) if NOT_A_LINE.search(text) else text


def head(cell, with_outputs=True):
    """Return the line with the facts about a cell that its text does not hold."""
    metadata = dict(cell.metadata)
    title = metadata.get("title", "")
    if isinstance(title, str) and title and title == title.strip() and not re.search(r"[\[{\n]|-->", title):
        del metadata["title"]
    else:
        title = ""
    more = {name: value for name, value in cell.more.items() if name != "id"}  # a notebook gets new ids
    facts = {"metadata": metadata} | more if metadata else more
    described = describe(cell) if with_outputs else None
    if described:
        facts = facts | {"outputs": described}
    parts = [f"[{cell.count}]"] if cell.count is not None else []
    parts += [f"[{name}]" for name, kind in KINDS.items() if kind == cell.kind]
    parts += [title] if title else []
    parts += [dumps(facts)] if facts else []
    return " ".join(parts)


def make_cell(line, lines, output_lines=(), form=""):
    """Build a cell from its head line and the lines of its text."""
    match = HEAD.match(line.strip())
    try:
        facts = loads(match["json"], _("the metadata of a cell: ")) if match["json"] else {}
    except (DocumentError, TypeError):  # not ours: a title that contains a brace
        match, facts = HEAD.match(""), {"metadata": {"title": line.strip()}}
    metadata = facts.pop("metadata", {})
    metadata = metadata if isinstance(metadata, dict) else {}
    title = match["title"].strip()
    described = facts.pop("outputs", None)
    text = "\n".join(lines)
    return Cell(
        KINDS.get(match["kind"], "code"), text, restore_outputs(described, [*output_lines], text),
        metadata | ({"title": title} if title else {}), match["count"] and int(match["count"]), facts, form,
    )  # fmt: skip


# ── outputs ──────────────────────────────────────────────────────────────────


def describe(cell):
    """Describe how the lines of output divide into outputs; None if a reader would guess it."""
    if cell.outputs == guess_outputs(cell.text, output_lines(cell)):
        return None
    return [describe_output(output) for output in cell.outputs]


def describe_output(output):
    found = {"kind": output.kind}
    found |= {"lines": len(output.lines)} if is_in_lines(output) else {"text": output.text}
    return found | ({"more": output.more} if output.more else {})


def is_in_lines(output):
    """Return True if an output can be written as lines of a text file."""
    if output.kind == "other" or NOT_A_LINE.search(output.text) or not output.text:
        return False
    return output.text.endswith("\n") == (output.kind in ("printed", "warned"))


def output_lines(cell):
    """Return the lines of all outputs of a cell."""
    return [line for output in cell.outputs if is_in_lines(output) for line in output.lines]


def is_sound(more):
    """Return True if the extra facts about an output have the form that a notebook requires."""
    return isinstance(more, dict) and isinstance(more.get("data", {}), dict)


def restore_outputs(described, lines, code):
    """Divide lines into outputs as described; guess where the lines have changed since."""
    if not isinstance(described, list) or not all(isinstance(each, dict) for each in described):
        return guess_outputs(code, lines)
    counts = [each.get("lines", 0) for each in described]
    if not all(isinstance(count, int) and 0 <= count <= len(lines) for count in counts) or sum(counts) != len(lines):
        return guess_outputs(code, lines)
    outputs, begin = [], 0
    for each, count in zip(described, counts, strict=True):
        kind, more = str(each.get("kind", "printed")), each.get("more", {})
        end = "\n" if kind in ("printed", "warned") else ""
        text = "\n".join(lines[begin : begin + count]) + end if count else str(each.get("text", ""))
        outputs.append(Output(kind, text, more if is_sound(more) else {}))
        begin += count
    return tuple(outputs)
