"""The model that an optimizer trains, and its layers that behave differently in training and evaluation."""


def model_of(frames, params):
    """Find a module with mode-dependent layers and exactly an optimizer's parameters; None if no name refers to one."""
    wanted = {id(p) for p in params}
    for frame in frames:
        for value in [*frame.f_locals.values(), *attributes(frame.f_locals.get("self"))]:
            if is_module(value) and layers(value) and wanted == {id(p) for p in value.parameters() if p.requires_grad}:
                return value
    return None


def attributes(value):
    return vars(value).values() if hasattr(value, "__dict__") else ()


def is_module(value):
    return hasattr(type(value), "named_modules") and not issubclass(type(value), type)


def layers(model):
    """List dropout with p > 0, and batch normalization with running statistics."""
    return [module for module in model.modules() if drops(module) or averages(module)]


def drops(module):
    return "Dropout" in type(module).__name__ and getattr(module, "p", 0) > 0


def averages(module):
    return "BatchNorm" in type(module).__name__ and getattr(module, "track_running_stats", False)
