"""How large a graph can be: seconds, memory and growth of what costs most,
beside the time that memory alone would take.

    benchmarks/scale.py                     10^4, 10^5 and 10^6 edges, about 10 minutes on an idle machine
    benchmarks/scale.py --sizes 1e4 1e7     other sizes; 10^7 edges take another 15 minutes and up to 16 GB
    benchmarks/scale.py --anyway            although the machine is busy: seconds are then too long, and say so

Random graphs of mean degree 10 with 64 features; every edge counts once. Each step runs in a process of its own, on one
thread, so that its peak memory (with Python, the libraries and the graph) is its own. Writes ``scale.csv`` (one row a
step and size) and ``scale_table.csv`` (what the book shows).
"""

import argparse
import csv
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch_geometric.data import Data

from privgraph import __version__
from privgraph.attacks import linkteller
from privgraph.graph import adjacency, degrees, propagate, to_undirected
from privgraph.mechanisms import (
    GRRFS,
    Blink,
    DegreePreservingResponse,
    NeighbourReplacement,
    RandomisedResponse,
    SymmetricResponse,
    TwoHopResponse,
    break_even,
)
from privgraph.methods.reconstruction import reconstruct_features, reconstruct_labels
from privgraph.nn import Backbone
from privgraph.randomness import seeded

HERE = Path(__file__).parent
SIZES = (10_000, 100_000, 1_000_000)
DEGREE, FEATURES, CLASSES, HOPS, PAIRS = 10, 64, 4, 16, 500
BUSY = 0.5  # other processes that want the processor, on average, above which seconds mean nothing
FLOAT, LONG = 4, 8  # bytes


def random_graph(edges: int) -> Data:
    """About ``edges`` undirected edges, mean degree 10; features, labels and binary features."""
    n = 2 * edges // DEGREE
    pairs = torch.randint(n, (2, edges), generator=seeded(0))
    return Data(x=torch.randn(n, FEATURES, generator=seeded(1)), edge_index=to_undirected(pairs, n), num_nodes=n,
                y=torch.randint(CLASSES, (n,), generator=seeded(2)))


def kprop(data: Data) -> Callable:
    matrix = adjacency(data.edge_index, data.num_nodes)
    return lambda: propagate(matrix, data.x, HOPS)


def replacement(data: Data) -> Callable:
    return lambda: NeighbourReplacement(1.0)(data, generator=seeded(3)).edge_index


def features(data: Data) -> Callable:
    mechanism = GRRFS(1.0, (2,) * FEATURES, 10)
    reports = mechanism((data.x > 0).long(), generator=seeded(3))
    matrix = adjacency(data.edge_index, data.num_nodes, "mean", self_loops=True)
    return lambda: reconstruct_features(reports, mechanism, matrix, HOPS)


def labels(data: Data) -> Callable:
    mechanism = RandomisedResponse(1.0, CLASSES)
    matrix = adjacency(data.edge_index, data.num_nodes, "mean", self_loops=True)
    return lambda: reconstruct_labels(mechanism(data.y, generator=seeded(3)), mechanism, matrix, HOPS)


