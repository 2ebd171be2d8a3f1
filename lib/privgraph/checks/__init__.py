"""Arguments that are refused, in one place, so that every message reads the same way.

Each check names the argument, says what came and what is allowed, and returns the value: a number as Python's own.
A message never shows the numbers of a tensor. What is refused hangs on one person's record or on public things alone,
as an exception is an output too.
"""

from .graphs import check_data, check_people
from .names import check_all, check_choice, check_function, check_is, check_name, check_path
from .numbers import (
    TINY,
    check_bound,
    check_count,
    check_delta,
    check_distribution,
    check_epsilon,
    check_finite,
    check_flag,
    check_fraction,
    check_learning_rate,
    check_number,
    check_numbers,
    check_order,
    check_positive,
    check_range,
    check_rate,
    check_sequence,
)
from .tensors import (
    check_features,
    check_generator,
    check_labels,
    check_mask,
    check_nodes,
    check_pairs,
    check_tensor,
)

__all__ = ["TINY", "check_all", "check_bound", "check_choice", "check_count", "check_data", "check_delta",
           "check_distribution", "check_epsilon", "check_features", "check_finite", "check_flag", "check_learning_rate",
           "check_function", "check_generator", "check_is", "check_labels", "check_mask", "check_name",
           "check_nodes", "check_number", "check_numbers", "check_order", "check_pairs", "check_path", "check_people",
           "check_positive", "check_range", "check_rate", "check_sequence", "check_fraction", "check_tensor"]
