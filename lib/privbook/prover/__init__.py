"""Privacy claims for every epsilon at once. It needs sympy and mpmath, which torch brings along.

Its modules::

    certificates     what proves a statement, and the checker that verifies it
    decide           the prover
    readings         mechanisms as statements are about them: the library's weights, for which t is a polynomial
    guarantees       what a mechanism of the library, or a new one, states of itself; certified without a list
    interval_proofs  the Laplace arg max on whole intervals of its noise
    statements       what has been decided; its certificates lie in book/certificates
"""
