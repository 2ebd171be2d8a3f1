"""Privacy claims for every epsilon at once. It needs sympy and mpmath, which torch brings along.

weights          the chances of finite mechanisms as polynomials of e^epsilon
certificates     what proves a statement, and the checker that verifies it
decide           the prover
interval_proofs  the Laplace arg max on whole intervals of its noise
statements       what has been decided; its certificates lie in book/certificates
"""
