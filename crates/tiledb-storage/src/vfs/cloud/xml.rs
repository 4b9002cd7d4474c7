//! XML documents in responses of stores.

use quick_xml::Reader;
use quick_xml::events::Event;

use tiledb_core::error::{Error, ErrorKind, Result};

/// Maximum number of elements of a document: a page of 5,000 names, or 50,000 blocks.
const MOST: usize = 300_000;

/// Maximum nesting depth; responses of stores have four levels.
const DEPTH: usize = 32;

/// An element: its name without a namespace, its text, its children.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct XmlElement {
    name: String,
    text: String,
    children: Vec<XmlElement>,
}

impl XmlElement {
    /// The root of a document.
    ///
    /// # Errors
    /// `Io` if the bytes are not XML.
    pub(super) fn parse(bytes: &[u8]) -> Result<XmlElement> {
        let mut reader = Reader::from_str(std::str::from_utf8(bytes).map_err(no_xml)?);
        let (mut open, mut count) = (vec![XmlElement::default()], 0usize);
        loop {
            count += 1;
            if count > 4 * MOST {
                return Err(no_xml("it has too many elements"));
            }
            match reader.read_event().map_err(no_xml)? {
                Event::Start(start) => {
                    if open.len() > DEPTH {
                        return Err(no_xml("it is too deep"));
                    }
                    open.push(XmlElement { name: start.local_name().as_ref().to_owned(), ..XmlElement::default() });
                }
                Event::Empty(start) => {
                    let element = XmlElement { name: start.local_name().as_ref().to_owned(), ..XmlElement::default() };
                    add(&mut open, element);
                }
                Event::End(_) => {
                    let element = open.pop().filter(|_| !open.is_empty()).ok_or_else(|| no_xml("an end too many"))?;
                    add(&mut open, element);
                }
                Event::Text(piece) => say(&mut open, &piece),
                Event::CData(piece) => say(&mut open, &piece),
                Event::GeneralRef(name) => {
                    let letter = match name.resolve_char_ref().map_err(no_xml)? {
                        Some(letter) => letter.to_string(),
                        None => named(&name).ok_or_else(|| no_xml("an unknown entity"))?.to_owned(),
                    };
                    say(&mut open, &letter);
                }
                Event::Eof => break,
                _ => {}
            }
        }
        match (open.pop(), open.is_empty()) {
            (Some(mut document), true) if document.children.len() == 1 => Ok(document.children.remove(0)),
            _ => Err(no_xml("it ends too early")),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The children of a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a XmlElement> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The first child of a name.
    pub(super) fn child(&self, name: &str) -> Option<&XmlElement> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The first child.
    pub(super) fn first(&self) -> Option<&XmlElement> {
        self.children.first()
    }

    /// The text of the first child of a name.
    pub(super) fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.as_str())
    }
}

fn add(open: &mut [XmlElement], element: XmlElement) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(element);
    }
}

fn say(open: &mut [XmlElement], piece: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(piece);
    }
}

fn named(name: &str) -> Option<&'static str> {
    Some(match name {
        "lt" => "<",
        "gt" => ">",
        "amp" => "&",
        "quot" => "\"",
        "apos" => "'",
        _ => return None,
    })
}

#[cold]
fn no_xml(reason: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Io, format!("The answer of the store is no XML document: {reason}"))
}

/// Text between two tags.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\r', "&#13;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read() {
        let text =
            b"<?xml version='1.0'?>\n<List xmlns='x'><Key>a&amp;b&#x20;c&lt;</Key> <E/><Key><![CDATA[d]]></Key></List>";
        let list = XmlElement::parse(text).unwrap();
        assert_eq!(list.name(), "List");
        assert_eq!(list.all("Key").map(|key| key.text.as_str()).collect::<Vec<_>>(), ["a&b c<", "d"]);
        assert_eq!((list.text_of("E"), list.text_of("F")), (Some(""), None));
        let many = [b"<a>", &b"<b/>".repeat(3_000_000)[..], b"</a>"].concat();
        for bad in [&b""[..], b"<a>", b"</a>", b"<a><b></a>", b"x", b"<a>&nix;</a>", &b"<a>".repeat(1000), &many] {
            assert!(XmlElement::parse(bad).is_err(), "{}", String::from_utf8_lossy(bad));
        }
        assert_eq!(escaped("a<b>&\r"), "a&lt;b&gt;&amp;&#13;");
    }
}
