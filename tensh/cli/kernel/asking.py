"""Completion and inspection requests of a front end (Tab, Shift-Tab)."""

from tensh.cli.render.theme import apply_style
from tensh.cli.session.completion import ahead, complete
from tensh.cli.session.help import lookup
from tensh.cli.session.help.view import HelpPage
from tensh.cli.session.sources.elements import write_elements
from tensh.show.drawing.page import WIDE

COLORS = 16


class QuestionHooks:
    """Hooks for the shell's completion and help."""

    def __init__(self, shell, session):
        self.shell = shell
        self.session = session

    def attach(self):
        from IPython.core.completer import context_matcher

        @context_matcher(identifier="tensh")
        def matcher(context):
            return self.match(context)

        self.matcher = matcher
        self.shell.Completer.custom_matchers.append(self.matcher)
        self.otherwise = self.shell.object_inspect_mime
        self.shell.object_inspect_mime = self.inspect
        ahead.begin()

    def detach(self):
        self.shell.Completer.custom_matchers.remove(self.matcher)
        del self.shell.object_inspect_mime

    def match(self, context):
        """Complete at the cursor; tensh's matches replace IPython's."""
        from IPython.core.completer import SimpleCompletion

        lines = context.full_text.split("\n")[: context.cursor_line + 1]
        lines[-1] = lines[-1][: context.cursor_position]
        if lines[-1].lstrip().startswith("!"):  # a shell command
            return {"completions": []}
        text = "\n".join(lines)
        found = complete(text, self.session.namespace)
        completions = [SimpleCompletion(each.text, type=each.kind) for each in found.candidates]
        fragment = text[len(text) - found.length :]
        return {
            "completions": completions, "matched_fragment": fragment, "suppress": bool(completions), "ordered": True,
        }  # fmt: skip

    def inspect(self, name, detail_level=0, omit_sections=()):
        """Return the help page of a name as text and HTML; leave unknown names to IPython."""
        try:
            page = HelpPage(lookup.find_session_page(write_elements(name), self.session.namespace, detail_level > 0))
        except (lookup.Unknown, NotImplementedError):
            return self.otherwise(name, detail_level, omit_sections)
        text = apply_style(page.draw(WIDE._replace(is_window=True)), COLORS)
        return {"text/plain": text, "text/html": page._repr_html_()}
