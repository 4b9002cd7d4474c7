//! Compiles all mutants of source files into one program.
//!
//! `mutants ROOT LIST FILE...` rewrites the files below ROOT, a copy of the project, from FILE.original, so that the environment
//! variable `MUTANT` selects a changed condition, statement or result at run time, and writes the list of mutants. One build then serves
//! all of them. `run.py` runs the tests with each.
//!
//! Mutants are insertions that compile whatever the types are: a comparison is negated or moves its bound by one, one operand of `&&` or
//! `||` is left out, a statement is left out, a function returns at once. Those that do not compile are named on a line of `EXCLUDED`
//! (file, a colon, line), and left out.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::path::Path;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, ImplItem, Item, ReturnType, Stmt, Type};

/// Text that is inserted at an offset: the ends of expressions, then the beginnings.
#[derive(Default)]
struct Insertions {
    ends: String,
    beginnings: String,
    /// Bytes that are left out after them.
    omitted: usize,
}

struct Mutator<'a> {
    path: &'a str,
    /// The path of the module of switches.
    switch: &'a str,
    excluded: &'a HashSet<(String, usize)>,
    next: &'a mut u32,
    insertions: BTreeMap<usize, Insertions>,
    list: String,
    /// The name of the function.
    function: String,
    is_const: bool,
}

impl Mutator<'_> {
    /// The number of a new mutant, unless it is excluded.
    fn mutant(&mut self, span: Span, change: &str) -> Option<u32> {
        let line = span.start().line;
        // Those that are left out have numbers, too: all others keep theirs, and files without them need not be compiled again.
        *self.next += 1;
        if self.is_const || self.excluded.contains(&(self.path.to_owned(), line)) {
            return None;
        }
        _ = writeln!(self.list, "{}\t{}:{line}\t{}\t{change}", self.next, self.path, self.function);
        Some(*self.next)
    }

    fn begin(&mut self, offset: usize, text: &str) {
        self.insertions.entry(offset).or_default().beginnings.push_str(text);
    }

    fn end(&mut self, offset: usize, text: &str) {
        self.insertions.entry(offset).or_default().ends.push_str(text);
    }

    fn is(&self, number: u32) -> String {
        format!("{}::is({number})", self.switch)
    }

    /// Texts before and after an operand so that the mutant ignores it: `neutral` is what the operator ignores.
    fn without(&mut self, operand: &Expr, neutral: bool, change: &str) -> Option<(String, String)> {
        if has_let(operand) {
            return None;
        }
        let number = self.mutant(operand.span(), change)?;
        let is = self.is(number);
        Some(("((".to_owned(), if neutral { format!(") || {is})") } else { format!(") && !{is})") }))
    }

    fn operands(&mut self, binary: &syn::ExprBinary, neutral: bool) {
        let operator = if neutral { "&&" } else { "||" };
        for (operand, side) in [(&*binary.left, "left"), (&*binary.right, "right")] {
            let texts = self.without(operand, neutral, &format!("{operator} without its {side} operand"));
            if let Some((begin, _)) = &texts {
                self.begin(operand.span().byte_range().start, begin);
            }
            self.visit_expr(operand);
            if let Some((_, end)) = &texts {
                self.end(operand.span().byte_range().end, end);
            }
        }
    }

    fn comparison(&mut self, binary: &syn::ExprBinary) {
        let range = binary.span().byte_range();
        let negated = self.mutant(binary.op.span(), "comparison negated");
        let ordering = match binary.op {
            BinOp::Lt(_) => Some("lt"),
            BinOp::Le(_) => Some("le"),
            BinOp::Gt(_) => Some("gt"),
            BinOp::Ge(_) => Some("ge"),
            _ => None,
        };
        let bound = ordering.and_then(|name| Some((name, self.mutant(binary.op.span(), "bound moved")?)));
        if negated.is_some() {
            self.begin(range.start, "((");
        }
        if let Some((name, number)) = bound {
            let text = format!("{}::{name}({number}, &(", self.switch);
            self.begin(range.start, &text);
        }
        self.visit_expr(&binary.left);
        if bound.is_some() {
            let operator = binary.op.span().byte_range();
            self.end(binary.left.span().byte_range().end, ")");
            let entry = self.insertions.entry(operator.start).or_default();
            entry.beginnings.push_str(", ");
            entry.omitted = operator.len();
            self.begin(binary.right.span().byte_range().start, "&(");
        }
        self.visit_expr(&binary.right);
        if bound.is_some() {
            self.end(range.end, "))");
        }
        if let Some(number) = negated {
            let text = format!(") != {})", self.is(number));
            self.end(range.end, &text);
        }
    }

    /// Results that a function returns at once instead of running.
    fn body(&mut self, result: &ReturnType, block: &Block) {
        let results: &[&str] = match result {
            ReturnType::Default => &["()"],
            ReturnType::Type(_, of) => results_of(of),
        };
        if block.stmts.is_empty() {
            return;
        }
        for value in results {
            if let Some(number) = self.mutant(block.brace_token.span.open(), &format!("returns {value}")) {
                let text = format!(" if {} {{ return {value}; }}", self.is(number));
                self.begin(block.brace_token.span.open().byte_range().end, &text);
            }
        }
    }

    fn function(&mut self, signature: &syn::Signature, block: &Block) {
        let (name, is_const) = (signature.ident.to_string(), signature.constness.is_some());
        let outer = (std::mem::replace(&mut self.function, name), std::mem::replace(&mut self.is_const, is_const));
        self.body(&signature.output, block);
        self.visit_block(block);
        (self.function, self.is_const) = outer;
    }
}

