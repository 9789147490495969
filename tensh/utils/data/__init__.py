"""torch.utils.data: datasets, the order in which samples are taken, and loaders that make batches of them."""

from tensh.engine.methods.namespaces import declare_namespace

# Module -> the public names in it. Each module is loaded when one of its names is first asked for.
WHERE = {
    "tensh.utils.data.dataset": """Dataset IterableDataset TensorDataset StackDataset ConcatDataset ChainDataset Subset
        random_split""",
    "tensh.utils.data.sampler": """Sampler SequentialSampler RandomSampler SubsetRandomSampler WeightedRandomSampler
        BatchSampler""",
    "tensh.utils.data.distributed": "DistributedSampler",
    "tensh.utils.data._utils.collate": "default_collate default_convert",
    "tensh.utils.data.worker_info": "get_worker_info",
    "tensh.utils.data.dataloader": "DataLoader _DatasetKind",
    "tensh.utils.data.datapipes.datapipe": "DFIterDataPipe DataChunk IterDataPipe MapDataPipe",
    "tensh.utils.data.datapipes._decorator": """argument_validation functional_datapipe guaranteed_datapipes_determinism
        non_deterministic runtime_validation runtime_validation_disabled""",
}
PLACES = {name: module for module, names in WHERE.items() for name in names.split()}
SUBMODULES = ("dataloader", "datapipes", "dataset", "distributed", "graph", "graph_settings", "sampler")

__all__ = sorted(PLACES)  # noqa: PLE0605 (it is a list)

__getattr__, __dir__ = declare_namespace("tensh.utils.data", globals(), PLACES, (*SUBMODULES, "_utils"))
