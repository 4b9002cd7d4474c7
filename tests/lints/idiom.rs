//! Idiom: values that are packed into a tuple only to be bound, `match` on a Boolean, functions with more than six parameters. Limits
//! are lowered when there are fewer.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};
use syn::{Expr, Lit, Pat};

use super::house::root_files;

/// The folder of a crate, and its limits.
const LIMITS: [(&str, Counts); 14] = [
    ("cli", Counts { tuples: 79, matches: 13, long_signatures: 1 }),
    ("crates/tiledb", Counts { tuples: 17, matches: 17, long_signatures: 0 }),
    ("crates/tiledb-array", Counts { tuples: 30, matches: 34, long_signatures: 3 }),
    ("crates/tiledb-arrow", Counts { tuples: 4, matches: 4, long_signatures: 0 }),
    ("crates/tiledb-cells", Counts { tuples: 110, matches: 25, long_signatures: 0 }),
    ("crates/tiledb-core", Counts { tuples: 33, matches: 5, long_signatures: 0 }),
    ("crates/tiledb-datafusion", Counts { tuples: 1, matches: 0, long_signatures: 0 }),
    ("crates/tiledb-duckdb", Counts { tuples: 0, matches: 0, long_signatures: 0 }),
    ("crates/tiledb-filters", Counts { tuples: 73, matches: 14, long_signatures: 2 }),
    ("crates/tiledb-maintain", Counts { tuples: 71, matches: 29, long_signatures: 3 }),
    ("crates/tiledb-query", Counts { tuples: 94, matches: 49, long_signatures: 3 }),
    ("crates/tiledb-rest", Counts { tuples: 5, matches: 21, long_signatures: 0 }),
    ("crates/tiledb-storage", Counts { tuples: 102, matches: 11, long_signatures: 0 }),
    ("src", Counts { tuples: 25, matches: 9, long_signatures: 0 }),
];

/// Parameters of a function, `self` included.
const MAX_PARAMETERS: usize = 6;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// `let (a, b) = (x, y);`
    tuples: usize,
    /// `match is_a { true => ..., false => ... }`
    matches: usize,
    /// Functions with more than [`MAX_PARAMETERS`]; those of C have as many as they have.
    long_signatures: usize,
}

impl Counts {
    fn exceeds(&self, limit: &Counts) -> bool {
        self.tuples > limit.tuples || self.matches > limit.matches || self.long_signatures > limit.long_signatures
    }
}

impl<'a> Visit<'a> for Counts {
    fn visit_local(&mut self, local: &'a syn::Local) {
        if let (Pat::Tuple(pattern), Some(init)) = (&local.pat, &local.init)
            && let Expr::Tuple(values) = &*init.expr
        {
            let are_names = pattern.elems.iter().all(|element| matches!(element, Pat::Ident(_)));
            self.tuples += usize::from(are_names && pattern.elems.len() == values.elems.len());
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_match(&mut self, expression: &'a syn::ExprMatch) {
        let is_bool = |pattern: &Pat| matches!(pattern, Pat::Lit(literal) if matches!(literal.lit, Lit::Bool(_)));
        self.matches += usize::from(expression.arms.iter().any(|arm| is_bool(&arm.pat)));
        visit::visit_expr_match(self, expression);
    }

    fn visit_signature(&mut self, signature: &'a syn::Signature) {
        self.long_signatures += usize::from(signature.inputs.len() > MAX_PARAMETERS && signature.abi.is_none());
        visit::visit_signature(self, signature);
    }
}

fn counts(text: &str) -> Counts {
    let mut counts = Counts::default();
    counts.visit_file(&syn::parse_file(text).unwrap());
    counts
}

/// The numbers of each crate, by its folder.
fn all() -> BTreeMap<&'static str, Counts> {
    LIMITS
        .map(|(folder, _)| {
            let sources = if folder == "src" { "src/".to_owned() } else { format!("{folder}/src/") };
            let sum = root_files(&sources).iter().fold(Counts::default(), |sum, (_, text)| {
                let more = counts(text);
                Counts {
                    tuples: sum.tuples + more.tuples,
                    matches: sum.matches + more.matches,
                    long_signatures: sum.long_signatures + more.long_signatures,
                }
            });
            (folder, sum)
        })
        .into()
}

#[test]
fn packed_bindings_matches_on_booleans_and_long_signatures_become_fewer() {
    let all = all();
    let wrong = LIMITS.iter().filter(|(folder, limit)| all[folder].exceeds(limit));
    let wrong: Vec<String> =
        wrong.map(|(folder, limit)| format!("{folder}: {:?}, at most {limit:?}", all[folder])).collect();
    assert!(
        wrong.is_empty(),
        "write one `let` for one value, `if` for a Boolean, a struct for many parameters:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn each_of_the_three_is_counted_once() {
    let text = "fn f(a: u8, b: u8, c: u8, d: u8, e: u8, g: u8, h: u8) { let (x, mut y) = (a, b); let (p, q) = pair(); \
                let (_, Some(z)) = (a, b) else { return }; let x = match x == y { true => 1, false => 2 }; match x { 1 => {} _ => {} } }\n\
                extern \"C\" fn c(a: u8, b: u8, c: u8, d: u8, e: u8, g: u8, h: u8) {}\n\
                fn six(a: u8, b: u8, c: u8, d: u8, e: u8, g: u8) {}";
    assert_eq!(counts(text), Counts { tuples: 1, matches: 1, long_signatures: 1 });
}
