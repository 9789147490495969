"""Documents: prose, code and what the code showed, in a script, a Python file, a notebook or Markdown."""
