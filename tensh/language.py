"""The language of what tensh says: English as it stands in the code, or a translation out of a catalogue.

A text that can be translated is written ``_("text")``. In English that is the text, and nothing is read; another
language has a catalogue ``tensh/locale/LANGUAGE/LC_MESSAGES/tensh.mo``, which is read when a text is first asked for.
``tools/catalogues.py`` finds the texts and compiles the catalogues.
"""

import contextlib
import functools
import os
import re

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "zh": "中文"}
FOLDER = os.path.join(os.path.dirname(__file__), "locale")
DOMAIN = "tensh"
VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")  # the first that says something counts

AUTO = "auto"
HAN = "[\u4e00-\u9fff]+"

current = ENGLISH
usual = ENGLISH  # what the process asked for at its start


def choose(language):
    """Speak a language of LANGUAGES from now on; with AUTO the one that the process asked for."""
    global current
    current = usual if language == AUTO else language


def list_names(names, most=None):
    """Names in a sentence, "a, b, c", with "..." for those beyond ``most``; a language may have a comma of its own for them."""
    shown = [*names] if most is None or len(names) <= most else [*names[:most], "..."]
    return functools.reduce(lambda listed, name: _("{listed}, {name}").format(listed=listed, name=name), shown)


@contextlib.contextmanager
def speaking(language):
    """Within, a language is spoken."""
    before = current
    choose(language)
    try:
        yield
    finally:
        choose(before)


def language_of(text):
    """The language that tensh wrote a text in: Chinese if most of its Chinese words are those of the catalogue."""
    words = re.findall(HAN, text)
    if not words:
        return ENGLISH
    translations = getattr(catalogue("zh"), "_catalog", {}).values()
    known = {word for translation in translations for word in re.findall(HAN, translation)}
    return "zh" if 2 * sum(word in known for word in words) > len(words) else ENGLISH


def choose_usual(variables):
    """Speak what the variables of a process ask for, unless another language is chosen later."""
    global usual
    usual = choose_language(variables)
    choose(AUTO)


def choose_language(variables):
    """The language that the variables of a process ask for: TENSH_LANGUAGE, else that of the locale; English for an unknown one."""
    own = variables.get("TENSH_LANGUAGE", "")
    if own in LANGUAGES:
        return own
    locale = next((variables[name] for name in VARIABLES if variables.get(name)), "")
    if locale in ("C", "POSIX"):
        return ENGLISH
    wanted = [*variables.get("LANGUAGE", "").split(":"), locale]
    codes = (each.replace("-", "_").partition("_")[0].partition(".")[0].lower() for each in wanted if each)
    return next((code for code in codes if code in LANGUAGES), ENGLISH)


def _(text):
    """A text in the language that is spoken; in English where it has no translation."""
    return text if current == ENGLISH else catalogue(current).gettext(text)


def close_up(text):
    """A sentence without the spaces between two words of Chinese, where a phrase stands in the place of a name."""
    if current == ENGLISH:
        return text
    gap = rf"""("[^"]*"|'[^']*')|(?<={HAN[:-1]}) (?={HAN[:-1]})"""  # quoted code stays as it is
    return re.sub(gap, lambda found: found[1] or "", text)


def deferred(text):
    """A text of a table that is written before a language is chosen: whoever shows it passes it to ``_``."""
    return text


def count(number, one, many=None):
    """``1 value``, ``2 values``; the message that a catalogue translates is ``{number} value``."""
    if current == ENGLISH:
        return f"{number:,} {one if number == 1 else many or one + 's'}"
    return _("{number} " + one).format(number=f"{number:,}")


@functools.cache
def catalogue(language):
    """The translations of a language."""
    return read_catalogue(FOLDER, language)


def read_catalogue(folder, language):
    """The translations of a language in a folder; none where their file is absent or damaged."""
    import gettext

    try:
        with open(os.path.join(folder, language, "LC_MESSAGES", f"{DOMAIN}.mo"), "rb") as file:
            return gettext.GNUTranslations(file)
    except Exception:  # whatever Python's own reader says of it
        return gettext.NullTranslations()
