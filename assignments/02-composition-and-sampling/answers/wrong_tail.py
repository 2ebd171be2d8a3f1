# at most 11: delta as the chance of a large loss, one direction, whole orders
# says: chance of a loss above epsilon
# says: Only one of the two directions
# says: Only whole orders were tried
# %% total
def total(releases):
    both = [e for e, who in releases if who == "all"]
    by_ward = {}
    for e, who in releases:
        if who != "all":
            by_ward[who] = by_ward.get(who, 0) + e
    return sum(both) + max([0, *by_ward.values()])
# %% renyi
def renyi(p, q, order):
    total_sum = 0
    for a, b in zip(p, q):
        if a > 0 and b == 0:
            return math.inf
        if a > 0:
            total_sum += a**order / b ** (order - 1)
    return math.log(total_sum) / (order - 1)
# %% gauss
def gauss(sums, delta):
    return min(sum(a * change**2 / (2 * sigma**2) for change, sigma in sums) + math.log(1 / delta) / (a - 1)
               for a in range(2, 512))
# %% sampled
def sampled(scale, rate):
    return [math.log(1 + rate * (math.exp(s / scale) - 1)) for s in (1, 2)]
# %% year
year = {"fresh": questions * math.log(1 + rate * (math.exp(epsilon_0) - 1)),
        "one": math.log(1 + rate * (math.exp(questions * epsilon_0) - 1))}
# %% exact
def exact(epsilon_0, count, epsilon):
    keep = math.exp(epsilon_0) / (1 + math.exp(epsilon_0))
    chance = 0
    for true in range(count + 1):
        if (true - (count - true)) * epsilon_0 > epsilon:
            chance += math.comb(count, true) * keep**true * (1 - keep) ** (count - true)
    return chance
