# at most 6: only what a person herself reports
# says: her name in everybody else's list
# says: Only one end's reports are counted
# says: Only her own reports are counted
# says: deltas are just added up
# says: Only each person's own reports
# says: edge is charged like one slot
# %% units
def units(changed):
    found = set()
    tables, rows = {place[0] for place in changed}, {place[1] for place in changed}
    if len(rows) == 1:
        found.add("node")
        if tables == {"y"}:
            found.add("label")
        if tables == {"X"}:
            found.add("feature vector")
            if len(changed) == 1:
                found.add("one feature")
        if tables == {"A"}:
            found.add("neighbour list")
            if len(changed) == 1:
                found.add("neighbour slot")
    if tables == {"A"} and len({tuple(sorted(place[1:])) for place in changed}) == 1:
        found.add("undirected edge")
    return found
# %% edge
def edge(reports, epsilon, u, v):
    return epsilon * reports.count([u, v])
# %% node
def node(reports, epsilon, edges, v):
    own = [pair for pair in reports if pair[0] == v]
    friends = [set(pair) for pair in edges]
    return [epsilon * sum(set(pair) in friends for pair in own), epsilon * len(own)]
# %% group
def group(epsilon, delta, k):
    return [k * epsilon, k * delta]
# %% bill
bill = {v: epsilon_x + epsilon_y + node(reports, epsilon, edges, v)[1] for v in range(n)}
# %% lengths
lengths = {"slot": 1 / scale, "swap": 0, "edge": 1 / scale, "edge replaced": 2 / scale, "node": (n - 1) / scale}
