# full marks: plain loops, and the node from the edges
# %% units
def units(changed):
    names = set()
    one_table = all(place[0] == changed[0][0] for place in changed)
    table, v, u = changed[0]
    same_row = all(place[1] == v for place in changed)
    if one_table and table == "y" and same_row:
        names.add("label")
    if one_table and table == "X" and same_row:
        names.add("feature vector")
        if all(place[2] == u for place in changed):
            names.add("one feature")
    if one_table and table == "A":
        if same_row:
            names.add("neighbour list")
        if same_row and all(place[2] == u for place in changed):
            names.add("neighbour slot")
        if all(sorted(place[1:]) == sorted([v, u]) for place in changed):
            names.add("undirected edge")
    for person in {v, u}:
        inside = True
        for t, a, b in changed:
            if t == "A" and person not in (a, b):
                inside = False
            if t != "A" and person != a:
                inside = False
        if inside:
            names.add("node")
    return names
# %% edge
def edge(reports, epsilon, u, v):
    spent = 0.0
    for who, whom in reports:
        if (who == u and whom == v) or (who == v and whom == u):
            spent += epsilon
    return spent
# %% node
def node(reports, epsilon, edges, v):
    gone = 0.0
    for a, b in edges:
        if v in (a, b):
            gone += edge(reports, epsilon, a, b)
    people = {person for pair in reports for person in pair}
    everything = sum(edge(reports, epsilon, u, v) for u in people if u != v)
    return gone, everything
# %% group
def group(epsilon, delta, k):
    total, spent = 0.0, 0.0
    for _ in range(k):
        total = math.exp(epsilon) * total + delta
        spent += epsilon
    return spent, total
# %% bill
bill = {}
for v in range(n):
    bits = 0
    for pair in reports:
        bits += v in pair
    bill[v] = bits * epsilon + epsilon_x + epsilon_y
# %% lengths
lengths = {"slot": 1 / scale, "swap": 0.0, "edge": (1 + 1) / scale, "edge replaced": (1 + 1 + 1 + 1) / scale,
           "node": ((n - 1) + (n - 1) * 1) / scale}
