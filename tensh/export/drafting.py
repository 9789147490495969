"""torch.export.draft_export: an export that goes on where ``export`` stops, and reports why it may be wrong."""

import enum
from typing import NamedTuple

from tensh.export.exporting import export
from tensh.tracing.deciding import drafting
from tensh.tracing.sizes.dims import ConstraintViolationError, Dim, UserError
from tensh.utils._pytree import tree_map_only

__all__ = ["DraftExportReport", "FailureReport", "FailureType", "draft_export"]

FRAME = 95
GREEN, YELLOW, PLAIN = "\x1b[92m", "\x1b[93m", "\x1b[0m"


class FailureType(enum.IntEnum):
    """A kind of finding of an export: tensh finds decisions on elements, and sizes that are fixed."""

    MISSING_FAKE_KERNEL = 1
    DATA_DEPENDENT_ERROR = 2
    GUARD_ADDED = 3
    MISMATCHED_FAKE_KERNEL = 4

    def __str__(self):
        return self.name


class FailureReport(NamedTuple):
    """One thing that makes an exported program right for its example only."""

    failure_type: FailureType
    data: dict
    xfail: bool = False

    def print(self, number):
        """Return the text of the failure, the ``number``-th of its report."""
        return (describe_decision if self.failure_type is FailureType.DATA_DEPENDENT_ERROR else describe_size)(
            number, self.data
        )


def describe_decision(number, data):
    """Return the text of a decision on elements."""
    where = "".join(
        f"\n        File {path}, lineno {line}, in {name}\n            {data['line']}"
        for path, line, name in data["places"]
    )
    known = "" if data["result"] is None else f" (e.g. `{data['result']}` in the 1st occurrence)"
    return (
        f"{number + 1}. Data dependent error.\n"
        f"    When exporting, we were unable to evaluate the value of `{data['expr']}`.\n"
        f"    This was encountered {data['occurrences']} times.\n"
        f"    This occurred at the following user stacktrace: {where}\n"
        f"    As a result, it was specialized to a constant{known}, and asserts were inserted into the graph.\n\n"
        "    Please add `torch._check(...)` to the original code to assert this data-dependent assumption."
    )


def describe_size(number, data):
    """Return the text of a declaration of sizes that the program does not fulfil."""
    return (
        f"{number + 1}. Guard Added.\n"
        "    The program does not take all sizes of the declared dynamic shapes:\n"
        + "".join(f"        {line}\n" for line in data["reason"].strip().splitlines())
        + "    Because of this, we have modified the dynamic shapes structure to be the following.\n"
        f"    ```\n    dynamic_shapes = {data['shapes']}\n    ```"
    )


class DraftExportReport:
    """The findings of an export: ``failures``, of which there are none if the program is right for all its inputs."""

    __module__ = "torch.export._draft_export"

    def __init__(self, failures):
        self.failures = failures

    def successful(self):
        """Return True if nothing was found."""
        return not any(not each.xfail for each in self.failures)

    def __repr__(self):
        return f"DraftExportReport({self.failures})"

    def __str__(self):
        if self.successful():
            text = (
                "Congratulations: No issues are found during export, and it was able to soundly produce a graph.\n"
                "You can now change back to torch.export.export()\n"
            )
            frame = "#" * (FRAME - 1)
            return f"{GREEN}\n{frame}\n{text}{frame}\n{PLAIN}"
        frame = "#" * (FRAME + 4)
        text = (
            f"WARNING: {len(self.failures)} issue(s) found during export, and it was not able to soundly produce a graph.\n"
            "Please follow the instructions to fix the errors.\n"
        )
        found = "\n".join(each.print(place) for place, each in enumerate(self.failures))
        return f"{YELLOW}\n{frame}\n{text}{frame}\n\n{found}\n{PLAIN}"


def draft_export(
    mod,
    args,
    kwargs=None,
    *,
    dynamic_shapes=None,
    preserve_module_call_signature=(),
    strict=False,
    prefer_deferred_runtime_asserts_over_guards=False,
):
    """Export a module as ``export`` does; where the program decides on elements or fixes sizes, go on as the example does.

    The program's ``_report`` says what may be wrong about it, and at which lines. The arguments are those of ``export``.

    >>> import tensh as torch
    >>> class Choice(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x * 2 if x.sum() > 0 else x
    >>> program = torch.export.draft_export(Choice(), (torch.ones(2),))
    >>> program._report.successful(), program.module()(torch.ones(2))
    (False, tensor([2., 2.]))
    """
    drafting.decisions, failures = [], []
    options = {"preserve_module_call_signature": preserve_module_call_signature, "strict": strict}
    try:
        try:
            made = export(mod, args, kwargs, dynamic_shapes=dynamic_shapes, **options)
        except (ConstraintViolationError, UserError) as error:
            if dynamic_shapes is None:
                raise
            made, shapes = export_loosely(mod, args, kwargs, dynamic_shapes, options)
            reason = str(error).partition("\n\nThe error above")[0]
            failures.append(FailureReport(FailureType.GUARD_ADDED, {"reason": reason, "shapes": shapes}))
        decisions = drafting.decisions
    finally:
        drafting.decisions = None
    failures += list_decisions(decisions)
    made._report = DraftExportReport(failures)
    return made


def export_loosely(mod, args, kwargs, shapes, options):
    """Return (program, shapes) with declarations that the program may narrow, or without any."""
    loose = tree_map_only(type(Dim("n")), lambda each: Dim.AUTO, shapes)
    drafting.decisions.clear()
    try:
        return export(mod, args, kwargs, dynamic_shapes=loose, **options), loose
    except (ConstraintViolationError, UserError):
        drafting.decisions.clear()
        return export(mod, args, kwargs, **options), None


def list_decisions(decisions):
    """Return a failure for each line and condition on which the program decided, in the first trace that did."""
    found = {}
    for each in decisions:
        if each.trace != decisions[0].trace:
            break
        data = found.setdefault(
            (each.text, each.place),
            {
                "expr": each.text,
                "result": None if each.outcome is None else str(each.outcome),
                "places": [each.place] if each.place else [],
                "line": each.line,
                "occurrences": 0,
            },
        )
        data["occurrences"] += 1
    return [FailureReport(FailureType.DATA_DEPENDENT_ERROR, data) for data in found.values()]
