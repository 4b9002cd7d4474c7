//! Conditions as texts: `delay between 5 and 9 and (origin == 'JFK' or carrier is null)`.

use std::iter::Peekable;
use std::str::FromStr;
use std::vec::IntoIter;

use super::expression::{Condition, Operator, attr};
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

fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            tokens.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        } else if first == '\'' || first == '"' {
            let inside = &rest[1..];
            let end = inside.find(first).ok_or_else(|| invalid(format!("the quotation {rest} does not end")))?;
            tokens.push(Token::Quoted(inside[..end].to_owned()));
            rest = &inside[end + 1..];
        } else {
            let stop = |letter: char| letter.is_whitespace() || "=!<>&|(),'\"".contains(letter);
            let end = rest.find(stop).unwrap_or(rest.len());
            if end == 0 {
                return Err(invalid(format!("{first:?} has no meaning before {rest:?}")));
            }
            tokens.push(Token::Word(rest[..end].to_owned()));
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
        let mut parser = Parser { tokens: tokens(text)?.into_iter().peekable(), depth: 0 };
        let condition = parser.any()?;
        match parser.tokens.next() {
            None => Ok(condition),
            Some(token) => Err(invalid(format!("{} is not expected", token.shown()))),
        }
    }
}

struct Parser {
    tokens: Peekable<IntoIter<Token>>,
    depth: usize,
}

impl Parser {
    /// Takes the next token if it is this word or sign.
    fn take(&mut self, word: &str, sign: &str) -> bool {
        let is = |token: &Token| match token {
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
            return Err(invalid(format!("more than {MAX_DEPTH} parentheses and negations are nested")));
        }
        let condition = if self.take("not", "") {
            !self.one()?
        } else if self.take("", "(") {
            let inside = self.any()?;
            if !self.take("", ")") {
                return Err(invalid("a parenthesis is not closed"));
            }
            inside
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(condition)
    }

    fn comparison(&mut self) -> Result<Condition> {
        let name = match self.tokens.next() {
            Some(Token::Word(name) | Token::Quoted(name)) => name,
            other => {
                let other = other.map_or("the end".to_owned(), |token| token.shown());
                return Err(invalid(format!("a field is missing before {other}")));
            }
        };
        let field = attr(name.as_str());
        if self.take("is", "") {
            let is_negated = self.take("not", "");
            if !self.take("null", "") {
                return Err(invalid(format!("write \"{name} is null\" or \"{name} is not null\"")));
            }
            return Ok(if is_negated { field.is_not_null() } else { field.is_null() });
        }
        let is_negated = self.take("not", "");
        let set = if self.take("in", "") {
            Some(field.clone().is_in(self.list(&name)?))
        } else if self.take("between", "") {
            let low = self.value(&name)?;
            if !self.take("and", "") {
                return Err(invalid(format!("write \"{name} between 1 and 2\"")));
            }
            Some(field.clone().between(low, self.value(&name)?))
        } else {
            None
        };
        match set {
            Some(set) => return Ok(if is_negated { !set } else { set }),
            None if is_negated => {
                return Err(invalid(format!("write \"{name} not in (1, 2)\" or \"{name} not between 1 and 2\"")));
            }
            None => {}
        }
        let operator = match self.tokens.next() {
            Some(Token::Sign("<")) => Operator::Less,
            Some(Token::Sign("<=")) => Operator::LessOrEqual,
            Some(Token::Sign(">")) => Operator::Greater,
            Some(Token::Sign(">=")) => Operator::GreaterOrEqual,
            Some(Token::Sign("==" | "=")) => Operator::Equal,
            Some(Token::Sign("!=" | "<>")) => Operator::NotEqual,
            _ => {
                return Err(invalid(format!("write ==, !=, <, <=, >, >=, \"in\" or \"between\" after {name}")));
            }
        };
        let value = self.value(&name)?;
        Ok(field.compare(operator, Some(value)))
    }

    fn value(&mut self, field: &str) -> Result<Value> {
        match self.tokens.next() {
            Some(Token::Word(text) | Token::Quoted(text)) => Ok(Value::Text(text)),
            _ => Err(invalid(format!("a value is missing after {field}"))),
        }
    }

    /// `(1, 2, 3)`
    fn list(&mut self, field: &str) -> Result<Vec<Value>> {
        let wrong = || invalid(format!("write \"{field} in (1, 2)\""));
        if !self.take("", "(") {
            return Err(wrong());
        }
        let mut values = Vec::new();
        loop {
            values.push(self.value(field)?);
            if self.take("", ")") {
                return Ok(values);
            }
            if !self.take("", ",") {
                return Err(wrong());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_expressions_are_equal() {
        let cases = [
            ("a > 1", attr("a").gt(1)),
            ("a between 1 and 2 and b = 'x y'", attr("a").ge(1).and(attr("a").le(2)).and(attr("b").eq("x y"))),
            ("not a in (1, 2)", attr("a").not_in([1, 2])),
            ("a not in (1,2) or b is not null", attr("a").not_in([1, 2]).or(attr("b").is_not_null())),
            ("(a < 1 || a >= 5) && b <> 2", attr("a").lt(1).or(attr("a").ge(5)).and(attr("b").ne(2))),
            ("\"a b\" <= -1.5", attr("a b").le(-1.5)),
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
}
