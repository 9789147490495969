"""The prompt: read blocks, run them in a session, show the results; thin adapters over `session` and `render`."""
