"""Scripts whose types do not fit are refused when they are scripted, with PyTorch's text; those whose types fit are not."""

import pytest

import tensh as torch
from tests.jit.ill_typed import make_wrong
from tests.jit.well_typed import make_correct
from tests.recorded.answers import read_answers
from tests.recorded.script_errors.record import FILE, find_errors, summarize_error
from tests.support.sampling import few_of

pytestmark = pytest.mark.filterwarnings("ignore")
WRONG, CORRECT = make_wrong(torch), make_correct(torch)
ERRORS = read_answers(FILE)


@pytest.mark.parametrize("name", few_of(WRONG))
def test_types_that_do_not_fit_are_refused_with_pytorchs_words(name):
    with pytest.raises(RuntimeError) as raised:
        torch.jit.script(WRONG[name])
    assert summarize_error(str(raised.value)) == ERRORS[name]


@pytest.mark.parametrize("name", few_of(CORRECT))
def test_types_that_fit_are_not_refused(name):
    torch.jit.script(CORRECT[name])


def test_recorded_errors_are_pytorchs(oracle):
    assert find_errors(oracle) == ERRORS


@pytest.mark.thorough
def test_pytorch_scripts_what_is_not_refused(oracle):
    for each in make_correct(oracle).values():
        oracle.jit.script(each)


def test_functions_without_source_or_with_types_in_comments_are_left_alone():
    def commented(x, k):
        # type: (Tensor, int) -> Tensor
        return x + "a"

    torch.jit.script(commented)
    with pytest.raises(OSError, match="source"):
        torch.jit.script(eval(compile("lambda x: x + missing", "<nowhere>", "eval")))


def test_errors_show_where_they_are_from_caller_to_callee():
    with pytest.raises(RuntimeError) as raised:
        torch.jit.script(WRONG["calls_deeply"])
    text = str(raised.value)
    chain = ["'bad_helper' is being compiled since it was called from 'caller'", "'caller' is being compiled since it"]
    assert text.startswith("\nundefined value missing:\n") and text.index(chain[0]) < text.index(chain[1])
