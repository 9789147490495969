"""Causes: where a value came from that made the code fail, found in the source and in the values of names."""

from tensh.explain.causes.arguments import explain_argument
from tensh.explain.causes.arguments.constraints import explain_constraint
from tensh.explain.causes.arguments.distributions import explain_distribution
from tensh.explain.causes.arguments.flags import explain_text_for_flag
from tensh.explain.causes.arguments.keywords import explain_keyword
from tensh.explain.causes.arguments.optimizers import explain_key_of_group, explain_settings_of_groups
from tensh.explain.causes.arguments.settings_of_layers import explain_tensor_for_setting
from tensh.explain.causes.arguments.signatures import explain_missing_arguments
from tensh.explain.causes.arguments.transforms import explain_transform
from tensh.explain.causes.data.batches import explain_batch, explain_format, explain_unknown_device
from tensh.explain.causes.data.datasets import explain_dataset
from tensh.explain.causes.data.files import explain_file
from tensh.explain.causes.data.keeping import explain_keeping
from tensh.explain.causes.data.splits import explain_split
from tensh.explain.causes.data.targets import explain_scores_of_steps, explain_target
from tensh.explain.causes.gradients.absent import explain_absent_gradient
from tensh.explain.causes.gradients.functions import explain_function
from tensh.explain.causes.gradients.graphs import (
    explain_cut_graph,
    explain_not_differentiated,
    explain_second_pass,
    explain_several_numbers,
)
from tensh.explain.causes.models.attention import explain_attention
from tensh.explain.causes.models.checkpoints import explain_checkpoint
from tensh.explain.causes.models.classes import explain_class
from tensh.explain.causes.models.embeddings import explain_one_hot_indices
from tensh.explain.causes.models.hooks import explain_hook
from tensh.explain.causes.models.indexed import explain_indexed_model
from tensh.explain.causes.models.jax import explain_jax
from tensh.explain.causes.models.keras import explain_keras
from tensh.explain.causes.models.loops import explain_loop_over_layers
from tensh.explain.causes.models.modes import explain_mode
from tensh.explain.causes.models.modules import (
    explain_call_before_init,
    explain_class_given_data,
    explain_class_given_data_before_attribute,
    explain_misnamed_forward,
    explain_pair_of_states,
    explain_recurrent_in_sequential,
    explain_registered_list,
    explain_single_number,
    explain_single_sample,
    explain_tensor_for_parameter,
)
from tensh.explain.causes.models.packed import explain_packed
from tensh.explain.causes.models.residuals import explain_residual
from tensh.explain.causes.models.returning import explain_early_return
from tensh.explain.causes.models.states import explain_state
from tensh.explain.causes.models.steps import explain_step
from tensh.explain.causes.models.unregistered import explain_empty_parameters
from tensh.explain.causes.names.definitions import (
    explain_length,
    explain_method_returned,
    explain_misnamed,
    explain_nothing_returned,
    explain_super,
    explain_uncalled_definition,
    explain_without_self,
)
from tensh.explain.causes.names.earlier_slips import explain_earlier_slip
from tensh.explain.causes.names.imports import explain_missing_package, explain_unimported
from tensh.explain.causes.names.languages import explain_copied_prompt, explain_language
from tensh.explain.causes.names.left_out import explain_left_out
from tensh.explain.causes.names.methods import (
    explain_called_too_early,
    explain_digits,
    explain_rounded,
    explain_uncalled,
    explain_uncalled_class,
    explain_uncalled_part,
)
from tensh.explain.causes.names.naming import explain_naming
from tensh.explain.causes.names.none import explain_none
from tensh.explain.causes.names.siblings import explain_odd_one_out
from tensh.explain.causes.names.values_of_names import explain_value_of_name
from tensh.explain.causes.silent.lost import explain_lost
from tensh.explain.causes.silent.pairs import explain_compared_pair
from tensh.explain.causes.values.called import explain_called
from tensh.explain.causes.values.conditions import explain_condition
from tensh.explain.causes.values.containers import explain_container, explain_counter, explain_local_part
from tensh.explain.causes.values.dtypes import explain_cast, explain_flag_of_numbers, explain_floats, explain_objects
from tensh.explain.causes.values.indexing import explain_index
from tensh.explain.causes.values.iterating import explain_iterating
from tensh.explain.causes.values.operators import (
    explain_batch_for_tensor,
    explain_operator,
    explain_picked,
    explain_plain_parameter,
)
from tensh.explain.causes.values.own_functions import explain_own_function
from tensh.explain.causes.values.parts import explain_part
from tensh.explain.causes.values.precedence import explain_precedence
from tensh.explain.causes.values.python_values import explain_value
from tensh.explain.causes.values.quotients import explain_quotient
from tensh.explain.causes.values.results import explain_result
from tensh.explain.causes.values.texts import explain_text
from tensh.explain.causes.values.unpacking import explain_unpacked
from tensh.explain.causes.values.zeros import explain_zero
from tensh.explain.situation import Situation, first_explanation

__all__ = ["Situation", "cause_of"]

CAUSES = (
    explain_zero, explain_lost, explain_one_hot_indices, explain_function, explain_transform, explain_distribution,
    explain_constraint, explain_packed, explain_hook, explain_compared_pair, explain_floats, explain_cast, explain_objects, explain_absent_gradient,
    explain_cut_graph, explain_not_differentiated, explain_several_numbers, explain_uncalled, explain_uncalled_part, explain_uncalled_class,
    explain_loop_over_layers, explain_left_out, explain_early_return, explain_value_of_name, explain_naming, explain_precedence, explain_condition, explain_iterating,
    explain_index, explain_residual, explain_result, explain_state, explain_step, explain_target, explain_operator,
    explain_picked, explain_batch_for_tensor, explain_text_for_flag, explain_tensor_for_setting, explain_argument, explain_key_of_group,
    explain_settings_of_groups, explain_attention, explain_checkpoint, explain_class, explain_file, explain_keras, explain_jax,
    explain_language, explain_batch, explain_split, explain_unknown_device, explain_format, explain_value,
    explain_keeping, explain_called, explain_container, explain_counter, explain_local_part, explain_digits,
    explain_rounded, explain_second_pass, explain_call_before_init, explain_super, explain_misnamed_forward, explain_misnamed,
    explain_uncalled_definition, explain_without_self, explain_length, explain_method_returned, explain_nothing_returned,
    explain_dataset, explain_mode, explain_empty_parameters, explain_plain_parameter, explain_single_sample, explain_tensor_for_parameter,
    explain_registered_list, explain_class_given_data, explain_class_given_data_before_attribute, explain_pair_of_states, explain_recurrent_in_sequential,
    explain_single_number, explain_unpacked, explain_part, explain_keyword, explain_called_too_early, explain_missing_arguments, explain_none,
    explain_quotient, explain_earlier_slip, explain_scores_of_steps, explain_indexed_model, explain_own_function, explain_text, explain_odd_one_out, explain_flag_of_numbers, explain_unimported,
    explain_missing_package, explain_copied_prompt,
)  # fmt: skip


def cause_of(situation):
    """Return the Explanation of the first cause that applies; None if none does."""
    return first_explanation(CAUSES, situation)
