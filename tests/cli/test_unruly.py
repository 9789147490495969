"""Values, exceptions and names that misbehave: the shell shows them, says in a line that it cannot, and goes on."""

import io
import json
import sys

import pytest

import tensh
from tensh.cli.app import main
from tensh.cli.process.environment import Environment
from tensh.cli.session.session import Session
from tensh.cli.session.sources.source import Source
from tensh.show.reading import reprs
from tensh.utils.safetensors.format import read, write
from tests.support.command_line import command

pytestmark = pytest.mark.thorough

MOST = 4000  # characters of a message


def assert_told(found, status=(0, 1)):
    """Assert that the command ended properly, and that its messages are not about faults of tensh."""
    assert found[0] in status, found
    assert "bug in tensh" not in found[2] and "Traceback" not in found[1] + found[2], found[2]
    assert len(found[1] + found[2]) < MOST


# ── values ───────────────────────────────────────────────────────────────────

METHODS = ("__repr__ __str__ __len__ __getattribute__ __eq__ __bool__ __hash__ __class__ __dict__ shape requires_grad "
           "named_parameters named_modules").split()  # fmt: skip
ANSWERS = {
    "raises": "raise ValueError('no')",
    "exits": "raise SystemExit(7)",
    "leaves": "raise GeneratorExit",
    "ends": "raise type('E', (BaseException,), {})('no')",
    "gives a number": "return 5",
}
CLASS = """
class A:
    def again(self, *rest): return A.again(self)
    def answer(self, *rest): {answer}
    {method} = {how}
"""
SHOWN = "x = A()\nx\n[x]\n{'a': x}\nprint('on')\n%who\n%grads\nl = [torch.ones(2), x, x, torch.ones(2), torch.ones(2), torch.ones(2)]\nl\n1\n"


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("method", METHODS)
def test_an_object_that_answers_badly(method, answer, tmp_path):
    how = "answer" if method.startswith("__") and method != "__class__" else "property(answer)"
    path = tmp_path / "a.tsh"
    path.write_text(CLASS.format(answer=ANSWERS[answer], method=method, how=how) + SHOWN)
    for more in ((), ("--json",)):
        found = command("run", path, "--keep-going", *more)
        assert found[0] != 70 and "bug in tensh" not in found[2], found[2]
        assert "Traceback" not in found[2]
        assert '"text":"on\\n"' in found[1] if more else "\non\n" in "\n" + found[1]
        assert found[1].rstrip().endswith("1") or '"kind":"end"' in found[1]


EXCEPTIONS = {
    "its text fails": "class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
    "its text exits": "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E",
    "its text is no text": "class E(Exception):\n    def __str__(self): return 5\nraise E",
    "its text recurses": "class E(Exception):\n    def __str__(self): return str(self)\nraise E",
    "it is no Exception": "class E(BaseException): pass\nraise E('no')",
    "it leaves": "raise GeneratorExit('no')",
    "its notes are none": "e = ValueError('no')\ne.__notes__ = 5\nraise e",
    "a note fails": "class S:\n    def __str__(self): raise ValueError\ne = ValueError('no')\ne.__notes__ = [S(), 5]\nraise e",
    "its module is a number": "class E(Exception): __module__ = 5\nraise E('no')",
    "it is its own cause": "e = ValueError('no')\ne.__cause__ = e\nraise e",
    "its causes go on": "e = ValueError('no')\nfor i in range(10**4):\n    f = ValueError('no'); f.__cause__ = e; e = f\nraise e",
    "its name is a number": "raise NameError('no', name=5)",
    "its attribute is a number": "raise AttributeError('no', name=5, obj=5)",
    "its object answers badly": "class A:\n    def __getattribute__(self, name): raise ValueError\nraise AttributeError('no', name='x', obj=A())",
    "its place is no place": "raise SyntaxError('no', ('a', 'b', 'c', 'd', 'e', 'f'))",
    "its line is far": "raise SyntaxError('no', ('a', 10**30, 10**30, 'd', 10**30, 10**30))",
    "its line is before": "raise SyntaxError('no', ('a', -10, -10, 'd', -10, -10))",
    "its message is a number": "e = SyntaxError('no')\ne.msg = 5\nraise e",
    "its file is a number": "raise SyntaxError('no', (5, 1, 1, 'd'))",
    "its arguments are many": "raise ValueError(*range(10**5))",
    "it recurses": "def f(): f()\nf()",
    "it is a group": "raise ExceptionGroup('no', [ValueError(1), ExceptionGroup('no', [KeyError(2)])])",
    "a file error": "raise OSError(28, 'No space left on device')",
    "a closed pipe": "raise BrokenPipeError(32, 'Broken pipe')",
    "a number that is too long": "int('9' * 10**4)",
    "an exit with a text that fails": "class S:\n    def __str__(self): raise ValueError\nimport sys\nsys.exit(S())",
    "an exit with a long number": "import sys\nsys.exit(10**30)",
    "a warning whose text fails": "import warnings\nclass W(UserWarning):\n    def __str__(self): raise ValueError\nwarnings.warn(W())",
    "an exit in a cell": "raise SystemExit",
    "its class answers badly": "class M(type):\n    def __getattribute__(self, name): 1 / 0\nclass E(Exception, metaclass=M): pass\nraise E",
    "its class says it is no class": "class E(Exception): __class__ = property(lambda self: 1 / 0)\nraise E",
    "its way fails": "class E(Exception): __traceback__ = property(lambda self: 1 / 0)\nraise E",
    "its cause fails": "class E(Exception): __cause__ = property(lambda self: 1 / 0)\nraise E",
    "a note cannot be asked for": "class E(Exception): __notes__ = property(lambda self: 1 / 0)\nraise E",
    "its text has a length of its own": "class S(str):\n    def __len__(self): return -1\n    def translate(self, table): 1 / 0\n"
    "class E(Exception):\n    def __str__(self): return S('no')\nraise E",
    "its arguments double": "x = 1\nfor _ in range(60): x = ValueError(x, x)\nraise x",
}


