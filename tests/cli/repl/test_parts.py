"""The parts of the prompt that need no terminal: the toolbar's facts, streams, signals, names of files, styles."""

import io
import os
import signal
import threading
from types import SimpleNamespace

import pytest
from prompt_toolkit.document import Document

import tensh as torch
from tensh.cli.process.environment import Environment
from tensh.cli.render.theme import NAMES
from tensh.cli.repl import interrupt, lines, plain, toolbar
from tensh.cli.repl.long_lines import LongLines
from tensh.cli.repl.loop import BackgroundTask
from tensh.cli.session.files.variable_names import free_name
from tensh.cli.session.session import Session


@pytest.fixture
def session():
    session = Session()
    session.preload()
    return session


class Untouchable:
    """A user's object, none of whose code may run."""

    def __getattribute__(self, name):
        raise AssertionError(f"its {name} was asked for")


def test_the_toolbar_counts_tensors_and_the_memory_they_share(session):
    x = torch.ones(10, 10)
    session.namespace.update(x=x, row=x[0], again=x, number=3, other=Untouchable(), y=torch.ones(5, dtype=torch.int64))
    assert toolbar.measure_memory(session.own_names().values()) == (4, 440)
    session.namespace["wide"] = torch.ones(1).expand(1000)
    assert toolbar.measure_memory(session.own_names().values()) == (5, 444)


def test_the_toolbar_of_many_names(session):
    session.namespace.update({f"name{i}": Untouchable() if i % 2 else torch.ones(2) for i in range(10_000)})
    bar = toolbar.Toolbar(session, unicode=True)
    bar.count(0.002)
    assert "5,000 tensors 39.1 KiB" in bar.text(100) and "last 2 ms" in bar.text(100)


@pytest.mark.parametrize("width", range(10, 140, 13))
def test_the_toolbar_fits(session, width):
    bar = toolbar.Toolbar(session, unicode=False)
    bar.count(0.0000021)
    line = bar.text(width, "vi insert")
    assert len(line) <= width and line.isascii() and line.strip()
    assert ("F1 help" in line) == (width > 100)


def test_streams_know_where_their_line_is():
    env = lines.follow_outputs(Environment(io.StringIO(), io.StringIO(), io.StringIO(), {}))
    env.stdout.write("a")
    env.stderr.writelines(["b", "c"])
    env.stdout.end_line()
    env.stdout.end_line()
    env.stderr.write("d\n")
    env.stderr.end_line()
    assert (env.stdout.getvalue(), env.stderr.getvalue()) == ("a\n", "bcd\n")


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_an_interruption_that_has_to_wait_is_explained(monkeypatch):
    messages, heard = [], threading.Event()
    interrupts = interrupt.Interrupts(lambda text: (messages.append(text), heard.set()))
    monkeypatch.setattr(interrupt, "PATIENCE", 0.01)
    with interrupts:
        os.write(interrupts.pipe[1], bytes([signal.SIGINT]))  # as the signal does
        assert heard.wait(60)
    assert messages == [interrupt.WORDS]
    monkeypatch.setattr(interrupt, "PATIENCE", 60)
    with interrupts:
        os.write(interrupts.pipe[1], bytes([signal.SIGALRM, signal.SIGINT]))
    assert messages == [interrupt.WORDS] and signal.set_wakeup_fd(-1) == -1


def test_an_interruption_stops_what_runs_and_nothing_else(monkeypatch):
    interrupts, heard = interrupt.Interrupts(print), []
    interrupts.otherwise = lambda: heard.append(1)
    before = signal.getsignal(signal.SIGINT)
    with interrupts.catch_interrupts():
        signal.raise_signal(signal.SIGINT)  # nothing runs
        interrupts.forget()
        with interrupts:
            assert heard == [1]
            monkeypatch.setattr(interrupt, "TOGETHER", 60)
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)  # both at once are one
            monkeypatch.setattr(interrupt, "TOGETHER", 0)
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)  # before the code begins
        with pytest.raises(KeyboardInterrupt), interrupts:
            raise AssertionError("it does not begin")
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interruption_leaves_no_module_half_imported():
    interrupts, done = interrupt.Interrupts(print), []
    code = compile("signal.raise_signal(signal.SIGINT)\ndone.append(1)", "module", "exec")
    with interrupts.catch_interrupts(), interrupts, pytest.raises(KeyboardInterrupt):
        exec(code, {"__name__": "tensh.late", "signal": signal, "done": done})
        assert done == [1]
        threading.Event().wait(60)


