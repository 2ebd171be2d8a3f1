# at most 9: shares of reports, and lies that may be the truth
# says: shares of the *reports*
# says: A lie may be the truth
# says: never negative
# %% keep
def keep(epsilon, k):
    return math.exp(epsilon) / (math.exp(epsilon) + k - 1)
# %% respond
def respond(answers, epsilon, k, generator):
    honest = torch.rand(len(answers), generator=generator) < keep(epsilon, k)
    return torch.where(honest, answers, torch.randint(k, (len(answers),), generator=generator))
# %% loss
def loss(p, k):
    return math.log(p * (k - 1) / (1 - p))
# %% estimate
def estimate(reports, epsilon, k):
    return (torch.bincount(reports, minlength=k) / len(reports)).tolist()
# %% error
error = 0.01
