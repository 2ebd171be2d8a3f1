# at most 8: each pair in one direction, and delta as a chance
# says: Only one direction of each pair is looked at. Either
# says: there are more
# says: chance of a loss above epsilon
# says: chance of a loss above the claim
# %% worst
def worst(table, pairs):
    losses = []
    for a, b in pairs:
        for o, p in table[a].items():
            if p > 0:
                q = table[b].get(o, 0)
                losses.append(math.log(p / q) if q else math.inf)
    return max(losses)
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
                    triples[count, other, told] = math.log(p / q) if q else math.inf
largest = max(triples.values())
witnesses = {min(t for t, loss in triples.items() if loss >= largest - 1e-9)}
# %% smallest_delta
def smallest_delta(table, pairs, epsilon):
    best = 0
    for a, b in [*pairs, *[pair[::-1] for pair in pairs]]:
        best = max(best, sum(p for o, p in table[a].items() if p > math.exp(epsilon) * table[b].get(o, 0)))
    return best
# %% found
laws = {count: law(count) for count in range(low, high + 1)}
steps = [(count, count + 1) for count in range(low, high)]
back = [pair[::-1] for pair in steps]
found = {"epsilon": max(worst(laws, steps), worst(laws, back)), "delta": 0}
for a, b in steps + back:
    tail = sum(p for o, p in laws[a].items() if p > math.exp(epsilon + 1e-12) * laws[b][o])
    found["delta"] = max(found["delta"], tail)
# %% clamped
def clamped(count, low, high, epsilon):
    r = math.exp(-epsilon)
    chances = {told: (1 - r) / (1 + r) * r ** abs(told - count) for told in range(low, high + 1)}
    chances[low] = r ** (count - low) / (1 + r)
    chances[high] = r ** (high - count) / (1 + r)
    return chances
