# full marks: patient by patient, outcome by outcome, and a search over orders
# %% total
def total(releases):
    kinds = {who for _, who in releases if who != "all"}
    bills = [sum(e for e, who in releases if who == "all")]
    for ward in kinds:
        bill = 0
        for e, who in releases:
            if who in (ward, "all"):
                bill += e
        bills.append(bill)
    return max(bills)
# %% renyi
def renyi(p, q, order):
    found = []
    for first, second in ((p, q), (q, p)):
        mean = 0.0
        for a, b in zip(first, second):
            if a == 0 and b == 0:
                continue
            if a == 0 or b == 0:
                return math.inf
            mean += b * (a / b) ** order
        found.append(math.log(mean) / (order - 1))
    return max(found)
# %% gauss
def gauss(sums, delta):
    best = math.inf
    order = 1.0005
    while order < 3000:
        rho = 0.0
        for change, sigma in sums:
            rho += order * change * change / (2 * sigma * sigma)
        best = min(best, rho + math.log(1 / delta) / (order - 1))
        order = 1 + (order - 1) * 1.01
    return best
# %% sampled
def sampled(scale, rate):
    added = (1 - rate) + rate * math.exp(1 / scale)
    replaced = (1 - rate) + rate * math.exp((1 - (-1)) / scale)
    return math.log(added), math.log(replaced)
# %% year
fresh = 0.0
for _ in range(questions):
    fresh += math.log(1 - rate + rate * math.exp(epsilon_0))
year = {"one": math.log(1 - rate + rate * math.exp(epsilon_0 * questions)), "fresh": fresh}
# %% exact
def exact(epsilon_0, count, epsilon):
    # one question after the other: loss -> chance
    losses = {0: 1.0}
    keep = 1 / (1 + math.exp(-epsilon_0))
    for _ in range(count):
        after = {}
        for steps, chance in losses.items():
            after[steps + 1] = after.get(steps + 1, 0) + chance * keep
            after[steps - 1] = after.get(steps - 1, 0) + chance * (1 - keep)
        losses = after
    return sum(chance * max(0, 1 - math.exp(epsilon - steps * epsilon_0)) for steps, chance in losses.items())
