"""A failure as the fields of a record: the same facts that are shown of it."""


def fields(failure, where):
    """The fields of a failure; `where` gives those of a place."""
    return {
        **(where(failure.places[0]) if failure.places else {"file": None, "line": None}),
        "type": failure.kind or type(failure.error).__name__,
        "message": failure.message,
        **columns(failure.places[0] if failure.places else None),
        **explanation(failure),
        "locals": [each._asdict() for each in failure.local],
        "suggestion": failure.suggestion,
        "notes": failure.notes,
        "frames": [frame(place, where) for place in failure.places],
        "cause": failure.cause and fields(failure.cause, where),
        "reason": failure.reason,
    }


def explanation(failure):
    """The operands and, where the engine can tell, the rule that they broke."""
    found = failure.explanation
    operands = found.operands if found else failure.operands
    return {
        "op": found and found.operation,
        "operands": [
            {"name": each.text if found else each.name, "shape": list(each.shape), "dtype": each.dtype}
            for each in operands
        ],
        "rule": found and found.rule,
        "fits": [{"code": fit.text, "result": fit.result} for fit in (found.fits if found else ())],
        "advice": found and found.advice,
        "then": found and found.then,
        "made": [{"name": name, "line": line} for name, line in (found.made if found else ())],
        "loop": dict(zip(("line", "iteration"), found.turn, strict=True)) if found and found.turn else None,
    }


def frame(place, where):
    """A place on the way to the failure."""
    return where(place) | columns(place) | {"function": place.function, "code": place.text}


def columns(place):
    """Return the first and the last place of the code at a place."""
    return {name: getattr(place, field, None) for name, field in COLUMNS.items()}


COLUMNS = {"col": "column", "end_line": "end_line", "end_col": "end_column"}
