//! The solver never allocates: counted by the allocator itself.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use hapticd_dynamics::{Metric, Motion, Projector, Row, Status, Vec3};
use nalgebra::Matrix3;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // A thread being torn down has no counter left; nothing is measured there.
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

// SAFETY: every call is forwarded unchanged to the system allocator; the counter is a plain thread-local cell that does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's contract is passed on as it is.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count();
        // SAFETY: the caller's contract is passed on as it is.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's contract is passed on as it is.
        unsafe { System.realloc(ptr, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations() -> u64 {
    COUNT.with(Cell::get)
}

#[test]
fn projecting_never_allocates() {
    let before = allocations();
    let boxed = Box::new(1);
    assert!(allocations() > before, "the counter counts");
    drop(boxed);

    let metric = Metric::new(0.3, &(Matrix3::identity() * 1e-4)).unwrap();
    let wanted = Motion::new(1e-3, 2e-3, -1e-3, 0.1, 0.0, -0.2);
    let mut rows = Vec::new();
    for i in 0..64 {
        let a = f64::from(i);
        rows.push(Row {
            normal: Vec3::new(a.sin(), (2.0 * a).cos(), 1.0),
            arm: Vec3::new((3.0 * a).cos(), a.cos(), (5.0 * a).sin()) * 0.05,
            bound: 1e-4 * (7.0 * a).sin(),
        });
    }
    let squeeze = [
        Row {
            normal: Vec3::z(),
            arm: Vec3::zeros(),
            bound: 1.0,
        },
        Row {
            normal: -Vec3::z(),
            arm: Vec3::zeros(),
            bound: 1.0,
        },
    ];
    let mut projector = Projector::<64>::new();
    let mut seen = [0; 2];
    let before = allocations();
    for count in 0..=64 {
        let projection = projector.project_or_hold(&metric, &wanted, &rows[..count]);
        seen[0] += u32::from(projection.status == Status::Optimal);
    }
    let projection = projector.project(&metric, &wanted, &squeeze);
    seen[1] += u32::from(projection.status == Status::Infeasible);
    let after = allocations();
    assert_eq!(after, before);
    assert_eq!(seen, [65, 1]);
}
