# at most 7: edges that disappear where they become any others, and repeated reports that count once
# says: An undirected edge is one number here
# says: A report that is repeated is counted once
# says: Reports about people who are no friends
# says: as if they disappeared
# says: as if it changed no length in all
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
            found |= {"neighbour slot", "undirected edge"}
    people = [{v, u} if table == "A" else {v} for table, v, u in changed]
    if set.intersection(*people):
        found.add("node")
    return found
# %% edge
def edge(reports, epsilon, u, v):
    return epsilon * len({(a, b) for a, b in reports if {a, b} == {u, v}})
# %% node
def node(reports, epsilon, edges, v):
    friends = [set(pair) for pair in edges if v in pair]
    gone = epsilon * sum(set(pair) in friends for pair in reports)
    return [gone, gone]
# %% group
def group(epsilon, delta, k):
    return [k * epsilon, delta * (math.exp(k * epsilon) - 1) / (math.exp(epsilon) - 1) if epsilon else k * delta]
# %% bill
bill = {v: epsilon_x + epsilon_y + node(reports, epsilon, edges, v)[0] for v in range(n)}
# %% lengths
lengths = {"slot": 1 / scale, "swap": 0, "edge": 2 / scale, "edge replaced": 0, "node": 2 * (n - 1) / scale}
