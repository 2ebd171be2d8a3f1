"""Chapter 9: what the settings of ``privgnn`` and ``privgnn-frontier`` cost, by three accountants.
Nothing here is random."""

from collections.abc import Callable

from privgraph.methods import PATE
from privgraph.privacy import Budget, rdp_epsilon

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph
from .as_printed import printed_epsilon
from .frontier import EXPERIMENT as FRONTIER
from .tables import EXPERIMENT as TABLES
from .tables import LAMBDAS, method_of

DELTA = 1e-4  # as stated in the paper for both graphs
SETTING = {"method": str, "noise": str, "lam": float, "queries": int, "rate": float}


def budgets_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Epsilon at delta 1e-4: in the paper's own way (no bound),
    by Renyi divergences and by privacy loss distributions."""
    method = method_of(setting | dict(teacher="mlp", neighbours=0, pretrain=0))
    spent = method.budget(graph(setting["dataset"])[0].num_classes)
    return {"printed": in_print(method, setting), "corrected": by_renyi(spent),
            "tight": spent.epsilon(DELTA).pessimistic}


def in_print(method, setting: dict) -> float:
    """PrivGNN's and SingleGNN's alike, by the paper; for PATE, which has no formula of its own there,
    the corrected one."""
    if isinstance(method, PATE):
        return by_renyi(method.budget(2))
    return printed_epsilon(method.scale, setting["rate"], setting["queries"], DELTA)


def by_renyi(spent: Budget) -> float:
    """Renyi divergences know no sample that all steps share: there, the tight epsilon is the only one."""
    return rdp_epsilon(list(spent.steps), DELTA) if spent.rate == 1 else spent.epsilon(DELTA).pessimistic


def grid(setting: Callable[..., dict]) -> list[tuple[int, list[dict]]]:
    """Every method and noise of both experiments, and PATE with Gumbel noise at the paper's lambdas, which none of them
    trains: for the table beside Laplace noise."""
    gumbel = [TABLES.setting(dataset="amazon-computers", method="pate", noise="gumbel", lam=lam, queries=1000)
              for lam in LAMBDAS]
    return [(1, [setting(**{name: spent[name] for name in ("dataset", *SETTING)})
                 for spent in (*TABLES.settings, *FRONTIER.settings, *gumbel)
                 if spent["method"] in ("privgnn", "pate", "single") and not spent["noise"].startswith("log-")])]


EXPERIMENT = Experiment("privgnn-budgets", 3, SETTING, ("printed", "corrected", "tight"), grid, budgets_run,
                        title="What PrivGNN's and PATE's labels cost, by three accountants (chapter 9)")
