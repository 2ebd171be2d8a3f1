# full marks: loops over people, and the chances counted case by case
# %% chances
def chances(epsilon, gamma, d, m):
    lie = 1 / (math.exp(epsilon) + gamma - 1)
    truth = 1 - (gamma - 1) * lie
    sampled = m / d
    not_sampled = 1 - sampled
    right = sampled * truth + not_sampled / gamma
    return right, (1 - right) / (gamma - 1)
# %% report
def report(x, sizes, epsilon, m, generator):
    told = []
    for person in x.tolist():
        sampled = torch.randperm(len(sizes), generator=generator)[:m].tolist()
        row = [int(torch.randint(size, (1,), generator=generator)) for size in sizes]
        for i in sampled:
            if torch.rand(1, generator=generator).item() < chances(epsilon, sizes[i], 1, 1)[0]:
                row[i] = person[i]
            else:
                row[i] = (person[i] + int(torch.randint(1, sizes[i], (1,), generator=generator))) % sizes[i]
        told.append(row)
    return torch.tensor(told)
# %% estimate
def estimate(column, gamma, d, epsilon, m):
    r, w = chances(epsilon, gamma, d, m)
    told = column.tolist()
    return [(told.count(value) / len(told) - w) / (r - w) for value in range(gamma)]
# %% loss
def distribution(x, gamma, epsilon, m):
    truth, lie = chances(epsilon, gamma, 1, 1)
    found = dict.fromkeys(product(range(gamma), repeat=len(x)), 0.0)
    for sampled in combinations(range(len(x)), m):
        for told in found:
            chance = 1.0
            for i in range(len(x)):
                if i not in sampled:
                    chance = chance / gamma
                elif told[i] == x[i]:
                    chance = chance * truth
                else:
                    chance = chance * lie
            found[told] += chance
    return found

def loss(one, other, gamma, epsilon, m):
    p, q = distribution(one, gamma, epsilon, m), distribution(other, gamma, epsilon, m)
    return max(max(math.log(p[told] / q[told]), math.log(q[told] / p[told])) for told in p)
# %% verdict
claimed = math.log1p(m / d * math.expm1(m * epsilon))
number = 1
while loss([0] * d, [1] * number + [0] * (d - number), gamma, epsilon, m) <= claimed:
    number += 1
verdict = {"claimed": claimed, "true": loss([0] * d, [1] * d, gamma, epsilon, m), "from": number}
# %% plan
def plan(budget, gamma, d):
    best = [0, 0.0]
    for m in range(1, d + 1):
        e = math.exp(budget / m)
        difference = m / d * (e - 1) / (e + gamma - 1)
        if difference > best[1]:
            best = [m, difference]
    return best
