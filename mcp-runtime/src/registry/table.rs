//! One table of tools, prompts or resources: sorted, checked, immutable.
//!
//! What a row is, and what all tables of a server have to do with each other, is not known here.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::PageError;
use super::hash::fnv;
use super::page::Pages;
use crate::protocol::Revision;

/// Something that a table holds.
pub(crate) trait Row {
    /// What it is found by, which no two have in common.
    fn key(&self) -> &str;
}

/// All rows of one kind, with their list.
#[derive(Debug)]
pub(crate) struct Table<T> {
    /// In order of registration: annotated functions by name, then the others as they came.
    rows: Vec<Arc<T>>,
    /// Positions in `rows`, by key.
    by_key: Vec<usize>,
    /// Hashes of keys and positions in `rows`, by hash. Numbers that lie side by side are found so quickly that a call
    /// among a thousand tools costs no more than one among three.
    by_hash: Vec<(u64, usize)>,
    /// By the places of the revisions.
    pages: [OnceLock<Pages>; Revision::COUNT],
}

impl<T: Row> Table<T> {
    /// Makes a table, or gives the rows whose keys are taken twice, by key.
    pub(crate) fn new(rows: Vec<Arc<T>>) -> Result<Self, Vec<Vec<Arc<T>>>> {
        let mut by_key: Vec<usize> = (0..rows.len()).collect();
        by_key.sort_by(|&a, &b| rows[a].key().cmp(rows[b].key()));
        let mut duplicates: BTreeMap<&str, Vec<Arc<T>>> = BTreeMap::new();
        for pair in by_key.windows(2) {
            let (first, second) = (&rows[pair[0]], &rows[pair[1]]);
            if first.key() == second.key() {
                let equal = duplicates
                    .entry(first.key())
                    .or_insert_with(|| vec![Arc::clone(first)]);
                equal.push(Arc::clone(second));
            }
        }
        if !duplicates.is_empty() {
            return Err(duplicates.into_values().collect());
        }
        let mut by_hash: Vec<_> = (0..rows.len())
            .map(|position| (fnv(rows[position].key().as_bytes()), position))
            .collect();
        by_hash.sort_unstable();
        Ok(Self {
            rows,
            by_key,
            by_hash,
            pages: Default::default(),
        })
    }

    /// The same with one more row at the end; `None` if its key is taken.
    ///
    /// Everything is put where it belongs: a program that adds a thousand rows one by one would feel it if each time all
    /// were sorted.
    pub(super) fn with(&self, row: Arc<T>) -> Option<Self> {
        let key = row.key();
        let by_key = self
            .by_key
            .binary_search_by(|position| self.rows[*position].key().cmp(key));
        let Err(place) = by_key else { return None };
        let position = self.rows.len();
        let hashed = (fnv(key.as_bytes()), position);
        let by_hash = self.by_hash.partition_point(|other| *other < hashed);
        Some(Self {
            by_key: inserted(&self.by_key, place, position),
            by_hash: inserted(&self.by_hash, by_hash, hashed),
            rows: inserted(&self.rows, position, row),
            pages: Default::default(),
        })
    }

    /// The same without the row of a key; `None` if there is none.
    pub(super) fn without(&self, key: &str) -> Option<Self> {
        let gone = self.position(key)?;
        let stay = |position: &usize| *position != gone;
        let moved = |position: usize| position - usize::from(position > gone);
        let rows = self.rows.iter().enumerate();
        let rows = rows.filter(|(position, _)| stay(position));
        let by_key = self.by_key.iter().copied().filter(stay);
        let by_hash = self.by_hash.iter().filter(|(_, position)| stay(position));
        Some(Self {
            rows: rows.map(|(_, row)| Arc::clone(row)).collect(),
            by_key: by_key.map(moved).collect(),
            by_hash: by_hash
                .map(|(hash, position)| (*hash, moved(*position)))
                .collect(),
            pages: Default::default(),
        })
    }