/// Values of a type that compile without knowledge of other types.
fn results_of(of: &Type) -> &'static [&'static str] {
    let text = {
        let Type::Path(path) = of else { return &[] };
        let Some(last) = path.path.segments.last() else { return &[] };
        let inner = match &last.arguments {
            syn::PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
                Some(syn::GenericArgument::Type(Type::Tuple(tuple))) if tuple.elems.is_empty() => "()".to_owned(),
                Some(syn::GenericArgument::Type(Type::Path(path))) => {
                    path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default()
                }
                _ => String::new(),
            },
            _ => String::new(),
        };
        (last.ident.to_string(), inner)
    };
    match (text.0.as_str(), text.1.as_str()) {
        ("bool", _) => &["true", "false"],
        ("usize" | "u64" | "u32" | "u8" | "i64" | "i32", _) => &["0", "1"],
        ("Option", _) => &["None"],
        ("Vec", _) => &["Vec::new()"],
        ("Result", "()") => &["Ok(())"],
        ("Result", "bool") => &["Ok(true)", "Ok(false)"],
        ("Result", "Option") => &["Ok(None)"],
        ("Result", "Vec") => &["Ok(Vec::new())"],
        ("Result", "usize" | "u64" | "u32") => &["Ok(0)", "Ok(1)"],
        _ => &[],
    }
}

fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg");
        attribute.path().is_ident("test")
            || is_cfg && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string().contains("test"))
    })
}

