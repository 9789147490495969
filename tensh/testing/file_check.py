"""``FileCheck``: what a text must contain, and in which order."""

import re

FIND, NEXT, SAME, NOT, DAG, COUNT, REGEX, SOURCE = (
    "CHECK CHECK-NEXT CHECK-SAME CHECK-NOT CHECK-DAG CHECK-COUNT CHECK-REGEX CHECK-SOURCE-HIGHLIGHTED".split()
)
KINDS = {kind: kind for kind in (FIND, NEXT, SAME, NOT, DAG, REGEX, SOURCE)}
"""The kinds of checks in a file, by their names, except counts."""
GROUPED = (NOT, DAG)
"""Kinds whose neighbours are checked together."""
LINE = re.compile(r"#\s*(CHECK(?:-[A-Z]+(?:-[A-Z]+)*)?)(?:-(\d+))?:\s?(.*)")
"""A check in a file: the kind, a number, and the text."""


class Check:
    """One check: its kind, the text to look for, and how often."""

    def __init__(self, kind, text, count=None):
        self.kind, self.text, self.count = kind, text, count

    def __str__(self):
        number = "" if self.count is None else f"-{self.count}"
        return f"{self.kind}{number}: {self.text}"


class FileCheck:
    """Checks of a text, in the manner of LLVM's FileCheck: each begins to search where the one before it has found its text.

    ``run`` raises RuntimeError for the first check that fails.

    >>> import tensh as torch
    >>> torch.testing.FileCheck().check("add").check_not("mul").check("return").run("x = add(y)\\nreturn x")
    """

    __module__ = "torch"

    def __init__(self):
        self._checks, self._ran = [], False

    def __del__(self):
        if not self._ran:
            print("\n".join(("You have not run this instance of FileCheck!", "FileCheck checks:", *self._lines())))

    def _lines(self):
        return [f"\t{check}" for check in self._checks]

    def _add(self, kind, text, count=None):
        self._checks.append(Check(kind, text, count))
        return self

    def check(self, text):
        """Require a text after the one before."""
        return self._add(FIND, text)

    def check_next(self, text):
        """Require a text on the next line."""
        return self._add(NEXT, text)

    def check_same(self, text):
        """Require a text on the same line."""
        return self._add(SAME, text)

    def check_not(self, text):
        """Refuse a text between the one before and the next one."""
        return self._add(NOT, text)

    def check_dag(self, text):
        """Require a text; neighbouring ones come in any order."""
        return self._add(DAG, text)

    def check_regex(self, text):
        """Require a match of a regular expression."""
        return self._add(REGEX, text)

    def check_source_highlighted(self, text):
        """Require a text that the line below it underlines with ``~``."""
        return self._add(SOURCE, text)

    def check_count(self, text, count, exactly=False):
        """Require a text ``count`` times; with ``exactly``, refuse it afterwards."""
        self._add(COUNT, text, count)
        return self._add(NOT, text) if exactly else self

    def run(self, *texts):
        """Check a text: ``run(text)``, or ``run(checks, text)`` with checks in lines such as ``# CHECK: add``."""
        self._ran = True
        *files, text = texts
        for file in files:
            self._read(str(file))
        if not self._checks:
            raise RuntimeError("No checks have been added to this instance ofFilecheck! Check for bad input.")
        text, place, groups = str(text), 0, self._groups()
        for number, group in enumerate(groups):
            before = groups[number - 1] if number and groups[number - 1][0].kind is NOT else ()
            if group[0].kind is not NOT:
                start, end = match(group, text, place)
                refuse(before, text, place, start)
                place = end
        if groups[-1][0].kind is NOT:
            refuse(groups[-1], text, place, len(text))

    def _groups(self):
        groups = []
        for check in self._checks:
            if groups and check.kind in GROUPED and groups[-1][0].kind is check.kind:
                groups[-1].append(check)
            else:
                groups.append([check])
        return groups

    def _read(self, file):
        for line in file.splitlines():
            found = LINE.search(line)
            if found:
                kind, count, text = found.groups()
                if kind.startswith(COUNT):
                    self.check_count(text.strip(), int(count), kind.endswith("EXACTLY"))
                else:
                    self._add(KINDS[kind], text.strip())


def fail(what, text, check):
    """Raise the error of a check."""
    raise RuntimeError(f"{what}{text}\nFrom {check}\n")


def find(wanted, text, begin, check):
    """Return where a text is found from ``begin`` on."""
    place = text.find(wanted, begin)
    if place < 0:
        fail(f'Expected to find "{escape(wanted)}" but did not find it\nSearched string:\n', text, check)
    return place


def refuse(checks, text, begin, end):
    """Raise if one of the texts lies between two places."""
    for check in checks:
        refuse_text(check.text, text, begin, end, check)


def refuse_text(unwanted, text, begin, end, check):
    """Raise if a text lies between two places."""
    if unwanted in text[begin:end]:
        fail(f'Expected to not find "{escape(unwanted)}" but found it\n', text, check)


def escape(wanted):
    """Return a text with its line breaks visible."""
    return wanted.replace("\n", "\\n")


def match(group, text, begin):
    """Return (start, end) of what a group of checks finds from ``begin`` on."""
    check = group[0]
    if check.kind is REGEX:
        found = re.compile(check.text).search(text, begin)
        if found is None:
            fail(f'Expected to find regex "{check.text}" but did not find it\nSearched string:\n', text, check)
        return found.span()
    if check.kind is SOURCE:
        return find_highlighted(check, text, begin)
    if check.kind is COUNT:
        start, end = None, begin
        for _ in range(check.count):
            place = find(check.text, text, end, check)
            start, end = place if start is None else start, place + len(check.text)
        return begin if start is None else start, end
    places = [(find(each.text, text, begin, each), len(each.text)) for each in group]
    start = min(place for place, _ in places)
    if check.kind is SAME:
        refuse_text("\n", text, begin, start, check)
    elif check.kind is NEXT:
        line = text.find("\n", begin, start)
        if line < 0:
            fail('Expected to find "\\n" but did not find it\nSearched string:\n', text, check)
        refuse_text("\n", text, line + 1, start, check)
    return start, max(place + length for place, length in places)


def find_highlighted(check, text, begin):
    """Return (start, end) of a text whose next line underlines it, and nothing beside it."""
    size, place = len(check.text), text.find(check.text, begin)
    while place >= 0:
        line, below = text.rfind("\n", 0, place) + 1, text.find("\n", place) + 1
        mark = below + place - line
        marked = below and mark + size < len(text) and text[mark : mark + size] == "~" * size
        if marked and text[mark + size] != "~" and (mark == below or text[mark - 1] != "~"):
            return place, place + size
        place = text.find(check.text, place + 1)
    return fail(f'Expected to find "{escape(check.text)}"highlighted but it is not.\n', text[begin:], check)
