"""Lessons: `tensh learn`. A lesson is a document whose code asks questions; `tensh.cli.learning` judges the answers."""
