"""Pages of names: `tensh doc`, `name?`; lists of names: `tensh api`."""

import ast
import json

import pytest

import tensh
from tensh.cli.session.events import Value
from tensh.cli.session.help import derivation, examples, gradient, lookup, names, page
from tensh.cli.session.help.terminal_examples import fit_example
from tensh.cli.session.help.view import HelpPage
from tensh.cli.session.session import Session
from tensh.cli.session.sources.source import Source
from tensh.engine.methods import unsupported
from tensh.show.drawing.page import Page
from tests.support.command_line import Done

SHOWN = ("operator", "in-place operator", "function", "method", "class")
NAMES = [name for name in names.list_names() if name.kind in SHOWN]
BY_PATH = {name.path: name for name in NAMES}
REFUSING = ("torch.cuda.", "torch.return_types.")  # functions without a device, and tuples that functions make
# whose classes and functions of modules speak for themselves
BUILT = ("torch.nn", "torch.optim", "torch.utils", "torch.func")


def needs_an_example(name):
    return not (name.path.startswith(REFUSING) or name.space.startswith(BUILT) and name.space != "torch.nn.functional")


def text(tokens):
    return "".join(words for _, words in tokens)


def page_of(name, with_source=False):
    return text(lookup.find_public_page(name, with_source))


SPACES = sorted({name.space for name in BY_PATH.values() if needs_an_example(name)})


def lacks_an_example(name):
    """Return True if a public name has no example, or one that fails; those of the documentation are run by test_docs.py."""
    lines = examples.example(name)
    if not lines or not lines[0].startswith(">>> "):
        return True
    return ">>>" not in name.doc and lines[-1].partition(": ")[0].endswith(("Error", "Exception"))


@pytest.mark.parametrize("space", SPACES)
def test_every_public_name_has_an_example_that_runs(space):
    names = {path: name for path, name in BY_PATH.items() if name.space == space and needs_an_example(name)}
    assert [path for path, name in names.items() if lacks_an_example(name)] == []


def test_every_line_of_the_examples_is_used():
    known = {name.name for name in NAMES} | {path.removeprefix("torch.") for path in BY_PATH}
    known |= {name.removesuffix("_") for name in known}
    assert [name for name in examples.read_examples() if name not in known] == []


def test_what_an_example_prints_stands_in_it(capsys):
    lines = examples.example(BY_PATH["torch.Tensor.register_post_accumulate_grad_hook"])
    assert lines[-1] == "tensor(6.)" and capsys.readouterr().out == ""


def test_a_module_has_not_the_example_of_a_function_of_its_name():
    module = next(name for name in names.list_names("torch.distributions.normal") if name.kind == "module")
    assert examples.example(module) == []


def test_examples_leave_random_numbers_as_they_were():
    tensh.manual_seed(5)
    expected = tensh.rand(2).tolist()
    tensh.manual_seed(5)
    page_of("torch.Tensor.normal_")
    assert tensh.rand(2).tolist() == expected


