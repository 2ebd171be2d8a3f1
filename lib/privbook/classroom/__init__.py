"""For teachers: assignments made into notebooks for students, and graded without trusting what students wrote.

A submission runs in a box (``containing``) that holds neither the right answers nor the network, and out of which only
text comes: what cells printed, and what answers hold or give for inputs that the student has not seen. The comparison
(``judging``) runs elsewhere, and never runs a student's code.
"""

from .assignment import Assignment, assignments
from .judging import Draws, Mark, Part, drawn

__all__ = ["Assignment", "Draws", "Mark", "Part", "assignments", "drawn"]
