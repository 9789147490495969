"""torch.utils._pytree: nested values taken apart and put together, with paths, as in PyTorch."""

import dataclasses
from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest

from tensh.utils import _pytree

Pair = namedtuple("Pair", "a b")
TREE = {
    "a": [1, (2, 3)],
    "b": Pair(4, deque([5], maxlen=3)),
    "c": OrderedDict(x=6),
    "d": defaultdict(list, {"k": 7}),
    "e": None,
}
EXPRESSIONS = """
p.tree_flatten_with_path(t)[0]
[p.keystr(k) for k,_ in p.tree_flatten_with_path(t)[0]]
p.tree_map_with_path(lambda k,x: (len(k),x), [1,{'a':2}])
p.tree_leaves_with_path([1,{'a':2}])
p.key_get([1,{'a':2}],(p.SequenceKey(1),p.MappingKey('a')))
p.MappingKey('a'), p.SequenceKey(1), p.GetAttrKey('x')
str(p.MappingKey('a')), str(p.SequenceKey(1)), str(p.GetAttrKey('x'))
p.tree_structure(t).num_leaves, p.tree_structure(t).num_nodes, p.tree_structure(t).num_children
p.tree_structure([1]).type, p.tree_structure([1]).context, p.tree_structure([1]).children_specs, p.tree_structure([1]).is_leaf()
p.tree_structure(1).is_leaf(), p.tree_structure(1)
p.tree_structure([1,2]).unflatten([3,4])
p.tree_structure([1,(2,)]).flatten_up_to([3,(4,)])
p.tree_structure([1,2]).child(0), p.tree_structure([1,2]).children()
p.tree_structure([1,2])
p.tree_structure(t)
p._broadcast_to_and_flatten(1, p.tree_structure([1,(2,3)]))
p._broadcast_to_and_flatten([1,2], p.tree_structure([1,(2,3)]))
p._broadcast_to_and_flatten([1,2,3], p.tree_structure([1,(2,3)]))
p._list_flatten([1,2]), p._tuple_flatten((1,)), p._namedtuple_flatten(P(1,2)), p._dict_flatten({'a':1}), p._ordereddict_flatten(OrderedDict(a=1)), p._odict_flatten(OrderedDict(a=1)),p._deque_flatten(deque([1])),p._defaultdict_flatten(defaultdict(list,a=1))
p._list_unflatten([1],None), p._tuple_unflatten([1],None), p._namedtuple_unflatten([1,2],P)
p._list_flatten_with_keys([1]), p._namedtuple_flatten_with_keys(P(1,2)), p._dict_flatten_with_keys({'a':1})
p.is_namedtuple(P(1,2)), p.is_namedtuple_class(P), p.is_namedtuple_instance((1,2)), p.is_namedtuple(P)
p._is_namedtuple_instance(P(1,2)), p._is_leaf([1]), p.tree_is_leaf(1), p.tree_is_leaf([1], is_leaf=lambda x: True)
p.arg_tree_leaves(1,[2],k=(3,))
p.treespec_leaf(), p.treespec_tuple([p.treespec_leaf()]), p.treespec_dict({'a':p.treespec_leaf()})
p.tree_flatten_with_path([1,[2]], is_leaf=lambda x: x==[2])
p.SUPPORTED_NODES[list].type, p.SUPPORTED_NODES[list].flatten_fn([1]), p.SUPPORTED_NODES[list].unflatten_fn([1],None)
p.register_pytree_node(list, None, None)
p.tree_map(lambda a,b: a+b, [1,(2,)], [3,(4,)])
p.tree_map(lambda a,b: a+b, [1,2], [3])
p.LeafSpec(), p.LeafSpec()==p.tree_structure(3), isinstance(p.tree_structure(3), p.TreeSpec)
p.TreeSpec(list,None,[p.LeafSpec()]).num_leaves
""".strip().splitlines()


def said(p, text):
    names = {"p": p, "t": TREE, "P": Pair, "OrderedDict": OrderedDict, "deque": deque, "defaultdict": defaultdict}
    try:
        return repr(eval(text, names))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.oracle
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_trees_are_pytorchs(text, oracle):
    assert said(_pytree, text) == said(oracle.utils._pytree, text)


@dataclasses.dataclass
class Point:
    x: int
    rest: list
    note: str = None


class Mode:
    def __eq__(self, other):
        return isinstance(other, Mode)

    __hash__ = None


def test_data_classes_and_constants_are_branches():
    _pytree.register_dataclass(Point)
    _pytree.register_constant(Mode)
    assert _pytree.tree_map(lambda v: v + 1, [Point(1, [2]), 3]) == [Point(2, [3]), 4]
    paths = _pytree.tree_flatten_with_path(Point(1, [2]))[0]
    assert [(_pytree.keystr(path), leaf) for path, leaf in paths] == [(".x", 1), (".rest[0]", 2)]
    assert _pytree.tree_leaves([Mode(), 1]) == [1] and _pytree.is_constant_class(Mode)
    assert _pytree.tree_structure(Mode()) == _pytree.tree_structure(Mode())


def test_a_class_can_be_a_leaf_again():
    class Pair:
        def __init__(self, *values):
            self.values = values

    _pytree.register_pytree_node(Pair, lambda pair: (list(pair.values), None), lambda values, _: Pair(*values))
    pair = Pair(1, 2)
    assert _pytree.tree_leaves(pair) == [1, 2]
    _pytree._deregister_pytree_node(Pair)
    assert _pytree.tree_leaves(pair) == [pair]
