"""What a mechanism or a method must refuse when it is made, by name."""

from dataclasses import fields, replace

from ..checks.parameters import kinds_of
from .refuting import CheckFailed

MEANINGLESS = (-1.0, float("nan"), "1", None, True)  # as a budget or a scale, whatever the field says


def budgets(thing, *others: str) -> list[str]:
    """The fields called epsilon..., or one of the others."""
    return [field.name for field in fields(thing) if field.name.startswith("epsilon") or field.name in others]


def refusals(thing) -> list[str]:
    """The fields that were tried: all that say what they may be, and all that are budgets or scales."""
    tried = {name: kind.bad() for name, kind in kinds_of(type(thing)).items()}
    tried |= {name: (*tried.get(name, ()), *MEANINGLESS) for name in budgets(thing, "scale")}
    for name, value in ((name, value) for name, values in tried.items() for value in values):
        try:
            replace(thing, **{name: value})
        except (ValueError, TypeError) as error:
            if name not in str(error):
                raise CheckFailed(f"{name}={value!r} must be refused by name, got {error}") from error
        else:
            raise CheckFailed(f"{name}={value!r} must be refused")
    return list(tried)
