"""Chapter 4: attacks as their authors run them, on networks with and without privacy, each beside its null.

``link_attacks`` LinkTeller and link stealing · ``likelihoods`` membership by the likelihood ratio · ``client_lies``
clients of a federation that lie
"""
