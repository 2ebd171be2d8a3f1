# at most 4: two bits for every edge, whoever reports
# says: Two reports are assumed for every edge
# says: Two reports for each edge are assumed
# says: larger than what the theorem states
# says: n - 1 edges in two lists
# says: A replaced edge is charged like one edge
# %% units
def units(changed):
    found = set()
    tables, rows = {p[0] for p in changed}, {p[1] for p in changed}
    if len(rows) == 1 and tables == {"y"}:
        found.add("label")
    if len(rows) == 1 and tables == {"X"}:
        found.add("feature vector")
        if len(changed) == 1:
            found.add("one feature")
    if tables == {"A"}:
        if len(rows) == 1:
            found.add("neighbour list")
        if len(changed) == 1:
            found.add("neighbour slot")
        if len({frozenset(p[1:]) for p in changed}) == 1:
            found.add("undirected edge")
    for person in {q for p in changed for q in p[1:]}:
        if all(person in p[1:] if p[0] == "A" else person == p[1] for p in changed):
            found.add("node")
    return found
# %% edge
def edge(reports, epsilon, u, v):
    return 2 * epsilon
# %% node
def node(reports, epsilon, edges, v):
    degree = sum(v in pair for pair in edges)
    people = {u for pair in reports + edges for u in pair} | {v}
    return [2 * degree * epsilon, 2 * (len(people) - 1) * epsilon]
# %% group
def group(epsilon, delta, k):
    return [k * epsilon, k * delta * math.exp((k - 1) * epsilon)]
# %% bill
bill = {v: epsilon_x + epsilon_y + 2 * (n - 1) * epsilon for v in range(n)}
# %% lengths
lengths = {"slot": 1 / scale, "swap": 0, "edge": 2 / scale, "edge replaced": 2 / scale, "node": 2 * (n - 1) / scale}
