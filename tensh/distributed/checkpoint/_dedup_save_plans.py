"""Plans without repetition: of what several ranks could write, one writes each part."""

from dataclasses import replace

__all__ = ["dedup_save_plans"]


def dedup_save_plans(all_plans, save_to_lowest_rank=False):
    """Return the plans of all ranks, in which each part stays with the rank that has least to write so far.

    With ``save_to_lowest_rank`` it stays with the first of the ranks that have it.
    """
    owners = {}  # name of a part -> the ranks that have it
    for rank, plan in enumerate(all_plans):
        for item in plan.items:
            owners.setdefault(item.index, {})[rank] = item
    sizes, kept = [0] * len(all_plans), [set() for _ in all_plans]
    for index, having in owners.items():
        rank = min(having) if save_to_lowest_rank else min(having, key=sizes.__getitem__)
        sizes[rank] += having[rank].tensor_storage_size() or 1
        kept[rank].add(index)
    return [
        replace(plan, items=[item for item in plan.items if item.index in mine])
        for plan, mine in zip(all_plans, kept, strict=True)
    ]
