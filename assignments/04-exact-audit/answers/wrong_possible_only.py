# at most 8: outcomes that a neighbour cannot give are left out, and every program is taken for the one with bounds
# says: impossible under one of two neighbours was left out
# says: for every count. Read what your rule does
# says: Only the worst outcome is counted
# says: their own chance is missing
# says: what the author claims
# %% worst
def worst(table, pairs):
    best = 0
    for a, b in pairs:
        for o in table[a]:
            p, q = table[a][o], table[b].get(o, 0)
            if p > 0 and q > 0:
                best = max(best, abs(math.log(p / q)))
    return best
# %% law
def law(count):
    r = math.exp(-epsilon)
    chances = {told: (1 - r) / (1 + r) * r ** abs(told - count) for told in range(low, high + 1)}
    chances[low] = r ** (count - low) / (1 + r)
    chances[high] = r ** (high - count) / (1 + r)
    return chances
# %% witnesses
witnesses = {(low, low + 1, low)}
# %% smallest_delta
def smallest_delta(table, pairs, epsilon):
    best = 0
    for pair in pairs:
        for a, b in (pair, pair[::-1]):
            for o, p in table[a].items():
                best = max(best, p - math.exp(epsilon) * table[b].get(o, 0))
    return best
# %% found
found = {"epsilon": epsilon, "delta": 0.0}
# %% clamped
def clamped(count, low, high, epsilon):
    r = math.exp(-epsilon)
    chances = {told: (1 - r) / (1 + r) * r ** abs(told - count) for told in range(low, high + 1)}
    chances[low] = r ** (count - low + 1) / (1 + r)
    chances[high] = r ** (high - count + 1) / (1 + r)
    return chances
