# at most 5: ratios for epsilons, sums below 1, delta at the wrong place
# says: Epsilon is its logarithm
# says: do not add up to 1
# says: The two counts are exchanged
# says: this is the delta at epsilon 0
# says: at the epsilon that you found
# %% worst
def worst(table, pairs):
    best = 0
    for pair in pairs:
        for a, b in (pair, pair[::-1]):
            for o, p in table[a].items():
                if p > 0:
                    q = table[b].get(o, 0)
                    best = max(best, p / q if q else math.inf)
    return best
# %% law
def law(count):
    r = math.exp(-epsilon)
    chances = {told: 0.0 for told in range(low, high + 1)}
    for z in range(-250, 251):
        told = rule(count, count + z)
        if told is not None:
            chances[told] += r ** abs(z)
    return {told: c / sum(chances.values()) for told, c in chances.items()}
# %% witnesses
triples = {}
for count in range(low, high + 1):
    for other in (count - 1, count + 1):
        if low <= other <= high:
            for told, p in law(count).items():
                if p > 0:
                    q = law(other)[told]
                    triples[other, count, told] = math.log(p / q) if q else math.inf
largest = max(triples.values())
witnesses = {t for t, loss in triples.items() if loss >= largest - 1e-9}
# %% smallest_delta
def smallest_delta(table, pairs, epsilon):
    return max(sum(max(0, p - table[b].get(o, 0)) for o, p in table[a].items())
               for pair in pairs for a, b in (pair, pair[::-1]))
# %% found
found = {"epsilon": largest, "delta": 0.0}
# %% clamped
def clamped(count, low, high, epsilon):
    r = math.exp(-epsilon)
    return {told: (1 - r) / (1 + r) * r ** abs(told - count) for told in range(low, high + 1)}
