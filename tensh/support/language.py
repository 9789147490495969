"""The language of tensh's messages: English as in the code, or a translation from a catalogue.

A translatable text is written ``_("text")``. English needs no catalogue; another language has
``tensh/support/locale/LANGUAGE/LC_MESSAGES/tensh.mo``, read at the first translation. ``tools/catalogues.py`` collects the
texts and compiles the catalogues.
"""

import contextlib
import functools
import os
import re

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "zh": "中文"}
FOLDER = os.path.join(os.path.dirname(__file__), "locale")
DOMAIN = "tensh"
VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")  # the first that is set counts

AUTO = "auto"
HAN = "[\u4e00-\u9fff]+"

current = ENGLISH
usual = ENGLISH  # the language requested at start


def choose(language):
    """Switch to a language of LANGUAGES; with AUTO to the one that the process requested."""
    global current
    current = usual if language == AUTO else language


def list_names(names, most=None):
    """Join names in a sentence, "a, b, c", with "..." for those beyond ``most``, using the comma of the language."""
    shown = [*names] if most is None or len(names) <= most else [*names[:most], "..."]
    return functools.reduce(lambda listed, name: _("{listed}, {name}").format(listed=listed, name=name), shown)


@contextlib.contextmanager
def speaking(language):
    """A context in which a language is used."""
    before = current
    choose(language)
    try:
        yield
    finally:
        choose(before)


def language_of(text, program=""):
    """Guess the language of a text by tensh: Chinese if most of its Chinese words are in the catalogue.

    Words that the program contains are its own, even those that are in the catalogue.
    """
    words = [word for word in re.findall(HAN, text) if word not in program]
    if not words:
        return ENGLISH
    translations = getattr(catalogue("zh"), "_catalog", {}).values()
    known = {word for translation in translations for word in re.findall(HAN, translation)}
    return "zh" if 2 * sum(word in known for word in words) > len(words) else ENGLISH


def choose_usual(variables):
    """Use the language that the process's variables request, until another is chosen."""
    global usual
    usual = choose_language(variables)
    choose(AUTO)


def choose_language(variables):
    """Return the language requested by variables: TENSH_LANGUAGE, else the locale's; English for unknown ones."""
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
    """Translate a text to the current language; return it unchanged without a translation."""
    return text if current == ENGLISH else catalogue(current).gettext(text)


def close_up(text):
    """Remove spaces between Chinese words of a sentence, left by inserted phrases."""
    if current == ENGLISH:
        return text
    gap = rf"""("[^"]*"|'[^']*')|(?<={HAN[:-1]}) (?={HAN[:-1]})"""  # quoted code is not changed
    return re.sub(gap, lambda found: found[1] or "", text)


def deferred(text):
    """Mark a text for translation that is evaluated before a language is chosen: pass it to ``_`` when showing it."""
    return text


def count(number, one, many=None):
    """Return ``1 value`` or ``2 values``; the catalogue translates ``{number} value``."""
    if current == ENGLISH:
        return f"{number:,} {one if number == 1 else many or one + 's'}"
    return _("{number} " + one).format(number=f"{number:,}")


@functools.cache
def catalogue(language):
    """Return the translations of a language."""
    return read_catalogue(FOLDER, language)


def read_catalogue(folder, language):
    """Return the translations of a language in a folder; none if their file is missing or damaged."""
    import gettext

    try:
        with open(os.path.join(folder, language, "LC_MESSAGES", f"{DOMAIN}.mo"), "rb") as file:
            return gettext.GNUTranslations(file)
    except Exception:  # Python's own reader may raise anything
        return gettext.NullTranslations()
