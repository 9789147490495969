"""Syntax highlighting of typed text: Python and commands. Imported after the first paint."""

from prompt_toolkit.lexers import Lexer, PygmentsLexer, SimpleLexer
from pygments.lexers.python import PythonLexer

from tensh.support.command_lines import command_on

LONGEST = 50_000  # characters of a block that is highlighted: each key highlights all of it, 1 s for 100,000


class CodeLexer(Lexer):
    """Python with `%name rest` and `name?` lines."""

    def __init__(self):
        self.python = PygmentsLexer(PythonLexer)
        self.plain = SimpleLexer()

    def lex_document(self, document):
        if len(document.text) > LONGEST:
            return self.plain.lex_document(document)
        python = self.python.lex_document(document)

        def line(number):
            text = document.lines[number]
            command = command_on(text)
            if not command:
                return python(number)
            if command.start("name") < command.start("argument"):
                end = command.end("name")
                return [("class:command", text[:end]), ("", text[end:])]
            return [("", text[: command.start("name")]), ("class:command", text[command.start("name") :])]

        return line
