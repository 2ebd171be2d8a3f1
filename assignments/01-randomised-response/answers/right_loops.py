# full marks: loops over people, plain Python
# %% keep
def keep(epsilon, k):
    lie = 1 / (math.exp(epsilon) + k - 1)
    return 1 - (k - 1) * lie
# %% respond
def respond(answers, epsilon, k, generator):
    told = []
    for answer in answers.tolist():
        if torch.rand(1, generator=generator).item() < keep(epsilon, k):
            told.append(answer)
        else:
            others = [other for other in range(k) if other != answer]
            told.append(others[int(torch.randint(k - 1, (1,), generator=generator))])
    return torch.tensor(told)
# %% loss
def loss(p, k):
    lie = (1 - p) / (k - 1)
    return max(math.log(p / lie), math.log(lie / p))
# %% estimate
def estimate(reports, epsilon, k):
    p = keep(epsilon, k)
    q = (1 - p) / (k - 1)
    told = reports.tolist()
    return [(told.count(answer) / len(told) - q) / (p - q) for answer in range(k)]
# %% error
p = keep(epsilon, k)
q = (1 - p) / (k - 1)
share = estimate(reports, epsilon, k)[0]
have, others = share * people, (1 - share) * people
error = (have * p * (1 - p) + others * q * (1 - q)) ** 0.5 / people / (p - q)
