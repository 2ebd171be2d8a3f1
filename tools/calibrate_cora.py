"""Print how closely synthetic Cora matches Cora: one row per statistic, with the limit allowed.

    PRIVGRAPH_DATA=folder python tools/calibrate_cora.py [--training-seeds 10] [--generator-seeds 1 2 3]

PRIVGRAPH_DATA is the folder that holds cora.npz.  The models here are written in plain PyTorch and share
no code with the library, so a mistake in the library's own models cannot hide a mismatch.  With
--generator-seeds synthetic Cora is also generated from those seeds, and the table gains the smallest and the
largest value of each statistic over them: parameters must fit for typical seeds, not for one lucky seed.
"""

import argparse
import hashlib
import os
import sys
import time
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import torch
import torch.nn.functional as F
from scipy.sparse import csr_matrix
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))
from privgraph.datasets.synthetic import SEED, synthetic_cora  # noqa: E402

# Allowed difference between synthetic and Cora; None: printed for information only.
LIMITS = {"MLP accuracy": 0.03, "GCN accuracy": 0.03, "label propagation accuracy": 0.03,
          "features-only edge AUC": 0.03, "average clustering": 0.03, "edge homophily": 0.03,
          "share of leaves": 0.02, "edges": 264, "isolated nodes": 0, "words per node": 1,
          "largest class gap": 0.02, "largest degree": None, "components": None, "transitivity": None,
          "commonest word's share": None, "GCN train accuracy": None}


def load_cora(folder):
    parts = np.load(Path(folder) / "cora.npz", allow_pickle=False)
    rows = csr_matrix((parts["x_data"], parts["x_indices"], parts["x_indptr"]), shape=parts["x_shape"])
    return parts["edge_index"].astype(np.int64), rows.toarray().astype(np.float32), parts["y"]


def normalised_adjacency(edge_index, count, self_loops):
    """D^-1/2 (A [+ I]) D^-1/2 as a sparse tensor."""
    loops = np.tile(np.arange(count), (2, 1)) if self_loops else np.empty((2, 0), np.int64)
    index = torch.from_numpy(np.hstack([edge_index, loops]))
    scale = torch.bincount(index[0], minlength=count).clamp(min=1).float().rsqrt()
    return torch.sparse_coo_tensor(index, scale[index[0]] * scale[index[1]], (count, count)).to_sparse_csr()


def random_split(count, seed):
    order = torch.randperm(count, generator=torch.Generator().manual_seed(seed))
    return order[:count // 2], order[count // 2:3 * count // 4], order[3 * count // 4:]


def trained_accuracy(x, y, split, seed, adjacency=None, epochs=200):
    """(test, train) accuracy at the best validation epoch of a two-layer GCN (MLP if adjacency is None)."""
    torch.manual_seed(seed)
    spread = (lambda h: adjacency @ h) if adjacency is not None else (lambda h: h)
    first, second = torch.nn.Linear(x.shape[1], 16), torch.nn.Linear(16, int(y.max()) + 1)
    for layer in (first, second):
        torch.nn.init.xavier_uniform_(layer.weight)
        torch.nn.init.zeros_(layer.bias)
    optimiser = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=0.01, weight_decay=5e-4)

    def logits(training):
        hidden = F.dropout(F.relu(spread(first(x))), 0.5, training)
        return spread(second(hidden))

    best = (-1.0, 0.0, 0.0)
    for _ in range(epochs):
        optimiser.zero_grad()
        F.cross_entropy(logits(True)[split[0]], y[split[0]]).backward()
        optimiser.step()
        with torch.no_grad():
            right = (logits(False).argmax(1) == y).float()
        train, valid, test = (right[part].mean().item() for part in split)
        best = max(best, (valid, test, train), key=lambda scores: scores[0])
    return best[1:]


def propagation_accuracy(adjacency, y, split, steps=50):
    """Test accuracy of spreading the training labels, which are put back after every step."""
    known = torch.zeros(len(y), int(y.max()) + 1)
    known[split[0]] = F.one_hot(y[split[0]], known.shape[1]).float()
    belief = known.clone()
    for _ in range(steps):
        belief = adjacency @ belief
        belief[split[0]] = known[split[0]]
    return (belief.argmax(1) == y)[split[2]].float().mean().item()