PAGES = {
    "sum": (
        "torch.sum(input, dim=None",
        "gradient  g is the gradient of the result y\n  input: g\n",
        "see also\n  torch.Tensor.sum",
    ),
    "torch.linalg.svd": (
        "torch.linalg.svd(A, full_matrices=True",
        "g_NAME is the gradient of the result NAME",
        "  A: ",
        "with F = skew(",
        "gaps(v): ",
    ),
    "Tensor.add_": (
        "torch.Tensor.add_(other, *, alpha=1)",
        "In-place version of add.",
        "x.add_(",
        "tensor([4., 4., 4.])",
    ),
    "F.relu": ("torch.nn.functional.relu(input, inplace=False)", "input: g * [input > 0]"),
    "exp": ("torch.exp(input, *, out=None)", "input: g * y\n", ">>> torch.exp("),
    "softmax": ("input: y * (g - sum(g * y, dim))",),
    "F.cross_entropy": ("input: g * (softmax(input) - onehot(target)) / n", "with n = averaged(target, reduction)"),
    "mul": ("input: g * other\n  other: g * input\n  summed to the shape of an operand that was broadcast",),
    "nn.Linear": (
        "gradient  g is the gradient of the result y",
        "input: g @ weight\n  weight: g.T @ input\n  bias: g\n",
        "  summed to the shape of an operand that was broadcast\n",
    ),
    "addmm": ("mat2: alpha * (mat1.T @ g)\n  summed to the shape of an operand that was broadcast",),
    "dot": ("input: g * tensor\n  tensor: g * input\n\n",),
    "nn.Tanh": ("input: g * (1 - y²)",),
    "nn.CrossEntropyLoss": ("input: g * (softmax(input) - onehot(target)) / n", "with n = averaged(target, reduction)"),
    "nn.ELU": ("input: g * ([input > 0] + alpha * exp(input) * [input ≤ 0])",),
    "float32": ("torch.float32  dtype",),
    "Tensor.shape": ("torch.Tensor.shape  property", "The size of each dimension."),
    "torch.fft": ("torch.fft  module", "tensh api torch.fft"),
    "nn.Parameter": ("torch.nn.Parameter(data=None", "Parameter containing:"),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_its_parts_and_no_import(name):
    shown = page_of(name)
    assert [words for words in PAGES[name] if words not in shown] == []
    assert "import tensh" not in shown


def test_source_is_the_declaration_and_the_function_written_from_it():
    shown = page_of("exp", with_source=True)
    assert (
        'pointwise(elementary.exp, "e to the power of input."' in shown
        and "declared in tensh/engine/operators/" in shown
    )
    assert "def exp(input, *, out=None):" in shown
    assert "derivative\n  exp  ExpBackward0\n    input: g * conj(out)\n" in shown
    shown = page_of("linalg.svd", with_source=True)
    assert "\n  def linalg_svd(A" in shown and "linalg_svd is declared in" in shown


def test_every_declared_derivative_is_found():
    assert derivation.derivations(names.find_name("mul").entry)[0].derivatives == {
        "input": "g * conj(other)",
        "other": "g * conj(input)",
    }
    assert [each.op.name for each in derivation.derivations(names.find_name("mean").entry)] == ["mean_all", "mean_dim"]
    assert derivation.derivations(names.find_name("argmax").entry) == []


@pytest.mark.parametrize(
    "word, meant",
    [("smu", "torch.sum"), ("torch.nn.functional.rellu", "torch.nn.functional.relu"), ("lnalg", "torch.linalg")],
)
def test_an_unknown_name_says_what_may_be_meant(word, meant):
    with pytest.raises(lookup.Unknown, match=f"did you mean {meant.rpartition('.')[0]}"):
        page_of(word)


def test_what_pytorch_alone_has_is_not_in_tensh():
    with pytest.raises(NotImplementedError, match="torch.nativert exists in PyTorch but not in tensh"):
        page_of("nativert")


# ── in a session ─────────────────────────────────────────────────────────────


def asked(word, with_source=False, **namespace):
    return text(lookup.find_session_page(word, {"torch": tensh, "F": tensh.nn.functional} | namespace, with_source))


def test_a_name_of_a_session_has_the_page_of_what_it_is():
    assert asked("torch.sum") == asked("total", total=tensh.sum) == page_of("torch.sum")
    assert asked("F.relu") == page_of("torch.nn.functional.relu")
    assert asked("x.sum", x=tensh.ones(2)) == asked("torch.Tensor.sum") == page_of("Tensor.sum")


def test_a_name_that_a_session_lacks_is_a_public_one():
    assert asked("softmax") == page_of("torch.softmax")
    assert asked("nn.Linear") == page_of("torch.nn.Linear")
    assert asked("softmax", softmax="mine").startswith("softmax  str")  # those of the session come first


def test_a_tensor_says_where_it_lies_and_where_it_is_from():
    x = tensh.ones(2, 3, requires_grad=True)
    y = x * 2
    assert "made by MulBackward0" in asked("y", y=y) and "y  Tensor [2, 3] float32" in asked("y", y=y)
    v = y.t()[1]
    shown = asked("v", v=v, y=y)
    assert "(3,), not contiguous" in shown and "1 elements into its storage" in shown and "view of     y" in shown
    assert "a leaf" in asked("x", x=x)


def test_no_property_runs():
    class Loud:
        """Says so."""

        @property
        def value(self):
            raise AssertionError("it ran")

    assert "Says so." in asked("loud", loud=Loud())
    assert "property" in asked("loud.value", loud=Loud())


@pytest.mark.parametrize(
    "word, words", [("abx", "not defined"), ("torch.smu", "did you mean sum"), ("x.smu", "did you mean sum")]
)
def test_unknown_names_of_a_session(word, words):
    with pytest.raises(lookup.Unknown, match=words):
        asked(word, x=tensh.ones(1))


def answers(code):
    session = Session()
    session.preload()
    return "".join(f"{e.value!r}\n" for e in session.run(Source(code, "<test>", "test")) if isinstance(e, Value))


@pytest.mark.parametrize("code", ["%hist?", "%help hist", "%help %hist"])
def test_a_command_is_explained_with_its_function(code):
    shown = answers(code)
    assert shown.startswith("%hist X") and "tensh.show.hist(input, bins=None" in shown


def test_a_command_is_explained_within_a_window():
    session = Session()
    session.preload()
    (event,) = [each for each in session.run(Source("%help %why", "<test>", "test")) if isinstance(each, Value)]
    lines = text(event.value.draw(Page(width=80, is_window=True))).split("\n")
    prose = [line for line in lines[5 : lines.index("  >>> import tensh")] if line]
    assert all(len(line) < 80 and line.startswith("  ") for line in prose)
    assert "<BLANKLINE>" not in lines and "" in lines[lines.index("  >>> import tensh") :]


def test_a_question_shows_the_page_of_a_name():
    assert answers("torch.exp?") == answers("%help torch.exp") == page_of("exp")
    assert answers("torch.exp??") == page_of("exp", with_source=True)


def test_a_page_is_broken_between_words_in_a_window_only():
    tokens = [*lookup.find_public_page("torch.linalg.lstsq")]
    assert text(HelpPage(tokens).draw(Page(width=60))) == text(tokens).rstrip("\n")
    lines = text(HelpPage(tokens).draw(Page(width=60, is_window=True))).split("\n")
    prose = [line for line in lines if not line.startswith(("  ", "torch."))]
    assert len(lines) > len(text(tokens).split("\n")) and all(len(line) < 60 for line in prose)
    assert "".join(text(tokens).split()) == "".join("".join(line.removeprefix("  ...") for line in lines).split())


@pytest.mark.parametrize("width", [40, 50, 60, 80])
@pytest.mark.parametrize(
    "path", ["torch.stft", "torch.nn.functional.conv1d", "torch.cosine_embedding_loss", "torch.lstm"]
)
def test_code_of_an_example_goes_on_within_brackets(path, width):
    """In a narrow window, too, the lines after the prompts are the same program."""
    tokens = [*lookup.find_public_page(path)]
    shown = text(HelpPage(tokens).draw(Page(width=width, is_window=True)))
    assert ast.dump(ast.parse(code_of(shown))) == ast.dump(ast.parse(code_of(text(tokens))))
    assert shown.count("\n  ... ") > text(tokens).count("\n  ... ") or width > 60


def code_of(page):
    """Return the code after the prompts of a page."""
    lines = [line.strip() for line in page.split("\n")]
    return "\n".join(line[4:] for line in lines if line.startswith((">>> ", "... ")))


def test_output_of_an_example_is_broken_between_words():
    assert fit_example("  >>> x\n  one two three four", 14) == "  >>> x\n  one two\n      three\n      four"
    assert fit_example(">>> f('a b c d e', 1)", 12) == ">>> f(\n...     'a b c d e', 1)"
    assert fit_example(">>> a = 'b c d e f g'", 12) == ">>> a = 'b c d e f g'"


@pytest.mark.parametrize(
    "path", ["torch.linalg.svd", "torch.ctc_loss", "torch.grid_sampler", "torch.conv1d", "torch.lu_solve"]
)
@pytest.mark.parametrize("width", [50, 60, 80])
def test_formulas_are_broken_in_a_window_only(path, width):
    found = names.find_name(path)
    tokens = [*gradient.section(gradient.formulas(found, page.parameters(found)))]
    assert text(HelpPage(tokens).draw(Page(width=width))) == text(tokens).rstrip("\n")
    lines = text(HelpPage(tokens).draw(Page(width=width, is_window=True))).split("\n")
    assert max(map(len, lines)) < width
    assert "".join(text(tokens).split()) == "".join("".join(line.removeprefix("  ...") for line in lines).split())


def test_a_formula_is_broken_before_its_outer_terms():
    found = names.find_name("torch.linalg.svd")
    tokens = [*gradient.section(gradient.formulas(found, page.parameters(found)))]
    lines = text(HelpPage(tokens).draw(Page(width=80, is_window=True))).split("\n")
    assert "        + U @ (2 * c * F @ Vh + (g_Vh - g_Vh @ Vh.T @ Vh) / c)" in lines


def test_the_example_in_a_docstring_keeps_its_lines():
    written = "\nTwice the number.\n\n>>> double(2)\n4\n>>> double(3)\n6\n"
    assert text(HelpPage([("prose", written)]).draw(Page(width=60, is_window=True))) == written.rstrip("\n")


@pytest.mark.parametrize("path", ["torch.nn.LSTM", "torch.optim.Adam", "torch.Tensor.sum", "torch.linalg.lstsq"])
def test_a_signature_is_broken_between_parameters_in_a_window_only(path):
    tokens = [*lookup.find_public_page(path)]
    whole = text(HelpPage(tokens).draw(Page(width=60))).split("\n")[0]
    head = text(HelpPage(tokens).draw(Page(width=60, is_window=True))).partition("\n\n")[0].split("\n")
    assert all(len(line) < 60 for line in head)
    assert " ".join(head).replace("( ", "(").replace(" )", ")").replace("  ", "").replace(",", ", ").split() == (
        whole.replace(",", ", ").split()
    )
    assert not any(line.endswith("(0.9,") for line in head)


def test_shapes_and_errors_are_paragraphs_of_a_page():
    paragraphs = page_of("torch.nn.Conv2d").split("\n\n")
    assert [p.split()[0] for p in paragraphs[2:4]] == ["Shapes:", "Raise"]


def test_paragraphs_of_shapes_and_errors_are_filled_without_a_window():
    torn = []
    for name in NAMES:
        for paragraph in page.prose(name.doc).split("\n\n"):
            first, *more = paragraph.split("\n")
            if paragraph.startswith(("Shape", "Raise ")) and more and not more[0].startswith((" ", "-", "*", "|")):
                torn += [name.path] * (len(first) + 1 + len(more[0].split()[0]) <= 80)
    assert torn == []


def test_the_list_of_commands_fits_its_window():
    (event,) = [e for e in Session().run(Source("%help commands", "<test>", "test")) if isinstance(e, Value)]
    wide, narrow = repr(event.value), text(event.value.draw(Page(width=60, is_window=True)))
    assert wide.split() == narrow.split() and all(len(line) < 60 for line in narrow.split("\n"))
    assert "%hist X [--bins N]" in wide


# ── commands ─────────────────────────────────────────────────────────────────


def test_doc_command(tensh_command):
    done = tensh_command("doc", "linalg.det")
    assert done.returncode == 0 and done.stdout == page_of("linalg.det")
    facts = json.loads(tensh_command("doc", "linalg.det", "--json").stdout)
    assert facts["name"] == "torch.linalg.det" and facts["derivatives"]["linalg_det"]["node"] == "LinalgDetBackward0"
    assert facts == {"v": 1} | json.loads(json.dumps(page.facts(names.find_name("linalg.det"))))


@pytest.mark.parametrize("name", tensh.ELSEWHERE)
def test_what_a_submodule_defines_is_found_before_it_was_used(name, monkeypatch):
    monkeypatch.delitem(vars(tensh), name, raising=False)
    assert names.entry("torch", name) is getattr(tensh, name)


def test_doc_command_for_what_is_not_there():
    done = Done("doc", "nativert")
    assert done.status == 4 and done.output == "" and "not in tensh" in done.errors
    done = Done("doc", "smu")
    assert done.status == 2 and "did you mean torch.sum?" in done.errors


def test_api_command():
    lines = Done("api", "fft").output.splitlines()
    assert {line.split("\t")[0] for line in lines} == {
        f"torch.fft.{n}" for n in unsupported.read_recorded_names("torch.fft")
    } | {"torch.fft"}
    assert all(len(line.split("\t")) == 3 and line.split("\t")[2] for line in lines)
    rows = [json.loads(line) for line in Done("api", "torch.fft.rfft", "--json").output.splitlines()]
    assert rows[0] == {
        "v": 1,
        "name": "torch.fft.rfft",
        "kind": "function",
        "summary": names.find_name("fft.rfft").summary,
    }
    assert Done("api", "ftt").status == 2


def test_api_command_lists_only_what_has_a_reason():
    rows = [json.loads(line) for line in Done("api", "--missing", "--json").output.splitlines()]
    assert rows and all(row["reason"] and row["when"] in ("not yet", "left out") for row in rows)
    done = Done("api", "--missing", "torch.fft")
    assert done.status == 0 and done.output == "" and "is missing" in done.errors


def test_a_default_that_is_a_module_is_shown_by_its_name():
    assert "pickle_module=pickle, " in page_of("save")


@pytest.mark.parametrize("words", [("fft.r",), ("--missing", "quantize")])
def test_the_names_of_the_api_fit_a_narrow_window(words):
    lines = Done("api", *words, terminal=True, COLUMNS="40", NO_COLOR="1").output.split("\n")
    assert [line for line in lines if len(line) > 40 or line != line.rstrip() or "…" in line] == []
