"""Values whose methods an interface declares, used in ways that it does not allow."""


def make(torch):
    """Return name -> function."""
    Tensor = torch.Tensor

    @torch.jit.interface
    class Shape:
        def area(self) -> Tensor:
            pass

        def scale(self, k: float) -> None:
            pass

    globals()["Shape"] = Shape  # where PyTorch looks up the names of annotations

    class Line:
        def __init__(self, a: Tensor):
            self.a = a

        def area(self) -> Tensor:
            return self.a

    class Count:
        def __init__(self, a: Tensor):
            self.a = a

        def area(self) -> int:
            return 1

        def scale(self, k: float) -> None:
            pass

    def take(s: Shape):
        return s.area()

    def interface_lacks_method(x: Tensor):
        s: Shape = Line(x)
        return s.area()

    def interface_has_other_result(x: Tensor):
        s: Shape = Count(x)
        return s.area()

    def argument_lacks_method(x: Tensor):
        return take(Line(x))

    def argument_has_other_result(x: Tensor):
        return take(Count(x))

    def interface_has_no_attributes(s: Shape):
        return s.a

    def interface_method_of_other_type(s: Shape):
        s.scale("a")

    def interface_method_without_argument(s: Shape):
        s.scale()

    def interface_method_with_more(s: Shape):
        return s.area(1)

    def interface_result_used(s: Shape, k: int):
        return k + s.scale(2.0)

    return {name: each for name, each in locals().items() if "_" in name}
