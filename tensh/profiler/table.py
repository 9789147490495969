"""The events of a profile as a table of PyTorch's layout."""

import math

FLOPS = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")
UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0}
"""Name of a unit -> its size in microseconds."""
WIDTH = 12
"""Characters of a column of numbers."""
TOP_LEVEL = "This report only display top-level ops statistics"


def format_time(us, unit=None):
    """Return a time in microseconds with its unit."""
    unit = unit if unit in UNITS else "s" if us >= 1e6 else "ms" if us >= 1e3 else "us"
    return f"{us / UNITS[unit]:.3f}{unit}"


def format_share(us, whole):
    """Return a time as a percentage of the whole."""
    return f"{us * 100.0 / whole:.2f}%" if whole else "NaN"


def format_memory(count):
    """Return a number of bytes with its unit."""
    for unit, size in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if abs(count) >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} B"


class Columns:
    """The titles and widths of the columns: those of shapes, lines and FLOPs only where an event has them."""

    def __init__(self, events, profile_memory, with_flops, name_width, shapes_width, line_width):
        self.memory = profile_memory
        self.shapes = any(each.input_shapes for each in events)
        self.lines = any(each.stack for each in events)
        counts = [each.flops for each in events if each.flops > 0] if with_flops else []
        self.power = min(int(math.log10(min(counts)) / 3), len(FLOPS) - 1) if counts else None
        self.name_width, self.line_width = name_width, line_width
        self.titles = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
        self.titles += ["CPU Mem", "Self CPU Mem"] * profile_memory + ["# of Calls"]
        widest = max(len(each.key) for each in events) + 4
        self.widths = [at_most(widest, name_width)] + [WIDTH] * (len(self.titles) - 1)
        self.signs = [">"] * len(self.titles)
        if self.shapes:
            self.shapes_width = at_most(max(len(str(each.input_shapes)) for each in events) + 4, shapes_width)
            self.add("Input Shapes", self.shapes_width)
        if self.lines:
            self.line_width = at_most(max(len(line) for each in events for line in each.stack) + 4, line_width)
            self.add("Source Location", self.line_width, "<")
        if self.power is not None:
            self.add(f"Total {FLOPS[self.power]}", WIDTH)

    def add(self, title, width, sign=">"):
        self.titles.append(title)
        self.widths.append(width)
        self.signs.append(sign)

    def line(self, words):
        """Return a line of the table, each word in its column."""
        columns = zip(words, self.signs, self.widths, strict=True)
        return "".join(f"{word:{sign}{width}}  " for word, sign, width in columns)

    def rule(self):
        return "".join("-" * width + "  " for width in self.widths)

    def cells(self, event, whole, unit):
        """Return the words of an event's line."""
        name = event.key
        if self.name_width is not None and len(name) >= self.name_width - 3:
            name = name[: self.name_width - 3] + "..."
        words = [name, format_share(event.self_cpu_time_total, whole), format_time(event.self_cpu_time_total, unit)]
        words += [format_share(event.cpu_time_total, whole), format_time(event.cpu_time_total, unit)]
        words.append(format_time(event.cpu_time, unit))
        if self.memory:
            words += [format_memory(event.cpu_memory_usage), format_memory(event.self_cpu_memory_usage)]
        words.append(str(event.count))
        if self.shapes:
            words.append(str(event.input_shapes)[: self.shapes_width])
        if self.power is not None:  # before the source location, although its title comes after
            words.append(f"{event.flops * 10 ** (-3.0 * self.power):8.3f}" if event.flops > 0 else "--")
        if self.lines:
            words.append(shorten(event.stack[0], self.line_width) if event.stack else "")
        return words

    def further_lines(self, event):
        """Return the lines below an event with the rest of its stack, and an empty one."""
        empty = [""] * (len(self.titles) - 1)
        lines = [*(shorten(line, self.line_width) for line in event.stack[1:]), ""]
        return [self.line([*empty, line]) for line in lines]


def at_most(width, limit):
    return width if limit is None else min(width, limit)


def shorten(text, width):
    """Return the last ``width`` characters of a text, beginning with dots if it is longer."""
    if len(text) <= width:
        return text
    text = text[-width:]
    return "..." + text[3:] if width > 3 else text


def write_table(
    events, profile_memory, with_flops, sort_by, header, row_limit, widths, top_level_events_only=False, time_unit=None
):
    """Return the table of events; ``widths`` limits the columns of names, shapes and source lines."""
    if not events:
        return ""
    if sort_by is not None:
        name = sort_by.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        events = sorted(events, key=lambda each: getattr(each, name), reverse=True)
    columns = Columns(events, profile_memory, with_flops, *widths)
    whole = sum(each.self_cpu_time_total for each in events)
    rule = columns.rule()
    banner = "=" * (len(rule) - 2)
    lines = ([banner, header] if header is not None else []) + ([banner, TOP_LEVEL] if top_level_events_only else [])
    lines += [rule, columns.line(columns.titles), rule]
    shown = [each for each in events if not top_level_events_only or getattr(each, "cpu_parent", None) is None]
    for each in shown if row_limit < 0 else shown[:row_limit]:
        lines.append(columns.line(columns.cells(each, whole, time_unit)))
        lines += columns.further_lines(each) if columns.lines else []
    return "\n".join([*lines, rule, f"Self CPU time total: {format_time(whole, time_unit)}", ""])
