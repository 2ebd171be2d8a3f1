# ---
# jupyter:
#   jupytext:
#     default_lexer: ipython3
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Locally private graph neural networks
#
# This chapter is being written. With $A$ the adjacency matrix, one step of message passing is $A x$.

# %%
import numpy as np

A = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])  # "06_lpgnn"
print("neighbours:", A.sum(1))
print("two steps:", np.linalg.matrix_power(A, 2).tolist())

# %%
print(f"largest eigenvalue {np.linalg.eigvalsh(A).max():.4f}")

# %% mystnb={"image": {"alt": "Three bars, the degrees 2, 1 and 1 of the three nodes."}}
import matplotlib.pyplot as plt

plt.bar(range(3), A.sum(1))
plt.xlabel("node")
plt.ylabel("degree (edges)")
plt.show()
print("mean degree", A.sum(1).mean().round(4))
