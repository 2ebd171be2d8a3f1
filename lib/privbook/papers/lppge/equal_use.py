"""What noise hides at the price of a defence: GAE_RM with as much noise as leaves its vectors of the same use."""

import numpy as np

from .controls import NOISE

LEVELS = (0.0, *NOISE)  # in deviations of the vectors


def at_equal_use(tables, controls, defence: str, dataset: str, metric: str,
                 use: str = "mlp_others_f1") -> dict[int, tuple[float, float]]:
    """seed -> (noise, ``metric`` of the defence minus that of GAE_RM with this noise), where ``use`` is the same.

    Between two levels of noise that were run both metrics are taken to change evenly. Seeds are left out of which not
    all levels were run, and those where the defence is of more use than no noise leaves, or of less than the most.

    :param tables: the ``Results`` of the experiment lppge.
    :param controls: those of lppge-controls.
    """
    def of_noise(name: str) -> list[dict[int, float]]:
        noisy = [controls.values(name, dataset=dataset, defence="gae-rm", noise=level, code=4) for level in NOISE]
        return [tables.values(name, dataset=dataset, defence="gae-rm", share=1.0), *noisy]

    uses, found = of_noise(use), of_noise(metric)
    own, reached = (tables.values(name, dataset=dataset, defence=defence, share=1.0) for name in (use, metric))
    gaps = {}
    for seed in set(own).intersection(*uses):
        falling = np.maximum.accumulate([-level[seed] for level in uses])  # where all is lost, use goes up and down
        if falling[0] <= -own[seed] <= falling[-1]:
            noise, there = (float(np.interp(-own[seed], falling, values))
                            for values in (LEVELS, [level[seed] for level in found]))
            gaps[seed] = noise, reached[seed] - there
    return dict(sorted(gaps.items()))