def attack(backbone: str) -> Callable[[Data], Callable]:
    def prepared(data: Data) -> Callable:
        model = Backbone(backbone, FEATURES, CLASSES, generator=seeded(3)).eval()
        some = torch.randint(data.edge_index.size(1), (PAIRS // 2,), generator=seeded(4))
        others = torch.randint(data.num_nodes, (2, PAIRS // 2), generator=seeded(5))
        pairs = torch.cat([data.edge_index[:, some], others], 1)
        return lambda: linkteller(model, data.x, data.edge_index, pairs)
    return prepared


def edges_by(make: Callable[[float], Callable]) -> Callable[[Data], Callable]:
    """A mechanism on edges, at the epsilon at which half of the reported edges are false."""
    def prepared(data: Data) -> Callable:
        mechanism = make(break_even(data.num_nodes, DEGREE))
        return lambda: mechanism(data, generator=seeded(3)).edge_index
    return prepared


def propagation(columns: int) -> Callable[[Data], int]:
    """Bytes of ``HOPS`` sparse products: an index, a weight and a row for every entry, then the row that is written."""
    def moved(data: Data) -> int:
        entry, row = LONG + FLOAT, FLOAT * columns
        return HOPS * (data.edge_index.size(1) * (entry + row) + data.num_nodes * row)
    return moved


def graph_once(data: Data) -> int:
    """Bytes of the edges, read and written once."""
    return 2 * 2 * LONG * data.edge_index.size(1)


def graph_and_features(data: Data) -> int:
    """Bytes of the edges, read and written once, and of both ends' features."""
    return graph_once(data) + 2 * data.edge_index.size(1) * FLOAT * FEATURES


def two_hop_walks(data: Data) -> int:
    """Bytes of one number for every walk of two steps, written and read once."""
    return 2 * LONG * int(degrees(data.edge_index, data.num_nodes).square().sum())


def matrix_of_features(data: Data) -> int:
    """Bytes of the edges and of the features, each read and written once."""
    return graph_once(data) + 2 * data.num_nodes * FLOAT * FEATURES


# step -> (what prepares it, bytes that it cannot help moving)
STEPS = {
    "KProp, K = 16": (kprop, propagation(FEATURES)),
    "RGNN features, K = 16": (features, propagation(FEATURES)),
    "RGNN labels, K = 16": (labels, propagation(CLASSES)),
    "neighbour replacement": (replacement, graph_and_features),
    "two-hop response": (edges_by(TwoHopResponse), two_hop_walks),
    "symmetric response": (edges_by(SymmetricResponse), graph_once),
    "degree-preserving response": (edges_by(lambda epsilon: DegreePreservingResponse(1.0, epsilon)), graph_once),
    "Blink": (edges_by(lambda epsilon: Blink(1.0, epsilon)), graph_once),
    "LinkTeller on GCN, 500 pairs": (attack("gcn"), matrix_of_features),
    "LinkTeller on GAT, 500 pairs": (attack("gat"), matrix_of_features),
    "LinkTeller on GT, 500 pairs": (attack("gt"), matrix_of_features),
}


def copied_per_second(entries: int = 1 << 26, times: int = 5) -> float:
    """Bytes read and written in a second by copying a large array."""
    source, target = torch.ones(entries), torch.empty(entries)
    return 2 * FLOAT * entries / min(seconds(lambda: target.copy_(source)) for _ in range(times + 1))


def seconds(function: Callable) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def measure(step: str, edges: int) -> dict:
    """One row: the median of three (one, where it takes over 20 s), the peak of this process, and the limit."""
    torch.set_num_threads(1)
    data = random_graph(edges)
    prepare, moved = STEPS[step]
    function = prepare(data)
    taken = [seconds(function)]
    taken += [seconds(function) for _ in range(2 if taken[0] < 20 else 0)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    copied = copied_per_second()  # measured last, as it takes memory of its own
    return dict(step=step, edges=edges, nodes=data.num_nodes, seconds=round(statistics.median(taken), 4),
                gigabytes=round(peak, 2), limit=float(f"{moved(data) / copied:.3g}"), copied=f"{copied / 1e9:.1f} GB/s")


def apart(step: str, edges: int) -> dict:
    """``measure`` in a process of its own."""
    done = subprocess.run([sys.executable, __file__, "--one", step, str(edges)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{step} on {edges:,} edges: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def exponent(rows: list[dict]) -> float:
    """The slope of log seconds over log edges: 1 is linear."""
    return float(np.polyfit(*(np.log([row[name] for row in rows]) for name in ("edges", "seconds")), 1)[0])


def table(rows: list[dict]) -> list[dict]:
    """One line a step: seconds and gigabytes by size, the exponent, and the largest size's seconds over its limit."""
    lines = []
    for step in dict.fromkeys(row["step"] for row in rows):
        own = sorted((row for row in rows if row["step"] == step), key=lambda row: row["edges"])
        line = {"step": step}
        for row in own:
            line[f"10^{round(math.log10(row['edges']))} edges"] = f"{row['seconds']:.2g} s, {row['gigabytes']:.1f} GB"
        last = own[-1]
        over = last["seconds"] / last["limit"]
        lines.append(line | {"growth": f"{exponent(own):.2f}", "over copying": f"{over:.2g} times"})
    return lines


def write(path: Path, rows: list[dict]) -> None:
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", nargs="+", type=lambda text: int(float(text)), default=SIZES, metavar="EDGES")
    options.add_argument("--steps", nargs="+", choices=list(STEPS), default=list(STEPS), metavar="STEP")
    options.add_argument("--folder", type=Path, default=HERE, help="where the two files go")
    options.add_argument("--anyway", action="store_true")
    options.add_argument("--one", nargs=2, metavar=("STEP", "EDGES"), help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.one:
        print(json.dumps(measure(asked.one[0], int(asked.one[1]))))
        return
    load = os.getloadavg()[0]
    if load > BUSY and not asked.anyway:
        sys.exit(f"the machine is busy (load {load:.1f}, at most {BUSY} wanted), so seconds would mean nothing; "
                 "--anyway measures")
    common = dict(load=round(load, 1), privgraph=__version__, torch=torch.__version__.split("+")[0])
    rows = []
    for step in asked.steps:
        for edges in asked.sizes:
            rows.append(apart(step, edges) | common)
            print(", ".join(f"{name} {value}" for name, value in rows[-1].items()), flush=True)
    write(asked.folder / "scale.csv", rows), write(asked.folder / "scale_table.csv", table(rows))


if __name__ == "__main__":
    main()
