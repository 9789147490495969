"""The kernel, cell by cell: results, failures, questions."""

import pytest

from tests.cli.kernel.conftest import PATIENCE

MISTAKE = "a = torch.ones(2, 3)\nb = torch.ones(4)\ndef f(a, b):\n    return a @ b\nf(a, b)"


def test_torch_is_there_and_is_ours(kernel):
    assert kernel.run("import torch\ntorch.__version__").result["text/plain"].count("tensh")
    assert kernel.run("torch.ones(2).sum(), nn.Linear, F.relu, np, math").reply["status"] == "ok"


def test_a_tensor_has_its_text_and_its_line_of_facts(kernel):
    found = kernel.run("x = torch.ones(2, 3, requires_grad=True)\nx").result
    assert found["text/plain"] == "tensor([[1., 1., 1.],\n        [1., 1., 1.]], requires_grad=True)"
    assert "# x  [2, 3] float32 · leaf · grad None · 24 B" in found["text/html"]
    kernel.run("%set caption off")
    assert "float32" not in kernel.run("x").result["text/html"]
    kernel.run("%set caption on")


def test_only_the_last_value_of_a_cell_is_its_result(kernel):
    found = kernel.run("1\n2\n3")
    assert [data["text/plain"] for _, data in found.shown] == ["3"]
    assert kernel.run("4;").shown == [] and kernel.run("x = 5").shown == [] and kernel.run("None").shown == []
    assert kernel.run("print('a'); 6").out == "a\n"


def test_results_have_names(kernel):
    number = kernel.run("torch.tensor(7)").reply["execution_count"]
    assert kernel.run(f"_, _{number}, Out[{number}], In[{number}]").result["text/plain"] == (
        "(tensor(7), tensor(7), tensor(7), 'torch.tensor(7)')"
    )


def test_the_last_result_can_be_seen_in_full(kernel):
    kernel.run("torch.zeros(2000)")
    assert len(kernel.run("%full").data("text/plain")[0]) > 2000


def test_a_list_of_tensors_is_its_contents(kernel):
    assert "list of 5 tensors" in kernel.run("[torch.ones(2)] * 5").result["text/html"]
    assert "text/html" not in kernel.run("[1, 2]").result


def test_commands_show_tables_and_pictures(kernel):
    kernel.run("w = torch.ones(2, requires_grad=True)\ny = (w * 3).sum()\ny.backward(retain_graph=True)")
    assert "<table" in kernel.run("%who").data("text/html")[0]
    assert "<table" in kernel.run("%grads").data("text/html")[0]
    (picture,) = kernel.run("%graph y").data("image/svg+xml")
    assert picture.startswith("<svg") and "w * 3" in picture
    assert "<pre" in kernel.run("%graph y view='tape'").data("text/html")[0]
    assert kernel.run("%why w").data("text/html")
    several = kernel.run("%who\n%graph y\n1 + 1")
    assert len(several.shown) == 3 and several.shown[-1][0] == "execute_result"


def test_a_failure_is_explained_with_its_fix(kernel):
    found = kernel.run(MISTAKE)
    assert found.failed and found.reply["ename"] == "RuntimeError"
    assert found.reply["evalue"].startswith("size mismatch, got input (2)")
    assert "~~^~~" in found.error and "try:" in found.error and "IPython" not in found.error
    number = found.reply["execution_count"]
    assert f"cell {number}:4: RuntimeError" in found.error
    again = kernel.run("f(a, b)")
    assert f"cell {number}:4: RuntimeError" in again.error and "called from cell" in again.error


@pytest.mark.parametrize(
    "code, text",
    [
        ("1 +", "SyntaxError"),
        ("def f(:\n  pass", "SyntaxError"),
        ("if True:\nx = 1", "IndentationError"),
        ("x（1）", "fits:"),
        ("torch.oness(2)", "did you mean"),
        ("%nosuch", "no such command"),
        ("nosuch", "NameError"),
        ("raise ValueError('<b>bold</b>')", "<b>bold</b>"),
        ("try:\n    1 / 0\nexcept Exception as e:\n    raise ValueError('x') from e", "ZeroDivisionError"),
        ("raise ExceptionGroup('several', [ValueError(1)])", "several"),
        ("await nosuch()", "NameError"),
    ],
)
def test_what_fails_says_so_and_the_kernel_goes_on(kernel, code, text):
    found = kernel.run(code)
    assert found.failed and text in found.error
    assert kernel.run("1 + 1").result["text/plain"] == "2"


