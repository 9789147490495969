"""Directives that write the reference from what the program itself reads.

`{names} torch.nn` gives an entry for every public name of a namespace, from the facts that `tensh doc` shows;
`{commands}`, `{prompt-commands}` and `{settings}` give the tables of the command line. A namespace that is on no page
is a warning.
"""

import inspect
import io
import re

from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from tensh.cli.commands import application
from tensh.cli.process.environment import Environment
from tensh.cli.session import magics  # noqa: F401 (fills the table)
from tensh.cli.session.help import names, page
from tensh.cli.session.magics.registry import MAGICS
from tensh.cli.settings import config

logger = logging.getLogger(__name__)
DIRECTIVES = {
    "operator": "function",
    "in-place operator": "function",
    "function": "function",
    "method": "method",
    "class": "class",
    "module": "data",
    "constant": "data",
    "property": "property",
}
LAST = ("class", "module", "constant")
MARKUP = re.compile(r"([\\*_\[\]<>#|$~{}])")


def escape(text):
    """Plain text as Markdown; pieces between backticks stay as they are."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick without its partner
        return MARKUP.sub(r"\\\1", text).replace("`", r"\`")
    return "`".join(part if number % 2 else MARKUP.sub(r"\\\1", part) for number, part in enumerate(parts))


def format_paragraph(text):
    """A paragraph as Markdown: arguments become a list; other indented ones and tables are shown as they are written."""
    if text.startswith("Args:\n"):
        return format_arguments(text.split("\n")[1:])
    if text.startswith(" ") or "\n " in text:
        return f"```text\n{text}\n```"
    return escape(re.sub(r"^(\d+)([.)])", r"\1\\\2", text)).replace("\n- ", "\n\n- ").replace("\n+", "\n\\+")


def format_arguments(lines):
    """The items under ``Args:`` as a list; lines that are indented further belong to the item above."""
    margin, items = len(lines[0]) - len(lines[0].lstrip()), []
    for line in lines:
        if line[margin : margin + 1].isspace():
            items[-1] += " " + line.strip()
        else:
            items.append(line.strip())
    return "\n".join(f"- `{name}`: {escape(text)}" for name, _, text in (item.partition(": ") for item in items))


def write_name(name):
    """The entry of a public name as MyST text."""
    facts = page.facts(name)
    directive = DIRECTIVES[name.kind]
    if directive == "function" and name.space == "torch.Tensor":
        directive = "method"
    called = facts["signature"] if directive in ("function", "method", "class") else None
    lines = [f"`````{{py:{directive}}} {name.path}{called if called and called != '(...)' else ''}", ""]
    if name.kind != "constant":
        lines += [format_paragraph(part) + "\n" for part in facts["text"].split("\n\n") if part.strip()]
    for each in facts["gradients"]:
        formulas = [f"{operand}: {text}" for operand, text in each["gradients"].items()]
        parts = [f"    with {target} = {text}" for target, text in each.get("with", {}).items()]
        condition = f" if {each['if']}" if "if" in each else ""
        lines += [f"Gradient{condition}:".replace("_", "\\_"), "", "```text", *formulas, *parts, "```", ""]
    if facts["example"]:
        lines += ["```pycon", *facts["example"], "```", ""]
    return "\n".join([*lines, "`````", ""])


def place(name):
    """Where an entry stands on its page: functions first, then classes, then constants, each by name."""
    return LAST.index(name.kind) if name.kind in LAST else -1, name.name.lower(), name.name


class Generated(SphinxDirective):
    """A directive whose content is MyST text that `write` gives."""

    def run(self):
        return self.parse_text_to_nodes(self.write(), allow_section_headings=True)


class Names(Generated):
    """`{names} SPACE`: every public name of a namespace."""

    required_arguments = 1

    def write(self):
        space = self.arguments[0]
        self.env.domaindata.setdefault("tensh_spaces", set()).add(space)
        found = [names.Name(space, name, entry) for name, entry in names.entries(space).items() if name[0] != "_"]
        return "\n".join(map(write_name, sorted(found, key=place)))


def format_cell(text):
    return escape(" ".join(str(text or "").split())).replace("|", r"\|")


def write_table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def write_option(parameter):
    flags = ", ".join(f"`{flag}`" for flag in parameter.opts)
    choices = "|".join(map(str, getattr(parameter.type, "choices", ())))
    metavar = parameter.metavar or (f"<{choices}>" if choices else "")
    value = f" `{metavar}`".replace("|", r"\|") if metavar and not parameter.is_flag else ""
    return flags + value, format_cell(parameter.help)


class Commands(Generated):
    """`{commands}`: every command with its options."""

    def write(self):
        group = application(Environment(stdout=io.StringIO(), stderr=io.StringIO(), variables={}))
        shared = {row for row, _ in map(write_option, options_of(group))}
        commands = [write_command("tensh", group)]
        for name, command in group.commands.items():
            if not command.hidden:
                commands.append(write_command(f"tensh {name}", command, shared))
        return "\n".join(commands)


def options_of(command):
    return [each for each in command.params if each.param_type_name == "option" and not each.hidden]


def write_command(title, command, shared=()):
    """A section for a command; options that all commands share stand with `tensh` alone."""
    arguments = " ".join(each.name.upper() for each in command.params if each.param_type_name == "argument")
    rows = [*map(write_option, options_of(command))]
    own = [row for row in rows if row[0] not in shared]
    parts = [
        f"## {title}",
        f"```text\n{title} [OPTIONS] {arguments}".rstrip() + "\n```",
        escape(inspect.cleandoc(command.help or "")),
        write_table(("option", "meaning"), own) if own else "",
        "It takes the options of `tensh` as well." if len(own) < len(rows) else "",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


class PromptCommands(Generated):
    """`{prompt-commands}`: the commands that begin with a percent sign."""

    def write(self):
        rows = [(f"`{each.usage}`", format_cell(each.summary)) for each in MAGICS.values()]
        return write_table(("command", "what it does"), rows)


class Settings(Generated):
    """`{settings}`: the settings, their defaults and what they can be."""

    def write(self):
        rows = [
            (
                f"`{name}`",
                f"`{config.format_value(each.default)}`",
                format_cell(config.describe_allowed(name)),
                format_cell(each.help),
            )
            for name, each in config.DECLARED.items()
        ]
        return write_table(("setting", "default", "can be", "sets"), rows)


def check_spaces(app, env):
    """Warn about namespaces that stand on no page."""
    written = env.domaindata.get("tensh_spaces", set())
    if written:
        for space in names.spaces():
            if space not in written and names.entries(space):
                logger.warning("no page of the reference has the names of %s", space)


def setup(app):
    directives = {"names": Names, "commands": Commands, "prompt-commands": PromptCommands, "settings": Settings}
    for name, directive in directives.items():
        app.add_directive(name, directive)
    app.connect("env-check-consistency", check_spaces)
    return {"parallel_read_safe": False}
