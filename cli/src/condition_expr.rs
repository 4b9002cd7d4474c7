//! Parser of condition expressions: `a between 5 and 9 and (b == 'x' or c is null)`.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::tiledb::{ComparisonOp, Condition, Context, Error, Field, Result, Schema, Value};

/// A parsed condition. Negations are resolved by De Morgan's laws when it is parsed, as the library does: a null cell meets
/// neither a comparison nor its negation.
pub enum ConditionExpr {
    And(Box<ConditionExpr>, Box<ConditionExpr>),
    Or(Box<ConditionExpr>, Box<ConditionExpr>),
    /// A comparison of a field: the value as bytes and as a value; `None` for null.
    Compare {
        field: String,
        operator: ComparisonOp,
        value: Option<(Vec<u8>, Value)>,
    },
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A name, a number or a word.
    Word(String),
    Quoted(String),
    Sign(&'static str),
}

const SIGNS: [&str; 13] = ["==", "!=", "<=", ">=", "&&", "||", "<>", "<", ">", "=", "(", ")", ","];

fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            found.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        } else if first == '\'' || first == '"' {
            let inside = &rest[1..];
            let end = inside.find(first).ok_or_else(|| Error::usage(format!("--where: no end of {rest}")))?;
            found.push(Token::Quoted(inside[..end].to_owned()));
            rest = &inside[end + 1..];
        } else {
            let stop = |letter: char| letter.is_whitespace() || "=!<>&|(),'\"".contains(letter);
            let end = rest.find(stop).unwrap_or(rest.len());
            if end == 0 {
                return Err(Error::usage(format!("--where: {first:?} makes no sense before {rest:?}")));
            }
            found.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        }
        rest = rest.trim_start();
    }
    Ok(found)
}

/// How deep parentheses may go.
const DEEPEST: usize = 200;

struct Parser<'a> {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    all: &'a [Field],
    fields: HashMap<&'a str, &'a Field>,
    depth: usize,
}

impl ConditionExpr {
    /// Reads a condition on the fields of a schema.
    pub fn parse(text: &str, schema: &Schema) -> Result<Self> {
        let all = schema.fields();
        let fields = all.iter().map(|field| (field.name.as_str(), field)).collect();
        let mut parser = Parser { tokens: tokens(text)?.into_iter().peekable(), all: &all, fields, depth: 0 };
        let filter = parser.either()?;
        match parser.tokens.next() {
            None => Ok(filter),
            Some(token) => Err(Error::usage(format!("--where: {} is too much", shown(&token)))),
        }
    }

    /// As a condition of the library.
    pub fn condition(&self, ctx: &Context) -> Result<Condition> {
        match self {
            Self::And(a, b) => a.condition(ctx)?.combine(&b.condition(ctx)?, true),
            Self::Or(a, b) => a.condition(ctx)?.combine(&b.condition(ctx)?, false),
            Self::Compare { field, operator, value } => {
                Condition::compare(ctx, field, *operator, value.as_ref().map(|(bytes, _)| bytes.as_slice()))
            }
        }
    }

