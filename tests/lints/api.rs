//! The public interface of the crate `tiledb` is that of a committed list, `crates/tiledb/api.txt`: a change of it shows in a review.
//!
//! `make api` writes the list anew. It has the declarations of all public items, fields and variants, file by file: modules that
//! are private hand on what they declare as `pub`.

use std::fmt::Write;

use syn::spanned::Spanned;
use syn::{Attribute, Fields, ImplItem, Item, TraitItem, Visibility};

use super::house::root_files;

pub(crate) const LIST: &str = "crates/tiledb/api.txt";
const SOURCES: &str = "crates/tiledb/src/";

/// Modules that are not part of the interface: for the C interface alone.
const HIDDEN: [&str; 2] = ["interop", "location/"];

/// The declarations of a file.
struct Declarations<'a> {
    text: &'a str,
    lines: Vec<String>,
}

/// Whether an item is left out: hidden in the documentation, or for tests.
fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let inner = attribute.meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default();
        attribute.path().is_ident("doc") && inner == "hidden" || attribute.path().is_ident("cfg") && inner == "test"
    })
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

impl Declarations<'_> {
    /// The text of something, on one line.
    fn source(&self, item: impl Spanned) -> String {
        let text = &self.text[item.span().byte_range()];
        text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(", )", ")").replace(" ,", ",")
    }

    /// The attributes that are part of an interface, and a declaration.
    fn push(&mut self, indent: &str, attributes: &[Attribute], declaration: String) {
        let shown = ["derive", "non_exhaustive", "must_use", "cfg", "deprecated"];
        let shown = attributes.iter().filter(|attribute| shown.iter().any(|name| attribute.path().is_ident(name)));
        let shown: String = shown.map(|attribute| self.source(attribute) + " ").collect();
        self.lines.push(format!("{indent}{shown}{declaration}"));
    }

    fn fields(&mut self, fields: &Fields) {
        for field in fields.iter().filter(|field| is_public(&field.vis) && !is_hidden(&field.attrs)) {
            let name = field.ident.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
            let declaration = format!("pub {name}{}", self.source(&field.ty));
            self.push("    ", &[], declaration);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Const(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                let declaration = format!("pub const {}: {}", item.ident, self.source(&item.ty));
                self.push("", &item.attrs, declaration);
            }
            Item::Fn(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                let declaration = format!("pub {}", self.source(&item.sig));
                self.push("", &item.attrs, declaration);
            }
            Item::Mod(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                self.push("", &item.attrs, format!("pub mod {}", item.ident));
            }
            Item::Use(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                let declaration = format!("pub use {}", self.source(&item.tree));
                self.push("", &item.attrs, declaration);
            }
            Item::Type(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                let declaration =
                    format!("pub type {}{} = {}", item.ident, self.source(&item.generics), self.source(&item.ty));
                self.push("", &item.attrs, declaration);
            }
            Item::Struct(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                let declaration = format!("pub struct {}{}", item.ident, self.source(&item.generics));
                self.push("", &item.attrs, declaration);
                self.fields(&item.fields);
            }
            Item::Enum(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                let declaration = format!("pub enum {}{}", item.ident, self.source(&item.generics));
                self.push("", &item.attrs, declaration);
                for variant in &item.variants {
                    let fields = self.source(&variant.fields);
                    self.push("    ", &variant.attrs, format!("{}{fields}", variant.ident));
                }
            }
            Item::Trait(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                let bounds = self.source(&item.supertraits);
                let colon = if bounds.is_empty() { "" } else { ": " };
                let declaration = format!("pub trait {}{}{colon}{bounds}", item.ident, self.source(&item.generics));
                self.push("", &item.attrs, declaration);
                for item in &item.items {
                    if let TraitItem::Fn(item) = item {
                        let declaration = self.source(&item.sig);
                        self.push("    ", &item.attrs, declaration);
                    }
                }
            }
            Item::Impl(item) if !is_hidden(&item.attrs) => self.implementation(item),
            Item::Macro(item) if item.ident.is_none() && !is_hidden(&item.attrs) => {
                let declaration = self.source(&item.mac);
                self.push("", &[], declaration);
            }
            _ => {}
        }
    }

    fn implementation(&mut self, item: &syn::ItemImpl) {
        let generics = self.source(&item.generics);
        let target = self.source(&item.self_ty);
        if let Some((_, of, _)) = &item.trait_ {
            let declaration = format!("impl{generics} {} for {target}", self.source(of));
            return self.push("", &item.attrs, declaration);
        }
        let before = self.lines.len();
        for item in &item.items {
            match item {
                ImplItem::Fn(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                    let declaration = format!("pub {}", self.source(&item.sig));
                    self.push("    ", &item.attrs, declaration);
                }
                ImplItem::Const(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                    let declaration = format!("pub const {}: {}", item.ident, self.source(&item.ty));
                    self.push("    ", &item.attrs, declaration);
                }
                _ => {}
            }
        }
        if self.lines.len() > before {
            self.lines.insert(before, format!("impl{generics} {target}"));
        }
    }
}

