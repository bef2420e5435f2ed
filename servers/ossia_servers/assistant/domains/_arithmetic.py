"""Sums as people say and write them: "twelve times (3 + 4)", "twenty percent of 80"."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from ossia_dataset.normalise import spoken_number

LARGEST: Final = 10**30
"""No figure of a sum may be larger."""

DEEPEST: Final = 40
"""How deep a sum may be nested."""

_PHRASES: Final = (
    (r"(?:raised )?to the (?:power of|power)", "^"),
    (r"square roots? of", "sqrt"),
    (r"cube roots? of", "cbrt"),
    (r"multiplied (?:by|with)|times", "*"),
    (r"divided by|over", "/"),
    (r"modulo|mod", "mod"),
    (r"added to|plus", "+"),
    (r"subtracted from|take away|minus|less|negative", "-"),
    (r"(?:the )?(?:sum of|total of)|add(?: up)?", "add"),
    (r"(?:the )?product of|multiply", "multiply"),
    (r"(?:the )?quotient of|divide", "divide"),
    (r"(?:the )?difference (?:between|of)", "difference"),
    (r"subtract|deduct", "subtract"),
    (r"per cent|percent|percentage", "%"),
    (r"squared", "squared"),
    (r"cubed", "cubed"),
    (r"half", "0.5"),
    (r"(?:a |one )quarter", "0.25"),
)
_SYMBOLS: Final = {
    0xD7: "*",
    0xF7: "/",
    0x2212: "-",
    0x2013: "-",
    0x221A: " sqrt ",
    0xB2: " squared ",
}
"""Signs beyond ASCII: times, divided by, minus, a dash, root and the power of two."""
_SURPLUS: Final = frozenset(
    "what is whats what's how much many calculate compute solve the answer does do equal equals"
    " tell me please can you for give result of make makes it work out find a an i'd like to know"
    " are be equation problem math maths = ? .".split()
)
_NUMBER_WORDS: Final = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
    " hundred thousand million billion dozen point".split()
)
_SCALES: Final = frozenset({"hundred", "thousand", "million", "billion"})
_SEPARATORS: Final = frozenset({"and", "to", "from", "by", "with"})
_TOKEN = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+|[a-z']+|\*\*|[-+*/^%()=?x.]")


class NotASum(ValueError):
    """The text is no complete sum."""


class CannotCompute(ValueError):
    """The sum has no answer, or one that is too large; the message says which."""


def evaluate(text: str) -> Fraction:
    """Work out a sum.

    Args:
        text: spoken or written arithmetic, with or without "what is" before it.

    Returns:
        The exact value; roots and broken powers are rounded to fifteen digits.

    Raises:
        NotASum: it is no sum, or a part is missing.
        CannotCompute: a division by zero, a root of a negative number, or too large a figure.
    """
    # "a hundred and five" is one number, unless the sum then lacks an operand.
    for joined in (True, False):
        try:
            return _Parser(_tokens(text, joined)).whole()
        except NotASum:
            if not joined:
                raise
    raise NotASum(text)


def shown(value: Fraction) -> int | float:
    """Return a value as JSON shows it: whole numbers as such, others with ten digits."""
    return value.numerator if value.denominator == 1 else float(f"{float(value):.10g}")


def _tokens(text: str, joined: bool) -> list[str]:
    plain = re.sub(r"(?<=[0-9]),(?=[0-9]{3})", "", text.casefold().translate(_SYMBOLS))
    plain = re.sub(r"(?<=[a-z])-(?=[a-z])", " ", plain)
    for phrase, token in _PHRASES:
        plain = re.sub(rf"\b(?:{phrase})\b", f" {token} ", plain)
    words = _TOKEN.findall(plain)
    if re.sub(r"\s", "", plain) != "".join(words):
        raise NotASum(text)
    return _numbers(words, joined)


def _numbers(words: list[str], joined: bool) -> list[str]:
    found: list[str] = []
    position = 0
    while position < len(words):
        end = _number_end(words, position, joined)
        if end > position:
            value = spoken_number(" ".join(words[position:end]))
            if value is None:
                raise NotASum(" ".join(words))
            found.append(str(Fraction(repr(value))))
            position = end
            continue
        word = words[position]
        if word == "x":
            word = "*"
        keeps = word in _SEPARATORS and bool(found)
        if keeps or word not in _SURPLUS or (word == "of" and bool(found)):
            found.append("^" if word == "**" else word)
        position += 1
    while found and found[-1] in _SURPLUS | _SEPARATORS:
        found.pop()
    return found


def _number_end(words: list[str], start: int, joined: bool) -> int:
    """Return where the number that begins at `start` ends; `start` if none does."""
    end = start
    while end < len(words):
        word, following = words[end], words[end + 1 : end + 2]
        article = word == "a" and end == start and bool(set(following) & (_SCALES | {"dozen"}))
        link = (
            word == "and"
            and joined
            and end > start
            and words[end - 1] in _SCALES
            and bool(set(following) & _NUMBER_WORDS)
        )
        digits = word[0].isdigit() and (end == start)
        if not (article or link or digits or word in _NUMBER_WORDS):
            break
        end += 1
    return end


class _Parser:
    """Recursive descent over the tokens of one sum."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def whole(self) -> Fraction:
        if not any(not _is_number(token) for token in self._tokens):
            raise NotASum("no operation")
        value = self._sum()
        if self._at != len(self._tokens):
            raise NotASum(" ".join(self._tokens[self._at :]))
        return value

    def _take(self, *tokens: str) -> str | None:
        if self._at < len(self._tokens) and self._tokens[self._at] in tokens:
            self._at += 1
            return self._tokens[self._at - 1]
        return None

    def _sum(self) -> Fraction:
        self._depth += 1
        if self._depth > DEEPEST:
            raise CannotCompute("That sum is nested too deeply.")
        value = self._product()
        while (sign := self._take("+", "-")) is not None:
            # "fifty plus ten percent" is ten percent more than fifty.
            other = self._product()
            if self._tokens[self._at - 1] == "%":
                other *= value
            value = _checked(value + other if sign == "+" else value - other)
        self._depth -= 1
        return value

    def _product(self) -> Fraction:
        value = self._signed()
        while (sign := self._take("*", "/", "mod", "of")) is not None:
            other = self._signed()
            if sign in ("/", "mod") and other == 0:
                raise CannotCompute("Nothing can be divided by zero.")
            if sign == "/":
                value = _checked(value / other)
            else:
                value = value % other if sign == "mod" else _checked(value * other)
        return value

    def _signed(self) -> Fraction:
        negative = False
        while (sign := self._take("-", "+")) is not None:
            negative ^= sign == "-"
        value = self._power()
        return -value if negative else value

    def _power(self) -> Fraction:
        value = self._after(self._primary())
        if self._take("^"):
            exponents = [self._operand()]
            while self._take("^"):
                exponents.append(self._operand())
            power = exponents.pop()
            while exponents:
                power = _raised(exponents.pop(), power)
            return _raised(value, power)
        return value

    def _operand(self) -> Fraction:
        negative = self._take("-") is not None
        value = self._after(self._primary())
        return -value if negative else value

    def _after(self, value: Fraction) -> Fraction:
        while (mark := self._take("squared", "cubed", "%")) is not None:
            value = value / 100 if mark == "%" else _raised(value, Fraction(2 + (mark == "cubed")))
        return value

    def _primary(self) -> Fraction:
        if self._at >= len(self._tokens):
            raise NotASum("something is missing at the end")
        token = self._tokens[self._at]
        self._at += 1
        if _is_number(token):
            return _checked(Fraction(token))
        if token == "(":
            value = self._sum()
            if not self._take(")"):
                raise NotASum("a bracket is open")
            return value
        if token in ("sqrt", "cbrt"):
            self._depth += 1
            if self._depth > DEEPEST:
                raise CannotCompute("That sum is nested too deeply.")
            value = _root(self._operand(), 2 if token == "sqrt" else 3)
            self._depth -= 1
            return value
        if token in _PAIRS:
            first = self._sum()
            if not self._take(*_SEPARATORS):
                raise NotASum("one operand")
            second = self._sum()
            if token == "divide" and second == 0:
                raise CannotCompute("Nothing can be divided by zero.")
            return _checked(_PAIRS[token](first, second))
        raise NotASum(token)


