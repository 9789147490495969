"""The graphs of a program at two sizes, which must be equal.

Note [Two conversions]
A form could make a constant of a size that stays free. Therefore a program with dynamic dimensions is converted a second
time, with the values of a trace with other sizes: nodes, attributes and constants must be the same.
"""

__all__ = ["find_difference"]


def find_difference(first, second):
    """Return the name of the first value in which two graphs differ; None if there is none.

    Graphs are (nodes, constants). Names of values may differ.
    """
    tables = [{each.name: each for each in constants} for _, constants in (first, second)]
    names = {}
    for one, two in zip(first[0], second[0]):
        if not same_node(one, two, tables, names):
            pairs = zip(one.input, two.input)
            return next((name for name, other in pairs if not same_input(name, other, tables, names)), one.output[0])
    return None if len(first[0]) == len(second[0]) else first[0][-1].output[0]


def same_node(one, two, tables, names):
    """Return True if two nodes are equal, and note which names of values they have; ``tables`` are name -> constant."""
    if (one.op_type, one.domain) != (two.op_type, two.domain) or len(one.input) != len(two.input):
        return False
    if not all(same_input(*pair, tables, names) for pair in zip(one.input, two.input)):
        return False
    attributes = [sorted(each.attribute, key=lambda attribute: attribute.name) for each in (one, two)]
    if len(attributes[0]) != len(attributes[1]):
        return False
    names.update(zip(one.output, two.output))
    return all(same_attribute(*pair, tables, names) for pair in zip(*attributes))


def same_input(one, two, tables, names):
    """Return True if two names stand for the same value."""
    constants = [table.get(name) for table, name in zip(tables, (one, two))]
    if None in constants:
        return constants == [None, None] and names.setdefault(one, two) == two
    fields = [(each.dims, each.data_type, each.raw_data or each.SerializeToString()) for each in constants]
    return fields[0] == fields[1]


def same_attribute(one, two, tables, names):
    """Return True if two attributes are equal; those that are graphs, node by node."""
    if not one.HasField("g"):
        return one == two
    if len(one.g.node) != len(two.g.node):
        return False
    names.update(zip((each.name for each in one.g.input), (each.name for each in two.g.input)))
    if not all(same_node(*pair, tables, names) for pair in zip(one.g.node, two.g.node)):
        return False
    return all(same_input(a.name, b.name, tables, names) for a, b in zip(one.g.output, two.g.output))
