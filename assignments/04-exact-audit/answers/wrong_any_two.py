# at most 9: every two inputs are compared, and outcomes outside are drawn again in the repair
# says: Every two inputs are compared
# says: Every two counts are compared
# says: drawn again. It is moved to the nearer bound
# %% worst
def worst(table, pairs):
    losses = [0]
    for a in table:
        for b in table:
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
    for other in range(low, high + 1):
        if other != count:
            for told, p in law(count).items():
                if p > 0:
                    q = law(other)[told]
                    triples[count, other, told] = math.log(p / q) if q else math.inf
largest = max(triples.values())
witnesses = {t for t, loss in triples.items() if loss >= largest - 1e-9}
# %% smallest_delta
def smallest_delta(table, pairs, epsilon):
    return max(sum(max(0, p - math.exp(epsilon) * table[b].get(o, 0)) for o, p in table[a].items())
               for a in table for b in table)
# %% found
laws = {count: law(count) for count in range(low, high + 1)}
found = {"epsilon": worst(laws, []), "delta": smallest_delta(laws, [], epsilon)}
# %% clamped
def clamped(count, low, high, epsilon):
    weights = {told: math.exp(-epsilon * abs(told - count)) for told in range(low, high + 1)}
    return {told: w / sum(weights.values()) for told, w in weights.items()}
