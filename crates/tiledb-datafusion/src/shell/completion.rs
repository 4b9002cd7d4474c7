//! What Tab completes at the prompt, and whether a statement is complete.

use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper, Result};

const KEYWORDS: &str = "ALL AND AS ASC BETWEEN BY CASE CAST COUNT CREATE CROSS DELETE DESC DESCRIBE DISTINCT DROP ELSE END EXCEPT \
                        EXISTS EXPLAIN EXTERNAL FROM FULL GROUP HAVING ILIKE IN INNER INSERT INTERSECT INTO IS JOIN LEFT LIKE LIMIT \
                        LOCATION NOT NULL OFFSET ON OR ORDER OUTER OVER PARTITION RIGHT SELECT SET SHOW STORED TABLE TABLES THEN \
                        TILEDB UNION USING VALUES VIEW WHEN WHERE WITH avg count max median min read_tiledb stddev sum";

/// Completes keywords, tables, and paths within quotes.
pub(crate) struct SqlHelper {
    tables: Vec<String>,
    files: FilenameCompleter,
}

impl SqlHelper {
    pub(crate) fn new(tables: Vec<String>) -> SqlHelper {
        SqlHelper { tables, files: FilenameCompleter::new() }
    }

    pub(crate) fn set_tables(&mut self, tables: Vec<String>) {
        self.tables = tables;
    }

    fn words(&self, prefix: &str) -> Vec<Pair> {
        let keywords = KEYWORDS.split_whitespace().filter(|word| starts_with(word, prefix));
        let tables = self.tables.iter().map(String::as_str).filter(|word| starts_with(word, prefix));
        tables.chain(keywords).map(|word| Pair { display: word.to_owned(), replacement: word.to_owned() }).collect()
    }
}

fn starts_with(word: &str, prefix: &str) -> bool {
    word.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// Where an open text in quotes begins. Two quotes within a text are one of its letters.
fn open_quote(line: &str) -> Option<usize> {
    let mut open = None;
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '\'' {
            open = match open {
                None => Some(at + letter.len_utf8()),
                Some(start) => letters.next_if(|(_, next)| *next == '\'').map(|_| start),
            };
        }
    }
    open
}

impl Completer for SqlHelper {
    type Candidate = Pair;

    fn complete(&self, line: &str, position: usize, _: &Context<'_>) -> Result<(usize, Vec<Pair>)> {
        let before = &line[..position];
        if let Some(start) = open_quote(before) {
            let (at, pairs) = self.files.complete_path(&before[start..], position - start)?;
            return Ok((start + at, pairs));
        }
        let start = before.rfind(|letter: char| !letter.is_alphanumeric() && letter != '_').map_or(0, |at| at + 1);
        Ok((start, self.words(&before[start..])))
    }
}

impl Validator for SqlHelper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> Result<ValidationResult> {
        let line = context.input().trim();
        let is_command = line.is_empty() || line.starts_with('\\') || ["quit", "exit", "help"].contains(&line);
        let is_complete = is_command || (line.ends_with(';') && open_quote(line).is_none());
        Ok(if is_complete { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

impl Hinter for SqlHelper {
    type Hint = String;
}

impl Highlighter for SqlHelper {}

impl Helper for SqlHelper {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_completed_without_regard_to_case() {
        let helper = SqlHelper::new(vec!["flights".to_owned()]);
        let words: Vec<String> = helper.words("f").into_iter().map(|pair| pair.replacement).collect();
        assert_eq!(words, ["flights", "FROM", "FULL"]);
        assert!(helper.words("ä").is_empty());
    }

    #[test]
    fn paths_begin_behind_an_open_quote() {
        assert_eq!(open_quote("SELECT * FROM 'fl"), Some(15));
        assert_eq!(open_quote("SELECT * FROM 'fl' "), None);
        assert_eq!(open_quote("SELECT 'it''s"), Some(8));
        assert_eq!(open_quote("SELECT 'it''s'"), None);
    }
}
