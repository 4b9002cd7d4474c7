"""Parser of query conditions: ``a > 5 and (b == 'x' or c is null)``.

The grammar is that of the command-line tool and of the crate `tiledb` (crates/tiledb/src/condition/parse.rs), and ``between``:

    either     = both { ("or" | "||") both }
    both       = one { ("and" | "&&") one }
    one        = "not" one | "(" either ")" | comparison
    comparison = field ( "is" ["not"] "null"
                       | ["not"] "in" "(" value { "," value } ")"
                       | ["not"] "between" value "and" value
                       | ("==" | "=" | "!=" | "<>" | "<" | "<=" | ">" | ">=") value )

A field or a value is a word, or any text in single or double quotes. Values are read by the datatype of the field: numbers, ``true``,
dates in ISO 8601, bytes as ``0x1f``.
"""

from __future__ import annotations

from typing import List, NamedTuple, Optional

from .condition import And, Compare, Condition, In, Literal, Not, Or
from .errors import ConditionError
from .schema import Schema

_SIGNS = ["==", "!=", "<=", ">=", "&&", "||", "<>", "<", ">", "=", "(", ")", ","]
_STOP = "=!<>&|(),'\""
_OPERATORS = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "==", "=": "==", "!=": "!=", "<>": "!="}
# How deep parentheses and negations may be nested.
DEEPEST = 200


class Token(NamedTuple):
    """A word, a quoted text, or a sign."""

    kind: str
    content: str
    position: int


def tokens(source: str) -> List[Token]:
    """The tokens of a condition."""
    found: List[Token] = []
    at = 0
    while True:
        while at < len(source) and source[at].isspace():
            at += 1
        if at == len(source):
            return found
        sign = next((sign for sign in _SIGNS if source.startswith(sign, at)), None)
        if sign:
            found.append(Token("sign", sign, at))
            at += len(sign)
        elif source[at] in "'\"":
            end = source.find(source[at], at + 1)
            if end < 0:
                raise ConditionError("the quoted text has no end", at, source)
            found.append(Token("quoted", source[at + 1 : end], at))
            at = end + 1
        else:
            end = at
            while end < len(source) and not (source[end].isspace() or source[end] in _STOP):
                end += 1
            if end == at:
                raise ConditionError(f"{source[at]!r} makes no sense here", at, source)
            found.append(Token("word", source[at:end], at))
            at = end


class _Parser:
    def __init__(self, source: str, schema: Optional[Schema]):
        self.source = source
        self.schema = schema
        self.tokens = tokens(source)
        self.at = 0
        self.depth = 0

    def error(self, reason: str, position: Optional[int] = None) -> ConditionError:
        if position is None:
            position = self.tokens[self.at].position if self.at < len(self.tokens) else len(self.source)
        return ConditionError(reason, position, self.source)

    def next(self) -> Optional[Token]:
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        self.at += token is not None
        return token

    def take(self, word: str = "", sign: str = "") -> bool:
        """Takes the next token where it is this word, in upper or lower case, or this sign."""
        if self.at == len(self.tokens):
            return False
        token = self.tokens[self.at]
        if (token.kind == "word" and word and token.content.lower() == word) or (token.kind == "sign" and token.content == sign):
            self.at += 1
            return True
        return False

    def either(self) -> Condition:
        members = [self.both()]
        while self.take("or", "||"):
            members.append(self.both())
        return members[0] if len(members) == 1 else Or(members)

    def both(self) -> Condition:
        members = [self.one()]
        while self.take("and", "&&"):
            members.append(self.one())
        return members[0] if len(members) == 1 else And(members)

    def one(self) -> Condition:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error("parentheses and negations are nested too deeply")
        if self.take("not"):
            found: Condition = Not(self.one())
        elif self.take(sign="("):
            found = self.either()
            if not self.take(sign=")"):
                raise self.error("expected )")
        else:
            found = self.comparison()
        self.depth -= 1
        return found

    def comparison(self) -> Condition:
        token = self.next()
        if token is None or token.kind == "sign":
            raise self.error("expected the name of a field", token.position if token else None)
        name = token.content
        if self.schema is not None and name not in self.schema.names:
            raise self.error(f"there is no field {name!r}; there are {', '.join(self.schema.names)}", token.position)
        if self.take("is"):
            operator = "!=" if self.take("not") else "=="
            if not self.take("null"):
                raise self.error(f'expected "{name} is null" or "{name} is not null"')
            return Compare(name, operator, None)
        negated = self.take("not")
        if self.take("in"):
            found: Condition = self.members(name)
        elif self.take("between"):
            found = self.between(name)
        elif negated:
            raise self.error(f'expected "in" or "between" after "{name} not"')
        else:
            token = self.next()
            if token is None or token.content not in _OPERATORS or token.kind != "sign":
                raise self.error(
                    f"expected ==, !=, <, <=, >, >=, in, between or is after {name}", token.position if token else None
                )
            found = Compare(name, _OPERATORS[token.content], self.value(name))
        return Not(found) if negated else found

    def value(self, name: str) -> Literal:
        token = self.next()
        if token is None or token.kind == "sign":
            raise self.error(f"expected a value for {name}", token.position if token else None)
        return Literal(token.content, token.position, self.source)

    def between(self, name: str) -> Condition:
        low = self.value(name)
        if not self.take("and", "&&"):
            raise self.error(f'expected "{name} between 1 and 2"')
        return And([Compare(name, ">=", low), Compare(name, "<=", self.value(name))])

    def members(self, name: str) -> Condition:
        if not self.take(sign="("):
            raise self.error(f'expected "{name} in (1, 2)"')
        values = [self.value(name)]
        while not self.take(sign=")"):
            if not self.take(sign=","):
                raise self.error(f"expected , or ) in the list of values of {name}")
            values.append(self.value(name))
        return In(name, values)


def parse_condition(source: str, schema: Optional[Schema] = None) -> Condition:
    """Parses a condition; with a schema, fields and values are checked, too.

    Raises:
        ConditionError: with the position of what is wrong.
    """
    if "\0" in source:
        raise ConditionError("a condition cannot contain a NUL character", source.index("\0"), source)
    parser = _Parser(source, schema)
    if not parser.tokens:
        raise ConditionError("the condition is empty")
    try:
        condition = parser.either()
    except RecursionError:
        raise parser.error("parentheses and negations are nested too deeply") from None
    if parser.at < len(parser.tokens):
        raise parser.error("expected and, or, or the end")
    if schema is not None:
        condition.check(schema)
    return condition
