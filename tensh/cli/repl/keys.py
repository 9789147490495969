"""Key bindings that tensh adds to the editor: Enter and indentation for Python, pasting, help."""

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
    """The key bindings for the editor `buffer`.

    `aside` shows the result of a command above the block being typed, and `find_subject` returns the name in a document
    that help is about.
    """

    def __init__(self, buffer, aside, find_subject):
        self.buffer = buffer
        self.aside = aside
        self.find_subject = find_subject
        self.margin = Margin(buffer)
        self.settled = None  # a pasted text, which Enter runs although more lines could follow
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
        add("escape", "enter", filter=here & emacs_insert_mode)(self.accept)  # in vi mode Escape acts at once
        add("c-o", filter=typing)(lambda event: self.new_line())
        add("tab", filter=typing & in_block)(self.indent)
        add("s-tab", filter=typing & in_margin)(self.dedent)
        add("backspace", filter=typing & in_margin)(self.dedent)
        add(" ", filter=typing & Condition(self.margin.is_to_come))(self.margin.type_over)
        add(Keys.Any, filter=typing & Condition(self.margin.is_shorter))(self.margin.settle)
        add(":", filter=typing)(self.colon)
        add(Keys.BracketedPaste, filter=here)(self.paste)
        # a pasted colour code without paste marks looks like a mouse event
        add(Keys.Vt100MouseEvent, eager=True)(lambda event: None)
        add("f1")(self.help)
        add("f2")(lambda event: run_in_terminal(lambda: self.aside("%who")))

    @property
    def before(self):
        """The text before the cursor in its line."""
        return self.buffer.document.current_line_before_cursor

    # ── Enter ────────────────────────────────────────────────────────────────

    def enter(self, event):
        """Run a complete block; otherwise start a new line."""
        following = event.key_processor.input_queue
        if self.is_ready() and not self.is_pasted_on(following):
            self.accept(event)
        else:
            self.new_line(is_indented=bool(following) and self.margin.has_own)

    def is_pasted_on(self, keys):
        """Return True if an indented line follows in the input: a paste in a terminal without paste marks."""
        following = (each.data for each in keys if each.key not in (Keys.ControlM, Keys.ControlJ))
        return "\n" in self.buffer.text and next(following, "") == " "

    def is_ready(self):
        """Return True if Enter runs the block: the cursor is in the last line, and the block is complete."""
        text = self.buffer.text
        if self.buffer.document.text_after_cursor.partition("\n")[2].strip():
            return False
        is_settled = text == self.settled or "\n" in self.find_recalled()
        return blocks.is_whole(text + "\n" * is_settled)

    def find_recalled(self):
        """Return the history entry being edited; "" for a new text."""
        entries = self.buffer.history.newest_first
        place = len(entries) - self.buffer.working_index
        return entries[place - 1] if 0 < place <= len(entries) else ""

    def accept(self, event):
        """Run the block as it is."""
        text = self.buffer.text.rstrip()
        if text != self.buffer.text:
            self.buffer.text = text
        self.margin.forget()
        self.margin.has_own = False
        self.settled = None
        self.buffer.validate_and_handle()

    def new_line(self, is_indented=False):
        """Start a new line with the right indentation, unless it comes with its own: the rest of an unmarked paste."""
        width = 0 if is_indented else blocks.next_indent(self.buffer.document.text_before_cursor) or 0
        self.buffer.insert_text("\n" + " " * width)
        self.margin.begin(width)

    def take_completion(self, event):
        """Accept the completion, which is inserted already: close the menu."""
        self.buffer.complete_state = None

    # ── indentation ──────────────────────────────────────────────────────────

    def indent(self, event):
        """Indent to the next level."""
        self.buffer.insert_text(" " * (blocks.STEP - len(self.before) % blocks.STEP))

    def dedent(self, event):
        """Dedent to the previous level."""
        self.buffer.delete_before_cursor((len(self.before) - 1) % blocks.STEP + 1)

    def colon(self, event):
        """Insert a colon; after `else`, `except` and the like, align the line with its statement."""
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
        """Insert pasted code without its prompts; only Enter runs it."""
        text = blocks.clean_paste(event.data, is_alone=not self.buffer.text.strip())
        self.buffer.insert_text(text)
        if self.buffer.text == text:
            self.settled = text

    def help(self, event):
        """Show help on the name at the cursor, or the overview."""
        name = self.find_subject(self.buffer.document)
        run_in_terminal(lambda: self.aside(f"{name}?" if name else "%help"))


class Margin:
    """Automatic indentation, over which typed spaces count from the first column of the line.

    So code typed with its own indentation comes out as written, and code typed without is indented.
    """

    def __init__(self, buffer):
        self.buffer = buffer
        self.has_own = False  # True once a line of the block has come with all of its indentation
        self.forget()

    def forget(self):
        self.row, self.width, self.typed = -1, 0, 0

    def begin(self, width):
        """Start with automatic indentation before the cursor."""
        self.row, self.width, self.typed = self.buffer.document.cursor_position_row, width, 0

    def is_here(self):
        """Return True if the cursor is still right after the indentation, and nothing else was typed."""
        document = self.buffer.document
        return document.cursor_position_row == self.row and document.current_line_before_cursor == " " * self.width

    def is_to_come(self):
        """Return True if a typed space falls within the indentation."""
        return self.typed < self.width and self.is_here()

    def is_shorter(self):
        """Return True if fewer spaces were typed than the indentation has."""
        return 0 < self.typed < self.width and self.is_here()

    def type_over(self, event):
        self.typed += 1
        self.has_own = self.has_own or self.typed == self.width

    def settle_width(self):
        """Reduce the indentation to the typed spaces."""
        if self.is_shorter():
            self.buffer.delete_before_cursor(self.width - self.typed)
            self.forget()

    def settle(self, event):
        """Insert the first character of the line."""
        self.settle_width()
        self.buffer.insert_text(event.data)