_PAIRS: Final[dict[str, Callable[[Fraction, Fraction], Fraction]]] = {
    "add": lambda first, second: first + second,
    "multiply": lambda first, second: first * second,
    "divide": lambda first, second: first / second,
    "difference": lambda first, second: abs(first - second),
    "subtract": lambda first, second: second - first,
}
"""Operations that are named before their two operands."""


def _is_number(token: str) -> bool:
    return token[0].isdigit() or token[0] == "."


def _checked(value: Fraction) -> Fraction:
    if abs(value) > LARGEST:
        raise CannotCompute("That number is too large.")
    # Long chains of divisions would grow without end.
    return value if value.denominator < LARGEST else value.limit_denominator(10**18)


def _raised(base: Fraction, power: Fraction) -> Fraction:
    if base == 0 and power < 0:
        raise CannotCompute("Nothing can be divided by zero.")
    if base < 0 and power.denominator != 1:
        raise CannotCompute("A negative number has no such root.")
    if base not in (0, 1, -1) and abs(power) * abs(math.log10(abs(float(base)) or 1e-300)) > 30:
        raise CannotCompute("That number is too large.")
    if power.denominator == 1 and abs(power) <= 200:
        return _checked(base ** int(power))
    if abs(base) == 1:
        return Fraction(1) if base == 1 or power % 2 == 0 else Fraction(-1)
    return _rounded(float(base) ** float(power))


def _root(value: Fraction, degree: int) -> Fraction:
    if value < 0 and degree == 2:
        raise CannotCompute("A negative number has no square root.")
    size = abs(float(value))
    root = math.sqrt(size) if degree == 2 else math.cbrt(size)
    near = Fraction(round(root))
    exact = near if near**degree == abs(value) else _rounded(root)
    return exact if value >= 0 else -exact


def _rounded(value: float) -> Fraction:
    return _checked(Fraction(f"{value:.15g}"))
