//! Memory budget and leases.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::memory_usage::MemoryUsage;
use super::{BudgetShare, KINDS, MemoryKind, TOTAL};
use crate::error::{Error, ErrorKind, Result, bail};
use crate::limits::compute::MIN_LEASED_ITEMS;
use crate::memory;
use crate::sync::atomic::{AtomicU64, Ordering};

/// A memory limit, shared by all clones.
#[derive(Clone)]
pub struct Budget(Arc<Inner>);

struct Inner {
    limit: u64,
    /// The share of the configured budget that the limit is.
    share: BudgetShare,
    /// Whether requests beyond the limit fail.
    refuses: bool,
    used: AtomicU64,
    peak: AtomicU64,
    by_kind: [AtomicU64; KINDS.len()],
    /// Bytes that were added to a cache since the last part.
    admitted: AtomicU64,
}

impl Inner {
    fn new(limit: u64) -> Inner {
        Inner {
            limit,
            share: BudgetShare::ALL,
            refuses: true,
            used: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            by_kind: std::array::from_fn(|_| AtomicU64::new(0)),
            admitted: AtomicU64::new(0),
        }
    }
}

impl Budget {
    /// A budget of `limit` bytes.
    pub fn new(limit: u64) -> Self {
        Budget(Arc::new(Inner::new(limit)))
    }

    /// A part of a budget of `total` bytes (parameter `sm.mem.total_budget`).
    pub fn with_share(total: u64, share: BudgetShare) -> Self {
        Budget(Arc::new(Inner { share, ..Inner::new(share.part(total)) }))
    }

    /// A budget that rejects no request: it counts memory that is required in any case. Consumers that can work with less
    /// memory limit themselves to the remainder of `limit` bytes.
    pub fn advisory(limit: u64) -> Self {
        Budget(Arc::new(Inner { refuses: false, ..Inner::new(limit) }))
    }

    /// The limit in bytes.
    pub fn limit(&self) -> u64 {
        self.0.limit
    }

    /// Bytes leased now.
    pub fn used(&self) -> u64 {
        self.0.used.load(Ordering::Relaxed)
    }

    /// The most bytes that were leased at one time.
    pub fn peak(&self) -> u64 {
        self.0.peak.load(Ordering::Relaxed)
    }

    /// Bytes leased now for `kind`.
    pub fn used_by(&self, kind: MemoryKind) -> u64 {
        self.0.by_kind[kind as usize].load(Ordering::Relaxed)
    }

    /// Bytes that can still be leased.
    #[inline]
    pub fn available(&self) -> u64 {
        self.0.limit.saturating_sub(self.used())
    }

