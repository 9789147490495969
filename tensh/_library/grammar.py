"""The grammar of schemas: PyTorch's errors for a text that is none, with a mark below the place."""

import re
from typing import NamedTuple

from tensh._library.schema import CODES

TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+\.?\d*(?:e[+-]?\d+)?)|(?P<ident>[A-Za-z_]\w*)|(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
    r"""|(?P<sign>->|::|\.\.\.|[-+()\[\],.=*?!@|<>/%:{}]))"""
)
KEYWORDS = frozenset(
    "def return if else elif while for in is not and or global import pass raise assert break continue class del with as "
    "lambda True False None".split()
)
KINDS = frozenset(
    "Tensor int float bool str complex Scalar ScalarType SymInt SymBool SymFloat Device DeviceObjType Layout MemoryFormat "
    "Generator Storage Stream QScheme Dimname AnyEnumType AnyClassType NoneType Any Capsule None Dict Future".split()
)
CONSTANTS = frozenset("Mean Sum contiguous_format preserve_format channels_last strided long float double".split())
UNKNOWN = (
    "unknown type specifier. Common valid schema types include Tensor, SymInt, int, float, bool, Scalar; for a full list, please "
    "see https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md#func "
)
SHOWN = {"->": "arrow"}


class Token(NamedTuple):
    """A word or sign of a schema: its kind (the sign itself, or the word if it is one of Python), text and place."""

    kind: str
    text: str
    begin: int


class Grammar:
    """One reading of a text, from left to right."""

    def __init__(self, text):
        self.text, self.tokens, self.place = text, [], 0
        end = 0
        while text[end:].strip():
            found = TOKEN.match(text, end)
            if found is None:
                begin = end + len(text[end:]) - len(text[end:].lstrip())
                self.fail("expected a valid token but found '{}' here", Token(text[begin], text[begin], begin))
            kind = found.lastgroup
            word = found[kind]
            named = word if kind == "sign" or word in KEYWORDS else kind
            self.tokens.append(Token(named, word, found.start(kind)))
            end = found.end()
        self.tokens.append(Token("eof", "", len(text)))

    def fail(self, words, token):
        """Raise RuntimeError that marks a token."""
        mark = "" if token.kind == "eof" else f"{' ' * token.begin}{'~' * len(token.text)} <--- HERE\n"
        lines = f"{words.format(SHOWN.get(token.kind, token.kind))}:\n{self.text}"
        raise RuntimeError(f"{lines}\n{mark}" if mark else lines)

    @property
    def next(self):
        return self.tokens[self.place]

    def take(self, kind):
        """Step over a token of this kind; raise RuntimeError for another."""
        if self.next.kind != kind:
            self.fail(f"expected {SHOWN.get(kind, kind)} but found '{{}}' here", self.next)
        self.place += 1
        return self.tokens[self.place - 1]

    def skip(self, kind):
        """Step over a token if it is of this kind; return True if it was."""
        found = self.next.kind == kind
        self.place += found
        return found

    # ── parts ────────────────────────────────────────────────────────────────
    def read_declaration(self):
        """Read ``name.overload(arguments) -> results``."""
        self.take("ident")
        if self.skip("::"):
            self.take("ident")
        if self.skip("."):
            self.take("ident")
        if self.next.kind == "(":
            self.read_list(self.read_argument)
            self.take("->")
            if self.next.kind == "(":
                self.read_list(self.read_result)
            else:
                self.read_result()
        self.take("eof")

    def read_list(self, part):
        self.take("(")
        if self.skip(")"):
            return
        part()
        while self.skip(","):
            part()
        self.take(")")

    def read_argument(self):
        if self.skip("*") or self.skip("..."):
            return
        kind, optional, listed = self.read_kind()
        self.take("ident")
        if self.skip("="):
            self.read_default(kind, optional, listed)

    def read_result(self):
        if self.skip("..."):
            return
        self.read_kind()
        self.skip("ident")

    def read_kind(self):
        """Read a type; return its name, whether None is one of its values, and whether it is a list."""
        token = self.next
        if token.kind == "(":
            self.read_list(self.read_kind)
            return "()", *self.read_suffixes()
        if not self.skip("None"):
            self.take("ident")
        if token.text not in KINDS:
            self.fail(f"\n{UNKNOWN}", token)
        if token.text in ("Dict", "Future"):
            self.read_list(self.read_kind)
        elif self.skip("("):
            self.read_alias()
        return token.text, *self.read_suffixes()

    def read_suffixes(self):
        """Read the marks of lists and of None after a type; return whether None is a value, and whether it is a list."""
        optional = listed = False
        while True:
            if self.skip("["):
                listed, optional = True, False
                if not self.skip("]"):
                    self.take("number")
                    self.take("]")
                if self.skip("("):
                    self.read_alias()
            elif self.skip("?"):
                optional = True
            else:
                return optional, listed

    def read_alias(self):
        """Read the names of the memory that a tensor shares."""
        for again in (True, False):
            while self.skip("*") or self.take("ident"):
                if not self.skip("|"):
                    break
            self.skip("!")
            if not again or not self.skip("->"):
                break
        self.take(")")

    def read_default(self, kind, optional, listed):
        if optional and self.skip("None"):
            return
        if kind == "Tensor" and not listed:
            self.take("None")
        elif listed and self.skip("["):
            if not self.skip("]"):
                self.read_constant(kind)
                while self.skip(","):
                    self.read_constant(kind)
                self.take("]")
        else:
            self.read_constant(kind)

    def read_constant(self, kind):
        """Read a number, a text, or a name that stands for a number."""
        token = self.next
        if any(map(self.skip, ("string", "None", "True", "False"))):
            return
        if token.kind == "ident":
            self.place += 1
            if token.text not in (CODES if kind == "ScalarType" else CONSTANTS):
                self.fail("\ninvalid numeric default value", self.next)
            return
        self.skip("-")
        self.take("number")


def require_schema(text):
    """Raise PyTorch's error unless a text is the schema of an operator, or only a name."""
    Grammar(text).read_declaration()
