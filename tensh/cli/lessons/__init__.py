"""Lessons: `tensh learn`. A lesson is a document whose code asks questions; `tensh.learning` judges the answers."""
