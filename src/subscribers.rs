//! Several readers of one list of changes, none of which takes changes from another
//! (publish-subscribe): when a reader reads, the list is emptied into the own list of each reader.
//! A reader that is dropped is forgotten.

use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The list of one reader.
#[derive(Debug)]
pub(crate) struct Subscription<L>(Arc<Mutex<L>>);

impl<L: Default> Subscription<L> {
    /// Returns the data published since the last call.
    pub(crate) fn take(&self) -> L {
        self.with(core::mem::take)
    }

    pub(crate) fn with<R>(&self, of: impl FnOnce(&mut L) -> R) -> R {
        of(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The lists of all readers that have not been dropped.
#[derive(Debug)]
pub(crate) struct Subscribers<L>(Vec<Weak<Mutex<L>>>);

impl<L> Default for Subscribers<L> {
    fn default() -> Self {
        Subscribers(Vec::new())
    }
}

impl<L: Default> Subscribers<L> {
    pub(crate) fn subscribe(&mut self) -> Subscription<L> {
        let list = Arc::new(Mutex::new(L::default()));
        self.0.push(Arc::downgrade(&list));
        Subscription(list)
    }

    /// Returns whether there is any reader.
    pub(crate) fn are_any(&mut self) -> bool {
        self.0.retain(|list| list.strong_count() > 0);
        !self.0.is_empty()
    }

    /// Hands each list to a function.
    pub(crate) fn publish(&mut self, mut to: impl FnMut(&mut L)) {
        for list in self.0.iter().filter_map(Weak::upgrade) {
            Subscription(list).with(&mut to);
        }
    }
}