@pytest.mark.parametrize("what", EXCEPTIONS)
def test_an_exception_that_misbehaves(what, tmp_path):
    path = tmp_path / "a.tsh"
    path.write_text(EXCEPTIONS[what] + "\n")
    document = tmp_path / "a.md"
    document.write_text(f"```python\n{EXCEPTIONS[what]}\n```\n")
    for arguments in (["run", path], ["run", path, "--json"], ["check", document]):
        found = command(*arguments)
        assert found[0] != 70 and "bug in tensh" not in found[2], found[2]
        assert len(found[1] + found[2]) < 10**6
    assert command("run", path, "--traceback", "full")[0] != 70


VALUES = {
    "lists doubled": "x = [1]\nfor _ in range(60): x = [x, x]",
    "tuples doubled": "x = (1,)\nfor _ in range(60): x = (x, x)",
    "dicts doubled": "x = {}\nfor _ in range(60): x = {1: x, 2: x}",
    "tensors doubled": "x = [torch.ones(1)]\nfor _ in range(60): x = [x, x]",
    "rows of rows": "x = [0] * 300\nfor _ in range(5): x = [x] * 300",
    "modules doubled": "x = nn.Sequential()\nfor _ in range(60): x = nn.Sequential(x, x)",
    "dataclasses doubled": "import dataclasses\nA = dataclasses.make_dataclass('A', ['a', 'b'])\nx = 1\nfor _ in range(60): x = A(x, x)",
    "namespaces doubled": "import types\nx = 1\nfor _ in range(60): x = types.SimpleNamespace(a=x, b=x)",
    "slots doubled": "import dataclasses\n@dataclasses.dataclass(slots=True)\nclass A:\n    a: object\n    b: object\nx = 1\n"
    "for _ in range(60): x = A(x, x)",
    "named tuples doubled": "from typing import NamedTuple\nclass A(NamedTuple):\n    a: object\n    b: object\nx = 1\n"
    "for _ in range(60): x = A(x, x)",
    "proxies doubled": "import types\nx = {}\nfor _ in range(60): x = {y: types.MappingProxyType(x) for y in 'ab'}",
    "views doubled": "x = {}\nfor _ in range(60): x = {'a': x.values(), 'b': x.items()}",
    "partials doubled": "import functools\nx = 1\nfor _ in range(60): x = functools.partial(print, x, x)",
    "exceptions doubled": "x = 1\nfor _ in range(60): x = KeyError(x, x)",
    "slices doubled": "x = 1\nfor _ in range(60): x = slice(x, x)",
    "chains doubled": "import collections\nx = {}\nfor _ in range(60): x = collections.ChainMap({'a': x}, {'b': x})",
    "lists of Python doubled": "import collections\nx = [1]\nfor _ in range(60): x = collections.UserList([x, x])",
    "dicts of Python doubled": "import collections\nx = {}\nfor _ in range(60): x = collections.UserDict(a=x, b=x)",
    "arrays of objects doubled": "x = 1\nfor _ in range(60):\n    y = np.empty(2, object); y[:] = [x, x]; x = y",
    "types of Python doubled": "x = int\nfor _ in range(60): x = tuple[x, x]",
    "a list that is asked in vain": "import itertools\nclass L(list):\n    def __iter__(self): return itertools.count()\n"
    "    def __len__(self): return 2**62\n    def __getitem__(self, key): return self\nx = L([1])",
    "a dict that is asked in vain": "import itertools\nclass D(dict):\n    def items(self): return itertools.repeat((1, 2))\n"
    "    def __iter__(self): return itertools.count()\nx = D(a=torch.ones(1), b=1)",
    "a text that answers badly": "class S(str):\n    def __len__(self): return -1\n    def replace(self, *rest): 1 / 0\n"
    "class A:\n    def __repr__(self): return S('a')\nx = A()",
    "a deep list": "x = []\nfor _ in range(10**5): x = [x]",
    "a deep tuple": "x = ()\nfor _ in range(10**5): x = (x,)",
    "a deep dict": "x = {}\nfor _ in range(10**5): x = {'a': x}",
    "a list in itself": "x = [1]\nx.append(x)",
    "a dict in itself": "x = {}\nx['a'] = x\nx['b'] = [x, torch.ones(2)]",
    "a number without end": "x = 10 ** 10**4",
    "numbers without end": "x = [10 ** 10**4, -10 ** 10**4]",
    "a key without end": "x = {10 ** 10**4: 1}",
    "keys that fail": "class K:\n    def __repr__(self): raise ValueError\nx = {K(): torch.ones(1)}",
    "a text of halves": "x = '\\ud800' * 3",
}  # fmt: skip


