# at most 12: an estimate cut off at 0 and 1, and an error over people drawn at random
# says: cut off at 0 and 1 is biased
# says: people *drawn at random*
# %% keep
def keep(epsilon, k):
    return math.exp(epsilon) / (math.exp(epsilon) + k - 1)
# %% respond
def respond(answers, epsilon, k, generator):
    honest = torch.rand(len(answers), generator=generator) < keep(epsilon, k)
    return torch.where(honest, answers, (answers + torch.randint(1, k, (len(answers),), generator=generator)) % k)
# %% loss
def loss(p, k):
    return abs(math.log(p * (k - 1) / (1 - p)))
# %% estimate
def estimate(reports, epsilon, k):
    p = keep(epsilon, k)
    q = (1 - p) / (k - 1)
    return [max(0.0, min(1.0, ((reports == answer).double().mean().item() - q) / (p - q))) for answer in range(k)]
# %% error
p, share = keep(epsilon, k), estimate(reports, epsilon, k)[0]
q = (1 - p) / (k - 1)
told = share * p + (1 - share) * q
error = math.sqrt(told * (1 - told) / people) / (p - q)
