# at most 9: the truth against all lies together, and an estimate that is not divided
# says: all lies together
# says: not divided by p - q
# says: variance
# %% keep
def keep(epsilon, k):
    return math.exp(epsilon) / (math.exp(epsilon) + k - 1)
# %% respond
def respond(answers, epsilon, k, generator):
    honest = torch.rand(len(answers), generator=generator) < keep(epsilon, k)
    return torch.where(honest, answers, (answers + torch.randint(1, k, (len(answers),), generator=generator)) % k)
# %% loss
def loss(p, k):
    return abs(math.log(p / (1 - p)))
# %% estimate
def estimate(reports, epsilon, k):
    q = (1 - keep(epsilon, k)) / (k - 1)
    return (torch.bincount(reports, minlength=k) / len(reports) - q).tolist()
# %% error
p = keep(epsilon, k)
q = (1 - p) / (k - 1)
share = (float((reports == 0).double().mean()) - q) / (p - q)
error = (share * p * (1 - p) + (1 - share) * q * (1 - q)) / people / (p - q) ** 2
