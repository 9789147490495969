"""The notes: name -> the function that confirms a finding and writes the note.

Imported only for a finding: the texts quote the user's source, which needs the explanations.
"""

from tensh.cli.session.notes.remarks_on_losses import on_kept, on_loss
from tensh.cli.session.notes.remarks_on_nan import on_nan
from tensh.cli.session.notes.remarks_on_training import (
    on_clipping,
    on_evaluation_from_the_first,
    on_evaluation_mode,
    on_functional_dropout,
    on_no_backward,
    on_no_step,
    on_one_hot_indices,
    on_other_parameters,
    on_training_mode,
    say_zeroed,
)
from tensh.cli.session.notes.remarks_on_unregistered import on_unregistered

REMARKS = {
    "broadcast": on_loss,
    "expanded": on_loss,
    "twice": on_loss,
    "logarithms": on_loss,
    "no logarithms": on_loss,
    "probabilities": on_loss,
    "scores": on_loss,
    "one class": on_loss,
    "kept": on_kept,
    "nan": on_nan,
    "zeroed": say_zeroed,
    "other parameters": on_other_parameters,
    "unregistered": on_unregistered,
    "no backward": on_no_backward,
    "no step": on_no_step,
    "clipping": on_clipping,
    "evaluation mode": on_evaluation_mode,
    "evaluation mode from the first": on_evaluation_from_the_first,
    "training mode": on_training_mode,
    "dropout": on_functional_dropout,
    "one-hot": on_one_hot_indices,
}
