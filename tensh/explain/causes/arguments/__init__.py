"""Arguments of the wrong kind: a tensor for a list, a text for a number, a model for its optimizer.

Each kind is a function of the situation and of the failed call.
"""

import ast

from tensh.explain.causes.arguments import elements, models, optimizers, places, ranges, settings, several, sizes
from tensh.explain.causes.situation import first_explanation

KINDS = (
    several.python_extreme, several.many_for_gradient,
    optimizers.tensor_for_list, optimizers.module_for_parameters, optimizers.computed_parameter,
    optimizers.rate_before_parameters, optimizers.rate_alone, optimizers.parameters_in_a_list,
    optimizers.state_for_parameters, optimizers.model_for_optimizer,
    places.several_for_one, places.parameters_of_several, places.milestones_alone, places.dim_left_out,
    places.tensor_for_count, places.size_for_matrix, places.result_for_function, places.loss_for_closure,
    places.factor_for_function,
    ranges.negative_rate, ranges.momentum_for_nesterov, ranges.one_of_two_betas, ranges.quantile_in_percent,
    ranges.bounds_exchanged, ranges.count_for_arange, ranges.more_samples_than_choices, ranges.scores_for_weights,
    ranges.uneven_groups, ranges.uneven_norm_groups, ranges.same_of_a_strided_convolution, ranges.padding_beyond_half,
    ranges.ignored_by_none, ranges.none_among_numbers, ranges.mode_of_numpy,
    settings.list_for_number, settings.text_for_number, settings.size_for_kernel, settings.function_behind_input,
    settings.gradient_of_several, settings.lengths_in_any_order, settings.percent, settings.unknown_reduction,
    settings.unknown_choice, settings.dtype_of_numpy, settings.device_by_another_name, settings.seed_for_manual_seed,
    models.path_for_state, models.model_for_state, models.model_for_weight,
    elements.numbers_for_list, elements.number_for_sizes, elements.generator_for_list, elements.whole_numbers_drawn,
    elements.gradient_through_numpy, elements.ragged_rows, elements.array_turned_round, elements.texts_for_numbers,
    elements.texts_for_tensor, elements.list_for_parameter, elements.list_for_array, elements.lists_for_dataset,
    elements.function_of_numpy, elements.whole_numbers_for_gradient, elements.step_for_count,
    sizes.quotient_for_size, sizes.transpose_without_dims, sizes.one_dim_of_two, sizes.one_number_of_padding,
    sizes.size_for_factor, sizes.sizes_of_a_tensor, sizes.sizes_in_a_tuple, sizes.range_of_standard,
    sizes.shape_for_range, sizes.shape_for_features, sizes.value_for_filled,
)  # fmt: skip


def explain_argument(situation):
    """Return the Explanation of the first kind that applies."""
    node = next((each for each in reversed(situation.place.path()) if isinstance(each, ast.Call)), None)
    if node is None:
        return None
    return first_explanation(KINDS, situation, node)
