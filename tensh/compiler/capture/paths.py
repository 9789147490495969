"""The values at the paths of guards, which are read and replaced."""

import ast

__all__ = ["Paths"]

METHODS = {"__getitem__": "__setitem__"}
"""Method by which a path reads an item of a derived container -> the one that replaces it."""


def parse(path):
    """Return the syntax tree of a path."""
    return ast.parse(path, mode="eval").body if isinstance(path, str) else path


class Paths:
    """Access to values by the paths of guards; ``scope`` has the names at which paths begin."""

    def __init__(self, scope):
        self.scope = {"dict": dict, "list": list} | scope

    def read(self, path):
        """Return the value at a path, which is a text or a syntax tree.  Nothing of the program runs."""
        match parse(path):
            case ast.Name(name):
                return self.scope[name]
            case ast.Attribute(owner, name):
                return object.__getattribute__(self.read(owner), name)
            case ast.Subscript(owner, key):
                return self.read(owner)[self.read(key)]
            case ast.Call(ast.Attribute(kind, method), operands):
                return getattr(self.read(kind), method)(*map(self.read, operands))
            case key:
                return ast.literal_eval(key)

    def replace(self, path, value):
        """Replace the value at a path; within a tuple, the tuple is replaced.

        Raise TypeError or AttributeError for a value that cannot be replaced.
        """
        match parse(path):
            case ast.Name(name):
                self.scope[name] = value
            case ast.Attribute(owner, name):
                self.replace_attribute(owner, self.read(owner), name, value)
            case ast.Subscript(owner, key):
                self.replace_item(owner, self.read(owner), self.read(key), value)
            case ast.Call(ast.Attribute(kind, method), [owner, key]):
                getattr(self.read(kind), METHODS[method])(self.read(owner), self.read(key), value)

    def replace_attribute(self, path, owner, name, value):
        """Replace an attribute of an object, or a field of a named tuple, at a path."""
        if isinstance(owner, tuple):
            self.replace(path, owner._replace(**{name: value}))
        else:
            object.__setattr__(owner, name, value)

    def replace_item(self, path, owner, key, value):
        """Replace an item of the container ``owner`` at a path."""
        if not isinstance(owner, tuple):
            owner[key] = value
            return
        self.replace(path, (*owner[:key], value, *owner[key + 1 :]))
