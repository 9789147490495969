"""`tensh check FILE...`: check that the code in documents still produces the output stored beside it."""

import glob
import os
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from tensh.cli.checking import accepting, report, running
from tensh.cli.checking.verdicts import DIFFERS, FAILS, Limits, verdicts, verdicts_against
from tensh.cli.documents import files
from tensh.cli.lessons import format
from tensh.cli.process import status
from tensh.cli.programs.options import UsageError
from tensh.cli.render.console import Console
from tensh.cli.render.fitting import fit
from tensh.support.escaping import shell_word, visible_line
from tensh.support.language import _, language_of, speaking

FEW = 3  # files that are named one by one


class Request(NamedTuple):
    """The settings of a check: how to compare, and what to do with new outputs."""

    limits: Limits = Limits()
    update: bool = False
    write: str | None = None
    json: bool = False
    against: str | None = None  # "torch", or a Python that has PyTorch


def show(env, options, patterns, request):
    """Check files and report each cell; return the exit status."""
    begin = perf_counter()
    paths = [path for pattern in patterns for path in expand_pattern(pattern)]
    if request.against and (request.update or request.write):
        raise UsageError(
            _(
                "tensh check: --against compares two engines; --update and --write, which store outputs, cannot be combined with it"
            )
        )
    if request.write and len(paths) != 1:
        raise UsageError(_("tensh check: --write expects a single file, but got {paths}").format(paths=len(paths)))
    checking, done, found = Checker(env, options, request), status.OK, []
    for path in paths:
        try:
            found += checking.check_file(path)
        except UsageError as error:
            checking.console.remark([("message", f"{error}\n")])
            done = status.USAGE
    # --update accepts differences, but not failures
    bad = [verdict for verdict in found if (verdict.status == FAILS if request.update else verdict.is_bad)]
    done = status.DIFFERS if bad else done
    done = max(done, checking.stopped)
    if found or done == status.OK:
        checking.end(found, patterns, len(paths), perf_counter() - begin, done)
    return done


class Checker:
    """Checks one file after another."""

    def __init__(self, env, options, request):
        self.console = Console(env)
        self.options = options
        self.request = request
        self.differing = []  # files with cells that differ from their stored output
        self.stopped = status.OK

    def check_file(self, path):
        """Check a file and report its cells; return the verdicts."""
        document = files.load(path)
        if format.asks(document) and not self.request.against:
            return self.check_lesson(path)
        limits = self.request.limits
        settings = document.metadata.get("tensh")
        if isinstance(settings, dict) and settings.get("check") == "lax":
            limits = limits._replace(lax=True)
        outputs = "".join(each.text for cell in document.cells for each in cell.outputs)
        with speaking(language_of(outputs, "".join(cell.text for cell in document.cells if cell.kind == "code"))):
            results, ended = running.results(document, path, self.options, self.request.against is not None)
        self.stopped = ended if ended == status.OUT_OF_TIME else self.stopped
        if self.request.against:
            from tensh.cli.checking import elsewhere

            others = elsewhere.results(self.request.against, path, self.options)
            found = [*verdicts_against(document, results, others, limits)]
        else:
            found = [*verdicts(document, results, limits)]
        if self.request.json:
            self.console.result([("plain", "".join(report.format_cell(path, verdict) for verdict in found))])
        else:
            self.console.result([("title", f"{visible_line(path)}\n")])
            label, width = max((len(verdict.label) for verdict in found), default=0), self.width()
            for verdict in found:
                shown = report.lines(verdict, label, width)
                self.console.result(shown if width is None else fit(shown, width))
        if any(verdict.status == DIFFERS for verdict in found):
            self.differing.append(path)
        self.accept(document, found, path)
        return found

    def check_lesson(self, path):
        """Check a lesson, whose questions take the place of stored outputs; return the verdicts."""
        from tensh.cli.checking import lessons

        found, ended = lessons.verdicts(path, self.options)
        self.stopped = ended or self.stopped
        if self.request.json:
            self.console.result([("plain", "".join(report.format_cell(path, verdict) for verdict in found))])
            return found
        self.console.result([("title", f"{visible_line(path)}\n")])
        width = max((len(verdict.label) for verdict in found), default=0)
        for verdict in found:
            self.console.result(lessons.lines(verdict, width))
        return found

    def width(self):
        """Return the columns of the terminal; None if the report goes elsewhere."""
        env = self.console.env
        return env.width(env.stdout) if env.is_terminal(env.stdout) else None

    def accept(self, document, found, path):
        """Write the new outputs if requested."""
        kind = files.kind_of(path)
        if self.request.update:
            new = accepting.update_document(document, found, interleaved=kind in (".tsh", ".py"))
            if new != document:
                files.save(new, path)
                self.say(_("{path}: new outputs written").format(path=path))
        if self.request.write:
            new = accepting.update_document(document, found, everything=True)
            files.save(files.convert_document(new, kind, files.kind_of(self.request.write)), self.request.write)
            self.say(_("{path}: written").format(path=self.request.write))

    def say(self, text):
        if not self.options.quiet:
            self.console.remark([("note", visible_line(text) + "\n")])

    def end(self, found, patterns, count, seconds, done):
        """Report the overall result. Differing files are named, or if there are many, as the user named all."""
        if self.request.json:
            self.console.result([("plain", report.format_end(found, count, seconds, done))])
            return
        self.console.result(report.summary(found, seconds, self.width()))
        no_hint = self.request.update or self.request.limits.lax or self.request.against or self.options.quiet
        if self.differing and not no_hint:
            files = " ".join(map(shell_word, self.differing if len(self.differing) <= FEW else patterns))
            self.console.result(
                [("note", _("to accept the new outputs: tensh check --update {files}\n").format(files=files))]
            )


def expand_pattern(pattern):
    """Expand an argument to files: a folder to its documents, a pattern to its matches."""
    if os.path.isdir(pattern):
        found = [path for path in find_documents(pattern) if is_lesson(path)]
    elif glob.has_magic(pattern) and not os.path.lexists(pattern):
        found = sorted(match_files(pattern))
    else:
        return [pattern]
    if not found:
        raise UsageError(_("tensh check: {pattern}: nothing to check").format(pattern=pattern))
    return found


def match_files(pattern):
    """List the names that match a pattern, except hidden ones.

    Do not follow links to folders: they may form a cycle.
    """
    whole = Path(pattern)
    root = Path(whole.anchor)
    try:
        found = [*root.glob(str(whole.relative_to(root)))]
    except RecursionError:
        raise UsageError(_("tensh check: the pattern has too many parts")) from None
    except (ValueError, OSError) as error:
        raise UsageError(_("tensh check: {pattern}: {error}").format(pattern=pattern, error=error)) from None
    return [str(path) for path in found if not any(part.startswith(".") for part in {*path.parts} - {*whole.parts})]


def find_documents(folder):
    """Yield the documents in a folder and its subfolders, except hidden ones."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        for name in sorted(names):
            if os.path.splitext(name)[1] in files.KINDS and not name.startswith("."):
                yield os.path.join(place, name)


def is_lesson(path):
    """Return True if a file in a folder is a document to check: Python only if it holds stored output."""
    if not path.endswith((".py", ".md")):
        return True
    try:
        document = files.load(path)
    except UsageError:
        return False
    return format.asks(document) or any(cell.outputs for cell in document.cells)
