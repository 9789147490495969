"""Views with a row for each name, module, gradient, element of a container, or part of an expression."""
