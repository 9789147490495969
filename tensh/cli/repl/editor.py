"""The block editor: a prompt_toolkit session with tensh's keys, colours and toolbar."""

import contextlib
import sys
import threading

from prompt_toolkit.application import get_app
from prompt_toolkit.completion import Completer
from prompt_toolkit.cursor_shapes import ModalCursorShapeConfig
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.input import create_input
from prompt_toolkit.key_binding.vi_state import InputMode
from prompt_toolkit.layout.processors import HighlightMatchingBracketProcessor
from prompt_toolkit.output import ColorDepth, create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import PromptSession

from tensh.cli.process.ending import ending_with
from tensh.cli.repl import blocks
from tensh.cli.repl.history import FIRST, FURTHER
from tensh.cli.repl.keys import Keyboard
from tensh.cli.repl.long_lines import LongLines
from tensh.cli.repl.marks import draw_hidden
from tensh.cli.repl.style import style
from tensh.cli.repl.suggest import Earlier, Ghost
from tensh.cli.repl.toolbar import count_matches, draw_signature
from tensh.support.language import _

# Seconds after which Escape counts as a key, not as the start of an escape sequence, and after which a key is not the
# first of a pair. prompt_toolkit's 0.5 s and 1 s are meant for slow connections.
ESCAPE_WAITS, KEYS_WAIT = 0.05, 0.3


class Output(Vt100_Output):
    """A terminal whose cursor position is not queried: a late reply would be typed text, a missing one would block.

    Therefore the toolbar stands directly below the block.
    """

    responds_to_cpr = False

    def get_rows_below_cursor_position(self):
        return 1


class Late(Completer):
    """The completions of the session, loaded after the engine; a request before that waits."""

    def __init__(self, prompt):
        self.prompt = prompt
        self.lock = threading.Lock()
        self.loaded = None

    def load(self):
        with self.lock:
            if self.loaded is None:
                from tensh.cli.repl.completer import SessionCompleter

                self.loaded = SessionCompleter(self.prompt.run.session)
        return self.loaded

    def get_completions(self, document, complete_event):
        self.prompt.loading.wait()
        return self.load().get_completions(document, complete_event)


