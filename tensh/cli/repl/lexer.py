"""Colours for what is typed: Python's, and those of commands. Imported after the first paint."""

from prompt_toolkit.lexers import Lexer, PygmentsLexer
from pygments.lexers.python import PythonLexer

from tensh.cli.session.source import command_on


class CodeLexer(Lexer):
    """Python with lines `%name rest` and `name?` in it."""

    def __init__(self):
        self.python = PygmentsLexer(PythonLexer)

    def lex_document(self, document):
        python = self.python.lex_document(document)

        def line(number):
            text = document.lines[number]
            command = command_on(text)
            if not command:
                return python(number)
            if text.startswith("%"):
                end = command.end("name")
                return [("class:command", text[:end]), ("", text[end:])]
            return [("", text[: command.start("name")]), ("class:command", text[command.start("name") :])]

        return line
