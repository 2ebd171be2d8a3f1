# full marks: a matrix of reports, and places as sets
# %% units
UNITS = {name: [] for name in ("label", "one feature", "feature vector", "neighbour slot", "undirected edge",
                               "neighbour list", "node")}

def units(changed):
    changed = {tuple(place) for place in changed}
    m = 1 + max(max(place[1:]) for place in changed)
    held = {name: [] for name in UNITS}
    for v in range(m):
        row = {("A", v, u) for u in range(m) if u != v}
        x = {("X", v, i) for i in range(m)}
        held["label"].append({("y", v, 0)})
        held["one feature"] += [{place} for place in x]
        held["feature vector"].append(x)
        held["neighbour slot"] += [{place} for place in row]
        held["undirected edge"] += [{("A", a, b), ("A", b, a)} for _, a, b in row]
        held["neighbour list"].append(row)
        held["node"].append(row | {("A", b, a) for _, a, b in row} | x | {("y", v, 0)})
    return {name for name, all_of_them in held.items() if any(changed <= one for one in all_of_them)}
# %% edge
def matrix(reports):
    counts = torch.zeros(20, 20, dtype=torch.float64)
    for who, whom in reports:
        counts[who, whom] += 1
    return counts + counts.T

def edge(reports, epsilon, u, v):
    return epsilon * matrix(reports)[u, v]
# %% node
def node(reports, epsilon, edges, v):
    adjacency = torch.zeros(20, 20, dtype=torch.float64)
    for a, b in edges:
        adjacency[a, b] = adjacency[b, a] = 1
    about = matrix(reports)[v]
    return epsilon * torch.stack([about @ adjacency[v], about.sum()])
# %% group
def group(epsilon, delta, k):
    powers = torch.exp(epsilon * torch.arange(k, dtype=torch.float64))
    return [epsilon * k, float(delta * powers.sum())]
# %% bill
edge_bits = matrix(reports).sum(1)[:n]
bill = dict(enumerate((epsilon * edge_bits + epsilon_x + epsilon_y).tolist()))
# %% lengths
def moved(before, after):
    return float((before.sum(1) - after.sum(1)).abs().sum()) / scale

empty, full = torch.zeros(n, n), torch.zeros(n, n)
full[0, 1:] = full[1:, 0] = 1
slot, one, two = (torch.zeros(n, n) for _ in range(3))
slot[0, 1] = 1
one[0, 1] = one[1, 0] = 1
two[2, 3] = two[3, 2] = 1
swapped = torch.zeros(n, n)
swapped[0, 2] = 1
lengths = {"slot": moved(empty, slot), "swap": moved(slot, swapped), "edge": moved(empty, one),
           "edge replaced": moved(one, two), "node": moved(empty, full)}
