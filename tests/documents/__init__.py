"""Tests of documents, examples, generated files and the structure of the code."""
