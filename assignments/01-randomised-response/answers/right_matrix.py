# full marks: the matrix of chances, inverted
# %% keep
def chances(epsilon, k):
    matrix = torch.ones(k, k, dtype=torch.float64) + (math.exp(epsilon) - 1) * torch.eye(k, dtype=torch.float64)
    return matrix / matrix.sum(dim=1, keepdim=True)

def keep(epsilon, k):
    return chances(epsilon, k)[0, 0]
# %% respond
def respond(answers, epsilon, k, generator):
    rows = chances(epsilon, k)[answers]
    return torch.multinomial(rows, 1, generator=generator).flatten()
# %% loss
def loss(p, k):
    row = torch.full((k,), (1 - p) / (k - 1), dtype=torch.float64)
    row[0] = p
    return (row.max() / row.min()).log()
# %% estimate
def estimate(reports, epsilon, k):
    seen = torch.bincount(reports, minlength=k).double() / len(reports)
    return torch.linalg.solve(chances(epsilon, k).T, seen)
# %% error
matrix = chances(epsilon, k)
inverse = torch.linalg.inv(matrix)[:, 0]
shares = estimate(reports, epsilon, k)
mean = matrix @ inverse
error = ((matrix @ inverse**2 - mean**2) @ shares / people).sqrt()
