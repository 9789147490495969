"""torch.futures: results that arrive later."""

import threading

import pytest

import tensh as torch

Future = torch.futures.Future


def test_a_result_arrives_from_another_thread():
    future, seen = Future(), []
    later = future.then(lambda done: done.value() + 1)
    future.add_done_callback(lambda done: seen.append(done.value()))
    thread = threading.Thread(target=future.set_result, args=(1,))
    thread.start()
    assert (future.wait(), later.wait(), seen) == (1, 2, [1])
    assert isinstance(later, torch.Future)
    thread.join()


def test_an_error_arrives():
    future = Future()
    later = future.then(lambda done: done.value())
    future.set_exception(ValueError("no"))
    for call in (future.wait, future.value):
        with pytest.raises(ValueError, match="^no$"):
            call()
    with pytest.raises(RuntimeError, match="running the callback: ValueError: no"):
        later.wait()


def test_all_of_several():
    one, two = Future(), Future()
    both = torch.futures.collect_all([one, two])
    one.set_result(1)
    assert not both.done()
    two.set_result(2)
    assert both.wait() == [one, two]
    assert torch.futures.wait_all([one, two]) == [1, 2]
    assert torch.futures.collect_all([]).wait() == []


@pytest.mark.parametrize(
    ("use", "kind", "text"),
    [
        (lambda f: (f.set_result(1), f.set_result(2)), RuntimeError, "marked completed once"),
        (lambda f: f.value(), RuntimeError, "no value yet"),
        (lambda f: f.set_exception(3), AssertionError, "3 is of type <class 'int'>, not an Exception."),
    ],
)
def test_what_is_refused(use, kind, text):
    with pytest.raises(kind, match=text):
        use(Future())


def test_an_error_of_a_callback_is_a_warning():
    future = Future()
    future.add_done_callback(lambda done: 1 / 0)
    with pytest.warns(RuntimeWarning, match="ZeroDivisionError"):
        future.set_result(1)


@pytest.mark.parametrize("values", ["a", [None], [torch.futures.Future(), 5]])
def test_what_is_no_future_cannot_be_waited_for(values):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        torch.futures.collect_all(values)