    /// Counts bytes that are to be added to a cache; false if they exceed `most` in this part of the results. Cached bytes
    /// are not leased.
    pub fn admit(&self, bytes: u64, most: u64) -> bool {
        self.0.admitted.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) <= most
    }

    /// Begins a part of the results, which may fill its share of a cache again.
    pub fn begin_part(&self) {
        self.0.admitted.store(0, Ordering::Relaxed);
    }

    /// Reserves `bytes` and constructs the value that uses them.
    ///
    /// # Errors
    /// [`ErrorKind::Budget`], naming the parameter, the need and the limit; or the error of `make`.
    pub fn lease<T: MemoryUsage>(
        &self,
        kind: MemoryKind,
        bytes: u64,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Lease<T>> {
        self.take(kind, bytes)?;
        let lease = Reservation { budget: self.clone(), kind, bytes };
        Lease { value: make()?, lease }.checked()
    }

    /// Reserves `bytes` permanently, for memory that outlives the budget.
    ///
    /// # Errors
    /// As [`Budget::lease`].
    pub fn take_permanently(&self, kind: MemoryKind, bytes: u64) -> Result<()> {
        self.take(kind, bytes)
    }

    fn take(&self, kind: MemoryKind, bytes: u64) -> Result<()> {
        let inner = &*self.0;
        let fits = |used: u64| used.checked_add(bytes).filter(|&sum| !inner.refuses || sum <= inner.limit);
        let before = inner
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .map_err(|used| exceeded(kind, bytes, used, inner))?;
        inner.peak.fetch_max(before.saturating_add(bytes), Ordering::Relaxed);
        inner.by_kind[kind as usize].fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn release(&self, kind: MemoryKind, bytes: u64) {
        self.0.by_kind[kind as usize].fetch_sub(bytes, Ordering::Relaxed);
        self.0.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

#[cold]
fn exceeded(kind: MemoryKind, bytes: u64, used: u64, inner: &Inner) -> Error {
    let Inner { limit, share, .. } = *inner;
    let (what, need) = (kind.name(), used.saturating_add(bytes));
    let total = share.total(need);
    let has = match share {
        BudgetShare::ALL => format!("more than the memory budget of {limit} bytes"),
        BudgetShare { weight, of } => {
            format!("more than the {limit} bytes that are its {weight} of {of} parts of the memory budget")
        }
    };
    Error::new(
        ErrorKind::Budget,
        format!(
            "Cannot reserve {bytes} bytes for {what}; the query would hold {need} bytes, {has}; raise '{TOTAL}' to at \
             least {total}"
        ),
    )
}

/// Bytes reserved from a [`Budget`], released on drop. It never exists without the memory that it accounts for.
struct Reservation {
    budget: Budget,
    kind: MemoryKind,
    bytes: u64,
}

impl Reservation {
    /// Releases all but `bytes`.
    fn shrink_to(&mut self, bytes: u64) {
        let less = self.bytes.saturating_sub(bytes);
        self.bytes -= less;
        self.budget.release(self.kind, less);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget.release(self.kind, self.bytes);
    }
}

/// A value with the lease of the memory that it takes. They stay together: the value cannot be taken out, and when both
/// go its memory goes first.
pub struct Lease<T> {
    // The order of the fields is the order in which they are dropped.
    value: T,
    lease: Reservation,
}

impl<T: MemoryUsage> Lease<T> {
    /// Transforms the value into one that uses no more memory.
    ///
    /// # Errors
    /// The error of `change`.
    pub fn map<U: MemoryUsage>(self, change: impl FnOnce(T) -> Result<U>) -> Result<Lease<U>> {
        let Lease { value, lease } = self;
        Lease { value: change(value)?, lease }.checked()
    }

    /// Leases `more` bytes, and has them used.
    ///
    /// # Errors
    /// [`ErrorKind::Budget`], or what `change` gives.
    pub fn grow<R>(&mut self, more: u64, change: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
        self.lease.budget.take(self.lease.kind, more)?;
        self.lease.bytes += more;
        let made = change(&mut self.value);
        self.check()?;
        made
    }

    /// Modifies the value, then adjusts the reservation to its memory usage: for advisory budgets.
    ///
    /// # Errors
    /// [`ErrorKind::Budget`] for other budgets.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> Result<R> {
        let made = change(&mut self.value);
        let used = self.value.memory_usage();
        let more = used.saturating_sub(self.lease.bytes);
        self.lease.budget.take(self.lease.kind, more)?;
        self.lease.bytes += more;
        self.lease.shrink_to(used);
        Ok(made)
    }

    /// Releases what the value does not use.
    #[must_use]
    pub fn fit(mut self) -> Lease<T> {
        self.lease.shrink_to(self.value.memory_usage());
        self
    }

    fn checked(self) -> Result<Lease<T>> {
        self.check()?;
        Ok(self)
    }

    /// In debug builds, tests included, rejects values that use more memory than they reserved.
    fn check(&self) -> Result<()> {
        let (used, leased) = (self.value.memory_usage(), self.lease.bytes);
        if cfg!(debug_assertions) && used > leased {
            bail!(Internal, "{used} bytes of memory for {} in a lease of {leased}", self.lease.kind.name());
        }
        Ok(())
    }
}

impl<T> Lease<Vec<T>>
where
    Vec<T>: MemoryUsage,
{
    /// Appends an item; reserves memory for more items when the vector is full.
    ///
    /// # Errors
    /// As [`Lease::grow`], or if allocation fails.
    #[inline]
    pub fn push(&mut self, what: &str, item: T) -> Result<()> {
        if self.value.len() == self.value.capacity() {
            let more = self.value.len().max(MIN_LEASED_ITEMS.count());
            let bytes = more.saturating_mul(size_of::<T>()) as u64;
            self.grow(bytes, |items| memory::reserve(what, items, more))?;
        }
        self.value.push(item);
        Ok(())
    }
}

impl<T> Lease<T> {
    /// The items, to be changed.
    pub fn slice_mut<X>(&mut self) -> &mut [X]
    where
        T: DerefMut<Target = [X]>,
    {
        &mut self.value
    }
}

impl<T> Deref for Lease<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(budget: &Budget, kind: MemoryKind, count: usize) -> Result<Lease<Vec<u8>>> {
        budget.lease(kind, count as u64, || Ok(vec![0; count]))
    }

    #[test]
    fn leases_are_bounded_and_released() {
        let budget = Budget::new(100);
        let mut tiles = bytes(&budget, MemoryKind::AttributeTiles, 60).unwrap();
        let rtree = bytes(&budget, MemoryKind::RTree, 40).unwrap();
        assert_eq!((budget.available(), budget.used_by(MemoryKind::RTree)), (0, 40));
        assert!(tiles.grow(1, |_| Ok(())).is_err());
        drop(rtree);
        let reserve = |tiles: &mut Vec<u8>| {
            tiles.reserve_exact(40);
            Ok(())
        };
        tiles.grow(40, reserve).unwrap();
        assert_eq!((budget.used(), tiles.len()), (100, 60));
        let tiles = tiles.map(|tiles| Ok(tiles[..30].to_vec())).unwrap().fit();
        assert_eq!((budget.used(), budget.used_by(MemoryKind::AttributeTiles)), (30, 30));
        bytes(&budget, MemoryKind::Results, 70).unwrap();
        assert!(bytes(&budget, MemoryKind::Results, 71).is_err());
        drop(tiles);
        assert_eq!((budget.used(), budget.peak()), (0, 100));
        budget.take_permanently(MemoryKind::Buffers, 10).unwrap();
        assert_eq!(budget.available(), 90);
    }

    /// Records the bytes in use in its budget at the time it is dropped.
    struct Last(Budget, Arc<AtomicU64>);

    impl MemoryUsage for Last {
        fn memory_usage(&self) -> u64 {
            7
        }
    }

    impl Drop for Last {
        fn drop(&mut self) {
            self.1.store(self.0.used(), Ordering::Relaxed);
        }
    }

    #[test]
    fn memory_goes_before_its_lease() {
        let (budget, used_at_drop) = (Budget::new(100), Arc::new(AtomicU64::new(0)));
        let last = || Ok(Last(budget.clone(), used_at_drop.clone()));
        drop(budget.lease(MemoryKind::Results, 9, last).unwrap());
        assert_eq!((used_at_drop.swap(0, Ordering::Relaxed), budget.used()), (9, 0));
        // Also if it is transformed.
        let leased = budget.lease(MemoryKind::Results, 9, last).unwrap();
        _ = leased.map(|last| Ok(Some(last))).unwrap();
        assert_eq!((used_at_drop.swap(0, Ordering::Relaxed), budget.used()), (9, 0));
        assert!(budget.lease(MemoryKind::Results, 6, last).is_err() && budget.used() == 0);
        assert_eq!(used_at_drop.load(Ordering::Relaxed), 6);
    }

    #[test]
    fn items_are_leased_before_they_come() {
        let budget = Budget::new(100 * 8);
        let mut items = budget.lease(MemoryKind::Results, 0, || Ok(Vec::<u64>::new())).unwrap();
        for item in 0..64 {
            items.push("items", item).unwrap();
        }
        assert_eq!(budget.used(), 64 * 8);
        assert_eq!(items.push("items", 64).unwrap_err().kind(), ErrorKind::Budget);
        items.slice_mut()[3] = 9;
        assert_eq!((items.len(), items[3]), (64, 9));
    }

    #[test]
    fn work_is_counted_and_not_refused() {
        let budget = Budget::advisory(10);
        let mut tail = bytes(&budget, MemoryKind::Buffers, 7).unwrap();
        tail.change(|tail| *tail = vec![0; 12]).unwrap();
        assert_eq!((budget.used(), budget.available()), (12, 0));
        tail.change(|tail| *tail = vec![0; 4]).unwrap();
        assert_eq!(budget.available(), 6);
    }

    #[test]
    fn the_error_of_a_part_names_the_whole() {
        let budget = Budget::with_share(40, BudgetShare { weight: 2, of: 8 });
        let error = bytes(&budget, MemoryKind::Buffers, 11).err().unwrap();
        for part in ["hold 11 bytes", "the 10 bytes", "2 of 8 parts", "at least 44"] {
            assert!(error.text().contains(part), "{part} is missing in {}", error.text());
        }
    }

    #[test]
    fn the_error_names_key_need_and_limit() {
        let budget = Budget::new(10);
        let _lease = bytes(&budget, MemoryKind::Buffers, 4).unwrap();
        let error = bytes(&budget, MemoryKind::RTree, 7).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Budget);
        for part in ["sm.mem.total_budget", "7 bytes for R-trees", "11 bytes", "10 bytes"] {
            assert!(error.text().contains(part), "{part} is missing in {}", error.text());
        }
        assert!(budget.lease(MemoryKind::RTree, u64::MAX, || Ok(Vec::<u8>::new())).is_err());
    }
}