    /// The fields of the condition.
    pub fn fields<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::And(a, b) | Self::Or(a, b) => {
                a.fields(names);
                b.fields(names);
            }
            Self::Compare { field, .. } => names.push(field),
        }
    }

    /// Whether it holds for a cell, whose values are found by name.
    pub fn holds(&self, cell: &dyn Fn(&str) -> Value) -> bool {
        match self {
            Self::And(a, b) => a.holds(cell) && b.holds(cell),
            Self::Or(a, b) => a.holds(cell) || b.holds(cell),
            Self::Compare { field, operator, value } => {
                let found = cell(field);
                match (value, &found) {
                    (None, found) => (*found == Value::Null) == (*operator == ComparisonOp::Equal),
                    (Some(_), Value::Null) => false,
                    (Some((_, value)), found) => compares(*operator, found.order(value)),
                }
            }
        }
    }

    /// The opposite condition.
    fn negated(self) -> Self {
        let negated = |part: Box<Self>| Box::new(part.negated());
        match self {
            Self::And(a, b) => Self::Or(negated(a), negated(b)),
            Self::Or(a, b) => Self::And(negated(a), negated(b)),
            Self::Compare { field, operator, value } => {
                let operator = match operator {
                    ComparisonOp::Less => ComparisonOp::GreaterOrEqual,
                    ComparisonOp::LessOrEqual => ComparisonOp::Greater,
                    ComparisonOp::Greater => ComparisonOp::LessOrEqual,
                    ComparisonOp::GreaterOrEqual => ComparisonOp::Less,
                    ComparisonOp::Equal => ComparisonOp::NotEqual,
                    ComparisonOp::NotEqual => ComparisonOp::Equal,
                };
                Self::Compare { field, operator, value }
            }
        }
    }
}

fn compares(operator: ComparisonOp, order: Option<Ordering>) -> bool {
    match operator {
        ComparisonOp::Less => order == Some(Ordering::Less),
        ComparisonOp::LessOrEqual => order.is_some_and(Ordering::is_le),
        ComparisonOp::Greater => order == Some(Ordering::Greater),
        ComparisonOp::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
        ComparisonOp::Equal => order == Some(Ordering::Equal),
        ComparisonOp::NotEqual => order != Some(Ordering::Equal),
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Word(word) => word.clone(),
        Token::Quoted(text) => format!("'{text}'"),
        Token::Sign(sign) => (*sign).to_owned(),
    }
}

/// Joins filters two by two, so that a thousand terms are not nested a thousand deep.
fn balanced(
    mut filters: Vec<ConditionExpr>,
    join: fn(Box<ConditionExpr>, Box<ConditionExpr>) -> ConditionExpr,
) -> Option<ConditionExpr> {
    while filters.len() > 1 {
        let mut pairs = std::mem::take(&mut filters).into_iter();
        while let Some(first) = pairs.next() {
            filters.push(match pairs.next() {
                Some(second) => join(Box::new(first), Box::new(second)),
                None => first,
            });
        }
    }
    filters.pop()
}

fn nothing() -> Error {
    Error::usage("--where: there is no condition")
}

