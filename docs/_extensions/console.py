"""Colours for `console` blocks: commands stand out, what they print is plain text, and quotes may span lines."""

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Generic, Keyword, Text


class Console(RegexLexer):
    name = "console"
    tokens = {
        "root": [
            (r"^([$>] )(.*\n)", bygroups(Generic.Prompt, Keyword)),
            (r".*\n", Text),
        ]
    }


def setup(app):
    app.add_lexer("console", Console)
    return {"parallel_read_safe": True}
