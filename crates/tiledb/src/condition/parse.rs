//! Conditions as texts: `delay between 5 and 9 and (origin == 'JFK' or carrier is null)`.

use std::iter::Peekable;
use std::str::FromStr;
use std::vec::IntoIter;

use super::expression::{Condition, FieldExpression, Located, Operator};
use crate::error::{Error, Result};
use crate::value::Value;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A name, a number or a keyword.
    Word(String),
    Quoted(String),
    Sign(&'static str),
}

impl Token {
    fn shown(&self) -> String {
        match self {
            Token::Word(word) => word.clone(),
            Token::Quoted(text) => format!("'{text}'"),
            Token::Sign(sign) => (*sign).to_owned(),
        }
    }
}

const SIGNS: [&str; 13] = ["==", "!=", "<=", ">=", "&&", "||", "<>", "<", ">", "=", "(", ")", ","];

/// Maximum depth of parentheses and negations.
const MAX_DEPTH: usize = 200;

fn invalid(text: impl std::fmt::Display) -> Error {
    Error::invalid(format!("Condition: {text}"))
}

fn tokens(text: &str) -> Result<Vec<Located<Token>>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let position = text.len() - rest.len();
        let mut push = |part| tokens.push(Located { part, position: Some(position) });
        if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        } else if first == '\'' || first == '"' {
            let inside = &rest[1..];
            let end = inside
                .find(first)
                .ok_or_else(|| invalid(format!("the quotation {rest} does not end")).at_position(position))?;
            push(Token::Quoted(inside[..end].to_owned()));
            rest = &inside[end + 1..];
        } else {
            let stop = |letter: char| letter.is_whitespace() || "=!<>&|(),'\"".contains(letter);
            let end = rest.find(stop).unwrap_or(rest.len());
            if end == 0 {
                return Err(invalid(format!("{first:?} has no meaning before {rest:?}")).at_position(position));
            }
            push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        }
        rest = rest.trim_start();
    }
    Ok(tokens)
}

/// A condition in the language of the command-line tool: comparisons with `==`, `!=`, `<`, `<=`, `>`, `>=`, `in (...)`, `between ...
/// and ...`, `is null`, joined by `and`, `or`, `not` and parentheses. Texts are quoted where they have spaces or signs.
impl FromStr for Condition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Condition> {
        let mut parser = Parser { tokens: tokens(text)?.into_iter().peekable(), end: text.len(), depth: 0 };
        let condition = parser.any()?;
        match parser.tokens.next() {
            None => Ok(condition),
            Some(token) => Err(token.locate(invalid(format!("{} is not expected", token.part.shown())))),
        }
    }
}

struct Parser {
    tokens: Peekable<IntoIter<Located<Token>>>,
    /// Length of the text in bytes.
    end: usize,
    depth: usize,
}

impl Parser {
    /// An error at the next token.
    fn wrong(&mut self, text: impl std::fmt::Display) -> Error {
        let end = self.end;
        let position = self.tokens.peek().and_then(|token| token.position).unwrap_or(end);
        invalid(text).at_position(position)
    }

    /// An error at a token that was taken, or at the end.
    fn unexpected(&self, token: Option<&Located<Token>>, text: impl std::fmt::Display) -> Error {
        invalid(text).at_position(token.and_then(|token| token.position).unwrap_or(self.end))
    }

    /// Takes the next token if it is this word or sign.
    fn take(&mut self, word: &str, sign: &str) -> bool {
        let is = |token: &Located<Token>| match &token.part {
            Token::Word(text) => text.eq_ignore_ascii_case(word),
            Token::Sign(text) => *text == sign,
            Token::Quoted(_) => false,
        };
        self.tokens.next_if(is).is_some()
    }

    fn any(&mut self) -> Result<Condition> {
        let mut condition = self.all()?;
        while self.take("or", "||") {
            condition = condition.or(self.all()?);
        }
        Ok(condition)
    }

    fn all(&mut self) -> Result<Condition> {
        let mut condition = self.one()?;
        while self.take("and", "&&") {
            condition = condition.and(self.one()?);
        }
        Ok(condition)
    }

