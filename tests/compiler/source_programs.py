"""Functions whose graphs have inputs from many places, as a text for either library, and the names of the inputs."""

import linecache

TEXT = """
import types
from torch import nn
lin = nn.Linear(3, 3)
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.BatchNorm1d(3))
x = torch.ones(2, 3)

class Holder:
    shared = torch.ones(3)

    def __init__(self):
        self.v, self.l, self.d, self.lin = torch.ones(3), [torch.ones(3)], {"k": torch.ones(3)}, nn.Linear(3, 3)

    def add(self, x):
        return x + self.v

    def use_all(self, x):
        return self.lin(x) + self.l[0] + self.d["k"] + self.shared

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.p, self.t, self.h = nn.Parameter(torch.ones(3)), torch.ones(3), Holder()
        self.register_buffer("b", torch.ones(3))
        self.ml = nn.ModuleList([nn.Linear(3, 3)])

    def forward(self, x):
        return self.ml[0](x) * self.p + self.b + self.t + self.h.v + lin(x)

def use_inner():
    c, m = torch.ones(3), nn.Linear(3, 3)

    def inner(x):
        return x + c

    return lambda x: inner(x) + m(x)

def use_default(x, k=torch.full((3,), 2.0)):
    return x * k

holder, model, spaces = Holder(), Model(), types.SimpleNamespace(w=torch.ones(3))
nested = {"w": torch.ones(3), "n": {"m": [torch.ones(3)]}}
"""
"""The definitions."""

PROGRAMS = {
    "lambda x: lin(x)": "G_lin_parameters_weight_ G_lin_parameters_bias_ L_x_",
    "lambda x: net(x)": "G_net_modules_0_parameters_weight_ G_net_modules_0_parameters_bias_ L_x_ "
    "G_net_modules_2_buffers_num_batches_tracked_ G_net_modules_2_buffers_running_mean_ G_net_modules_2_buffers_running_var_ "
    "G_net_modules_2_parameters_weight_ G_net_modules_2_parameters_bias_",
    "lambda x, m=lin: m(x)": "L_m_parameters_weight_ L_m_parameters_bias_ L_x_",
    "lambda x, o=holder: o.add(x)": "L_x_ L_o_v",
    "lambda x, m=[lin, nn.Linear(3, 3)]: m[0](m[1](x))": "L_m_1_parameters_weight_ L_m_1_parameters_bias_ L_x_ "
    "L_m_0_parameters_weight_ L_m_0_parameters_bias_",
    "holder.add": "L_x_ L_self_v",
    "holder.use_all": "L_self_lin_parameters_weight_ L_self_lin_parameters_bias_ L_x_ L_self_l_0_ L_self_d_k_ "
    "dict_type_L_self_dict_shared_",
    "lambda x: holder.use_all(x)": "G_holder_lin_parameters_weight_ G_holder_lin_parameters_bias_ L_x_ G_holder_l_0_ "
    "G_holder_d_k_ dict_type_G_holder_dict_shared_",
    "lambda x: x + nested['w'] + nested['n']['m'][0]": "L_x_ G_nested_w_ G_nested_n_m_0_",
    "lambda x: x + spaces.w": "L_x_ G_spaces_w",
    "lambda x: x + Holder.shared": "L_x_ G_Holder_shared",
    "lambda x: nn.functional.linear(x, lin.weight, lin.bias)": "G_lin_parameters_weight_ G_lin_parameters_bias_ L_x_",
    "model": "L_self_modules_ml_modules_0_parameters_weight_ L_self_modules_ml_modules_0_parameters_bias_ L_x_ "
    "L_self_parameters_p_ L_self_buffers_b_ L_self_t L_self_h_v G_lin_parameters_weight_ G_lin_parameters_bias_",
    "use_inner()": "L_x_ L_inner_closure_0_cell_contents L_m_parameters_weight_ L_m_parameters_bias_",
    "lambda x: use_default(x)": "L_x_ G_use_default_defaults_0_",
}
"""Expression of a function of one tensor -> the names of the inputs of its graph, in order."""


def list_inputs(torch, expression):
    """Return the names of the inputs of the graph of a function."""
    namespace, names = {"torch": torch, "__name__": "sources"}, []
    text = f"{TEXT.replace('from torch import nn', 'nn = torch.nn')}function = {expression}\n"
    linecache.cache["<sources>"] = len(text), None, text.splitlines(True), "<sources>"
    exec(compile(text, "<sources>", "exec"), namespace)

    def backend(module, inputs):
        names.extend(node.target for node in module.graph.nodes if node.op == "placeholder")
        return module.forward

    torch.compile(namespace["function"], backend=backend)(namespace["x"])
    return " ".join(names)