def feature_auc(edge_index, x):
    """AUC of cosine similarity: true edges against as many uniform pairs that are not edges."""
    rng, count = np.random.default_rng(0), len(x)
    unit = x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9)
    one_way = edge_index[:, edge_index[0] < edge_index[1]]
    pairs = rng.integers(count, size=(2, 3 * one_way.shape[1]))
    new = ~np.isin(pairs[0] * count + pairs[1], edge_index[0] * count + edge_index[1])
    pairs = pairs[:, new & (pairs[0] != pairs[1])][:, :one_way.shape[1]]
    scores = [(unit[u] * unit[v]).sum(1) for u, v in (one_way, pairs)]
    return roc_auc_score(np.repeat([1, 0], [len(s) for s in scores]), np.concatenate(scores))


def graph_statistics(edge_index, x, y):
    graph = nx.empty_graph(len(x))
    graph.add_edges_from(edge_index.T.tolist())
    degree = np.bincount(edge_index[0], minlength=len(x))
    return {"features-only edge AUC": feature_auc(edge_index, x),
            "average clustering": nx.average_clustering(graph),
            "edge homophily": np.mean(y[edge_index[0]] == y[edge_index[1]]),
            "share of leaves": np.mean(degree == 1), "edges": edge_index.shape[1] // 2,
            "isolated nodes": np.sum(degree == 0), "words per node": x.sum() / len(x),
            "largest degree": degree.max(), "components": nx.number_connected_components(graph),
            "transitivity": nx.transitivity(graph), "commonest word's share": x.mean(0).max()}


def model_statistics(edge_index, x, y, seeds):
    """Mean accuracy of each model over the training seeds; each seed has its own random 50/25/25 split."""
    with_loops, without = (normalised_adjacency(edge_index, len(x), loops) for loops in (True, False))
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    rows = []
    for seed in range(seeds):
        split = random_split(len(y), seed)
        rows.append((trained_accuracy(x, y, split, seed)[0], *trained_accuracy(x, y, split, seed, with_loops),
                     propagation_accuracy(without, y, split)))
    names = "MLP accuracy", "GCN accuracy", "GCN train accuracy", "label propagation accuracy"
    return dict(zip(names, np.mean(rows, axis=0), strict=True))


def statistics(graph, proportions, seeds):
    gap = np.abs(np.bincount(graph[2], minlength=7) / len(graph[2]) - proportions).max()
    return {**model_statistics(*graph, seeds), **graph_statistics(*graph), "largest class gap": gap}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--training-seeds", type=int, default=10)
    parser.add_argument("--generator-seeds", type=int, nargs="*", default=[])
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", message=".*[Ss]parse.*")  # PyTorch calls its sparse tensors unfinished
    cora = load_cora(os.environ["PRIVGRAPH_DATA"])
    proportions = np.bincount(cora[2]) / len(cora[2])
    start = time.perf_counter()
    synthetic = synthetic_cora()
    seconds = time.perf_counter() - start
    real, made, *others = (statistics(graph, proportions, options.training_seeds) for graph in
                           (cora, synthetic, *map(synthetic_cora, options.generator_seeds)))
    print(f"{'statistic':28}{'Cora':>10}{'synthetic':>10}{'limit':>8}{'':8}{'smallest':>10}{'largest':>10}")
    for name, limit in LIMITS.items():
        verdict = "" if limit is None else "ok" if abs(made[name] - real[name]) <= limit else "MISSED"
        values = [other[name] for other in others] or [made[name]]
        print(f"{name:28}{real[name]:10.4g}{made[name]:10.4g}{'' if limit is None else limit:>8}"
              f"{verdict:>8}{min(values):10.4g}{max(values):10.4g}")
    digest = hashlib.sha256(b"".join(array.tobytes() for array in synthetic)).hexdigest()
    print(f"seed {SEED}, generated in {seconds:.2f} s, sha256 {digest}")


if __name__ == "__main__":
    main()
