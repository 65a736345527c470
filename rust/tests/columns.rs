//! Calls over columns.

mod common;

use std::ffi::{c_char, CStr, CString};
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use troupe::{CStruct, Column, OutputColumn, TextPointer};

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Point {
    x: f64,
    y: f64,
}

// SAFETY: the struct point of the plugin has these members.
unsafe impl CStruct for Point {
    const NAME: &'static str = "struct point";
}

/// The same size, and another name.
#[derive(Clone, Copy)]
#[repr(C)]
struct Interval {
    from: f64,
    to: f64,
}

// SAFETY: the test names no C struct.
unsafe impl CStruct for Interval {
    const NAME: &'static str = "struct interval";
}

fn examples() -> troupe::Host {
    common::start(common::builder().directory(common::examples()))
}

#[test]
fn rows_of_columns_are_computed() {
    let host = examples();
    let area = host.function::<(f64, f64), f64>("area").unwrap();
    let (widths, heights) = (vec![1.0, 2.0, 3.0], [10.0, 20.0, 30.0]);
    let mut areas = vec![0.0; 3];
    let nulls = area.map().column(&widths).column(&heights).output(&mut areas).run().unwrap();
    assert_eq!((areas, nulls), (vec![10.0, 40.0, 90.0], vec![0]));
}

#[test]
fn rows_are_shared_by_threads() {
    let host = examples();
    let area = host.dyn_function("area").unwrap();
    let widths: Vec<f64> = (0..100_000).map(f64::from).collect();
    let mut areas = vec![0.0; widths.len()];
    area.map().column(&widths).column(Column::repeat(&2.0)).output(&mut areas).threads(2).run().unwrap();
    assert!(areas.iter().zip(&widths).all(|(area, width)| *area == 2.0 * width));
}

#[test]
fn steps_and_directions_choose_elements() {
    let host = examples();
    let area = host.dyn_function("area").unwrap();
    let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let mut areas = [-1.0; 5];
    // 1, 3, 5 times 6, 4, 2, into every second element from the last on.
    let first = Column::new(&numbers).step_by(2);
    let second = Column::new(&numbers[1..]).step_by(2).reversed();
    area.map().column(first).column(second).output(OutputColumn::new(&mut areas).step_by(2).reversed()).run().unwrap();
    assert_eq!(areas, [10.0, -1.0, 12.0, -1.0, 6.0]);
}

#[test]
fn nulls_stay_null() {
    let host = examples();
    let area = host.dyn_function("area").unwrap();
    let (numbers, mut areas, mut validity) = ([1.0, 2.0, 3.0, 4.0], [9.0; 4], [0u8; 1]);
    let left = Column::new(&numbers).validity(&[0b1011_0000], 4);
    let right = Column::new(&numbers).validity(&[0b1110], 0);
    let output = OutputColumn::new(&mut areas).validity(&mut validity, 1);
    let nulls = area.map().column(left).column(right).output(output).run().unwrap();
    assert_eq!((nulls, areas, validity), (vec![2], [0.0, 4.0, 0.0, 16.0], [0b10100]));
    let left = Column::new(&numbers).validity(&[0b1011], 0);
    let error = area.map().column(left).column(&numbers).output(&mut areas).run().unwrap_err();
    assert_eq!(error.code(), "invalidData");
}

#[test]
fn columns_of_different_lengths_are_refused() {
    let host = examples();
    let area = host.dyn_function("area").unwrap();
    let (two, three) = ([1.0, 2.0], [1.0, 2.0, 3.0]);
    let mut areas = [0.0; 3];
    let code = |map: troupe::Map| map.run().unwrap_err().code().to_owned();
    assert_eq!(code(area.map().column(&two).column(&three).output(&mut areas)), "usage");
    assert_eq!(code(area.map().column(&two).column(&three).output(&mut areas).rows(3)), "usage");
    assert_eq!(code(area.map().column(&three).output(&mut areas)), "usage");
    assert_eq!(code(area.map().column(&three).column(&three)), "usage");
    let short = Column::new(&three).validity(&[0], 6);
    assert_eq!(code(area.map().column(short).column(&three).output(&mut areas)), "usage");
    let constant = OutputColumn::new(&mut areas).step_by(0);
    assert_eq!(code(area.map().column(&three).column(&three).output(constant)), "usage");
    let none: [f64; 0] = [];
    assert_eq!(code(area.map().column(Column::new(&none).step_by(0)).column(&three).output(&mut areas)), "usage");
    assert_eq!(code(area.map().column(&[1i32, 2, 3]).column(&three).output(&mut areas)), "invalidData");
    area.map().column(&two).column(&three).output(&mut areas).rows(2).run().unwrap();
    assert_eq!(areas, [1.0, 4.0, 0.0]);
    area.map().column(&none).column(&none).output(&mut areas[..0]).run().unwrap();
}

