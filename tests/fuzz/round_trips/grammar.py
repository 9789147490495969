"""Random sessions: blocks of statements, commands, misleading texts, and mistakes."""

import random


class Typist:
    """Types the blocks of one session; `tensors` and `leaves` are the names that exist so far."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.tensors, self.leaves, self.numbers = [], [], []

    def session(self):
        """A list of blocks, each as it is entered at a prompt."""
        blocks = [self.draw.choice(["torch.manual_seed(0);", "%seed 0"]), self.leaf(), self.leaf()]
        return blocks + [self.block() for _ in range(self.draw.randint(3, 12))]

    def block(self):
        kinds = [self.leaf, self.computed, self.backward, self.show, self.plain, self.compound, self.command, self.odd]
        if self.draw.random() < 0.12:
            return self.mistake()
        return self.draw.choice(kinds)()

    def name(self, prefix):
        return f"{prefix}{self.draw.randint(0, 4)}"

    # ── statements ───────────────────────────────────────────────────────────

    def leaf(self):
        name = self.name("w")
        self.leaves = [*dict.fromkeys([*self.leaves, name])]
        self.tensors = [*dict.fromkeys([*self.tensors, name])]
        return self.draw.choice([
            f"{name} = torch.tensor([1., 2., 3.], requires_grad=True)",
            f"{name} = torch.randn(3, requires_grad=True)",
            f"{name} = torch.linspace(0, 1, 3).requires_grad_()  # a leaf",
            f"# leaf {name}\n{name} = torch.tensor(\n    [0.5, -1., 2.],\n    requires_grad=True,\n)",
            f"{name} = nn.Parameter(torch.full((3,), {self.draw.randint(1, 5)}.0))",
        ])  # fmt: skip

    def computed(self):
        one, other = (self.draw.choice(self.tensors) for _ in range(2))
        name = self.name("y")
        text = self.draw.choice([
            f"{name} = {one} * {other}", f"{name} = ({one} + {other}).tanh()", f"{name} = torch.exp({one}) - {other}",
            f"{name} = F.relu({one}) + np.pi", f"{name} = {one} * math.sqrt(2); {one}.shape",
            f"with torch.no_grad():\n    {name} = {one} / 2", f"{name} = {one}.detach() + 1",
            f"{name} = {one}.clone()\n{name}.mul_(2)",
        ])  # fmt: skip
        self.tensors = [*dict.fromkeys([*self.tensors, name])]
        return text

    def backward(self):
        leaf, other = self.draw.choice(self.leaves), self.draw.choice(self.leaves)
        return self.draw.choice([
            f"loss = ({leaf} * {other}).sum()\nloss.backward()", f"({leaf} ** 2).sum().backward()",
            f"loss = ({leaf} - 1).pow(2).mean(); loss.backward()", f"{leaf}.grad = None",
            f"g = torch.autograd.grad(({leaf} * 3).sum(), {leaf})", f"with torch.no_grad():\n    {leaf} -= 0.1",
        ])  # fmt: skip

    def plain(self):
        name = self.name("n")
        self.numbers = [*dict.fromkeys([*self.numbers, name])]
        return self.draw.choice([
            f"{name} = {self.draw.randint(-9, 9)}", f"{name} = [1, 2.5, 'a']", f"{name} = {{'k': (1, 2)}}",
            f"import os\n{name} = os.path.join('a', 'b')", f"{name} = 5 \\\n    % 3", f"{name} = '損失 é ∂'",
            "from math import pi", "def double(x):\n    '''Twice.'''\n    return x * 2",
            "class Pair:\n    first = 1\n\n    def both(self):\n        return self.first, 2", "net = nn.Linear(3, 2)",
            f"{name} = lambda x: x + 1",
        ])  # fmt: skip

    def compound(self):
        leaf = self.draw.choice(self.leaves)
        return self.draw.choice([
            "total = 0\nfor i in range(3):\n    total += i\n    print(i, total)",
            f"for i in range(2):\n    ({leaf} * i).sum().backward()",
            f"if {leaf}.sum() > 1:\n    print('more')\nelse:\n    print('less')",
            "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    print(error)", "while True:\n    break",
            f"rows = [each.item() for each in {leaf}]",
            f"@torch.no_grad()\ndef half():\n    return {leaf} / 2\n\nhalf()",
        ])  # fmt: skip

    # ── what is shown ────────────────────────────────────────────────────────

    def show(self):
        tensor = self.draw.choice(self.tensors)
        number = self.draw.choice(self.numbers or ["3"])
        return self.draw.choice([
            tensor, f"{tensor}.sum()", f"{tensor}; {tensor} * 2", f"print({tensor})", f"{number}", f"{tensor};", "_ = 3",
            f"print('a', end='')\n{tensor}.shape", f"[{tensor}, {number}]", "'text'", "None", f"{tensor}.grad",
            f"print('损失', {number})",
        ])  # fmt: skip

    def command(self):
        tensor, leaf = self.draw.choice(self.tensors), self.draw.choice(self.leaves)
        return self.draw.choice([
            "%who", "%grads", f"%why {leaf}", f"%why {leaf}.grad", f"%hist {tensor}.detach() bins=2", f"%heat {tensor}",
            f"{tensor}?", "torch.add?", f"%full {tensor}", f"%time {tensor} * 2", "%undo", "%seed 1", "%history 2", "%set caption off",
            f"%cmp {tensor} {leaf}", "net?", "%who w*", f"%hist {tensor} --bins 2", f"%plot {tensor}",
            f"%graph ({leaf} * {leaf})", f"%graph ({leaf} * 2) --view tape", f"%trace ({tensor} * 2).sum()",
            f"%memory ({leaf} * 2)",
        ])  # fmt: skip

    def odd(self):
        name = self.name("n")
        self.numbers = [*dict.fromkeys([*self.numbers, name])]
        return self.draw.choice([
            f"{name} = '''\n# %%\n#> 1\n%who\n```\n>>> x\n'''", "# only a comment", f"{name} = '#: %who'", f"# %% not a cell\n{name} = 1",
            f"#> 7\n{name} = 7", "'''a text\nof lines'''", f"{name} = (1,\n\n2)  # with a gap", f"#: a\n{name} = 2",
            f"{name} = '''\n    <!-- /cell -->\n... y\n'''\nprint({name})", f"# tensh: {{}}\n{name} = 3",
            f"{name} = 1; print({name}); {name}", f"{name} = \"%time x\"\n{name}",
        ])  # fmt: skip

    def mistake(self):
        leaf = self.draw.choice(self.leaves)
        return self.draw.choice([
            "1 / 0", "nosuch", f"{leaf} + torch.ones(5)", "torch.tensor([1.]).backward()", "x = (", "%nosuch", "%why nosuch",
            f"{leaf}.nosuch", f"bad = 1\n{leaf} @ torch.ones(7)", "for i in range(3):\n    counted = i\n    1 // (1 - i)",
        ])  # fmt: skip
