//! Leases under many schedules.

use super::*;
use crate::sync::{exhaust, explore, thread};

fn bytes(budget: &Budget, kind: MemoryKind, count: usize) -> Result<Lease<Vec<u8>>> {
    budget.lease(kind, count as u64, || Ok(vec![0; count]))
}

#[test]
fn leases_never_exceed_their_budget_and_are_released() {
    explore(|| {
        let budget = Budget::new(10);
        let leased = AtomicU64::new(0);
        let hold = |bytes: u64| {
            let all = leased.fetch_add(bytes, Ordering::Relaxed) + bytes;
            assert!(all <= 10, "{all} bytes are leased");
        };
        thread::scope(|scope| {
            for (kind, count) in [(MemoryKind::Results, 4), (MemoryKind::Results, 6), (MemoryKind::RTree, 5)] {
                let (budget, leased, hold) = (&budget, &leased, &hold);
                scope.spawn(move || {
                    let Ok(mut lease) = bytes(budget, kind, count) else { return };
                    hold(count as u64);
                    let grown = lease.grow(2, |items| memory::reserve("bytes", items, 2)).is_ok();
                    if grown {
                        hold(2);
                    }
                    assert!(budget.used() <= 10 && budget.peak() <= 10);
                    leased.fetch_sub(count as u64 + 2 * u64::from(grown), Ordering::Relaxed);
                    drop(lease);
                });
            }
        });
        assert!((6..=10).contains(&budget.peak()), "{}", budget.peak());
        let kinds = [MemoryKind::Results, MemoryKind::RTree].map(|kind| budget.used_by(kind));
        assert_eq!((budget.used(), kinds), (0, [0, 0]));
    });
}

#[test]
fn one_of_two_leases_that_do_not_fit_together_is_granted() {
    exhaust(|| {
        let budget = Budget::new(10);
        let lease = || bytes(&budget, MemoryKind::Results, 6);
        let leases = thread::scope(|scope| {
            let other = scope.spawn(lease);
            [lease(), other.join().unwrap()]
        });
        assert_eq!(leases.iter().filter(|lease| lease.is_ok()).count(), 1);
        assert_eq!((budget.used(), budget.peak()), (6, 6));
        drop(leases);
        assert_eq!(budget.used(), 0);
    });
}

#[test]
fn cache_admits_no_more_bytes_than_allowed() {
    exhaust(|| {
        let budget = Budget::new(0);
        let admit = || u64::from(budget.admit(4, 10)) * 4;
        let admitted: u64 = thread::scope(|scope| {
            let others = [scope.spawn(admit), scope.spawn(admit)];
            admit() + others.map(|other| other.join().unwrap()).iter().sum::<u64>()
        });
        assert_eq!(admitted, 8);
    });
}