#[test]
fn buffers_get_a_whole_column() {
    let host = common::calls();
    let mut sums = [0.0; 2];
    let sum = host.dyn_function("sum").unwrap();
    sum.map().column(&[1.0, 2.0, 4.0]).output(&mut sums).run().unwrap();
    assert_eq!(sums, [7.0, 7.0]);
    let numbers = [1.0; 64];
    let short = Column::new(&numbers).validity(&[0xff], 0);
    assert_eq!(sum.map().column(short).output(&mut sums).run().unwrap_err().code(), "usage");
}

#[test]
fn structs_texts_and_outputs_are_columns() {
    let host = common::calls();
    let points = [Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }];
    let mut mirrored = [Point { x: 0.0, y: 0.0 }; 2];
    let mirror = host.dyn_function("mirrored").unwrap();
    mirror.map().column(&points).output(&mut mirrored).run().unwrap();
    assert_eq!(mirrored, [Point { x: 2.0, y: 1.0 }, Point { x: 4.0, y: 3.0 }]);
    let intervals = [Interval { from: 1.0, to: 2.0 }];
    assert!(intervals[0].from < intervals[0].to);
    let error = mirror.map().column(&intervals).output(&mut mirrored[..1]).run().unwrap_err();
    assert_eq!(error.code(), "invalidData");

    let texts = ["one", "three"].map(|text| CString::new(text).unwrap());
    let pointers: Vec<TextPointer> = texts.iter().map(|text| TextPointer::from(text.as_c_str())).collect();
    let mut lengths = [0usize; 2];
    host.dyn_function("length").unwrap().map().column(&pointers).output(&mut lengths).run().unwrap();
    assert_eq!(lengths, [3, 5]);
    let mut seasons = [std::ptr::null::<c_char>(); 2];
    host.dyn_function("season").unwrap().map().column(&[1, 2]).output(&mut seasons).run().unwrap();
    // SAFETY: the function returned a literal.
    assert_eq!(unsafe { CStr::from_ptr(seasons[0]) }.to_str(), Ok("spring"));
    assert!(seasons[1].is_null());

    let (mut parities, mut wholes, mut rests) = ([0i32; 2], [0i32; 2], [0.0; 2]);
    let split = host.dyn_function("split").unwrap();
    split.map().column(&[7.5, 2.25]).output(&mut parities).output(&mut wholes).output(&mut rests).run().unwrap();
    assert_eq!((parities, wholes, rests), ([1, 0], [7, 2], [0.5, 0.25]));
}

#[test]
fn a_failing_row_ends_the_call_or_is_null() {
    let host = common::calls();
    let half = host.dyn_function("half").unwrap();
    let (numbers, mut halves, mut validity) = ([2, 4, 5, 8], [0; 4], [0u8]);
    assert_eq!(half.map().column(&numbers).output(&mut halves).run().unwrap_err().code(), "reportedFailure");
    assert_eq!(halves[..2], [1, 2]);
    let failures = Mutex::new(Vec::new());
    let report = |row: usize, error: &troupe::Error| failures.lock().unwrap().push((row, error.code().to_owned()));
    let output = OutputColumn::new(&mut halves).validity(&mut validity, 0);
    let nulls = half.map().column(&numbers).output(output).null_on_failure(&report).run().unwrap();
    assert_eq!((nulls, halves, validity), (vec![1], [1, 2, 0, 4], [0b1011]));
    assert_eq!(failures.into_inner().unwrap(), [(2, "reportedFailure".to_owned())]);
}

#[test]
fn a_panic_of_a_report_continues_behind_the_call() {
    let host = common::calls();
    let half = host.dyn_function("half").unwrap();
    let (mut halves, mut validity, reports) = ([0; 3], [0u8], AtomicUsize::new(0));
    let report = |_: usize, _: &troupe::Error| {
        reports.fetch_add(1, Ordering::Relaxed);
        panic::resume_unwind(Box::new(5))
    };
    let output = OutputColumn::new(&mut halves).validity(&mut validity, 0);
    let map = half.map().column(&[1, 2, 3]).output(output).null_on_failure(&report);
    let payload = panic::catch_unwind(AssertUnwindSafe(|| map.run())).unwrap_err();
    assert_eq!((payload.downcast_ref(), reports.into_inner()), (Some(&5), 2));
}