    fn one(&mut self) -> Result<Condition> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.wrong(format!("more than {MAX_DEPTH} parentheses and negations are nested")));
        }
        let condition = if self.take("not", "") {
            !self.one()?
        } else if self.take("", "(") {
            let inside = self.any()?;
            if !self.take("", ")") {
                return Err(self.wrong("a parenthesis is not closed"));
            }
            inside
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(condition)
    }

    fn comparison(&mut self) -> Result<Condition> {
        let (name, position) = match self.tokens.next() {
            Some(Located { part: Token::Word(name) | Token::Quoted(name), position }) => (name, position),
            other => {
                let shown = other.as_ref().map_or("the end".to_owned(), |token| token.part.shown());
                return Err(self.unexpected(other.as_ref(), format!("a field is missing before {shown}")));
            }
        };
        let field = FieldExpression(Located { part: name.clone(), position });
        if self.take("is", "") {
            let is_negated = self.take("not", "");
            if !self.take("null", "") {
                return Err(self.wrong(format!("write \"{name} is null\" or \"{name} is not null\"")));
            }
            return Ok(if is_negated { field.is_not_null() } else { field.is_null() });
        }
        let is_negated = self.take("not", "");
        let set = if self.take("in", "") {
            Some(field.clone().member_of(self.list(&name)?))
        } else if self.take("between", "") {
            let low = self.value(&name)?;
            if !self.take("and", "&&") {
                return Err(self.wrong(format!("write \"{name} between 1 and 2\"")));
            }
            let high = self.value(&name)?;
            let not_below = field.clone().compare(Operator::GreaterOrEqual, Some(low));
            Some(not_below.and(field.clone().compare(Operator::LessOrEqual, Some(high))))
        } else {
            None
        };
        match set {
            Some(set) => return Ok(if is_negated { !set } else { set }),
            None if is_negated => {
                return Err(self.wrong(format!("write \"{name} not in (1, 2)\" or \"{name} not between 1 and 2\"")));
            }
            None => {}
        }
        let token = self.tokens.next();
        let operator = match token.as_ref().map(|token| &token.part) {
            Some(Token::Sign("<")) => Operator::Less,
            Some(Token::Sign("<=")) => Operator::LessOrEqual,
            Some(Token::Sign(">")) => Operator::Greater,
            Some(Token::Sign(">=")) => Operator::GreaterOrEqual,
            Some(Token::Sign("==" | "=")) => Operator::Equal,
            Some(Token::Sign("!=" | "<>")) => Operator::NotEqual,
            _ => {
                let text = format!("write ==, !=, <, <=, >, >=, \"in\" or \"between\" after {name}");
                return Err(self.unexpected(token.as_ref(), text));
            }
        };
        let value = self.value(&name)?;
        Ok(field.compare(operator, Some(value)))
    }

    fn value(&mut self, field: &str) -> Result<Located<Value>> {
        match self.tokens.next() {
            Some(Located { part: Token::Word(text) | Token::Quoted(text), position }) => {
                Ok(Located { part: Value::Text(text), position })
            }
            other => Err(self.unexpected(other.as_ref(), format!("a value is missing after {field}"))),
        }
    }

    /// `(1, 2, 3)`
    fn list(&mut self, field: &str) -> Result<Vec<Located<Value>>> {
        let wrong = |parser: &mut Parser| parser.wrong(format!("write \"{field} in (1, 2)\""));
        if !self.take("", "(") {
            return Err(wrong(self));
        }
        let mut values = Vec::new();
        loop {
            values.push(self.value(field)?);
            if self.take("", ")") {
                return Ok(values);
            }
            if !self.take("", ",") {
                return Err(wrong(self));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attr;

    #[test]
    fn texts_and_expressions_are_equal() {
        let cases = [
            ("a > 1", attr("a").gt(1)),
            ("a between 1 and 2 and b = 'x y'", attr("a").ge(1).and(attr("a").le(2)).and(attr("b").eq("x y"))),
            ("not a in (1, 2)", attr("a").not_in([1, 2])),
            ("a not in (1,2) or b is not null", attr("a").not_in([1, 2]).or(attr("b").is_not_null())),
            ("(a < 1 || a >= 5) && b <> 2", attr("a").lt(1).or(attr("a").ge(5)).and(attr("b").ne(2))),
            ("\"a b\" <= -1.5", attr("a b").le(-1.5)),
            ("a between 1 && 2", attr("a").between(1, 2)),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<Condition>().unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn texts_that_are_no_conditions_are_errors() {
        let deep = format!("{}a = 1", "(".repeat(100_000));
        for text in
            ["", "a", "a >", "a > 1 b", "(a > 1", "a in 1", "a in (1", "a is 1", "a not 1", "'a", "a & b", &deep]
        {
            assert!(text.parse::<Condition>().is_err(), "{text:.40}");
        }
    }

    #[test]
    fn errors_have_the_position_of_what_is_wrong() {
        for (text, position) in [
            ("", 0),
            ("a", 1),
            ("a >", 3),
            ("> 5", 0),
            ("é > 5 b", 7),
            ("(a > 5", 6),
            ("a > 5)", 5),
            ("a > 'x", 4),
            ("a in 5", 5),
            ("a in (1 2)", 8),
            ("a in (1,)", 8),
            ("a is 5", 5),
            ("a not 5", 6),
            ("a & b", 2),
            ("a > 5 and", 9),
            ("a between 1 or 2", 12),
        ] {
            assert_eq!(text.parse::<Condition>().unwrap_err().position(), Some(position), "{text}");
        }
    }
}