impl<'ast> Visit<'ast> for Mutator<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Const(_) | Item::Static(_) | Item::Macro(_) | Item::Enum(_) | Item::Struct(_) | Item::Type(_) => (),
            Item::Mod(module) if is_test(&module.attrs) => (),
            Item::Impl(block) if is_test(&block.attrs) => (),
            Item::Fn(function) if is_test(&function.attrs) => (),
            Item::Fn(function) => self.function(&function.sig, &function.block),
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        match item {
            ImplItem::Fn(function) if is_test(&function.attrs) => (),
            ImplItem::Fn(function) => self.function(&function.sig, &function.block),
            _ => (),
        }
    }

    fn visit_trait_item(&mut self, item: &'ast syn::TraitItem) {
        if let syn::TraitItem::Fn(function) = item
            && let Some(block) = &function.default
        {
            self.function(&function.sig, block);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Local(local) = statement
            && is_test(&local.attrs)
        {
            return;
        }
        let number = match statement {
            // Borrows last until the value is dropped.
            Stmt::Expr(Expr::Call(call), _) if matches!(&*call.func, Expr::Path(path) if path.path.is_ident("drop")) => None,
            Stmt::Expr(
                expr @ (Expr::Call(_) | Expr::MethodCall(_) | Expr::Try(_) | Expr::Assign(_) | Expr::Binary(_)),
                Some(_),
            ) => self.mutant(expr.span(), "statement left out"),
            _ => None,
        };
        let range = statement.span().byte_range();
        if let Some(number) = number {
            let text = format!("if !{} {{ ", self.is(number));
            self.begin(range.start, &text);
        }
        visit::visit_stmt(self, statement);
        if number.is_some() {
            self.end(range.end, " }");
        }
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        match binary.op {
            BinOp::And(_) => self.operands(binary, true),
            BinOp::Or(_) => self.operands(binary, false),
            BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => {
                self.comparison(binary);
            }
            _ => visit::visit_expr_binary(self, binary),
        }
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        let is_not = matches!(unary.op, syn::UnOp::Not(_)) && !has_let(&unary.expr);
        // Integers have the operator, too.
        let is_bool = matches!(&*unary.expr, Expr::MethodCall(_) | Expr::Call(_) | Expr::Path(_) | Expr::Field(_) | Expr::Paren(_));
        let number = if is_not && is_bool { self.mutant(unary.span(), "! left out") } else { None };
        let range = unary.span().byte_range();
        if number.is_some() {
            self.begin(range.start, "((");
        }
        visit::visit_expr_unary(self, unary);
        if let Some(number) = number {
            let text = format!(") != {})", self.is(number));
            self.end(range.end, &text);
        }
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.visit_expr(guard);
        }
        self.visit_expr(&arm.body);
    }

    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }
    fn visit_macro(&mut self, _: &'ast syn::Macro) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

/// Writes a file unless it has this text: Cargo compiles again what was written.
fn write(path: &Path, text: &str) {
    if std::fs::read_to_string(path).is_ok_and(|present| present == text) {
        return;
    }
    std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (root, list) = (arguments.next().expect("ROOT"), arguments.next().expect("LIST"));
    let root = Path::new(&root);
    let excluded = std::env::var("EXCLUDED").ok().map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let excluded = excluded.unwrap_or_default();
    let excluded = excluded.lines().filter_map(|line| {
        let (path, line) = line.rsplit_once(':')?;
        Some((path.to_owned(), line.parse().ok()?))
    });
    let excluded: HashSet<(String, usize)> = excluded.collect();
    let (mut next, mut lines) = (0, String::new());
    for path in arguments {
        let original = root.join(format!("{path}.original"));
        let text = std::fs::read_to_string(original).unwrap_or_else(|error| panic!("{path}: {error}"));
        let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
        let switch = if path.starts_with("crates/tiledb-core/") { "crate::mutants" } else { "::tiledb_core::mutants" };
        let mut mutator = Mutator {
            path: &path,
            switch,
            excluded: &excluded,
            next: &mut next,
            insertions: BTreeMap::new(),
            list: String::new(),
            function: String::new(),
            is_const: false,
        };
        mutator.visit_file(&file);
        let mut mutated = String::with_capacity(2 * text.len());
        let mut at = 0;
        for (offset, insertion) in &mutator.insertions {
            mutated.push_str(&text[at..*offset]);
            mutated.push_str(&insertion.ends);
            mutated.push_str(&insertion.beginnings);
            at = offset + insertion.omitted;
        }
        mutated.push_str(&text[at..]);
        lines.push_str(&mutator.list);
        write(&root.join(&path), &mutated);
    }
    let core = root.join("crates/tiledb-core/src");
    write(&core.join("mutants.rs"), include_str!("switch.rs"));
    let library = std::fs::read_to_string(core.join("lib.rs")).expect("lib.rs");
    let declaration = "\n#[allow(missing_docs)]\npub mod mutants;\n";
    if !library.contains(declaration) {
        std::fs::write(core.join("lib.rs"), library + declaration).expect("lib.rs");
    }
    std::fs::write(list, lines).expect("LIST");
    println!("{next} mutants");
}
