"""The settings with which a run was made, and the names of its results."""

from google.protobuf import struct_pb2
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata

from tensh.engine import find_public


def hparams(hparam_dict=None, metric_dict=None, hparam_domain_discrete=None):
    """Return summaries of an experiment, its begin and its end, from settings and results by name, and possible settings.

    Raise TypeError unless these are dictionaries, and for possible values of another type than the setting; ValueError
    for a setting that is not a number, text or tensor of one number.
    """
    from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2

    domains = hparam_domain_discrete or {}
    require_dictionaries(hparam_dict=hparam_dict, metric_dict=metric_dict, hparam_domain_discrete=domains)
    require_same_types(hparam_dict, domains)
    settings = {name: read_setting(value) for name, value in hparam_dict.items() if value is not None}
    begin = plugin_data_pb2.SessionStartInfo()
    for name, value in settings.items():
        setattr(begin.hparams[name], field_of(value), value)
    infos = [describe_setting(name, value, domains.get(name)) for name, value in settings.items()]
    measured = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag=name)) for name in metric_dict]
    end = plugin_data_pb2.SessionEndInfo(status=api_pb2.Status.Value("STATUS_SUCCESS"))
    experiment = api_pb2.Experiment(hparam_infos=infos, metric_infos=measured)
    return (
        summarize(metadata.EXPERIMENT_TAG, experiment=experiment),
        summarize(metadata.SESSION_START_INFO_TAG, session_start_info=begin),
        summarize(metadata.SESSION_END_INFO_TAG, session_end_info=end),
    )


def require_dictionaries(**given):
    """Raise PyTorch's TypeError for an argument that is not a dictionary."""
    for name, value in given.items():
        if not isinstance(value, dict):
            raise TypeError(f"parameter: {name} should be a dictionary, nothing logged.")


def require_same_types(settings, domains):
    """Raise PyTorch's TypeError unless the possible values of a setting are a list, of its type."""
    for name, values in domains.items():
        if (
            name not in settings
            or not isinstance(values, list)
            or not all(isinstance(value, type(settings[name])) for value in values)
        ):
            raise TypeError(
                f"parameter: hparam_domain_discrete[{name}] should be a list of same type as hparam_dict[{name}]."
            )


def read_setting(value):
    """Return a setting as a number or text."""
    if isinstance(value, find_public("Tensor")):
        value = float(value)
    if not isinstance(value, (int, float, str)):
        raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
    return value


def field_of(value):
    """Return the field of a protocol buffer for a setting."""
    return "string_value" if isinstance(value, str) else "number_value"


def describe_setting(name, value, domain):
    """Return the type of a setting, with its possible values unless they are None."""
    from tensorboard.plugins.hparams import api_pb2

    kind = "DATA_TYPE_STRING" if isinstance(value, str) else "DATA_TYPE_FLOAT64"
    info = api_pb2.HParamInfo(name=name, type=api_pb2.DataType.Value(kind))
    if domain is not None:
        info.domain_discrete.values.extend(struct_pb2.Value(**{field_of(value): each}) for each in domain)
    return info


def summarize(tag, **content):
    """Return the summary with which the plug-in for hyperparameters writes some content."""
    from tensorboard.plugins.hparams import metadata, plugin_data_pb2

    data = plugin_data_pb2.HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **content).SerializeToString()
    plugin = SummaryMetadata.PluginData(plugin_name=metadata.PLUGIN_NAME, content=data)
    return Summary(value=[Summary.Value(tag=tag, metadata=SummaryMetadata(plugin_data=plugin))])