    /// The row of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Arc<T>> {
        self.position(key).map(|position| &self.rows[position])
    }

    fn position(&self, key: &str) -> Option<usize> {
        let wanted = fnv(key.as_bytes());
        let first = self.by_hash.partition_point(|(hash, _)| *hash < wanted);
        self.by_hash[first..]
            .iter()
            .take_while(|(hash, _)| *hash == wanted)
            .map(|(_, position)| *position)
            .find(|position| self.rows[*position].key() == key)
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All rows, in order of registration.
    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = &Arc<T>> {
        self.rows.iter()
    }

    /// All rows, by key.
    pub(crate) fn sorted(&self) -> impl Iterator<Item = &Arc<T>> {
        self.by_key.iter().map(|&position| &self.rows[position])
    }

    /// The pages of the list, made on first use.
    pub(super) fn pages(&self, revision: &Revision, make: impl FnOnce() -> Pages) -> &Pages {
        self.pages[revision.index].get_or_init(make)
    }

    /// One page of the list, as the JSON text of its members. The bytes are made on first use.
    ///
    /// `member` is the name of the list; `write` writes a row that can be shown.
    pub(crate) fn page(
        &self,
        revision: &Revision,
        cursor: Option<&str>,
        member: &str,
        page_size: usize,
        write: impl Fn(&T, &Revision, &mut Vec<u8>),
    ) -> Result<&Arc<[u8]>, PageError> {
        let make = || {
            let written = |row: &Arc<T>| {
                let mut item = Vec::new();
                write(row, revision, &mut item);
                item
            };
            let items: Vec<_> = self.sorted().map(written).collect();
            Pages::new(member, &items, page_size)
        };
        self.pages(revision, make).page(cursor)
    }
}

/// A copy with one element more.
fn inserted<T: Clone>(elements: &[T], place: usize, element: T) -> Vec<T> {
    let mut grown = Vec::with_capacity(elements.len() + 1);
    grown.extend_from_slice(&elements[..place]);
    grown.push(element);
    grown.extend_from_slice(&elements[place..]);
    grown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Named(String);

    impl Row for Named {
        fn key(&self) -> &str {
            &self.0
        }
    }

    fn row(number: usize) -> Arc<Named> {
        Arc::new(Named(format!("row {number}")))
    }

    /// Everything that is known of a table, in a form that can be compared.
    fn shown(table: &Table<Named>) -> [Vec<String>; 3] {
        let registered = table.rows().map(|row| row.0.clone());
        let sorted = table.sorted().map(|row| row.0.clone());
        let found = table.rows().map(|row| table.get(&row.0).unwrap().0.clone());
        [registered.collect(), sorted.collect(), found.collect()]
    }

    #[test]
    fn a_table_that_has_changed_is_one_that_was_made_of_its_rows() {
        let mut table = Table::new(Vec::new()).unwrap();
        let mut rows = Vec::new();
        for step in 0..400 {
            // Steps through all numbers below 40 in an order that is not that of the names, adding and removing by turns.
            let number = step * 27 % 40;
            let name = row(number).0.clone();
            if step % 3 == 2 {
                let there = rows.iter().position(|row: &Arc<Named>| row.0 == name);
                match there {
                    Some(position) => {
                        rows.remove(position);
                        table = table.without(&name).unwrap();
                    }
                    None => assert!(table.without(&name).is_none()),
                }
            } else if rows.iter().any(|row| row.0 == name) {
                assert!(table.with(row(number)).is_none());
            } else {
                rows.push(row(number));
                table = table.with(row(number)).unwrap();
            }
            assert_eq!(shown(&table), shown(&Table::new(rows.clone()).unwrap()));
            assert_eq!(
                table.get(&name).is_some(),
                rows.iter().any(|row| row.0 == name)
            );
        }
        assert!(rows.len() > 5);
    }
}
