"""Chapter 9: what the cells of ``privgnn`` and ``privgnn-frontier`` cost, by three accountants. Nothing here is random."""

from ...methods import PATE
from ...privacy import Budget, printed_epsilon, rdp_epsilon
from ..cache import Cache
from ..grid import Experiment, distinct, graph
from .privgnn import EXPERIMENT as PRIVGNN
from .privgnn import LAMBDAS, method_of, noisy_labels
from .privgnn_frontier import EXPERIMENT as FRONTIER

DELTA = 1e-4  # as stated in the paper for both graphs
SETTING = {"method": str, "noise": str, "lam": float, "queries": int, "rate": float}


def budgets_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Epsilon at delta 1e-4: in the paper's own way (no bound), by Renyi divergences and by privacy loss distributions."""
    method = method_of(cell | dict(teacher="mlp", neighbours=0, pretrain=0))
    spent = method.budget(graph(cell["dataset"])[0].num_classes)
    return {"printed": in_print(method, cell), "corrected": by_renyi(spent), "tight": spent.epsilon(DELTA).pessimistic}


def in_print(method, cell: dict) -> float:
    """PrivGNN's and SingleGNN's alike, by the paper; for PATE, which has no formula of its own there, the corrected one."""
    if isinstance(method, PATE):
        return by_renyi(method.budget(2))
    return printed_epsilon(method.scale, cell["rate"], cell["queries"], DELTA)


def by_renyi(spent: Budget) -> float:
    """Renyi divergences know no sample that all steps share: there, the tight epsilon is the only one."""
    return rdp_epsilon(list(spent.steps), DELTA) if spent.rate == 1 else spent.epsilon(DELTA).pessimistic


def setting_of(cell: dict) -> dict:
    return dict(dataset=cell["dataset"], seeds=1) | {name: cell[name] for name in SETTING}


# PATE with Gumbel noise at the paper's lambdas, which nothing above trains: for the table beside Laplace noise
GUMBEL = [noisy_labels("amazon-computers", "pate", noise="gumbel", lam=lam, queries=1000) for lam in LAMBDAS]

EXPERIMENT = Experiment(
    "privgnn-budgets", 2, SETTING, ("printed", "corrected", "tight"),
    distinct(setting_of(cell) for cell in (*PRIVGNN.cells, *FRONTIER.cells, *GUMBEL)
             if cell["method"] in ("privgnn", "pate", "single") and not cell["noise"].startswith("log-")),
    budgets_run, title="What PrivGNN's and PATE's labels cost, by three accountants (chapter 9)")
