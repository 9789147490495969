"""Parsing the arguments of a command as those of a call."""

import ast

from tensh.cli.session.magics.registry import MAGICS, MagicError
from tensh.cli.session.magics.writing import as_python, parse_arguments
from tensh.support.language import _
from tensh.support.patterns import pattern

SHORT = pattern(r"(?:^|[ \t])-(?P<name>[A-Za-z]\w*)(?=[ \t]|$)")  # as in `y -o file`
OPERANDS = ("tensor", "names", "name")  # parameters of functions of tensh.show that are no options


def parse_call(session, command):
    """Return (texts, values, named values) of `%plot x, y, logx=True`, which may be written `%plot x y --logx`."""
    text = command.argument
    if not text:
        return [], [], {}
    refuse_short_options(session, command)
    call = parse_arguments(as_python(text, MAGICS[command.name].switches))
    if call is None:
        command.parse("eval")  # raises the SyntaxError of the expression itself
        raise misused(command)
    values = [value(session, command, node) for node in call.args]
    texts = [ast.unparse(node) for node in call.args]
    return texts, values, {each.arg: value(session, command, each.value) for each in call.keywords}


def value(session, command, node):
    """Evaluate an expression, located on the line of the command in case it fails."""
    line = command.source.lines[command.first - 1]
    shift = len(line.encode()) - len(line[line.index(command.argument, 1) :].encode()) - len("_(")
    for each in ast.walk(node):
        if hasattr(each, "lineno"):
            each.lineno = each.end_lineno = command.first
            each.col_offset += shift
            each.end_col_offset += shift
    code = compile(ast.Expression(node), command.source.filename, "eval", session.flags, dont_inherit=True)
    return eval(code, session.namespace)


def misused(command):
    """Return the error of a command whose arguments do not fit its usage."""
    return MagicError(_("%{name}: write {usage}").format(name=command.name, usage=MAGICS[command.name].usage))


def refuse_short_options(session, command):
    """Raise MagicError for an option with one hyphen, such as `-o`, which else would be a subtraction."""
    import builtins

    for found in SHORT.finditer(command.argument):
        if found["name"] not in session.namespace and not hasattr(builtins, found["name"]):
            raise MagicError(
                _("%{name}: there is no option -{option}; write {usage}").format(
                    name=command.name, option=found["name"], usage=MAGICS[command.name].usage
                )
            )


def refuse_surplus(command, function, values, options):
    """Raise MagicError for more arguments than the function of a command takes, names that it is given aside."""
    from inspect import signature

    taken = signature(function)
    named = {name: each.default for name, each in taken.parameters.items() if name in OPERANDS[1:]}
    if options.keys() & {"static", "compiled"}:  # the graph of a function, given with inputs
        named = {}
    try:
        taken.bind_partial(*values, **(named | options))
    except TypeError:
        raise misused(command) from None


def refuse_options(command, function, options):
    """Raise MagicError for an option that the function of a command does not take, or one without its value."""
    from inspect import signature

    from tensh.support.spelling import close

    known = {
        name: each.default
        for name, each in signature(function).parameters.items()
        if each.default is not each.empty and name not in OPERANDS
    }
    unknown = next((name for name in options if name not in (*known, *OPERANDS)), None)
    if unknown is None:
        for name, given in options.items():
            if given is True and not isinstance(known.get(name, True), bool):
                raise MagicError(
                    _("%{name}: {option} expects a value: {option} VALUE").format(name=command.name, option=f"--{name}")
                )
        return
    meant = close(unknown, known)
    if meant:
        rest = _("did you mean {meant}?").format(meant=f"--{meant}")
    elif known:
        rest = _("it has {options}").format(options=", ".join(f"--{name}" for name in known))
    else:
        rest = _("it has none")
    raise MagicError(
        _("%{name}: there is no option {option}; {rest}").format(name=command.name, option=f"--{unknown}", rest=rest)
    )


def refuse_argument(command):
    """Raise MagicError for an argument that would be ignored."""
    if command.argument:
        raise MagicError(
            _("%{name} takes no argument, but got {argument!r}").format(name=command.name, argument=command.argument)
        )


def whole_number(command):
    """Return the argument as an integer, None if there is none."""
    if not command.argument:
        return None
    try:
        return int(command.argument, 0)
    except ValueError:
        usage = MAGICS[command.name].usage
        raise MagicError(
            _("%{name} {argument}: expected a whole number: {usage}").format(
                name=command.name, argument=command.argument, usage=usage
            )
        ) from None
