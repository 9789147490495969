"""Documents: prose, code and its output, in a script, a Python file, a notebook or Markdown."""
