//! List of items with a hash index by name.

use std::ops::Deref;
use std::sync::Arc;

use super::{KeyIndex, Name};

/// An item of a [`NamedList`]. Its name does not change while it is in the list.
pub trait HasName {
    fn name(&self) -> &Name;
}

impl<T: HasName> HasName for Arc<T> {
    fn name(&self) -> &Name {
        (**self).name()
    }
}

impl HasName for Name {
    fn name(&self) -> &Name {
        self
    }
}

impl<T> HasName for (Name, T) {
    fn name(&self) -> &Name {
        &self.0
    }
}

/// Items in the order they were added, with a hash index by name: appending and looking up take constant time.
#[derive(Clone, Debug)]
pub struct NamedList<T> {
    items: Vec<T>,
    index: KeyIndex,
}

impl<T> Default for NamedList<T> {
    fn default() -> Self {
        NamedList { items: Vec::new(), index: KeyIndex::default() }
    }
}

impl<T: HasName> NamedList<T> {
    /// Appends an item. Of items of one name, the first is found.
    pub fn push(&mut self, item: T) {
        self.items.push(item);
        let items = &self.items;
        self.index.append(|place| key_of(items, place));
    }

    /// The position of the item with this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.index.find(name.as_bytes(), |place| key_of(&self.items, place))
    }

    /// The item at a position.
    pub fn at(&self, place: usize) -> Option<&T> {
        self.items.get(place)
    }

    /// The item with this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.position(name).map(|place| &self.items[place])
    }

    /// The item with this name, to be changed but for its name.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        self.position(name).map(|place| &mut self.items[place])
    }

    /// The item with this name, appended if there is none.
    pub fn get_or_push(&mut self, name: &str, item: impl FnOnce() -> T) -> &mut T {
        let place = self.position(name).unwrap_or(self.items.len());
        if place == self.items.len() {
            self.push(item());
        }
        &mut self.items[place]
    }

    /// All items, to be changed but for their names.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// Removes the items for which `keep` is false.
    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        let before = self.items.len();
        self.items.retain(keep);
        if self.items.len() < before {
            self.index = index_of(&self.items);
        }
    }

    /// Removes all items.
    pub fn clear(&mut self) {
        *self = NamedList::default();
    }
}

fn key_of<T: HasName>(items: &[T], place: usize) -> &[u8] {
    items[place].name().as_str().as_bytes()
}

fn index_of<T: HasName>(items: &[T]) -> KeyIndex {
    KeyIndex::new(items.iter().map(|item| item.name().as_str().as_bytes()))
}

impl<T: HasName> From<Vec<T>> for NamedList<T> {
    fn from(items: Vec<T>) -> Self {
        let index = index_of(&items);
        NamedList { items, index }
    }
}

impl<T: HasName> FromIterator<T> for NamedList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        items.into_iter().collect::<Vec<T>>().into()
    }
}

impl<T> Deref for NamedList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T: PartialEq> PartialEq for NamedList<T> {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl<'a, T> IntoIterator for &'a NamedList<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut NamedList<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_looked_up_by_name_and_listed_in_order() {
        let mut list: NamedList<(Name, usize)> = NamedList::default();
        assert_eq!(list.get("n3"), None);
        (0..100).for_each(|number| list.push((Name::new(&format!("n{number}")), number)));
        assert_eq!(list.position("n42"), Some(42));
        list.get_mut("n42").unwrap().1 = 7;
        assert_eq!(list[42].1, 7);
        list.retain(|(_, number)| number % 2 == 1);
        assert_eq!((list.len(), list.position("n43"), list.position("n44")), (51, Some(22), None));
        list.clear();
        assert!(list.is_empty() && list.get("n43").is_none());
    }
}
