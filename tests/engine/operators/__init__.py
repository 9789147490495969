"""Tests of operators: values, derivatives, accuracy, indexing, linear algebra."""
