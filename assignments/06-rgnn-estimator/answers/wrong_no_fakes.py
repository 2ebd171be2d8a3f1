# at most 7: randomised response turned round, as if every feature were sampled
# says: chances of a *sampled* feature
# says: there are no fakes
# says: The fakes are forgotten
# %% chances
def chances(epsilon, gamma, d, m):
    keep = math.exp(epsilon) / (math.exp(epsilon) + gamma - 1)
    return [keep, (1 - keep) / (gamma - 1)]
# %% report
def report(x, sizes, epsilon, m, generator):
    told = x.clone()
    for i, size in enumerate(sizes):
        honest = torch.rand(len(x), generator=generator) < chances(epsilon, size, len(sizes), m)[0]
        lies = (x[:, i] + torch.randint(1, size, (len(x),), generator=generator)) % size
        told[:, i] = torch.where(honest, x[:, i], lies)
    return told
# %% estimate
def estimate(column, gamma, d, epsilon, m):
    p, q = chances(epsilon, gamma, d, m)
    return ((torch.bincount(column, minlength=gamma) / len(column) - q) / (p - q)).tolist()
