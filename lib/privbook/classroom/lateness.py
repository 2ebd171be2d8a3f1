"""When something was handed in, how late that is, and what it costs."""

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta

MINUTES = {"year": 525_600, "week": 10_080, "day": 1_440, "hour": 60, "min": 1, "sec": 1 / 60}
LATE = re.compile(r"((?:\d+ (?:year|week|day|hour|min|sec)s?,? ?)+)late")
MOODLE = ("%A, %d %B %Y, %I:%M %p", "%A, %B %d, %Y, %I:%M %p", "%d %B %Y, %I:%M %p")  # in English
UNKNOWN = "unknown"  # in the place of minutes: it is late, and nobody says by how much
DAY = 1_440


def moment(text: str, name: str) -> datetime:
    """A date and time as in "2026-11-20 23:59", on this computer's clock where no zone is said.

    :param name: of the option, for messages.
    """
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise ValueError(f"{name} must be a date and a time, as in '2026-11-20 23:59', got {text!r}") from None


def told(text: str) -> datetime | None:
    """What a worksheet of Moodle's in English, or nbgrader's ``timestamp.txt``, says; None if it says it otherwise.

    >>> told("Friday, 20 November 2026, 11:59 PM").strftime("%d.%m. %H:%M"), told("Freitag, 20. November 2026")
    ('20.11. 23:59', None)
    >>> told("2026-11-20 23:59:23.948203 UTC").isoformat()
    '2026-11-20T23:59:23.948203+00:00'
    """
    text = " ".join(text.split())
    for form in MOODLE:
        with suppress(ValueError):
            return datetime.strptime(text, form).astimezone()
    with suppress(ValueError):
        found = datetime.fromisoformat(text.removesuffix(" UTC"))
        return found.replace(tzinfo=UTC) if text.endswith(" UTC") else found.astimezone()
    return None


def said_late(status: str) -> float | None:
    """Minutes late, as Moodle's column *Status* says in English; None if it does not say late.

    >>> said_late("Submitted for grading - 1 day 2 hours late"), said_late("Submitted for grading - 45 secs late")
    (1560, 0.75)
    """
    found = LATE.search(status)
    return sum(int(count) * MINUTES[unit] for count, unit in re.findall(r"(\d+) ([a-z]+?)s?\b", found[1])
               ) if found else None


def minutes_late(late: float, extra: str) -> str:
    """Whole minutes, each one that was begun, after the extra time that somebody has.

    >>> minutes_late(30.2, "10"), minutes_late(-5, "")
    ('21', '0')
    """
    return str(max(0, math.ceil(late - int(extra or 0))))


def after(time: datetime, due: datetime) -> float:
    """Minutes between the two; negative if it was in time."""
    return (time - due) / timedelta(minutes=1)


def days_charged(late: Mapping[str, int], free: int) -> dict[str, int]:
    """Days for which points are taken off, where each begun day counts and the first ones of the course are free.

    :param late: assignment -> minutes; the free days are used in the order of their names.

    >>> days_charged({"02": 1441, "01": 30}, free=2)
    {'01': 0, '02': 1}
    """
    charged = {}
    for name in sorted(late):
        days = math.ceil(late[name] / DAY)
        charged[name] = max(0, days - free)
        free = max(0, free - days)
    return charged
