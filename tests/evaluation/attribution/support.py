"""Attributions made by hand."""

from ossia_evaluation.attribution import Attribution, Cause, Deviation, Status, StepShown


def cause(situation, **other):
    given = {
        "step": 3,
        "situation": situation,
        "role": situation.partition("#")[0],
        "responsibility": 1.0,
        "necessary": True,
        "sufficient": True,
        "said": "19:30",
        "meant": "07:30",
        "fault": "turned 'half past seven' into 19:30",
        "remedy": "with 07:30",
    }
    return Cause(**{**given, **other})


def attribution(episode="camel.wake.1", *, causes=(), status=Status.ATTRIBUTED, **other):
    given = {
        "episode": episode,
        "task": "wake",
        "framework": episode.partition(".")[0],
        "domain": "alarm",
        "intent": "alarm_set",
        "status": status,
        "reason": "missing: an alarm",
        "causes": tuple(causes),
        "families": tuple((each.situation,) for each in causes),
        "rules": ("time",),
        "opportunities": ("intent", "manager", "time", "url"),
        "replays": 2,
    }
    return Attribution(**{**given, **other})


def shown(words="19:30", other="07:30"):
    """Steps with a culprit, one that follows and one that is not in the replay."""
    return (
        StepShown(step=0, situation="manager@start", role="manager", said="m", counterfactual="m"),
        StepShown(
            step=1, situation="time#1", role="time", said=words, counterfactual=other, culprit=True
        ),
        StepShown(step=2, situation="url#2", role="url", said=words),
    )


def harmless(absorbed=None):
    return Deviation(
        step=2, situation="url#1", role="url", fault="left a slot out", absorbed_by=absorbed
    )