/// The name of a type that only its own crate sees.
fn private_type(item: &Item) -> Option<String> {
    let (visibility, name) = match item {
        Item::Struct(item) => (&item.vis, &item.ident),
        Item::Enum(item) => (&item.vis, &item.ident),
        _ => return None,
    };
    (!is_public(visibility)).then(|| name.to_string())
}

/// The last segment of a path; empty for other types.
fn type_name(of: &syn::Type) -> String {
    match of {
        syn::Type::Path(path) => path.path.segments.last().map_or(String::new(), |last| last.ident.to_string()),
        _ => String::new(),
    }
}

/// The declarations of a text.
fn declarations(text: &str) -> Vec<String> {
    let file = syn::parse_file(text).unwrap();
    let mut declarations = Declarations { text, lines: Vec::new() };
    let private: Vec<String> = file.items.iter().filter_map(private_type).collect();
    let is_of_private = |item: &&Item| matches!(item, Item::Impl(item) if private.contains(&type_name(&item.self_ty)));
    file.items.iter().filter(|item| !is_of_private(item)).for_each(|item| declarations.item(item));
    declarations.lines
}

/// The list of all files.
fn list() -> String {
    let mut list = String::from(
        "The public interface of the crate `tiledb`, by file. `make api` writes this list; tests/lints compares it.\n",
    );
    for (path, text) in root_files(SOURCES) {
        let name = path.trim_start_matches(SOURCES);
        let lines = declarations(&text);
        if !lines.is_empty() && !HIDDEN.iter().any(|hidden| name.starts_with(hidden)) {
            write!(list, "\n# {name}\n{}\n", lines.join("\n")).unwrap();
        }
    }
    list
}

#[test]
fn api_of_the_crate_is_that_of_the_committed_list() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(LIST);
    let list = list();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &list).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let differences: Vec<String> = {
        let added =
            list.lines().filter(|line| !committed.lines().any(|other| other == *line)).map(|line| format!("+{line}"));
        let removed =
            committed.lines().filter(|line| !list.lines().any(|other| other == *line)).map(|line| format!("-{line}"));
        removed.chain(added).collect()
    };
    assert!(
        list == committed,
        "the public interface of `tiledb` has changed; if that is intended, run `make api` and add a line to CHANGELOG.md:\n{}",
        differences.join("\n")
    );
}

#[test]
fn list_has_public_items_with_their_signatures() {
    let text = "//! A module.\n#[doc(hidden)]\npub mod inside;\nmod own;\npub use own::{A,\n    B};\n\
                /// A.\n#[derive(Clone)]\n#[non_exhaustive]\npub struct A<'a, T> where T: Copy { pub x: Vec<T>, y: u8 }\n\
                impl<'a, T> A<'a, T> {\n    /// F.\n    #[must_use]\n    pub fn f(\n        &self,\n        a: u8,\n    ) -> u8 { 0 }\n    fn g() {}\n}\n\
                impl Default for B { fn default() -> B { B } }\nimpl B { fn h() {} }\n\
                pub enum E { V(u8), #[non_exhaustive] W { x: u8 } }\n#[cfg(test)]\nmod tests { pub fn t() {} }\n\
                pub(crate) fn p() {}\nkinds! { A = B, }\npub const C: u8 = 1;";
    let expected = [
        "pub use own::{A, B}",
        "#[derive(Clone)] #[non_exhaustive] pub struct A<'a, T>",
        "    pub x: Vec<T>",
        "impl<'a, T> A<'a, T>",
        "    #[must_use] pub fn f(&self, a: u8) -> u8",
        "impl Default for B",
        "pub enum E",
        "    V(u8)",
        "    #[non_exhaustive] W{ x: u8 }",
        "kinds! { A = B, }",
        "pub const C: u8",
    ];
    assert_eq!(declarations(text), expected);
}
