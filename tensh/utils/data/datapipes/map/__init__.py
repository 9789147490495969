"""torch.utils.data.datapipes.map: the steps of pipes whose samples are found by an index or another key."""

from tensh.utils.data.datapipes.map.callable import MapperMapDataPipe as Mapper
from tensh.utils.data.datapipes.map.combinatorics import ShufflerIterDataPipe as Shuffler
from tensh.utils.data.datapipes.map.combining import ConcaterMapDataPipe as Concater
from tensh.utils.data.datapipes.map.combining import ZipperMapDataPipe as Zipper
from tensh.utils.data.datapipes.map.grouping import BatcherMapDataPipe as Batcher
from tensh.utils.data.datapipes.map.utils import SequenceWrapperMapDataPipe as SequenceWrapper

__all__ = ["Batcher", "Concater", "Mapper", "SequenceWrapper", "Shuffler", "Zipper"]
