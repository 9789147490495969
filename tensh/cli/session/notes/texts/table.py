"""The notes: name -> the function that confirms a finding and writes the note.

Imported only for a finding: the texts quote the user's source, which needs the explanations.
"""

from tensh.cli.session.notes.texts.embeddings import note_one_hot_indices
from tensh.cli.session.notes.texts.losses import note_kept, note_loss
from tensh.cli.session.notes.texts.modes import (
    note_evaluation_from_the_first,
    note_evaluation_mode,
    note_functional_dropout,
    note_training_mode,
)
from tensh.cli.session.notes.texts.nans import note_nan
from tensh.cli.session.notes.texts.steps import (
    note_clipping,
    note_missing_backward,
    note_missing_step,
    note_other_parameters,
    note_reset_gradients,
    note_unchanged,
)
from tensh.cli.session.notes.texts.unregistered import note_unregistered

NOTES = {
    "broadcast": note_loss,
    "expanded": note_loss,
    "twice": note_loss,
    "logarithms": note_loss,
    "no logarithms": note_loss,
    "probabilities": note_loss,
    "scores": note_loss,
    "one class": note_loss,
    "kept": note_kept,
    "nan": note_nan,
    "zeroed": note_reset_gradients,
    "other parameters": note_other_parameters,
    "unchanged": note_unchanged,
    "unregistered": note_unregistered,
    "no backward": note_missing_backward,
    "no step": note_missing_step,
    "clipping": note_clipping,
    "evaluation mode": note_evaluation_mode,
    "evaluation mode from the first": note_evaluation_from_the_first,
    "training mode": note_training_mode,
    "dropout": note_functional_dropout,
    "one-hot": note_one_hot_indices,
}
