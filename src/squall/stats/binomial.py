"""Tails of the binomial distribution, and their inverse, through the incomplete beta function.

P(X ≥ k) of n trials with rate p is I_p(k, n − k + 1), so one function serves tails and exact intervals. It is computed
by its continued fraction (NIST DLMF 8.17.22, evaluated as Lentz does), which converges within some √n steps. `k` need
not be whole: between the counts the tail is smooth, which is what a search over numbers of runs wants. Knows no gates.
"""

from __future__ import annotations

from math import exp, expm1, lgamma, log, log1p

EXACT = 4e-15  # relative; nearer than this the rounding of single steps lets nothing come
TINY = 1e-300  # in place of a zero that would be divided by


def at_least(passed: float, runs: float, rate: float) -> float:
    """The probability that `passed` or more of `runs` pass if each does with probability `rate`."""
    if passed <= 0:
        return 1.0
    if passed > runs:
        return 0.0
    return incomplete_beta(passed, runs - passed + 1, rate)


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for a, b > 0 and x in [0, 1]."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x < (a + 1) / (a + b + 2):  # where the fraction converges fast
        return exp(_log_weight(a, b, x)) * _fraction(a, b, x) / a
    return 1 - exp(_log_weight(b, a, 1 - x)) * _fraction(b, a, 1 - x) / b


def beta_quantile(a: float, b: float, tail: float) -> float:
    """The x with I_x(a, b) = `tail`, for a, b ≥ 1 and 0 < tail < 1.

    Newton's method from the mode: left of it the function is convex and right of it concave, so that each step goes the
    same way and none goes too far; when one would turn back, only rounding is left.
    """
    if b == 1:
        return float(tail ** (1 / a))
    if a == 1:
        return -expm1(log1p(-tail) / b)
    x = (a - 1) / (a + b - 2)
    gap = way = tail - incomplete_beta(a, b, x)
    while gap * way > 0:
        step = gap * x * (1 - x) / exp(_log_weight(a, b, x))
        x += step
        if abs(step) <= EXACT * x:
            break
        gap = tail - incomplete_beta(a, b, x)
    return x


def _log_weight(a: float, b: float, x: float) -> float:
    """The logarithm of x^a (1 − x)^b / B(a, b)."""
    return lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction, two of its terms at a time."""
    c, d = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or TINY)
    value, m = d, 0
    while True:
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        factor = 1.0
        for term in (even, odd):
            d = 1 / ((1 + term * d) or TINY)
            c = (1 + term / c) or TINY
            factor *= c * d
        value *= factor
        if abs(factor - 1) <= EXACT:
            return value
