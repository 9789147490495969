"""torch.utils.data.datapipes.iter: the steps of pipes whose samples come one after the other."""

from tensh.utils.data.datapipes.iter.callable import CollatorIterDataPipe as Collator
from tensh.utils.data.datapipes.iter.callable import MapperIterDataPipe as Mapper
from tensh.utils.data.datapipes.iter.combinatorics import SamplerIterDataPipe as Sampler
from tensh.utils.data.datapipes.iter.combinatorics import ShufflerIterDataPipe as Shuffler
from tensh.utils.data.datapipes.iter.combining import ConcaterIterDataPipe as Concater
from tensh.utils.data.datapipes.iter.combining import DemultiplexerIterDataPipe as Demultiplexer
from tensh.utils.data.datapipes.iter.combining import ForkerIterDataPipe as Forker
from tensh.utils.data.datapipes.iter.combining import MultiplexerIterDataPipe as Multiplexer
from tensh.utils.data.datapipes.iter.combining import ZipperIterDataPipe as Zipper
from tensh.utils.data.datapipes.iter.filelister import FileListerIterDataPipe as FileLister
from tensh.utils.data.datapipes.iter.fileopener import FileOpenerIterDataPipe as FileOpener
from tensh.utils.data.datapipes.iter.grouping import BatcherIterDataPipe as Batcher
from tensh.utils.data.datapipes.iter.grouping import GrouperIterDataPipe as Grouper
from tensh.utils.data.datapipes.iter.grouping import UnBatcherIterDataPipe as UnBatcher
from tensh.utils.data.datapipes.iter.selecting import FilterIterDataPipe as Filter
from tensh.utils.data.datapipes.iter.sharding import ShardingFilterIterDataPipe as ShardingFilter
from tensh.utils.data.datapipes.iter.streamreader import StreamReaderIterDataPipe as StreamReader
from tensh.utils.data.datapipes.iter.utils import IterableWrapperIterDataPipe as IterableWrapper

__all__ = [
    "Batcher",
    "Collator",
    "Concater",
    "Demultiplexer",
    "FileLister",
    "FileOpener",
    "Filter",
    "Forker",
    "Grouper",
    "IterableWrapper",
    "Mapper",
    "Multiplexer",
    "Sampler",
    "ShardingFilter",
    "Shuffler",
    "StreamReader",
    "UnBatcher",
    "Zipper",
]
