"""^C at any moment of a draw leaves a state from which the same numbers follow again."""

import pytest

import tensh as torch
from tests.support.interrupts import interrupt_at


def draw_in_fork():
    with torch.random.fork_rng():
        torch.rand(700)


DRAWS = {
    "few": lambda: torch.rand(3),
    "many": lambda: torch.rand(3000),
    "normal": lambda: torch.randn(3),
    "in place": lambda: torch.empty(20).uniform_(),
    "integers": lambda: torch.randint(9, (400,)),
    "a permutation": lambda: torch.randperm(100),
    "an unknown number of words": lambda: torch.poisson(torch.ones(5)),
    "a seed": lambda: torch.manual_seed(5),
}


def begin(drawn):
    torch.manual_seed(3)
    torch.rand(drawn)


def following():
    return [torch.rand(500).tolist(), torch.randn(3).tolist(), torch.rand(1000).tolist()]


@pytest.mark.parametrize("drawn", [0, 1, 623])
@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_that_is_interrupted_anywhere(name, drawn):
    DRAWS[name]()
    moment, more = 1, True
    while more:
        begin(drawn)
        more = interrupt_at(moment, DRAWS[name])
        state = torch.get_rng_state()
        numbers = following()
        torch.set_rng_state(state)
        assert following() == numbers, moment
        moment += 1 + moment // 40
    assert moment > 5


def test_a_fork_that_is_interrupted_anywhere_restores_the_state():
    draw_in_fork()
    moment, more = 1, True
    while more:
        begin(1)
        before = torch.get_rng_state()
        more = interrupt_at(moment, draw_in_fork)
        assert torch.equal(torch.get_rng_state(), before), moment
        moment += 1
    assert moment > 5