def test_an_interruption_that_a_destructor_swallows_comes_again():
    class Dying:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)
            _ = None  # here it is raised

    interrupts = interrupt.Interrupts(print)
    with interrupts.catch_interrupts(), interrupts, pytest.raises(KeyboardInterrupt):
        Dying()
        threading.Event().wait(60)


@pytest.mark.parametrize(
    "line, clean",
    [
        ("x = 1\n", "x = 1"),
        ("\x1b[Ax\x1b[1;5D\x1bOB\r\n", "x"),
        (">>> x\n", "x"),
        ("...     y\n", "    y"),
        ("  x\n", "  x"),
    ],
)
def test_a_plain_line_is_cleaned(line, clean):
    assert plain.clean(line) == clean


@pytest.mark.parametrize(
    "name, as_python",
    [
        ("w", "w"),
        ("a-b.c", "a_b_c"),
        ("0", "array_0"),
        ("0.weight", "array_0_weight"),
        ("_orig_mod.fc", "orig_mod_fc"),
        ("if", "if_"),
        ("taken", "taken_2"),
        ("", "array"),
        ("__builtins__", "builtins"),
        ("print", "print_2"),
    ],
)
def test_names_of_arrays(name, as_python):
    assert free_name(name, {"taken": 1}) == as_python


@pytest.mark.parametrize("theme", NAMES)
def test_every_theme_has_the_editors_styles(theme):
    from prompt_toolkit.styles import Attrs

    from tensh.cli.repl.style import DRAWN, style

    sheet = style(theme)
    for name in DRAWN:
        assert isinstance(sheet.get_attrs_for_style_str("class:" + name), Attrs)
    assert bool(sheet.get_attrs_for_style_str("class:pygments.literal.number").color) == (theme in ("light", "dark"))


@pytest.mark.parametrize("lines, is_colored", [(10, True), (50_000, False)])
def test_a_long_block_is_not_colored_again_after_every_key(lines, is_colored, monkeypatch):
    from pygments.lexers.python import PythonLexer

    from tensh.cli.repl.lexer import CodeLexer

    tokens, found = [], PythonLexer.get_tokens_unprocessed

    def counted(self, *arguments):
        for each in found(self, *arguments):
            tokens.append(each)
            yield each

    monkeypatch.setattr(PythonLexer, "get_tokens_unprocessed", counted)
    text = "\n".join(f"x{i} = {i} + 1" for i in range(lines))
    line = CodeLexer().lex_document(Document(text))(lines - 1)
    assert "".join(part[1] for part in line) == f"x{lines - 1} = {lines - 1} + 1"
    assert bool(tokens) == is_colored


@pytest.mark.parametrize("column", [0, 999, 1_000, 5_000, 99_999, 100_000])
def test_of_a_long_line_the_part_around_the_cursor_is_drawn(column):
    long = "".join(chr(ord("a") + n % 26) for n in range(100_000))
    document = Document(f"x = 1\n{long}\ny", 6 + column)
    drawn = LongLines().apply_transformation(SimpleNamespace(lineno=1, document=document, fragments=[("", long)]))
    text = "".join(text for _, text in drawn.fragments)
    assert len(text) < 3_000 and "characters)" in text
    places = [drawn.source_to_display(place) for place in range(len(long) + 1)]
    assert places == sorted(places) and drawn.display_to_source(drawn.source_to_display(column)) == column
    assert text[places[column] :][:1] == long[column:][:1] and places[-1] <= len(text)
    short = LongLines().apply_transformation(SimpleNamespace(lineno=0, document=document, fragments=["as it is"]))
    assert short.fragments == ["as it is"]


def test_what_follows_the_loading_is_done_although_it_was_waited_for():
    """A start-up file waits before the first paint; colours, completion and signatures come all the same."""
    done, loading = threading.Event(), BackgroundTask(lambda: None)
    loading.wait()
    loading.begin(then=done.set)
    assert done.wait(10)
