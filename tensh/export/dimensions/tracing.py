"""The trace of a module with dynamic dimensions."""

from tensh.export.dimensions.dimension import list_dimensions
from tensh.export.dimensions.limits import check_limits
from tensh.export.dimensions.ranges import join_ranges, read_ranges
from tensh.export.dimensions.relations import relate
from tensh.export.dimensions.symbols import choose_symbols, rename_sizes
from tensh.export.dimensions.violations import require_changing
from tensh.tracing.program import trace_program
from tensh.tracing.reading import refuse_reading
from tensh.tracing.sizes.decisions import rename
from tensh.tracing.sizes.dims import UserError
from tensh.tracing.sizes.dynamic import trace_dynamic
from tensh.tracing.sizes.whole_slices import leave_out_slices


def trace_sizes(mod, args, kwargs, dynamic, preserved, trace):
    """Return (the trace, its dynamic dimensions, the range of each symbol) of a module with dynamic dimensions.

    Where the program relates dimensions that were declared apart, it is traced again as they depend on each other.
    ``trace(shift)`` traces it without dynamic dimensions.
    """
    declared, ranges = dynamic, read_ranges(dynamic)
    require_changing(list_dimensions(mod, args, kwargs, dynamic))
    try:
        program = trace_dynamic(
            mod, args, kwargs, dynamic, refuse_reading, ranges, apart=1, shift=0, preserved=preserved
        )
    except UserError as error:
        plain = trace_program(mod, args, kwargs, sizes=True, on_read=refuse_reading, shift=0)
        related = relate(mod, args, kwargs, dynamic, plain, refuse_reading, error)
        if related == dynamic:
            raise
        dynamic, ranges = related, join_ranges(declared, related)
        program = trace_dynamic(
            mod, args, kwargs, dynamic, refuse_reading, ranges, apart=1, shift=0, preserved=preserved
        )
    if not dynamic:
        program = trace(0)
    known = list_dimensions(mod, args, kwargs, dynamic)
    symbols = choose_symbols(known)
    if dynamic:
        ranges = check_limits(known, ranges, program.limits, program.guards)
    dynamic = rename_sizes(program, dynamic, symbols)
    program.guards = [rename(guard, symbols) for guard in program.guards]
    ranges = {symbol: ranges.get(name) for name, symbol in symbols.items()}
    leave_out_slices(program, {symbol: limits or (None, None) for symbol, limits in ranges.items()})
    return program, dynamic, ranges
