"""Write the catalogues of translations: tensh/support/locale/LANGUAGE/LC_MESSAGES/tensh.po, and tensh.mo from it.

    python tools/catalogues.py [--check]

Messages are the texts in ``_("...")`` and ``deferred("...")`` anywhere in tensh, counted nouns, and the texts in the
tables of ``%help``, of the settings and of the command line. New messages are added to each .po without a translation,
for a translator to fill in; unused ones are removed. The standard library's gettext reads the .mo. With ``--check``
nothing is written, and the exit status is 1 if a file would change or a message has no translation.
"""

import ast
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
LOCALE = ROOT / "tensh" / "support" / "locale"
HEAD = "Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\nLanguage: {language}\n"
ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
PLAIN = {value: key for key, value in ESCAPES.items()}


def find_messages():
    """Return {text: the module that contains it} for all translatable texts."""
    found = {}
    for path in sorted((ROOT / "tensh").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "language" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            for text in messages_in(node):
                found.setdefault(text, path.relative_to(ROOT).as_posix())
    for text in texts_of_tables():
        found.setdefault(text, "%help")
    return found


def messages_in(node):
    """Yield the messages of a call: of `_("text")` and `deferred("text")`, and of `count(number, "value")`."""
    match node:
        case ast.Call(func=ast.Name(id="_" | "deferred"), args=[ast.Constant(str(text))]):
            yield text
        case ast.Call(func=ast.Name(id="count") | ast.Attribute(attr="count"), args=[_, what, *_]):
            words = [what.body, what.orelse] if isinstance(what, ast.IfExp) else [what]
            yield from (
                "{number} " + word.value for word in words if isinstance(word, ast.Constant) and type(word.value) is str
            )


def texts_of_tables():
    """Return the texts in the tables of `%help` and of the textbook: meanings of words, sentences and reasons."""
    from tensh.cli import commands
    from tensh.cli.commands import speaking
    from tensh.cli.repl.editor import Editor
    from tensh.cli.repl.plain import PlainReader
    from tensh.cli.session.magics import MAGICS
    from tensh.cli.session.magics.registry import ELSEWHERE
    from tensh.cli.session.magics.tasks import MORE, TASKS
    from tensh.cli.settings.config import DECLARED
    from tensh.graph.textbook.facts import WORDS
    from tensh.graph.textbook.table import texts

    summaries = [*TASKS, *(text for _, text in MORE), *(each.summary for each in MAGICS.values())]
    elsewhere = [text for text in ELSEWHERE.values() if text not in MAGICS]
    return [
        *summaries,
        *elsewhere,
        *WORDS.values(),
        *texts(),
        *(each.help for each in DECLARED.values()),
        *speaking.texts(commands.application(False)),
        *(text for row in (*Editor.keys, *PlainReader.keys) for text in row),
    ]


def quote(text):
    """Quote a text for a .po."""
    return '"' + "".join(ESCAPES.get(character, character) for character in text) + '"'


def unquote(text):
    """Return the text of a quoted string in a .po."""
    found, place, text = [], 0, text.strip()[1:-1]
    while place < len(text):
        size = 2 if text[place] == "\\" else 1
        found.append(PLAIN.get(text[place : place + size], text[place : place + size]))
        place += size
    return "".join(found)


def read_catalogue(path):
    """Return {message: translation} of a .po."""
    found, key, kind = {}, "", ""
    for line in path.read_text(encoding="utf-8").split("\n") if path.exists() else ():
        if line.startswith("msgid "):
            key, kind = unquote(line[6:]), "msgid"
        elif line.startswith("msgstr "):
            found[key], kind = unquote(line[7:]), "msgstr"
        elif line.startswith('"') and kind == "msgid":
            key += unquote(line)
        elif line.startswith('"'):
            found[key] += unquote(line)
    return found


def format_catalogue(language, translations):
    """Return the text of a .po."""
    places = find_messages()
    parts = [
        f'# What tensh says, in another language. tools/catalogues.py adds messages and takes away old ones.\nmsgid ""\nmsgstr {quote(HEAD.format(language=language))}\n'
    ]
    for text in sorted(places, key=lambda text: (places[text], text)):
        parts.append(f"#: {places[text]}\nmsgid {quote(text)}\nmsgstr {quote(translations.get(text, ''))}\n")
    return "\n".join(parts)


def compile_catalogue(translations):
    """Return the bytes of a .mo: the table that gettext reads, sorted by message."""
    pairs = sorted((key.encode(), value.encode()) for key, value in translations.items() if value)
    begin = 28
    place = begin + 16 * len(pairs)
    tables, texts = [[], []], b""
    for which in (0, 1):
        for pair in pairs:
            tables[which] += [len(pair[which]), place + len(texts)]
            texts += pair[which] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), begin, begin + 8 * len(pairs), 0, place)
    return head + b"".join(struct.pack(f"<{len(table)}I", *table) for table in tables) + texts


def paths_of(language):
    """Return the paths of the .po and the .mo of a language."""
    folder = LOCALE / language / "LC_MESSAGES"
    return folder / "tensh.po", folder / "tensh.mo"


def make_files(language):
    """Return the current files of a language as (path, bytes), and the messages without a translation."""
    po, mo = paths_of(language)
    translations = read_catalogue(po)
    kept = {text: translations.get(text, "") for text in find_messages()}
    contents = [
        (po, format_catalogue(language, kept).encode()),
        (mo, compile_catalogue({"": HEAD.format(language=language)} | kept)),
    ]
    return contents, [text for text in kept if not kept[text]]


def main():
    from tensh.support.language import ENGLISH, LANGUAGES

    is_check, changed, lacking = sys.argv[1:] == ["--check"], [], []
    for language in LANGUAGES:
        if language == ENGLISH:
            continue
        contents, without = make_files(language)
        lacking += [f"{language}: {text!r}" for text in without]
        for path, content in contents:
            if not path.exists() or path.read_bytes() != content:
                changed.append(str(path.relative_to(ROOT)))
                if not is_check:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
    print("\n".join([*(f"no translation: {each}" for each in lacking), *(f"changed: {each}" for each in changed)]))
    return int(is_check and bool(changed or lacking))


if __name__ == "__main__":
    sys.exit(main())