def test_cells_after_a_failure_are_not_run_unless_wanted(kernel):
    first = kernel.client.execute("1 / 0")
    second = kernel.client.execute("after = 1")
    statuses = {}
    while len(statuses) < 2:
        message = kernel.client.get_shell_msg(timeout=60)
        statuses[message["parent_header"]["msg_id"]] = message["content"]["status"]
    assert statuses == {first: "error", second: "aborted"}
    assert kernel.run("'after' in globals()").result["text/plain"] == "False"


def test_notes_and_warnings_go_to_standard_error(kernel):
    found = kernel.run("w = torch.ones(2, requires_grad=True)\n(w * 2).sum().backward()\n(w * 2).sum().backward()")
    assert "note:" in found.err
    assert "UserWarning: careful" in kernel.run("import warnings\nwarnings.warn('careful')").err


def test_streams_and_threads(kernel):
    found = kernel.run("import sys, threading\nprint('out')\nprint('err', file=sys.stderr)")
    assert (found.out, found.err) == ("out\n", "err\n")
    found = kernel.run("t = threading.Thread(target=lambda: 1 / 0, name='worker')\nt.start()\nt.join()")
    assert not found.failed and "in thread worker" in found.err and "ZeroDivisionError" in found.err
    assert len(kernel.run("for k in range(20_000): print(k)").out.split()) == 20_000


def test_a_large_tensor_is_a_summary(kernel):
    found = kernel.run("torch.zeros(1000, 1000)").result
    assert len(found["text/plain"]) < 1000 and len(found["text/html"]) < 3000


def test_input_is_asked_for(kernel):
    found = kernel.run("name = input('who? ')\nname * 2", answer="ab")
    assert found.asked == "who? " and found.result["text/plain"] == "'abab'"


def test_an_interrupt_stops_the_cell_and_nothing_else(kernel):
    kernel.run("x = torch.ones(2)")
    code = "import time\nprint('begun')\nwhile True:\n    time.sleep(0.01)"
    found = kernel.run(code, meanwhile=kernel.manager.interrupt_kernel)
    assert found.failed and found.reply["ename"] == "KeyboardInterrupt" and "interrupted" in found.error
    assert kernel.run("x.sum()").result["text/plain"] == "tensor(2.)"


def test_an_interrupt_stops_an_await_in_which_nothing_happens(kernel):
    """At once, and not when the loop wakes by itself."""
    begin = "import asyncio\nasyncio.get_running_loop().call_later(0.5, print, 'begun')\n"
    found = kernel.run(f"{begin}await asyncio.sleep({2 * PATIENCE})", meanwhile=kernel.manager.interrupt_kernel)
    assert found.failed and "interrupted" in found.error
    assert kernel.run("await asyncio.sleep(0, 5)").result["text/plain"] == "5"


@pytest.mark.parametrize("code, shown", [("'text'", " text"), ("3", " 3"), ("", "")])
def test_a_cell_that_exits_ends_alone_and_says_so(kernel, code, shown):
    found = kernel.run(f"raise SystemExit({code})")
    assert found.error == f"SystemExit{shown}: the cell ended; the kernel keeps running" and not found.err


def test_what_is_ipythons_goes_to_ipython(kernel):
    assert kernel.run("!echo shell").out.strip() == "shell"
    assert kernel.run("%%bash\necho cell").out.strip() == "cell"
    assert kernel.run("import asyncio\nawait asyncio.sleep(0)\n3").result["text/plain"] == "3"
    assert kernel.run("%pwd").result is not None or kernel.run("%pwd").shown
    assert kernel.run("display(torch.ones(1))").data("text/html")
    assert kernel.run("%%time\nq = 5").reply["status"] == "ok" and kernel.run("q").result["text/plain"] == "5"


def test_what_ipython_ran_itself_fails_in_the_same_words(kernel):
    found = kernel.run("import asyncio\nasync def f():\n    return torch.ones(2, 3) @ torch.ones(2, 3)\nawait f()")
    assert f"cell {found.reply['execution_count']}:3: RuntimeError" in found.error and "fits:" in found.error
    assert "evil" in kernel.run("class Evil:\n    def __repr__(self):\n        raise ValueError('evil')\nEvil()").error
    assert "no such file" in kernel.run("%run /nosuch.py").error
    assert kernel.run("%debug?").reply["status"] == "ok" and kernel.run("raise SystemExit").failed


def test_a_mistake_in_a_command_is_shown_in_its_line(kernel):
    found = kernel.run("x = 1\ny = 2\n%time x +* 2")
    number = found.reply["execution_count"]
    assert f"cell {number}:3: SyntaxError" in found.error and "%time x +* 2\n        |          ^" in found.error
    assert "Python writes" not in found.error


