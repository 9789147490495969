"""The command line: `session` runs code and reports events, `render` shows them, `programs` and `repl` combine the two."""
