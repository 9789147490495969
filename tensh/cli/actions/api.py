"""`tensh api [PREFIX]`: the public names; with `--missing` the names of PyTorch that tensh lacks, and why."""

from itertools import groupby

from tensh.cli.process import status
from tensh.cli.programs.options import UsageError
from tensh.cli.render.console import Console
from tensh.show.drawing.text import cells, pad, shorten, wrap_lines
from tensh.support.language import _, count, deferred

LEAST_SUMMARY = 20  # columns for a summary beside its name


def show(env, prefix="", missing=False, as_json=False):
    """Write the names that begin with a prefix: a table on a terminal, tab-separated lines elsewhere."""
    from tensh.cli.session.help import lookup, names

    rows = [*(rows_of_missing(names, prefix) if missing else rows_of_names(names, prefix))]
    if not rows and (not missing or not any(True for _name in names.list_names(prefix))):
        raise UsageError(
            _("tensh api: no name begins with {prefix}{meant}").format(
                prefix=prefix, meant=lookup.suggest_public(prefix)
            )
        )
    console = Console(env)
    if not rows:
        console.remark(
            [("note", _("{prefix}: no name of PyTorch's is missing\n").format(prefix=names.spell_out(prefix)))]
        )
    if as_json:
        console.result([("plain", "".join(map(convert_to_json, rows)))])
    elif env.is_terminal(env.stdout) and not env.plain:
        console.result(table(rows, env.width(env.stdout), console.has_unicode()))
    else:
        console.result([("plain", "".join("\t".join(row.values()) + "\n" for row in rows))])
    return status.OK


def rows_of_names(names, prefix):
    """Yield a row for each name that tensh has."""
    for name in names.list_names(prefix):
        yield {"name": name.path, "kind": name.kind, "summary": name.summary}


def rows_of_missing(names, prefix):
    """Yield a row for each name that tensh lacks."""
    for path, why in names.list_missing(prefix):
        yield {
            "name": path,
            "when": deferred("left out") if why else deferred("not yet"),
            "reason": why.text if why else "",
        }


def convert_to_json(row):
    from tensh.support.escaping import dumps

    return dumps({"v": 1} | row) + "\n"


def table(rows, width, unicode):
    """Arrange rows in columns, under a heading for each namespace."""
    for space, group in groupby(rows, lambda row: row["name"].rpartition(".")[0]):
        known = [(row["name"].rpartition(".")[2], *map(_, filter(None, [*row.values()][1:]))) for row in group]
        known = [(*row, "")[:3] for row in known]
        first, second = (max(cells(row[column]) for row in known) + 2 for column in (0, 1))
        yield "title", f"{space}\n"
        room = width - first - second - 3
        for name, kind, rest in known:
            yield "name", f"  {name:{first}}"
            yield "note", pad(kind, second) if room >= LEAST_SUMMARY else kind
            if room >= LEAST_SUMMARY:
                yield "plain", shorten(rest, room, unicode) + "\n"
            else:  # below the name
                yield "plain", "".join(f"\n      {line}" for line in wrap_lines(rest, max(width - 6, 1))) + "\n"
        yield "note", f"  {count(len(known), 'name')}\n\n" if len(known) > 1 else "\n"