@pytest.mark.parametrize("what", VALUES)
def test_a_value_without_end(what, tmp_path):
    path = tmp_path / "a.tsh"
    path.write_text(f"{VALUES[what]}\nx\n%who\n[x]\n%undo\n%save {tmp_path / 'b'}\n")
    assert_told(command("run", path, "--keep-going"))
    found = command("run", path, "--json=full", "--keep-going")
    assert [json.loads(line)["v"] for line in found[1].splitlines()]
    notebook = {
        "cell_type": "code",
        "source": VALUES[what] + "\nx",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    document = tmp_path / "a.ipynb"
    document.write_text(json.dumps({"cells": [notebook], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert_told(command("run", document))
    assert_told(command("check", document), (0, 3))


def test_what_ends_is_written_whole():
    rows = [[*range(5)] for _ in range(1000)]
    deep = 1
    for _ in range(90):
        deep = [deep]
    for value in (rows, deep, [rows] * 10, {"a": rows}, [[]] * 1000, (), {1: (2,)}, "a" * 10**5):
        assert reprs.write_repr(value) == repr(value)


def test_what_does_not_end_is_cut():
    value = [1]
    for _ in range(60):
        value = [value, value]
    assert reprs.write_repr(value).startswith("[[[[[[...], [...]],") and len(reprs.write_repr(value)) < 1000


CLASSES = sorted(name for name in dir(tensh.nn) if isinstance(getattr(tensh.nn, name), type))


def test_modules_that_were_loaded_without_their_attributes():
    lines = "".join(f"x = nn.{name}.__new__(nn.{name})\nx\n[x]\n%who\n" for name in CLASSES)
    session = Session()
    session.remember()
    session.preload()
    assert all(type(event) is not type for event in session.run(Source(lines, "<lines>"), keep_going=True))
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    found = main(["-c", lines, "--keep-going"], env)
    assert found in (0, 1) and "bug in tensh" not in env.stderr.getvalue()


# ── names ────────────────────────────────────────────────────────────────────

TAKEN = ["torch", "nn", "F", "np", "math", "print", "tensh", "_", "__", "__name__", "__builtins__", "__file__", "__doc__",
         "__loader__", "__spec__", "__dict__", "input", "exit", "repr", "str", "len", "type", "isinstance", "help"]  # fmt: skip


@pytest.mark.parametrize("value", ["5", "torch.ones(1)"])
@pytest.mark.parametrize("name", TAKEN)
def test_a_name_that_is_bound_again(name, value, tmp_path):
    path = tmp_path / "a.tsh"
    path.write_text(f"y = torch.ones(2, requires_grad=True) * 2\n{name} = {value}\nclass A: pass\ny\n%who\n%grads\n%hist y\n"
                    "%graph y\n%history\n1 / 0\ndef f(): 1 / 0\nf()\n%undo\ny\n")  # fmt: skip
    found = command("run", path, "--keep-going")
    assert found[0] in (0, 1) and "bug in tensh" not in found[2], found[2]
    assert found[1].count("tensor([2., 2.], grad_fn=<MulBackward0>)") >= 2 or name == "__builtins__"


def test_names_that_are_no_names(tmp_path):
    path = tmp_path / "a.tsh"
    path.write_text("globals()[5] = 1\nglobals()['a b'] = torch.ones(1)\n%who\n%grads\nx = 1\n%undo\n%history\n1\n")
    assert_told(command("run", path), (0,))


def saved(tmp_path, names):
    """A session file whose table holds names that `%save` would never write."""
    path = tmp_path / "a.safetensors"
    command("-c", f"x = torch.ones(2)\n%save {path}")
    arrays, metadata = read(str(path))
    table = json.loads(metadata["tensh"])
    table["names"] |= {name: {"plain": 5} for name in names}
    write(str(path), arrays, metadata | {"tensh": json.dumps(table)})
    return path


@pytest.mark.parametrize(
    "name", ["__builtins__", "__name__", "_", "___", "__x", "a b", "", "if", "1", "x.y", "\x1b[2J", "None"]
)
def test_a_session_file_with_a_name_that_nobody_can_have(name, tmp_path):
    status, out, err = command("-c", f"%load {saved(tmp_path, [name])}\n")
    assert status == 1 and "its table of names is damaged" in err and err.count("\n") <= 3
    assert command("-c", f"x = 1\ntry: pass\nfinally: pass\n%load {saved(tmp_path, [name])}", "--keep-going")[0] == 1


@pytest.mark.parametrize("name", ["print", "torch", "np", "len", "nn", "F", "math", "open", "exit"])
def test_a_session_file_does_not_take_names_that_mean_something(name, tmp_path):
    path = saved(tmp_path, [name])
    status, out, err = command("-c", f"%load {path}\nprint({name} == 5, x)")
    assert status == 0 and out == "False tensor([1., 1.])\n"
    assert f"left unchanged, because these names are in use here: {name}" in err
    assert command("-c", f"%load {path} --over\ny = {name} + 1\ny")[1] == "6\n"
    assert command("-c", f"{name} = 1\n%load {path}\ny = {name} + 1\ny")[1] == "6\n"  # the user's own by then


@pytest.mark.parametrize("name", ["print", "__builtins__", "__name__", "torch", "_", "___"])
def test_a_file_of_arrays_does_not_take_names_that_mean_something(name, tmp_path):
    import numpy as np

    np.savez(tmp_path / "a.npz", **{name: np.ones(2)})
    status, out, err = command("-c", f"%load {tmp_path / 'a.npz'}\nprint('on', torch.ones(1))")
    assert (status, out) == (0, "on tensor([1.])\n")


# ── notebooks ────────────────────────────────────────────────────────────────

WRONG = [None, 10**400, {"id": [1]}]
OUTPUTS = [
    {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
    {
        "output_type": "execute_result",
        "data": {"text/plain": "1", "image/png": "x"},
        "metadata": {},
        "execution_count": 1,
    },
    {"output_type": "error", "ename": "E", "evalue": "e", "traceback": ["a"]},
]
NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "id": "a", "source": ["1"], "metadata": {"tags": ["raises-exception"], "tensh": {"requires": "numpy"},
         "title": "t"}, "outputs": OUTPUTS, "execution_count": 1},
        {"cell_type": "markdown", "id": "b", "source": "text", "metadata": {}, "attachments": {}},
        {"cell_type": "raw", "source": "text", "metadata": {}},
    ],
    "metadata": {"kernelspec": {"name": "python3"}, "language_info": {"name": "python"}, "tensh": {"echo": "each", "check": "lax"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}  # fmt: skip


def places(value, path=()):
    """The way to every part of a JSON value."""
    yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(part, (*path, key))


def changed(value, path, part):
    """A JSON value with another part at a place."""
    if not path:
        return part
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(value[path[0]], path[1:], part)
    return copy


def added(value, path, part):
    """A JSON value with a member more in an object at a place."""
    found = value
    for key in path:
        found = found[key]
    return changed(value, path, found | {"id": part, "more": part}) if isinstance(found, dict) else None


@pytest.mark.parametrize("place", [*places(NOTEBOOK)], ids=lambda path: ".".join(map(str, path)) or "all")
def test_a_notebook_with_a_wrong_type_at_a_place(place, tmp_path):
    path = tmp_path / "a.ipynb"
    limit = sys.get_int_max_str_digits()
    for wrong in WRONG:
        for notebook, kind in ((changed(NOTEBOOK, place, wrong), ".md"), (added(NOTEBOOK, place, wrong), ".ipynb")):
            if notebook is None:
                continue
            path.write_text(json.dumps(notebook))
            found = command("convert", path, tmp_path / f"b{kind}", "--force")
            assert found[0] in (0, 2) and found[2].count("\n") == (found[0] == 2), (wrong, found)
    assert_told(command("run", path), (0, 1, 2))
    assert_told(command("check", path, "--write", tmp_path / "c.md"), (0, 2, 3))
    assert sys.get_int_max_str_digits() == limit


HEAD = {
    "metadata": {"title": "t", "tags": ["a"], "tensh": {"requires": "numpy", "skip": True, "raises": True, "rtol": 1}},
    "outputs": [{"kind": "value", "lines": 1, "more": {"data": {"image/png": "x"}, "metadata": {}}},
                {"kind": "error", "text": "a", "more": {"traceback": ["a"]}}],
    "attachments": {},
}  # fmt: skip
ABOUT = {"echo": "each", "metadata": {"kernelspec": {"name": "x"}, "tensh": {"check": "lax", "echo": "each"}}}


@pytest.mark.parametrize("wrong", [None, [1]], ids=str)
def test_a_head_in_a_text_file_with_a_wrong_type_at_a_place(wrong, tmp_path):
    heads = [(ABOUT, changed(HEAD, place, wrong)) for place in places(HEAD)]
    heads += [(changed(ABOUT, place, wrong), HEAD) for place in places(ABOUT)]
    for about, head in heads:
        about, head = json.dumps(about), json.dumps(head)
        (tmp_path / "a.tsh").write_text(f"# tensh: {about}\n# %% [1] t {head}\n1\n#> 1\n")
        (tmp_path / "a.md").write_text(
            f"<!-- tensh: {about} -->\n\n<!-- cell [1] {head} -->\n```python\n1\n```\n\n```text\n1\n```\n"
        )
        for name in ("a.tsh", "a.md") if about == json.dumps(ABOUT) else ("a.md",):
            assert_told(command("convert", tmp_path / name, tmp_path / "b.ipynb", "--force"), (0, 2))


# ── tensh itself ─────────────────────────────────────────────────────────────


def test_a_fault_of_tensh_itself_is_a_line(monkeypatch):
    def fails(arguments, env):
        raise KeyError("a\nb\x1b[2J")

    monkeypatch.setattr("tensh.cli.app.answer", fails)
    status, out, err = command("env")
    assert (status, out, err.count("\n")) == (70, "", 1)
    assert err.startswith("this is a bug in tensh (KeyError: 'a\\nb\\x1b[2J', test_unruly.py:")
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={"TENSH_DEBUG": "1"})
    with pytest.raises(KeyError):
        main(["env"], env)


# ── what generators, chains and lists of folders make of a program ───────────


@pytest.mark.parametrize("line", ["next(iter([]))", "raise StopIteration", "%time next(iter([]))"])
def test_an_iterator_that_has_ended_is_told_as_such(line):
    """Within generators, which run the code, it would become a RuntimeError."""
    _, _, errors = command("run", "-", stdin=f"{line}\n")
    assert errors.startswith("stdin:1: StopIteration\n") and "RuntimeError" not in errors


def test_an_exception_that_caused_itself_is_shown_once():
    code = "e = ValueError('x')\ntry:\n    raise e\nexcept ValueError as again:\n    raise e from again\n"
    _, _, errors = command("run", "-", stdin=code)
    assert errors.count("ValueError: x") == 1 and "caused by" not in errors


@pytest.mark.parametrize("value", ["None", "sys.path[1:]", "5"])
def test_the_list_of_folders_is_as_it_was(value):
    path, folders = sys.path, sys.path[:]
    assert_told(command("run", "-", stdin=f"import sys\nsys.path = {value}\n1\n"))
    assert sys.path is path and sys.path == folders
