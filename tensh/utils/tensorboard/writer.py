"""Files of events, and what a training program calls to fill them."""

import os
import socket
import time
from datetime import datetime
from functools import cache

from tensorboard.compat.proto.event_pb2 import Event, SessionLog, TaggedRunMetadata
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from tensh.support import scalars
from tensh.utils.tensorboard import summary
from tensh.utils.tensorboard.media import draw_figures
from tensh.utils.tensorboard.values import as_array

__all__ = ["FileWriter", "SummaryWriter"]


class FileWriter:
    """A file of events in a folder, which a thread of the package ``tensorboard`` writes."""

    def __init__(self, log_dir, max_queue=10, flush_secs=120, filename_suffix=""):
        self.event_writer = EventFileWriter(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self):
        """Return the folder."""
        return self.event_writer.get_logdir()

    def add_event(self, event, step=None, walltime=None):
        """Write an event, with its step and time, which is now where none is given."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary, global_step=None, walltime=None):
        """Write a summary."""
        self.add_event(Event(summary=summary), global_step, walltime)

    def add_graph(self, graph_profile, walltime=None):
        """Write the graph of a model, and where it runs."""
        graph, stats = graph_profile
        self.add_onnx_graph(graph, walltime)
        tagged = TaggedRunMetadata(tag="step1", run_metadata=stats.SerializeToString())
        self.add_event(Event(tagged_run_metadata=tagged), None, walltime)

    def add_onnx_graph(self, graph, walltime=None):
        """Write a graph."""
        self.add_event(Event(graph_def=graph.SerializeToString()), None, walltime)

    def flush(self):
        """Write the events that are waiting."""
        self.event_writer.flush()

    def close(self):
        """Write the events that are waiting, and close the file."""
        self.event_writer.close()

    def reopen(self):
        """Begin another file after ``close``."""
        self.event_writer.reopen()


@cache
def exponential_bins():
    """Limits of histograms: each a tenth further from zero than the last, from 1e-12 to 1e20."""
    found, limit = [], 1e-12
    while limit < 1e20:
        found.append(limit)
        limit *= 1.1
    return [-each for each in reversed(found)] + [0] + found


class SummaryWriter:
    """Write what a training program measures into files that TensorBoard and ``tensh watch`` show.

    They lie in ``log_dir``, or in ``runs`` by time and machine, with ``comment`` at the end. Events from ``purge_step``
    on that were written before are hidden: those of a run that was interrupted. ``max_queue`` events wait at most
    ``flush_secs`` seconds.

    >>> from tensh.utils.tensorboard import SummaryWriter  # doctest: +SKIP
    >>> with SummaryWriter("runs/first") as writer:  # doctest: +SKIP
    ...     for step in range(100):
    ...         writer.add_scalar("loss", 1 / (step + 1), step)
    """

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""):
        if not log_dir:
            begun = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{begun}_{socket.gethostname()}{comment}")
        self.log_dir, self.purge_step = log_dir, purge_step
        self.max_queue, self.flush_secs, self.filename_suffix = max_queue, flush_secs, filename_suffix
        self.file_writer = self.all_writers = self._embeddings = None
        self._get_file_writer()

    @property
    def default_bins(self):
        """The limits of histograms with ``bins="tensorflow"``."""
        return exponential_bins()

    def _open(self, folder):
        return FileWriter(folder, self.max_queue, self.flush_secs, self.filename_suffix)

    def _get_file_writer(self):
        """Return the writer of the folder; another one after ``close``."""
        if self.file_writer is None:
            self.file_writer = self._open(self.log_dir)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                self.file_writer.add_event(Event(step=self.purge_step, file_version="brain.Event:2"))
                begun = SessionLog(status=SessionLog.START)
                self.file_writer.add_event(Event(step=self.purge_step, session_log=begun))
                self.purge_step = None
        return self.file_writer

    def _add(self, made, step, walltime):
        self._get_file_writer().add_summary(made, step, walltime)

    def get_logdir(self):
        """Return the folder of the files."""
        return self.log_dir

    # ── numbers ──────────────────────────────────────────────────────────────
    def add_scalar(
        self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False
    ):  # fmt: skip
        """Write a number.  Raise AssertionError for a tensor of several."""
        made = summary.scalar(tag, scalar_value, new_style=new_style, double_precision=double_precision)
        self._add(made, global_step, walltime)
        scalars.tell(tag, as_array(scalar_value).item(), global_step)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        """Write numbers by name that share a chart; each has a folder."""
        walltime = time.time() if walltime is None else walltime
        above = self._get_file_writer().get_logdir()
        for tag, number in tag_scalar_dict.items():
            folder = f"{above}/{main_tag.replace('/', '_')}_{tag}"
            if folder not in self.all_writers:
                self.all_writers[folder] = self._open(folder)
            self.all_writers[folder].add_summary(summary.scalar(main_tag, number), global_step, walltime)

    def add_tensor(self, tag, tensor, global_step=None, walltime=None):
        """Write all elements of a tensor.  Raise ValueError for a dtype that protocol buffers lack."""
        self._add(summary.tensor_proto(tag, tensor), global_step, walltime)

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, max_bins=None):
        """Write a histogram, over the given limits, those of a rule of NumPy, or the usual ones of TensorBoard."""
        bins = exponential_bins() if isinstance(bins, str) and bins == "tensorflow" else bins
        self._add(summary.histogram(tag, values, bins, max_bins), global_step, walltime)

    def add_histogram_raw(
        self, tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts, global_step=None, walltime=None
    ):
        """Write a histogram whose bars have been counted.  Raise ValueError unless there is one count for each limit."""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        made = summary.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._add(made, global_step, walltime)

    def add_pr_curve(
        self, tag, labels, predictions, global_step=None, num_thresholds=127, weights=None, walltime=None
    ):  # fmt: skip
        """Write the precision and recall of predictions between 0 and 1 for labels 0 and 1."""
        made = summary.pr_curve(tag, as_array(labels), as_array(predictions), num_thresholds, weights)
        self._add(made, global_step, walltime)

    def add_pr_curve_raw(
        self, tag, true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts, precision,
        recall, global_step=None, num_thresholds=127, weights=None, walltime=None,
    ):  # fmt: skip
        """Write precision and recall that have been computed, with the counts that they come from."""
        counts = true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts
        made = summary.pr_curve_raw(tag, *counts, precision, recall, num_thresholds, weights)
        self._add(made, global_step, walltime)

    def add_hparams(self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, global_step=None):
        """Write the settings of a run and its results, as a separate run below the folder.

        Raise TypeError unless both are dictionaries, ValueError for a choice that is not a number or text.
        """
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        made = summary.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(folder) as writer:
            for each in made:
                writer._add(each, global_step, None)
            for tag, number in metric_dict.items():
                writer.add_scalar(tag, number, global_step)

    # ── pictures and sound ───────────────────────────────────────────────────
    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        """Write an image: uint8, or numbers from 0 to 1."""
        self._add(summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        """Write images as a grid."""
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_image_with_boxes(
        self, tag, img_tensor, box_tensor, global_step=None, walltime=None, rescale=1, dataformats="CHW", labels=None
    ):  # fmt: skip
        """Write an image with boxes [N, 4] (left, top, right, bottom), and a label for each."""
        labels = [labels] if isinstance(labels, str) else labels
        if labels is not None and len(labels) != len(box_tensor):
            labels = None
        made = summary.image_boxes(tag, img_tensor, box_tensor, rescale, dataformats, labels)
        self._add(made, global_step, walltime)

    def add_figure(self, tag, figure, global_step=None, close=True, walltime=None):
        """Write a figure of Matplotlib, or a list of them, as an image."""
        form = "NCHW" if isinstance(figure, list) else "CHW"
        self.add_image(tag, draw_figures(figure, close), global_step, walltime, form)

    def add_video(self, tag, vid_tensor, global_step=None, fps=4, walltime=None):
        """Write moving images [N, T, C, H, W]."""
        self._add(summary.video(tag, vid_tensor, fps), global_step, walltime)

    def add_audio(self, tag, snd_tensor, global_step=None, sample_rate=44100, walltime=None):
        """Write sound: numbers between -1 and 1."""
        self._add(summary.audio(tag, snd_tensor, sample_rate), global_step, walltime)

    def add_mesh(
        self, tag, vertices, colors=None, faces=None, config_dict=None, global_step=None, walltime=None
    ):  # fmt: skip
        """Write points in space [N, points, 3], with colours and triangles."""
        self._add(summary.mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    # ── text and layout ──────────────────────────────────────────────────────
    def add_text(self, tag, text_string, global_step=None, walltime=None):
        """Write text, which may be Markdown."""
        self._add(summary.text(tag, text_string), global_step, walltime)

    def add_custom_scalars_multilinechart(self, tags, category="default", title="untitled"):
        """Write a chart of several numbers, by their tags."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags, category="default", title="untitled"):
        """Write a chart of a number between two others.  Raise AssertionError unless there are three tags."""
        if len(tags) != 3:
            raise AssertionError(f"Expected 3 tags, got {len(tags)}.")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_custom_scalars(self, layout):
        """Write charts: category -> title -> (``"Multiline"`` or ``"Margin"``, tags)."""
        self._add(summary.custom_scalars(layout), None, None)

    # ── models and points ────────────────────────────────────────────────────
    def add_graph(self, model, input_to_model=None, verbose=False, use_strict_trace=True):
        """Write the graph of a model, as it is traced with example inputs."""
        from tensh.utils.tensorboard.graphs import graph

        self._get_file_writer().add_graph(graph(model, input_to_model, verbose, use_strict_trace))

    def add_onnx_graph(self, prototxt):
        """Raise NotImplementedError: ``tensh open FILE.onnx`` shows such a file."""
        raise NotImplementedError("graphs of ONNX files cannot be written for TensorBoard: tensh open shows the file")

    def add_embedding(
        self, mat, metadata=None, label_img=None, global_step=None, tag="default", metadata_header=None
    ):  # fmt: skip
        """Write points [N, D] for the projector, with a label and an image for each."""
        from tensh.utils.tensorboard.embeddings import Embeddings

        if self._embeddings is None:
            self._embeddings = Embeddings(self._get_file_writer().get_logdir())
        self._embeddings.add(mat, metadata, label_img, global_step or 0, tag, metadata_header)

    # ── the files ────────────────────────────────────────────────────────────
    def flush(self):
        """Write the events that are waiting."""
        for each in (self.all_writers or {}).values():
            each.flush()

    def close(self):
        """Write the events that are waiting, and close the files."""
        for each in (self.all_writers or {}).values():
            each.flush()
            each.close()
        self.file_writer = self.all_writers = None

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.close()


FileWriter.__module__ = SummaryWriter.__module__ = "torch.utils.tensorboard.writer"
