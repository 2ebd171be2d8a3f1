# at most 5: the guarantee of an edge is taken for that of a node
# says: not only the smallest one
# says: her dearest *edge*
# says: Delta stays as it was
# says: Reports about the same person add up
# says: A swap is charged as two steps
# %% units
def units(changed):
    places = {tuple(place) for place in changed}
    tables, rows = {place[0] for place in places}, {place[1] for place in places}
    if tables == {"y"} and len(rows) == 1:
        return {"label"}
    if tables == {"X"} and len(rows) == 1:
        return {"one feature"} if len(places) == 1 else {"feature vector"}
    if tables == {"A"}:
        if len(places) == 1:
            return {"neighbour slot"}
        if len({tuple(sorted(place[1:])) for place in places}) == 1:
            return {"undirected edge"}
        if len(rows) == 1:
            return {"neighbour list"}
    people = [{v, u} if table == "A" else {v} for table, v, u in places]
    return {"node"} if set.intersection(*people) else set()
# %% edge
def edge(reports, epsilon, u, v):
    return epsilon * (reports.count([u, v]) + reports.count([v, u]))
# %% node
def node(reports, epsilon, edges, v):
    mine = [edge(reports, epsilon, *pair) for pair in edges if v in pair]
    people = {u for pair in reports for u in pair} - {v}
    return [max(mine, default=0), max(edge(reports, epsilon, u, v) for u in people)]
# %% group
def group(epsilon, delta, k):
    return [k * epsilon, delta]
# %% bill
bill = {v: max(epsilon_x, epsilon_y, epsilon * sum(v in pair for pair in reports)) for v in range(n)}
# %% lengths
lengths = {"slot": 1 / scale, "swap": 2 / scale, "edge": 2 / scale, "edge replaced": 4 / scale,
           "node": 2 * (n - 1) / scale}