class Editor:
    """Reads blocks for a Prompt."""

    help_key = "F1"
    keys = (
        ("Enter", "at the end, runs a complete block, or begins a new line; an empty line ends a block"),
        ("Alt-Enter, Ctrl-O", "runs the block as it is; begins a new line, wherever the cursor is"),
        ("Tab", "completes a name; at the beginning of a line, indents it"),
        ("Right", "accepts the suggestion in grey: the rest of an earlier line"),
        ("Up, Down", "earlier blocks that begin like this one"),
        ("Ctrl-R", "searches earlier blocks"),
        ("Ctrl-X Ctrl-E", "opens the block in your editor"),
        ("Ctrl-C", "stops the running code, or discards the typed line"),
        ("Ctrl-D", "exits, on an empty line"),
        ("F1, F2", "help on the name at the cursor or the call around it, or this list; your names"),
    )

    def __init__(self, prompt):
        self.prompt = prompt
        self.signatures = None  # finds signatures of calls, once loaded
        draw_hidden()
        self.session = PromptSession(
            [("class:prompt", FIRST)],
            multiline=True,
            prompt_continuation=lambda width, number, wrapped: [("class:prompt", "" if wrapped else FURTHER)],
            history=Earlier(prompt.history),
            completer=Late(prompt),
            enable_history_search=True,
            input_processors=[LongLines(), HighlightMatchingBracketProcessor()],
            include_default_pygments_style=False,
            enable_suspend=True,
            enable_open_in_editor=True,
            tempfile_suffix=".py",
            input=create_input(prompt.env.stdin),
            output=output(prompt.env.stdout.stream),
        )
        keyboard = Keyboard(self.session.default_buffer, prompt.run_command_above, self.find_subject)
        self.session.key_bindings = keyboard.bindings
        self.session.app.ttimeoutlen = ESCAPE_WAITS
        self.session.app.timeoutlen = KEYS_WAIT
        self.session.app.after_render += self.finish_first_paint
        prompt.interrupts.otherwise = self.drop_line

    def take_settings(self, settings):
        """Apply the settings: keys, colours, and what is drawn beside the block."""
        session, console, vi = self.session, self.prompt.run.console, settings.keys == "vi"
        in_color = console.in_color[0]
        theme = console.theme() if console.colors() >= 256 or console.theme() == "mono" else "auto"
        session.editing_mode = EditingMode.VI if vi else EditingMode.EMACS
        session.cursor = ModalCursorShapeConfig() if vi else None
        session.auto_suggest = Ghost() if settings.suggest else None
        session.bottom_toolbar = self.toolbar if settings.toolbar else None
        session.style = style(theme if in_color else "mono")
        depth = ColorDepth.DEPTH_4_BIT if theme == "auto" else ColorDepth.DEPTH_8_BIT
        session.color_depth = depth if in_color else ColorDepth.DEPTH_1_BIT

    def read(self):
        """Read a block; raise EOFError at the end, KeyboardInterrupt if ^C discards the text."""
        with ending_with(self.leave), patch_stdout(raw=True), self.prompt.env.stderr.follow_editing(above=sys.stderr):
            # From here on ^C is a key; an earlier one does not affect the next line.
            return self.session.prompt(handle_sigint=False, pre_run=self.prompt.interrupts.forget)

    def remember(self, text):
        """Add a block to the history."""
        self.session.history.append_string(text)

    def drop_line(self):
        """Discard the line after a signal from outside; ^C itself is a key here."""
        app = self.session.app
        with contextlib.suppress(AttributeError, RuntimeError):  # the loop has not started, or has ended
            app.loop.call_soon_threadsafe(self.abort)

    def abort(self):
        """Discard the line, unless it is open in an external editor."""
        app = self.session.app
        if app.is_running and not app.is_done and not app._running_in_terminal:
            app.exit(exception=KeyboardInterrupt(), style="class:aborting")

    def leave(self):
        """End the editing from a signal handler; return whether there was any."""
        app = self.session.app
        if not app.is_running or app.is_done or app._running_in_terminal or not app.loop:
            return False
        app.loop.call_soon_threadsafe(lambda: app.is_done or app.exit(exception=EOFError()))
        return True

    def clear(self):
        """Clear the window."""
        self.session.app.renderer.clear()
        self.session.output.flush()

    def find_subject(self, document):
        """Return the name that F1 explains: at the cursor, else the function of the enclosing call; "" without either."""
        name = blocks.name_at(document.current_line, document.cursor_position_col)
        return self.signatures.find_subject(document.text_before_cursor, name) if self.signatures else name

    def finish_first_paint(self, app):
        """Load what the first paint does not need."""
        app.after_render -= self.finish_first_paint
        self.prompt.loading.begin(then=self.complete)

    def complete(self):
        """Install the highlighter, the completions and the signatures, once the engine is loaded."""
        from tensh.cli.repl.lexer import CodeLexer

        self.session.lexer = CodeLexer()
        self.session.completer.load()
        from tensh.cli.repl.signatures import Signatures

        self.signatures = Signatures(self.prompt.run.session)
        with contextlib.suppress(RuntimeError):  # no prompt is active
            self.session.app.invalidate()

    def toolbar(self):
        """Return the toolbar's text: the number of completions, the signature of the enclosing call, or facts."""
        app = get_app()
        state = app.current_buffer.complete_state
        if state and len(state.completions) > 1:
            return " " + count_matches(state.complete_index, len(state.completions))
        signature = self.signatures and self.signatures.find_at(app.current_buffer.document.text_before_cursor)
        if signature:
            drawn = draw_signature(signature, app.output.get_size().columns, self.prompt.toolbar.unicode)
            if drawn:
                return drawn
        mode = ""
        if app.editing_mode == EditingMode.VI:
            mode = _("vi insert") if app.vi_state.input_mode == InputMode.INSERT else _("vi normal")
        return self.prompt.toolbar.text(app.output.get_size().columns, mode)


def output(stream):
    """Return the terminal output for a stream."""
    if sys.platform == "win32":
        return create_output(stream)
    return Output.from_pty(stream, term=None)
