"""Functions to script with loops: left early, also out of contexts, with tasks and tests of types, or never read."""

# ruff: noqa: B007, F841, SIM117, UP006, UP007, UP035, UP045

from typing import Any, Dict, List, Optional, Tuple, Union


def make_loops(torch):
    """Return name -> function of a tensor and a number."""

    def l_break_in_context(x, n: int):
        for i in range(n):
            with torch.no_grad():
                x = x + 1
                if i == 2:
                    break
            x = x * 2
        return x

    def l_continue_in_contexts(x, n: int):
        while n > 0:
            with torch.no_grad(), torch.no_grad():
                n -= 1
                if n == 2:
                    continue
            x = x + 1
        return x

    def l_return_in_context_of_loop(x, n: int):
        for i in range(n):
            with torch.no_grad():
                x = x + 1
                if i == 2:
                    return x * 10
            x = x * 2
        return x

    def l_exits_of_nested_contexts(x, n: int):
        for i in range(n):
            with torch.no_grad():
                with torch.no_grad():
                    x = x + i
                    if i == 1:
                        continue
                    elif i == 3:
                        break
            x = x * 2
        return x

    def l_break_in_context_of_branch(x, n: int):
        for i in range(n):
            if i > 1:
                with torch.no_grad():
                    x = x + 1
                    if n > 3:
                        break
            x = x * 2
        return x

    def l_return_in_context_of_branch(x, n: int):
        if n > 1:
            with torch.no_grad():
                x = x + 2
                if n > 2:
                    return x
            x = x + 3
        return x * 2

    def l_loop_that_returns_in_context(x, n: int):
        with torch.no_grad():
            while n > 1:
                n -= 1
                if n == 3:
                    return x
        return x * 2

    def l_return_or_raise_in_context(x, n: int):
        with torch.no_grad():
            if n > 3:
                raise ValueError("too many")
            else:
                return x + 1

    def l_named_parts(x, n: int):
        with torch.profiler.record_function("outer"):
            for i in range(n):
                with torch.autograd.profiler.record_function("inner", "again"):
                    x = x * 2
        return x

    def l_return_of_first_pass(x, n: int):
        for i in range(n):
            x = x + 1
            return x
        return x

    def l_carried_in_order_of_use(x, n: int):
        count, total, other = 0, x, x
        for i in range(n):
            count += 1
            other = other + count
            total = total * other
        return total, other, count

    def l_carried_and_not_read(x, n: int):
        m = n
        for i in range(n):
            for j in range(i):
                m = m + j
        return x

    def l_not_read_but_left(x, n: int):
        for i in range(n):
            if i == 2:
                break
            y = x + i
        return x

    def l_statements_behind_continue(x, n: int):
        for i in range(n):
            if i == 2:
                continue
                x = x + 1
        return x

    return {name: value for name, value in locals().items() if name.startswith("l_")}


def make_tests_of_types(torch):
    """Return name -> function of a tensor and a number that tests of what type a value is."""

    def t_one_of_several(x: Any, n: int):
        if isinstance(x, (str, float, int)):
            return 1
        elif isinstance(x, (int, torch.Tensor)):
            return 2
        return 3

    def t_with_parameters(x: Any, n: int):
        if isinstance(x, List[int]):
            return x[0]
        if isinstance(x, Dict[str, int]):
            return x["a"]
        return n

    def t_union_of_numbers(x, n: Union[int, float]):
        if isinstance(n, int):
            return float(n)
        return float(n) + 1

    def t_none_or_others(x, n: Optional[Union[int, str]]):
        if n is None:
            return "none"
        elif isinstance(n, str):
            return n
        else:
            return str(n)

    def t_tuple_with_none(x, n: int) -> Tuple[torch.Tensor, Optional[int]]:
        if n > 2:
            return x, n
        return x, None

    def t_functions_of_layers(x, n: int):
        rows = x.expand(2, 3)
        return (
            torch.nn.functional.normalize(rows),
            torch.nn.functional.relu6(rows),
            torch.nn.functional.avg_pool2d(rows[None], 2),
        )

    def t_counts(x, n: int):
        lengths = {"a": [n, n], "b": [1]}
        return {key: sum(each) for key, each in lengths.items()}

    return {name: value for name, value in locals().items() if name.startswith("t_")}


def make_tasks(torch):
    """Return name -> function of a tensor and a number that runs tasks."""

    def slow(x, k: int = 2):
        return x * k + 1

    def l_tasks(x, n: int):
        tasks = torch.jit.annotate(List[torch.jit.Future[torch.Tensor]], [])
        for i in range(n):
            tasks.append(torch.jit.fork(slow, x, k=i))
        found = []
        for task in tasks:
            found.append(torch.jit.wait(task))
        return found, torch.jit.fork(slow, x + 1).wait()

    return {name: value for name, value in locals().items() if name.startswith("l_")}