impl Parser<'_> {
    /// Takes the next token where it is this word or one of these signs.
    fn take(&mut self, word: &str, sign: &str) -> bool {
        let is = |token: &Token| match token {
            Token::Word(found) => found.eq_ignore_ascii_case(word),
            Token::Sign(found) => *found == sign,
            Token::Quoted(_) => false,
        };
        self.tokens.next_if(is).is_some()
    }

    fn either(&mut self) -> Result<ConditionExpr> {
        let mut all = vec![self.both()?];
        while self.take("or", "||") {
            all.push(self.both()?);
        }
        balanced(all, ConditionExpr::Or).ok_or_else(nothing)
    }

    fn both(&mut self) -> Result<ConditionExpr> {
        let mut all = vec![self.one()?];
        while self.take("and", "&&") {
            all.push(self.one()?);
        }
        balanced(all, ConditionExpr::And).ok_or_else(nothing)
    }

    fn one(&mut self) -> Result<ConditionExpr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Error::usage("--where: too many parentheses and nots inside one another"));
        }
        let found = if self.take("not", "") {
            self.one()?.negated()
        } else if self.take("", "(") {
            let inside = self.either()?;
            if !self.take("", ")") {
                return Err(Error::usage("--where: a parenthesis is not closed"));
            }
            inside
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(found)
    }

    fn comparison(&mut self) -> Result<ConditionExpr> {
        let name = match self.tokens.next() {
            Some(Token::Word(name) | Token::Quoted(name)) => name,
            other => {
                let other = other.map_or("the end".to_owned(), |token| shown(&token));
                return Err(Error::usage(format!("--where: a field is missing before {other}")));
            }
        };
        let field = *self.fields.get(name.as_str()).ok_or_else(|| {
            let names: Vec<&str> = self.all.iter().map(|field| field.name.as_str()).collect();
            Error::usage(format!("--where: there is no field {name:?}; there are {}", names.join(", ")))
        })?;
        if self.take("is", "") {
            let operator = if self.take("not", "") { ComparisonOp::NotEqual } else { ComparisonOp::Equal };
            if !self.take("null", "") {
                return Err(Error::usage(format!("--where: write \"{name} is null\" or \"{name} is not null\"")));
            }
            return Ok(ConditionExpr::Compare { field: name, operator, value: None });
        }
        let is_not = self.take("not", "");
        let set = match (self.take("in", ""), is_not) {
            (true, _) => Some(self.list(field)?),
            (false, _) if self.take("between", "") => Some(self.interval(field)?),
            (false, true) => {
                let text = format!("--where: write \"{name} not in (1, 2)\" or \"{name} not between 1 and 2\"");
                return Err(Error::usage(text));
            }
            (false, false) => None,
        };
        if let Some(set) = set {
            return Ok(if is_not { set.negated() } else { set });
        }
        let operator = match self.tokens.next() {
            Some(Token::Sign("<")) => ComparisonOp::Less,
            Some(Token::Sign("<=")) => ComparisonOp::LessOrEqual,
            Some(Token::Sign(">")) => ComparisonOp::Greater,
            Some(Token::Sign(">=")) => ComparisonOp::GreaterOrEqual,
            Some(Token::Sign("==" | "=")) => ComparisonOp::Equal,
            Some(Token::Sign("!=" | "<>")) => ComparisonOp::NotEqual,
            _ => {
                let text = format!("--where: write ==, !=, <, <=, >, >=, \"in\" or \"between\" after {name}");
                return Err(Error::usage(text));
            }
        };
        let value = self.value(field)?;
        Ok(ConditionExpr::Compare { field: name, operator, value: Some(value) })
    }

    fn value(&mut self, field: &Field) -> Result<(Vec<u8>, Value)> {
        let text = match self.tokens.next() {
            Some(Token::Word(text) | Token::Quoted(text)) => text,
            _ => return Err(Error::usage(format!("--where: a value is missing after {}", field.name))),
        };
        let datatype = field.enumeration.as_ref().map_or(field.datatype, |enumeration| enumeration.datatype);
        let bytes = Value::parse(datatype, &text)?;
        let value = Value::of_bytes(datatype, &bytes);
        Ok((bytes, value))
    }

    /// `1 and 3`: from the one to the other, both included.
    fn interval(&mut self, field: &Field) -> Result<ConditionExpr> {
        let low = self.value(field)?;
        if !self.take("and", "") {
            return Err(Error::usage(format!("--where: write \"{} between 1 and 2\"", field.name)));
        }
        let high = self.value(field)?;
        let compare = |operator, value| {
            Box::new(ConditionExpr::Compare { field: field.name.clone(), operator, value: Some(value) })
        };
        let (low, high) = (compare(ComparisonOp::GreaterOrEqual, low), compare(ComparisonOp::LessOrEqual, high));
        Ok(ConditionExpr::And(low, high))
    }

    /// `(1, 2, 3)`: one of these.
    fn list(&mut self, field: &Field) -> Result<ConditionExpr> {
        let wrong = || Error::usage(format!("--where: write \"{} in (1, 2)\"", field.name));
        if !self.take("", "(") {
            return Err(wrong());
        }
        let mut all = Vec::new();
        loop {
            let value = Some(self.value(field)?);
            all.push(ConditionExpr::Compare { field: field.name.clone(), operator: ComparisonOp::Equal, value });
            if self.take("", ")") {
                return balanced(all, ConditionExpr::Or).ok_or_else(wrong);
            }
            if !self.take("", ",") {
                return Err(wrong());
            }
        }
    }
}
