"""What stands behind the name of a command: expressions, as the arguments of a call."""

import ast
import re

from tensh.cli.session.magics.registry import MAGICS, MagicError


def parse_call(session, command):
    """(texts, values, named values) of `%plot x, y, logx=True`; a space does for a comma: `%plot x y`."""
    text = command.argument
    if not text:
        return [], [], {}
    call = parse_arguments(as_python(text))
    if call is None:
        ast.parse(text, command.source.filename, mode="eval")  # raises the SyntaxError of the expression as it stands
        raise MagicError(f"%{command.name}: write {MAGICS[command.name].usage}")
    values = [value(session, command, node) for node in call.args]
    texts = [ast.unparse(node) for node in call.args]
    return texts, values, {each.arg: value(session, command, each.value) for each in call.keywords}


def as_python(text):
    """The arguments as Python writes them, with a comma between."""
    return text if parse_arguments(text) else with_commas(text)


def parse_arguments(text):
    """The syntax tree of a call with these arguments, None if they are no arguments."""
    try:
        return ast.parse(f"_({text})", mode="eval").body
    except (SyntaxError, ValueError):
        return None


def with_commas(text):
    """The text with a comma in each space outside of brackets and strings; no character moves."""
    depth, quote, found = 0, "", []
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        depth += (character in "([{") - (character in ")]}")
        found.append("," if character == " " and not depth and not quote else character)
    return re.sub(r",(,+)", lambda match: "," + " " * len(match[1]), "".join(found))


def value(session, command, node):
    """The value of an expression, which stands on the line of the command when it fails."""
    line = command.source.lines[command.first - 1]
    shift = len(line.encode()) - len(line[line.index(command.argument, 1) :].encode()) - len("_(")
    for each in ast.walk(node):
        if hasattr(each, "lineno"):
            each.lineno = each.end_lineno = command.first
            each.col_offset += shift
            each.end_col_offset += shift
    code = compile(ast.Expression(node), command.source.filename, "eval", session.flags, dont_inherit=True)
    return eval(code, session.namespace)


def no_argument(command):
    """Refuse an argument that would be passed over."""
    if command.argument:
        raise MagicError(f"%{command.name}: it takes nothing more, and {command.argument!r} stands behind it")


def whole_number(command):
    """The argument as a whole number, None where there is none."""
    if not command.argument:
        return None
    try:
        return int(command.argument, 0)
    except ValueError:
        usage = MAGICS[command.name].usage
        raise MagicError(f"%{command.name} {command.argument}: write a whole number: {usage}") from None
