# full marks: a formula for each rule, loops for the audit
# %% worst
def worst(table, pairs):
    largest = 0
    for a, b in pairs:
        outcomes = set(table[a]) | set(table[b])
        for o in outcomes:
            p, q = table[a].get(o, 0), table[b].get(o, 0)
            if p == 0 and q == 0:
                continue
            if p == 0 or q == 0:
                return math.inf
            largest = max(largest, abs(math.log(p / q)))
    return largest
# %% law
def law(count):
    r = math.exp(-epsilon)
    weights = {told: r ** abs(told - count) for told in range(low, high + 1)}
    c = (1 - r) / (1 + r)
    if rule.__name__ == "draw_again":
        return {told: w / sum(weights.values()) for told, w in weights.items()}
    if rule.__name__ == "never_the_truth":
        weights[count] = 0.0
        return {told: w / sum(weights.values()) for told, w in weights.items()}
    chances = {told: c * w for told, w in weights.items()}
    if rule.__name__ == "the_plain_count":
        chances[count] += 1 - sum(chances.values())
        return chances
    if count == low:
        return {told: 1.0 if told == low else 0.0 for told in chances}
    chances[low] = r ** (count - low) / (1 + r)
    chances[high] = r ** (high - count) / (1 + r)
    return chances
# %% witnesses
best, witnesses = 0.0, set()
for count in range(low, high + 1):
    for other in (count - 1, count + 1):
        if other < low or other > high:
            continue
        for told in range(low, high + 1):
            p, q = law(count)[told], law(other)[told]
            if p == 0:
                continue
            loss = math.inf if q == 0 else math.log(p) - math.log(q)
            if loss > best + 1e-9:
                best, witnesses = loss, {(count, other, told)}
            elif loss == best or abs(loss - best) <= 1e-9:
                witnesses.add((count, other, told))
# %% smallest_delta
def smallest_delta(table, pairs, epsilon):
    best = 0
    for a, b in pairs:
        forth = back = 0
        for o in set(table[a]) | set(table[b]):
            p, q = table[a].get(o, 0), table[b].get(o, 0)
            forth += max(0, p - math.exp(epsilon) * q)
            back += max(0, q - math.exp(epsilon) * p)
        best = max(best, forth, back)
    return best
# %% found
numbers = range(low, high + 1)
everything = {count: law(count) for count in numbers}
steps = [[count - 1, count] for count in numbers if count > low]
found = {"delta": smallest_delta(everything, steps, epsilon), "epsilon": worst(everything, steps)}
# %% clamped
def clamped(count, low, high, epsilon):
    r = math.exp(-epsilon)
    chances = dict.fromkeys(range(low, high + 1), 0.0)
    far = int(60 / epsilon) + high - low
    for z in range(-far, far + 1):
        chances[min(max(count + z, low), high)] += (1 - r) / (1 + r) * r ** abs(z)
    return chances
