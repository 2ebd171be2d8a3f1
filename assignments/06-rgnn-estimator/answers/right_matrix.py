# full marks: a matrix of chances that is inverted, sums of products by polynomials, and eq. 5 of the paper
# %% chances
def matrix(epsilon, gamma, d, m):
    ones, eye = torch.ones(gamma, gamma, dtype=torch.float64), torch.eye(gamma, dtype=torch.float64)
    response = ones + math.expm1(epsilon) * eye
    response = response / response.sum(1, keepdim=True)
    return m / d * response + (1 - m / d) * ones / gamma

def chances(epsilon, gamma, d, m):
    return matrix(epsilon, gamma, d, m)[0, :2]
# %% report
def report(x, sizes, epsilon, m, generator):
    choices = torch.tensor(list(combinations(range(len(sizes)), m)))
    chosen = choices[torch.randint(len(choices), (len(x),), generator=generator)]
    sampled = torch.nn.functional.one_hot(chosen, len(sizes)).sum(1)
    columns = []
    for i, size in enumerate(sizes):
        rows = torch.where(sampled[:, i, None] > 0, matrix(epsilon, size, 1, 1)[x[:, i]], 1 / size)
        columns.append(torch.multinomial(rows, 1, generator=generator))
    return torch.cat(columns, 1)
# %% estimate
def estimate(column, gamma, d, epsilon, m):
    p, q = matrix(epsilon, gamma, 1, 1)[0, :2]
    seen = torch.bincount(column, minlength=gamma).double() / len(column)
    scale = m * (p - q)
    return seen * d / scale + (m - d - m * gamma * q) / (gamma * scale)
# %% loss
def symmetric(factors, m):
    sums = [1.0] + [0.0] * m
    for factor in factors:
        for k in range(m, 0, -1):
            sums[k] += factor * sums[k - 1]
    return sums[m]

def loss(one, other, gamma, epsilon, m):
    worst = 0.0
    for told in product(range(gamma), repeat=len(one)):
        a, b = (symmetric([math.exp(epsilon) if t == value else 1.0 for t, value in zip(told, x)], m)
                for x in (one, other))
        worst = max(worst, abs(math.log(a) - math.log(b)))
    return worst
# %% verdict
claimed = math.log(1 - m / d + m / d * math.exp(m * epsilon))
losses = [loss([0] * d, [1] * h + [0] * (d - h), gamma, epsilon, m) for h in range(d + 1)]
verdict = {"claimed": claimed, "true": m * epsilon, "from": sum(found <= claimed for found in losses)}
# %% plan
def plan(budget, gamma, d):
    counts = torch.arange(1, d + 1, dtype=torch.float64)
    grown = torch.exp(budget / counts)
    differences = counts / d * (grown - 1) / (grown + gamma - 1)
    return [int(differences.argmax()) + 1, differences.max()]
