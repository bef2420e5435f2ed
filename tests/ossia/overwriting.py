"""Changing what is stored of an episode, as no run does."""

from ossia_evaluation.grade import Verdict


def overwrite(store, trace, grade):
    """Put a record in the place of a valid one, which a store keeps."""
    invalid = grade.model_copy(update={"verdict": Verdict.INVALID})
    store.put_scores(iter([(trace.episode.id, invalid, None)]))
    assert store.put(trace, grade)
