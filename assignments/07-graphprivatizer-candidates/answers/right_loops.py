# full marks: loops, and cosines by hand
# %% candidates
def cosine(a, b):
    a, b = a.tolist(), b.tolist()
    inner = sum(s * t for s, t in zip(a, b))
    return inner / math.sqrt(sum(s * s for s in a)) / math.sqrt(sum(t * t for t in b))

def candidates(u, v, lists, x, threshold, strategy):
    found, best, highest = set(), None, -2.0
    for w in lists[u]:
        if w == v:
            continue
        similarity = cosine(x[u], x[w])
        if similarity >= threshold:
            found.add(w)
        if similarity > highest:
            best, highest = w, similarity
    if strategy == "most-similar":
        return {best} if best in found else set()
    return found
# %% chances
def chances(u, others, epsilon):
    table = {w: 1 / (math.exp(epsilon) + len(others)) for w in others}
    table[u] = 1 - sum(table.values())
    return table
# %% reports
def reports(tables):
    found = {(): 1.0}
    for table in tables:
        longer = {}
        for names, chance in found.items():
            for name, step in table.items():
                told = tuple(sorted((*names, name)))
                longer[told] = longer.get(told, 0.0) + chance * step
        found = longer
    return found
# %% loss
def loss(one, other):
    worst = 0.0
    for first, second in ((one, other), (other, one)):
        for told, chance in first.items():
            if chance == 0:
                continue
            if second.get(told, 0) == 0:
                return math.inf
            worst = max(worst, math.log(chance) - math.log(second[told]))
    return worst
# %% witness
def answers(u):
    return {u} | candidates(u, me, lists, x, threshold, "threshold")

for old in lists[me]:
    for new in range(n):
        if new != me and new not in lists[me] and not any(new in answers(u) for u in lists[me]):
            told = sorted([new] + [u for u in lists[me] if u != old])
            witness = [old, new, told]
# %% finite
finite = {(old, new) for old in lists[me] for new in range(n)
          if new != me and new not in lists[me] and answers(old) == answers(new)}
