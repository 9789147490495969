"""The choices that a run was made with, and the names of what was measured of it."""

from google.protobuf import struct_pb2
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata

from tensh.engine import find_public


def hparams(hparam_dict=None, metric_dict=None, hparam_domain_discrete=None):
    """Summaries of an experiment, its begin and end: choices by name, measures by name, and values that a choice may have.

    Raise TypeError unless these are dictionaries, and for values of another type than the choice; ValueError for a
    choice that is not a number, text or tensor of one number.
    """
    from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2

    domains = hparam_domain_discrete or {}
    given = {"hparam_dict": hparam_dict, "metric_dict": metric_dict, "hparam_domain_discrete": domains}
    for name, value in given.items():
        if not isinstance(value, dict):
            raise TypeError(f"parameter: {name} should be a dictionary, nothing logged.")
    for name, values in domains.items():
        if (
            name not in hparam_dict
            or not isinstance(values, list)
            or not all(isinstance(value, type(hparam_dict[name])) for value in values)
        ):
            raise TypeError(
                f"parameter: hparam_domain_discrete[{name}] should be a list of same type as hparam_dict[{name}]."
            )
    begin, infos = plugin_data_pb2.SessionStartInfo(), []
    for name, value in hparam_dict.items():
        if value is None:
            continue
        if isinstance(value, find_public("Tensor")):
            value = float(value)
        if not isinstance(value, (int, float, str)):
            raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
        field, kind = (
            ("string_value", "DATA_TYPE_STRING") if isinstance(value, str) else ("number_value", "DATA_TYPE_FLOAT64")
        )
        setattr(begin.hparams[name], field, value)
        info = api_pb2.HParamInfo(name=name, type=api_pb2.DataType.Value(kind))
        if name in domains:
            info.domain_discrete.values.extend(struct_pb2.Value(**{field: each}) for each in domains[name])
        infos.append(info)
    measured = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag=name)) for name in metric_dict]
    end = plugin_data_pb2.SessionEndInfo(status=api_pb2.Status.Value("STATUS_SUCCESS"))

    def summary(tag, **content):
        data = plugin_data_pb2.HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **content).SerializeToString()
        said = SummaryMetadata.PluginData(plugin_name=metadata.PLUGIN_NAME, content=data)
        return Summary(value=[Summary.Value(tag=tag, metadata=SummaryMetadata(plugin_data=said))])

    return (
        summary(metadata.EXPERIMENT_TAG, experiment=api_pb2.Experiment(hparam_infos=infos, metric_infos=measured)),
        summary(metadata.SESSION_START_INFO_TAG, session_start_info=begin),
        summary(metadata.SESSION_END_INFO_TAG, session_end_info=end),
    )
