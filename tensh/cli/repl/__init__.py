"""The prompt: what is typed is read, run in a session and shown; thin adapters over `session` and `render`."""
