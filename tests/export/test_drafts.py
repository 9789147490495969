"""draft_export: programs that decide on elements or fix sizes are exported for their example, and reported."""

import pytest

import tensh as torch
from tensh.export.drafting import FailureType


class Decides(torch.nn.Module):
    def forward(self, x, y):
        if x.sum().item() > 2:
            return x + 1
        for n in range(2):
            if y.sum() > n:
                x = x * 2
        return x


class Fixes(torch.nn.Module):
    def forward(self, x):
        return x.reshape(2, 3) + 1


def test_a_sound_program_is_reported_as_such(oracle):
    reports = []
    for library in torch, oracle:
        program = library.export.draft_export(
            library.nn.Linear(2, 2), (library.ones(3, 2),), dynamic_shapes=({0: library.export.Dim("n")},)
        )
        reports.append((str(program._report), repr(program._report), program._report.successful()))
    assert reports[0] == reports[1]


def test_decisions_are_those_of_the_example():
    program = torch.export.draft_export(Decides(), (torch.ones(2), torch.tensor([1])))
    assert program.module()(torch.ones(2), torch.tensor([1])).tolist() == [2, 2]
    assert not program._report.successful()
    data = [each.data for each in program._report.failures]
    assert [(each["expr"], each["result"], each["occurrences"]) for each in data] == [
        ("zuf0 > 2", "False", 1),
        ("Eq(u0, 1)", None, 2),
    ]
    assert "if x.sum().item() > 2:" in str(program._report)
    with pytest.raises(RuntimeError, match="Could not guard on data-dependent expression zuf0 > 2"):
        torch.export.export(Decides(), (torch.ones(2), torch.tensor([1])))


def test_sizes_that_the_program_fixes_are_reported():
    shapes = {"x": {0: torch.export.Dim("batch")}}
    program = torch.export.draft_export(Fixes(), (torch.ones(2, 3),), dynamic_shapes=shapes)
    (failure,) = program._report.failures
    assert failure.failure_type is FailureType.GUARD_ADDED and "batch" in str(program._report)
    assert program.module()(torch.zeros(2, 3)).sum() == 6


def test_errors_of_the_program_are_its_own():
    with pytest.raises(ValueError, match="Expected `mod`"):
        torch.export.draft_export(3, ())


def draft_a_branch(torch, limit):
    """Return the draft of a program that branches on a sum, whose example is 15."""

    class Branching(torch.nn.Module):
        def forward(self, x):
            return x + 1 if x.sum().long().item() > limit else x - 1

    return torch.export.draft_export(Branching(), (torch.ones(5, 3),))


def test_drafts_check_what_the_example_decided(oracle):
    ours, theirs = (draft_a_branch(library, 3) for library in (torch, oracle))
    assert ours.graph_module.code == theirs.graph_module.code
    assert str(ours.range_constraints) == str(theirs.range_constraints)


@pytest.mark.parametrize(("limit", "refused"), [(3, 0.0), (30, 3.0)])
def test_drafts_refuse_numbers_of_the_other_branch(limit, refused):
    module = draft_a_branch(torch, limit).module()
    assert module(torch.ones(5, 3))[0, 0] == (2 if limit == 3 else 0)
    with pytest.raises(RuntimeError, match="Runtime assertion failed for expression u0"):
        module(torch.full((5, 3), refused))
