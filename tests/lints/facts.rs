//! Facts about one source file: its modules, names, paths, `unsafe` blocks and version comparisons, without its tests.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Item, UseTree, Visibility};

/// A module as a list of names: of `crates/tiledb-query`, `query` first, of `crates/tiledb`, `tiledb`, of the root package, those below
/// `src/`.
pub type Module = Vec<String>;

/// What one file says.
#[derive(Default)]
pub struct Facts {
    /// From the root of the project on.
    pub path: String,
    pub module: Module,
    pub text: String,
    /// Lines of text, those of tests included.
    pub lines: usize,
    pub paths: Vec<Named>,
    /// The modules in this file: its own, and those with a body inside it.
    pub modules: BTreeSet<Module>,
    /// The modules that are only compiled for tests, and stand in files of their own.
    pub tests: Vec<Module>,
    /// Names defined here, each with its module.
    pub items: BTreeSet<(Module, String)>,
    /// Names of macros defined by `macro_rules!`.
    pub macros: BTreeSet<String>,
    /// How many items, methods and fields are declared as `pub`.
    pub public: usize,
    /// Lines with `unsafe`, and what is unsafe there.
    pub unsafes: Vec<(usize, &'static str)>,
    /// Public items, and functions of public traits, without a description.
    pub bare: Vec<(usize, String)>,
    /// Lines on which a version is compared with a number.
    pub versions: Vec<usize>,
    /// Constants that are numbers or durations, with their lines.
    pub numbers: Vec<(usize, String)>,
}

/// A path as it stands in the source.
#[derive(Clone)]
pub struct Named {
    /// The module it stands in.
    pub from: Module,
    pub line: usize,
    pub segments: Vec<String>,
    pub kind: Kind,
}

#[derive(Clone, PartialEq, Eq)]
pub enum Kind {
    /// `use path as name`; whether others see the name.
    Use { name: String, public: bool },
    /// `use path::*`.
    Glob { public: bool },
    /// In an expression, a type, a pattern or a macro's arguments.
    Plain,
    /// A macro called by its name alone.
    Macro,
}

/// What the file at this path says.
pub fn of(path: &str, text: &str) -> Facts {
    let mut file = syn::parse_file(text).unwrap_or_else(|e| panic!("{path}: {e}"));
    let module = module(path);
    let mut without = WithoutTests { module: module.clone(), tests: Vec::new() };
    without.visit_file_mut(&mut file);
    let facts = Facts {
        path: path.to_owned(),
        text: text.to_owned(),
        lines: text.lines().count(),
        tests: without.tests,
        ..Facts::default()
    };
    let mut reader = Reader { facts, module: module.clone() };
    reader.facts.modules.insert(module.clone());
    reader.facts.module = module;
    reader.visit_file(&file);
    reader.facts
}

fn module(path: &str) -> Module {
    let inside = path.strip_prefix("src/").or_else(|| path.strip_prefix("crates/tiledb-"));
    // `crates/tiledb` is `tiledb` itself.
    let inside = inside.or_else(|| path.strip_prefix("crates/")).unwrap_or(path);
    let (root, inside) = inside.split_once("/src/").unwrap_or(("", inside));
    let inside = inside.trim_end_matches(".rs");
    let inside = inside.strip_suffix("mod").filter(|rest| rest.is_empty() || rest.ends_with('/')).unwrap_or(inside);
    let names = std::iter::once(root).chain(inside.split('/'));
    names.filter(|name| !name.is_empty() && *name != "lib").map(str::to_owned).collect()
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let argument = attribute.meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default();
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg") && (argument == "test" || argument.starts_with("any (test")))
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Takes out what is compiled for tests only.
struct WithoutTests {
    module: Module,
    tests: Vec<Module>,
}

impl WithoutTests {
    fn retain(&mut self, items: &mut Vec<Item>) {
        for item in &*items {
            if let Item::Mod(item) = item
                && item.content.is_none()
                && is_test(&item.attrs)
            {
                self.tests.push([self.module.clone(), vec![item.ident.to_string()]].concat());
            }
        }
        items.retain(|item| !is_test(attributes(item)));
    }
}

impl VisitMut for WithoutTests {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        self.retain(&mut file.items);
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, item: &mut syn::ItemMod) {
        self.module.push(item.ident.to_string());
        if let Some((_, items)) = &mut item.content {
            self.retain(items);
        }
        visit_mut::visit_item_mod_mut(self, item);
        self.module.pop();
    }

    fn visit_item_impl_mut(&mut self, item: &mut syn::ItemImpl) {
        item.items.retain(|part| match part {
            syn::ImplItem::Const(part) => !is_test(&part.attrs),
            syn::ImplItem::Fn(part) => !is_test(&part.attrs),
            syn::ImplItem::Type(part) => !is_test(&part.attrs),
            _ => true,
        });
        visit_mut::visit_item_impl_mut(self, item);
    }

    fn visit_item_trait_mut(&mut self, item: &mut syn::ItemTrait) {
        item.items.retain(|part| !matches!(part, syn::TraitItem::Fn(part) if is_test(&part.attrs)));
        visit_mut::visit_item_trait_mut(self, item);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.retain(|statement| match statement {
            syn::Stmt::Local(local) => !is_test(&local.attrs),
            syn::Stmt::Item(item) => !is_test(attributes(item)),
            syn::Stmt::Macro(call) => !is_test(&call.attrs),
            syn::Stmt::Expr(syn::Expr::Block(block), _) => !is_test(&block.attrs),
            syn::Stmt::Expr(syn::Expr::Call(call), _) => !is_test(&call.attrs),
            syn::Stmt::Expr(syn::Expr::MethodCall(call), _) => !is_test(&call.attrs),
            _ => true,
        });
        visit_mut::visit_block_mut(self, block);
    }
}

/// Collects what a file without its tests says.
struct Reader {
    facts: Facts,
    module: Module,
}

impl Reader {
    fn name(&mut self, span: Span, segments: Vec<String>, kind: Kind) {
        self.facts.paths.push(Named { from: self.module.clone(), line: span.start().line, segments, kind });
    }

    fn used(&mut self, tree: &UseTree, before: &[String], public: bool) {
        match tree {
            UseTree::Path(path) => {
                let before = [before, &[path.ident.to_string()]].concat();
                self.used(&path.tree, &before, public);
            }
            UseTree::Name(name) if name.ident == "self" => {
                let last = before.last().cloned().unwrap_or_default();
                self.name(tree.span(), before.to_vec(), Kind::Use { name: last, public });
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                let segments = [before, std::slice::from_ref(&name)].concat();
                self.name(tree.span(), segments, Kind::Use { name, public });
            }
            UseTree::Rename(renamed) => {
                let mut segments = before.to_vec();
                segments.extend((renamed.ident != "self").then(|| renamed.ident.to_string()));
                self.name(tree.span(), segments, Kind::Use { name: renamed.rename.to_string(), public });
            }
            UseTree::Glob(_) => self.name(tree.span(), before.to_vec(), Kind::Glob { public }),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.used(tree, before, public)),
        }
    }

    fn is_unsafe(&mut self, token: Option<&syn::token::Unsafe>, what: &'static str) {
        if let Some(token) = token {
            self.facts.unsafes.push((token.span.start().line, what));
        }
    }

    /// Takes note of something public that nobody describes.
    fn described(&mut self, visibility: &Visibility, attributes: &[Attribute], name: &proc_macro2::Ident) {
        let is_described = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
        if matches!(visibility, Visibility::Public(_)) && !is_described {
            self.facts.bare.push((name.span().start().line, name.to_string()));
        }
    }

    /// Takes note of a constant that is a number or a duration.
    fn constant(&mut self, name: &proc_macro2::Ident, ty: &syn::Type) {
        let syn::Type::Path(ty) = ty else { return };
        let Some(ty) = ty.path.segments.last().map(|segment| segment.ident.to_string()) else { return };
        let is_primitive =
            ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64"]
                .contains(&ty.as_str());
        if is_primitive || ty == "Duration" || ty.starts_with("NonZero") {
            self.facts.numbers.push((name.span().start().line, name.to_string()));
        }
    }

    /// Paths, `unsafe`s and comparisons among the tokens of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut path: Vec<String> = Vec::new();
        let mut start = Span::call_site();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Ident(word) if word == "unsafe" => {
                    let what = match tokens.get(at) {
                        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => "a block",
                        _ => "an item",
                    };
                    self.facts.unsafes.push((word.span().start().line, what));
                }
                TokenTree::Ident(word) => {
                    if path.is_empty() {
                        start = word.span();
                    }
                    path.push(word.to_string());
                    let is_colon =
                        |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ':');
                    if is_colon(at) && is_colon(at + 1) && matches!(tokens.get(at + 2), Some(TokenTree::Ident(_))) {
                        at += 2;
                        continue;
                    }
                    let path = std::mem::take(&mut path);
                    let called = matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == '!');
                    if path.len() > 1 {
                        self.name(start, path, Kind::Plain);
                    } else if called {
                        self.name(start, path, Kind::Macro);
                    }
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Const(syn::ItemConst { vis, ident, .. })
            | Item::Enum(syn::ItemEnum { vis, ident, .. })
            | Item::Static(syn::ItemStatic { vis, ident, .. })
            | Item::Struct(syn::ItemStruct { vis, ident, .. })
            | Item::Trait(syn::ItemTrait { vis, ident, .. })
            | Item::Type(syn::ItemType { vis, ident, .. })
            | Item::Union(syn::ItemUnion { vis, ident, .. }) => self.described(vis, attributes(item), ident),
            Item::Fn(function) => self.described(&function.vis, &function.attrs, &function.sig.ident),
            _ => {}
        }
        let name = match item {
            Item::Const(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Fn(item) => Some(&item.sig.ident),
            Item::Macro(item) => item.ident.as_ref(),
            Item::Static(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Union(item) => Some(&item.ident),
            _ => None,
        };
        if let Some(name) = name {
            self.facts.items.insert((self.module.clone(), name.to_string()));
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        if item.content.is_some() {
            self.facts.modules.insert(self.module.clone());
        }
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.constant(&item.ident, &item.ty);
        visit::visit_item_const(self, item);
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.constant(&item.ident, &item.ty);
        visit::visit_item_static(self, item);
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.constant(&item.ident, &item.ty);
        visit::visit_impl_item_const(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.visit_visibility(&item.vis);
        self.used(&item.tree, &[], !matches!(item.vis, Visibility::Inherited));
    }

    /// `pub(in path)` names no one it needs.
    fn visit_visibility(&mut self, visibility: &'ast Visibility) {
        self.facts.public += usize::from(matches!(visibility, Visibility::Public(_)));
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if let Some(name) = &item.ident {
            self.facts.macros.insert(name.to_string());
        }
        visit::visit_item_macro(self, item);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let segments: Vec<String> = call.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let kind = if segments.len() == 1 { Kind::Macro } else { Kind::Plain };
        self.name(call.path.span(), segments, kind);
        self.tokens(call.tokens.clone());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.name(path.span(), segments, Kind::Plain);
        }
        visit::visit_path(self, path);
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_expr_unsafe(&mut self, block: &'ast syn::ExprUnsafe) {
        self.is_unsafe(Some(&block.unsafe_token), "a block");
        visit::visit_expr_unsafe(self, block);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.is_unsafe(signature.unsafety.as_ref(), "an item");
        visit::visit_signature(self, signature);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.is_unsafe(item.unsafety.as_ref(), "an item");
        visit::visit_item_impl(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.is_unsafe(item.unsafety.as_ref(), "an item");
        for part in &item.items {
            if let syn::TraitItem::Fn(function) = part {
                self.described(&item.vis, &function.attrs, &function.sig.ident);
            }
        }
        visit::visit_item_trait(self, item);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.described(&function.vis, &function.attrs, &function.sig.ident);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_item_foreign_mod(&mut self, item: &'ast syn::ItemForeignMod) {
        self.is_unsafe(item.unsafety.as_ref(), "an item");
        visit::visit_item_foreign_mod(self, item);
    }

    fn visit_expr_binary(&mut self, compared: &'ast syn::ExprBinary) {
        use syn::BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let compares = matches!(compared.op, Eq(_) | Ge(_) | Gt(_) | Le(_) | Lt(_) | Ne(_));
        if compares && (is_version(&compared.left) && is_number(&compared.right)) {
            self.facts.versions.push(compared.op.span().start().line);
        }
        visit::visit_expr_binary(self, compared);
    }
}

/// Whether the expression is a thing named `version`, or its number.
fn is_version(expression: &syn::Expr) -> bool {
    match expression {
        syn::Expr::Path(path) => {
            path.path.segments.last().is_some_and(|last| last.ident.to_string().ends_with("version"))
        }
        syn::Expr::Field(field) => match &field.member {
            syn::Member::Named(name) => name.to_string().ends_with("version"),
            syn::Member::Unnamed(_) => is_version(&field.base),
        },
        syn::Expr::MethodCall(call) => call.method.to_string().ends_with("version") || is_version(&call.receiver),
        syn::Expr::Call(call) => is_version(&call.func),
        syn::Expr::Paren(inner) => is_version(&inner.expr),
        syn::Expr::Unary(inner) => is_version(&inner.expr),
        _ => false,
    }
}

fn is_number(expression: &syn::Expr) -> bool {
    matches!(expression, syn::Expr::Lit(literal) if matches!(literal.lit, syn::Lit::Int(_)))
}
