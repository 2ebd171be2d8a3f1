# at most 3: shares of reports, fakes that are never the truth, and all d features paid for
# says: A fake is drawn from all values
# says: A fake is never the truth here
# says: shares of the *reports*
# says: whatever the two vectors are
# says: not that of d reports
# says: best for two values only
# %% chances
def chances(epsilon, gamma, d, m):
    keep = math.exp(epsilon) / (math.exp(epsilon) + gamma - 1)
    return [m / d * keep, m / d * (1 - keep) / (gamma - 1) + (1 - m / d) / (gamma - 1)]
# %% report
def report(x, sizes, epsilon, m, generator):
    told = []
    for row in x.tolist():
        sampled = torch.randperm(len(sizes), generator=generator)[:m].tolist()
        new = [(v + int(torch.randint(1, size, (1,), generator=generator))) % size for v, size in zip(row, sizes)]
        for i in sampled:
            if torch.rand(1, generator=generator) < math.exp(epsilon) / (math.exp(epsilon) + sizes[i] - 1):
                new[i] = row[i]
        told.append(new)
    return torch.tensor(told)
# %% estimate
def estimate(column, gamma, d, epsilon, m):
    return torch.bincount(column, minlength=gamma) / len(column)
# %% loss
def loss(one, other, gamma, epsilon, m):
    return m * epsilon
# %% verdict
claimed = math.log(1 + m / d * (math.exp(m * epsilon) - 1))
exact = {}
for h in range(1, d + 1):
    p = q = 0
    worst = 0.0
    for told in product((0, 1), repeat=d):
        a, b = (sum(math.prod(math.exp(epsilon) if told[i] == x[i] else 1.0 for i in sampled)
                    for sampled in combinations(range(d), m)) for x in ([0] * d, [1] * h + [0] * (d - h)))
        worst = max(worst, abs(math.log(a / b)))
    exact[h] = worst
verdict = {"claimed": claimed, "true": d * epsilon, "from": min(h for h in exact if exact[h] > claimed)}
# %% plan
def plan(budget, gamma, d):
    e = math.exp(budget / d)
    return [d, (e - 1) / (e + gamma - 1)]
