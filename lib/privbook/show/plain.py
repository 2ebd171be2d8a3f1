"""Sentences with formulas as a terminal shows them: without LaTeX."""

import re

WORDS = {r"\infty": "∞", r"\le": "≤", r"\ge": "≥", r"\cdot": "·", r"\pm": "±", r"\sum": "sum", r"\to": "→", r"\in": "∈",
         r"\sim": "~", r"\|": "‖", r"\,": " ", r"\%": "%", r"\alpha": "α", r"\beta": "β", r"\gamma": "γ",
         r"\delta": "δ", r"\Delta": "Δ", r"\varepsilon": "ε", r"\epsilon": "ε", r"\eta": "η", r"\theta": "θ",
         r"\lambda": "λ", r"\sigma": "σ"}
GROUP = r"\{([^{}]*)\}"


def without_latex(text: str) -> str:
    r"""
    >>> without_latex(r"at most $\frac{1}{2} e^{\varepsilon} \le \ln(1/\delta)$, as $\varepsilon_x$ = 3")
    'at most 1/2 e^ε ≤ ln(1/δ), as ε_x = 3'
    """
    return re.sub(r"\$([^$]*)\$", lambda found: formula(found[1]), text)


def formula(text: str) -> str:
    text = re.sub(r"\\frac\s*(\d)\s*(\w)", r"\\frac{\1}{\2}", text)
    while (inner := inside(text)) != text:
        text = inner
    text = re.sub(r"\\(?:[A-Za-z]+|.)", lambda word: WORDS.get(word[0], word[0][1:]), text)
    return " ".join(text.split())


def inside(text: str) -> str:
    """One pair of braces less: the innermost, which have none in them."""
    for pattern, change in ((rf"\\frac{GROUP}{GROUP}", lambda m: f"{grouped(m[1])}/{grouped(m[2])}"),
                            (rf"\\(?:text|mathrm){GROUP}", lambda m: m[1]),
                            (rf"\\sqrt{GROUP}", lambda m: f"sqrt({m[1]})"),
                            (rf"([\^_]){GROUP}", lambda m: m[1] + grouped(m[2]))):
        text, times = re.subn(pattern, change, text, count=1)
        if times:
            return text
    return text


def grouped(text: str) -> str:
    """In brackets where it is more than one word."""
    return text if re.fullmatch(r"\\?[\w.]+'?", text.strip()) else f"({text})"