def test_help_is_a_page(kernel):
    (text,) = kernel.run("torch.mm?").data("text/plain")
    assert text.startswith("torch.mm(input, mat2")
    assert "%graph" in kernel.run("%help").data("text/plain")[0]


def test_what_stands_under_the_cursor_is_told(kernel):
    kernel.run("net = nn.Linear(2, 3)\nweight = torch.ones(2)")
    found = kernel.ask("inspect", "torch.mm(", 8)
    assert found["found"] and "product of two matrices" in found["data"]["text/plain"]
    assert kernel.ask("inspect", "weight", 3)["found"]
    assert not kernel.ask("inspect", "nosuch", 3)["found"]


@pytest.mark.parametrize(
    "code, match",
    [
        ("torch.ones_l", "ones_like"),
        ("weig", "weight"),
        ("weight.requires_gr", "requires_grad"),
        ("%gra", "graph"),
        ("x = 1\ntorch.zer", "zeros"),
        ("import ma", "math"),
    ],
)
def test_the_kernel_completes_names(kernel, code, match):
    kernel.run("weight = torch.ones(2)")
    found = kernel.ask("complete", code, len(code))
    whole = [code[: found["cursor_start"]] + each + code[found["cursor_end"] :] for each in found["matches"]]
    assert any(match in each.rpartition("\n")[2] for each in whole), found


@pytest.mark.parametrize(
    "code, status",
    [("x = 1", "complete"), ("for k in x:", "incomplete"), ("f(1,", "incomplete"), ("1 +* 2", "invalid")],
)
def test_whether_a_cell_is_whole(kernel, code, status):
    assert kernel.ask("is_complete", code)["status"] == status


def test_what_was_done_can_be_written_taken_back_and_kept(kernel, tmp_path):
    kernel.run("%reset")
    kernel.run("x = torch.tensor([1., 2.])")
    kernel.run("y = x * 2\ny")
    assert "x.py" in kernel.run(f"%export {tmp_path}/x.py").out
    text = (tmp_path / "x.py").read_text(encoding="utf-8")
    assert "import tensh as torch" in text or "import torch" in text
    assert "y = x * 2" in text
    assert "kept" in kernel.run(f"%save {tmp_path}/kept").out
    kernel.run("x += 1")
    assert "undone" in kernel.run("%undo").out
    assert kernel.run("x").result["text/plain"] == "tensor([1., 2.])"
    kernel.run("%reset")
    kernel.run(f"%load {tmp_path}/kept")
    assert kernel.run("y").result["text/plain"] == "tensor([2., 4.])"
    assert "y = x * 2" in kernel.run("%history").out


def test_a_silent_cell_shows_nothing(kernel):
    found = kernel.run("torch.ones(2)", silent=True)
    assert found.result is None


def test_expressions_of_the_front_end(kernel):
    found = kernel.run("x = 2", user_expressions={"double": "x * 2"})
    assert found.reply["user_expressions"]["double"]["data"]["text/plain"] == "4"


def test_functions_of_cells_have_their_source(kernel):
    kernel.run("def double(x):\n    return x * 2")
    assert kernel.run("import inspect\nprint(inspect.getsource(double))").out == "def double(x):\n    return x * 2\n\n"


def test_a_restart_forgets(kernel):
    kernel.run("x = torch.ones(2)")
    kernel.restart()
    assert "NameError" in kernel.run("x").error
    assert kernel.run("torch.ones(1)").result["text/plain"] == "tensor([1.])"


def test_pictures_of_matplotlib(kernel):
    pytest.importorskip("matplotlib")
    found = kernel.run("%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot(torch.arange(3.));")
    assert found.data("image/png"), found.err


def test_names_cannot_bring_markup(kernel):
    kernel.run(
        "d = {'<script>alert(1)</script>': torch.ones(1), 'b': torch.ones(1), 'c': torch.ones(1), 'd': torch.ones(1)}"
    )
    assert "<script" not in kernel.run("d").result["text/html"]


def test_predict_asks_below_the_cell(kernel):
    done = kernel.run("%predict torch.ones(2, 3).sum(0)", answer="3")
    assert done.asked == "shape of torch.ones(2, 3).sum(0)? "
    assert done.result["text/plain"] == "tensor([2., 2., 2.])"
    assert "right" in done.streams.get("stderr", "") + done.streams.get("stdout", "")
    assert kernel.run("%predict torch.ones(2)").result["text/plain"] == "tensor([1., 1.])"
