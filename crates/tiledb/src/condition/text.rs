//! Conditions written as texts that parse to the same condition.

use std::fmt::{self, Display, Formatter};

use super::expression::{Condition, Expression, Operator};
use crate::value::Value;

/// The text of a condition, which parses to the same one unless a text in it has both kinds of quotes.
///
/// ```
/// use tiledb::attr;
///
/// let late = attr("delay").gt(60).and(attr("origin").is_in(["JFK", "EWR"]).or(attr("carrier").is_null()));
/// assert_eq!(late.to_string(), "delay > 60 and (origin in ('JFK', 'EWR') or carrier is null)");
/// ```
impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Expression::And(all) => {
                join(f, all, " and ", |part| matches!(part.0, Expression::And(_) | Expression::Or(_)))
            }
            Expression::Or(all) => join(f, all, " or ", |part| matches!(part.0, Expression::Or(_))),
            Expression::Not(inner) => write!(f, "not ({inner})"),
            Expression::Compare { field, operator, value: None } => {
                write!(
                    f,
                    "{} {}",
                    Name(&field.part),
                    if *operator == Operator::Equal { "is null" } else { "is not null" }
                )
            }
            Expression::Compare { field, operator, value: Some(value) } => {
                write!(f, "{} {} {}", Name(&field.part), operator.sign(), Operand(&value.part))
            }
            Expression::In { field, values } => {
                write!(f, "{} in (", Name(&field.part))?;
                for (number, value) in values.iter().enumerate() {
                    write!(f, "{}{}", if number > 0 { ", " } else { "" }, Operand(&value.part))?;
                }
                f.write_str(")")
            }
        }
    }
}

fn join(
    f: &mut Formatter<'_>,
    parts: &[Condition],
    between: &str,
    needs_parentheses: impl Fn(&Condition) -> bool,
) -> fmt::Result {
    for (number, part) in parts.iter().enumerate() {
        let between = if number > 0 { between } else { "" };
        if needs_parentheses(part) {
            write!(f, "{between}({part})")?;
        } else {
            write!(f, "{between}{part}")?;
        }
    }
    Ok(())
}

impl Operator {
    fn sign(self) -> &'static str {
        match self {
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
            Operator::Equal => "=",
            Operator::NotEqual => "!=",
        }
    }
}

/// A name, in quotes if it is not a word.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_letter = |letter: char| letter.is_alphanumeric() || "_.".contains(letter);
        let is_word = !self.0.is_empty() && self.0.chars().all(is_letter);
        if is_word && !KEYWORDS.contains(&&*self.0.to_ascii_lowercase()) {
            f.write_str(self.0)
        } else {
            quote(f, self.0)
        }
    }
}

/// Words that are not names.
const KEYWORDS: [&str; 7] = ["and", "between", "in", "is", "not", "null", "or"];

/// A constant.
struct Operand<'a>(&'a Value);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Text(text) => quote(f, text),
            other => other.fmt(f),
        }
    }
}

fn quote(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    let quote = if text.contains('\'') { '"' } else { '\'' };
    write!(f, "{quote}{text}{quote}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attr;

    #[test]
    fn conditions_are_parsed_from_their_texts() {
        let simple = attr("a").lt(1).and(attr("b b").ge(-1.5));
        let conditions = [
            attr("and").eq("it's").or(simple.clone()),
            simple.clone().or(attr("c").is_null()).and(attr("d").is_not_null()),
            simple.clone().and(simple.clone()),
            !attr("e").is_in(["x", "", "y z"]),
            attr("f").between("a", "b").or(attr("g").ne(u64::MAX)).or(attr("h").not_in([1, 2])),
            !(!simple.clone().or(simple)),
        ];
        for condition in conditions {
            let text = condition.to_string();
            assert_eq!(
                text.parse::<Condition>().unwrap_or_else(|error| panic!("{text}: {error}")),
                condition,
                "{text}"
            );
        }
    }
}
