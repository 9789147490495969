"""Keys that tensh adds to the editor: Enter and indentation as Python needs them, pastes, help."""

from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import (
    Condition,
    completion_is_selected,
    emacs_insert_mode,
    has_focus,
    vi_insert_mode,
    vi_navigation_mode,
)
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.keys import Keys

from tensh.cli.repl import blocks


class Keyboard:
    """The key bindings of the editor `buffer`; `aside` shows the result of a command above the block being typed, and
    `find_subject` says of a document what help is about."""

    def __init__(self, buffer, aside, find_subject):
        self.buffer = buffer
        self.aside = aside
        self.find_subject = find_subject
        self.margin = Margin(buffer)
        self.settled = None  # a text that Enter runs although it could go on: one that was pasted
        self.bindings = KeyBindings()
        self.bind()

    def bind(self):
        add = self.bindings.add
        here = has_focus(DEFAULT_BUFFER)
        typing = here & (emacs_insert_mode | vi_insert_mode)
        in_margin = Condition(lambda: self.before.isspace())
        in_block = Condition(lambda: not self.before.strip() and self.buffer.text.strip() != "")
        add("enter", filter=here & ~completion_is_selected)(self.enter)
        add("enter", filter=here & completion_is_selected)(self.take_completion)
        add("enter", filter=here & vi_navigation_mode)(self.accept)
        add("escape", "enter", filter=here & emacs_insert_mode)(self.accept)  # in vi Escape waits for nothing
        add("c-o", filter=typing)(lambda event: self.new_line())
        add("tab", filter=typing & in_block)(self.indent)
        add("s-tab", filter=typing & in_margin)(self.dedent)
        add("backspace", filter=typing & in_margin)(self.dedent)
        add(" ", filter=typing & Condition(self.margin.is_to_come))(self.margin.type_over)
        add(Keys.Any, filter=typing & Condition(self.margin.is_shorter))(self.margin.settle)
        add(":", filter=typing)(self.colon)
        add(Keys.BracketedPaste, filter=here)(self.paste)
        add(Keys.Vt100MouseEvent, eager=True)(lambda event: None)  # a colour that is pasted unmarked looks like one
        add("f1")(self.help)
        add("f2")(lambda event: run_in_terminal(lambda: self.aside("%who")))

    @property
    def before(self):
        """Return the text before the cursor in its line."""
        return self.buffer.document.current_line_before_cursor

    # ── Enter ────────────────────────────────────────────────────────────────

    def enter(self, event):
        """Run a block that is whole; else go on with it in a new line."""
        if self.is_ready() and not self.is_pasted_on(event.key_processor.input_queue):
            self.accept(event)
        else:
            self.new_line()

    def is_pasted_on(self, keys):
        """True if an indented line is behind this one already: a terminal that does not mark what is pasted."""
        following = (each.data for each in keys if each.key not in (Keys.ControlM, Keys.ControlJ))
        return "\n" in self.buffer.text and next(following, "") == " "

    def is_ready(self):
        """True if Enter is to run the block: its last line is reached, and it is whole."""
        text = self.buffer.text
        if self.buffer.document.text_after_cursor.partition("\n")[2].strip():
            return False
        is_settled = text == self.settled or "\n" in self.find_recalled()
        return blocks.is_whole(text + "\n" * is_settled)

    def find_recalled(self):
        """The entry of the history that is being edited; "" for a new text."""
        entries = self.buffer.history.newest_first
        place = len(entries) - self.buffer.working_index
        return entries[place - 1] if 0 < place <= len(entries) else ""

    def accept(self, event):
        """Run the block as it is."""
        text = self.buffer.text.rstrip()
        if text != self.buffer.text:
            self.buffer.text = text
        self.margin.forget()
        self.settled = None
        self.buffer.validate_and_handle()

    def new_line(self):
        """Go on in a line that is indented as it has to be."""
        width = blocks.next_indent(self.buffer.document.text_before_cursor) or 0
        self.buffer.insert_text("\n" + " " * width)
        self.margin.begin(width)

    def take_completion(self, event):
        """The completion stands there already; close the menu."""
        self.buffer.complete_state = None

    # ── indentation ──────────────────────────────────────────────────────────

    def indent(self, event):
        """To the next level."""
        self.buffer.insert_text(" " * (blocks.STEP - len(self.before) % blocks.STEP))

    def dedent(self, event):
        """To the level before."""
        self.buffer.delete_before_cursor((len(self.before) - 1) % blocks.STEP + 1)

    def colon(self, event):
        """After `else`, `except` and their like, move the line to where its statement begins."""
        self.margin.settle_width()
        self.buffer.insert_text(":")
        document = self.buffer.document
        width = blocks.clause_indent(document.text_before_cursor)
        if width is not None and not document.current_line_after_cursor:
            line = document.current_line
            self.buffer.delete_before_cursor(len(line))
            self.buffer.insert_text(" " * width + line.lstrip())

    # ── others ───────────────────────────────────────────────────────────────

    def paste(self, event):
        """Insert code without the prompts it may have; nothing runs before Enter."""
        text = blocks.clean_paste(event.data)
        self.buffer.insert_text(text)
        if self.buffer.text == text:
            self.settled = text

    def help(self, event):
        """About the name at the cursor, or everything."""
        name = self.find_subject(self.buffer.document)
        run_in_terminal(lambda: self.aside(f"{name}?" if name else "%help"))


class Margin:
    """An indentation that came by itself. Spaces typed there count from the first column of the line.

    So code that is typed with its own indentation comes out as it is written, and code typed without it is indented.
    """

    def __init__(self, buffer):
        self.buffer = buffer
        self.forget()

    def forget(self):
        self.row, self.width, self.typed = -1, 0, 0

    def begin(self, width):
        """The cursor stands behind a new one."""
        self.row, self.width, self.typed = self.buffer.document.cursor_position_row, width, 0

    def is_here(self):
        """True if the cursor is still there, and nothing else was typed."""
        document = self.buffer.document
        return document.cursor_position_row == self.row and document.current_line_before_cursor == " " * self.width

    def is_to_come(self):
        """True if a space would be one of those that stand there already."""
        return self.typed < self.width and self.is_here()

    def is_shorter(self):
        """True if fewer spaces were typed than stand there."""
        return 0 < self.typed < self.width and self.is_here()

    def type_over(self, event):
        self.typed += 1

    def settle_width(self):
        """Leave as many spaces as were typed."""
        if self.is_shorter():
            self.buffer.delete_before_cursor(self.width - self.typed)
            self.forget()

    def settle(self, event):
        """The first character of the line."""
        self.settle_width()
        self.buffer.insert_text(event.data)
