//! The sum of 1 to n, by a thread of the library. The calling thread gets a value that is dropped when it ends.
use std::cell::RefCell;

thread_local! {
    static TERMS: RefCell<Vec<i64>> = const { RefCell::new(Vec::new()) };
}

#[no_mangle]
pub extern "C" fn runtime_sum(n: i64) -> i64 {
    TERMS.with_borrow_mut(|terms| {
        *terms = (1..=n).collect();
        std::thread::scope(|scope| scope.spawn(|| terms.iter().sum()).join()).unwrap_or(-1)
    })
}
