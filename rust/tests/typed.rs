//! Functions whose types the compiler knows.

mod common;

use std::ffi::{c_void, CString};

use troupe::{CStruct, Counted, Function, In, Out};

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

#[test]
fn a_typed_function_computes_the_area() {
    let host = common::start(common::builder().directory(common::examples()));
    let area: Function<(f64, f64), f64> = host.function("area").unwrap();
    assert_eq!(area.call(3.0, 4.5), 13.5);
    assert_eq!(area.name(), "area");
    assert_eq!(area.signature().text(), "double (double width, double height)");
    assert_eq!(area.as_dyn().call(&[2.into(), 3.into()]).unwrap().as_f64(), Some(6.0));
}

#[test]
fn a_function_outlives_its_host() {
    let host = common::calls();
    let negated = host.function::<(bool,), bool>("negated").unwrap();
    drop(host);
    assert!(negated.call(false));
}

#[test]
fn numbers_are_passed_as_they_are() {
    let host = common::calls();
    let weighted = host.function::<(i8, u8, i16, u16, i32, u32, i64, u64), i64>("weighted").unwrap();
    assert_eq!(
        weighted.call(-1, 255, -3, 65535, -5, u32::MAX, -7, 8),
        -1 + 510 - 9 + 262140 - 25 + 6 * 4294967295 - 49 + 64
    );
    assert_eq!(host.function::<(f32,), f32>("halved").unwrap().call(5.0), 2.5);
    assert_eq!(host.function::<(i32,), i32>("other").unwrap_err().code(), "invalidSignature");
    assert_eq!(host.function::<(u32,), u32>("other").unwrap().call(0), 5);
    host.function::<(), ()>("nothing").unwrap().call();
}

#[test]
fn texts_are_lent_and_copied() {
    let host = common::calls();
    let text = CString::new("four").unwrap();
    assert_eq!(host.function::<(&std::ffi::CStr,), usize>("length").unwrap().call(&text), 4);
    let length = host.function::<(Option<&std::ffi::CStr>,), usize>("length").unwrap();
    assert_eq!((length.call(Some(&text)), length.call(None)), (4, 99));
    let season = host.function::<(i32,), Option<CString>>("season").unwrap();
    assert_eq!(season.call(1), Some(CString::new("spring").unwrap()));
    assert_eq!(season.call(2), None);
}

#[test]
fn a_result_that_has_to_be_freed_is_refused() {
    let host = common::calls();
    let error = host.function::<(&std::ffi::CStr,), Option<CString>>("greeting").unwrap_err();
    assert_eq!(error.code(), "invalidSignature");
}

#[test]
fn slices_are_passed_with_their_lengths() {
    let host = common::calls();
    assert_eq!(host.function::<(&[f64],), f64>("sum").unwrap().call(&[1.0, 2.0, 4.0]), 7.0);
    assert_eq!(host.function::<(&[f64],), f64>("sum").unwrap().call(&[]), 0.0);
    let mean = host.function::<(Counted<&[f64], i32>,), f64>("mean").unwrap();
    assert_eq!(mean.call(Counted::new(&[1.0, 2.0, 6.0]).unwrap()), 3.0);
    let mut numbers = [1.0, 2.0];
    host.function::<(&mut [f64], f64), ()>("scale").unwrap().call(&mut numbers, 10.0);
    assert_eq!(numbers, [10.0, 20.0]);
    let mut bytes = [9u8; 3];
    host.function::<(&mut [u8],), ()>("fill").unwrap().call(&mut bytes);
    assert_eq!(bytes, [0, 1, 2]);
    let sum = host.function::<(&[Point],), f64>("sum_of_points").unwrap();
    assert_eq!(sum.call(&[Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }]), 10.0);
}

#[test]
fn a_slice_that_is_too_long_is_refused() {
    let long = vec![0u8; 128];
    assert_eq!(Counted::<&[u8], i8>::new(&long).unwrap_err().code(), "invalidArgument");
    assert!(Counted::<&[u8], i8>::new(&long[1..]).is_ok());
}

#[test]
fn a_written_buffer_needs_a_mutable_slice() {
    let host = common::calls();
    assert_eq!(host.function::<(&[f64], f64), ()>("scale").unwrap_err().code(), "invalidSignature");
    assert_eq!(host.function::<(&[f32],), f64>("sum").unwrap_err().code(), "invalidSignature");
    // The length is an int there, and precedes the buffer here.
    assert_eq!(host.function::<(&[f64],), f64>("mean").unwrap_err().code(), "invalidSignature");
    assert_eq!(host.function::<(Counted<&[i32], i32>,), i32>("total").unwrap_err().code(), "invalidSignature");
}

#[test]
fn outputs_are_written_into_variables() {
    let host = common::calls();
    let split = host.function::<(f64, Out<i32>, Out<f64>), i32>("split").unwrap();
    let (mut whole, mut rest) = (0, 0.0);
    assert_eq!(split.call(7.25, &mut whole, &mut rest), 1);
    assert_eq!((whole, rest), (7, 0.25));
    host.function::<(Out<i32>,), ()>("increment").unwrap().call(&mut whole);
    assert_eq!(whole, 8);
}

#[test]
fn structs_are_passed_by_value_and_by_reference() {
    let host = common::calls();
    let point = Point { x: 2.0, y: 3.0 };
    assert_eq!(host.function::<(Point,), Point>("mirrored").unwrap().call(point), Point { x: 3.0, y: 2.0 });
    assert_eq!(host.function::<(In<Point>,), f64>("product").unwrap().call(&point), 6.0);
}

#[test]
fn raw_pointers_are_for_unsafe_calls() {
    let host = common::calls();
    let second = host.function::<(*const f64,), *const f64>("second").unwrap();
    let numbers = [1.0, 2.0];
    // SAFETY: the function only adds to the address.
    assert_eq!(unsafe { second.call_raw(numbers.as_ptr()) }, &numbers[1] as *const f64);
    let same = host.function::<(*mut c_void,), *mut c_void>("same").unwrap();
    // SAFETY: the function returns the address.
    assert!(unsafe { same.call_raw(std::ptr::null_mut()) }.is_null());
    assert_eq!(host.function::<(*const f32,), *const f64>("second").unwrap_err().code(), "invalidSignature");
    assert_eq!(host.function::<(*mut f64,), *const f64>("second").unwrap_err().code(), "invalidSignature");
    let total = host.function::<(i32, *const i32), i32>("total").unwrap();
    // SAFETY: there are two numbers.
    assert_eq!(unsafe { total.call_raw(2, [4, 5].as_ptr()) }, 9);
}

#[test]
fn another_type_is_an_error_that_names_both() {
    let host = common::calls();
    let error = host.function::<(&[f64], Option<&std::ffi::CStr>, Out<i32>), bool>("sum").unwrap_err();
    assert_eq!(error.code(), "invalidSignature");
    assert_eq!(error.status(), troupe::sys::TROUPE_INVALID_SIGNATURE);
    assert_eq!(error.subject(), "sum");
    assert_eq!(
        error.message(),
        "sum: its type is double (const double numbers[count], size_t count), not bool (const double x1[n1], size_t n1, const char *, \
         out int32_t *); give the Rust types of the function, or call it as a DynFunction"
    );
    assert_eq!(host.function::<(), f64>("area").unwrap_err().code(), "notRegistered");
    assert_eq!(host.function::<(i32, i32), ()>("nothing").unwrap_err().code(), "invalidSignature");
}

#[test]
fn a_function_that_reports_failures_is_refused() {
    let host = common::calls();
    let error = host.function::<(i32,), i32>("half").unwrap_err();
    assert_eq!((error.code(), error.remedy()), ("invalidSignature", "call it as a DynFunction"));
    let half = host.dyn_function("half").unwrap();
    assert_eq!(half.call(&[8.into()]).unwrap().as_i64(), Some(4));
    assert_eq!(half.call(&[7.into()]).unwrap_err().code(), "reportedFailure");
}

#[test]
fn threads_share_a_function() {
    let host = common::calls();
    let sum: Function<(&'static [f64],), f64> = host.function("sum").unwrap();
    std::thread::scope(|scope| {
        for number in 0..4 {
            let sum = &sum;
            scope.spawn(move || assert_eq!(sum.call(&[number.into(), 1.0]), f64::from(number) + 1.0));
        }
    });
}

#[test]
fn handles_are_send_and_sync_as_the_header_allows() {
    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}
    is_send::<troupe::Host>();
    is_sync::<troupe::Host>();
    is_send::<troupe::DynFunction>();
    is_sync::<troupe::DynFunction>();
    is_send::<Function<(*mut c_void, &[f64]), *const f64>>();
    is_sync::<Function<(*mut c_void, &[f64]), *const f64>>();
    is_send::<troupe::Instance>();
    is_send::<troupe::Transform>();
    is_send::<troupe::Scope>();
    is_sync::<troupe::Scope>();
    is_send::<troupe::Events>();
    is_send::<troupe::Listener>();
    is_send::<troupe::Object>();
    is_send::<troupe::Memory<'static>>();
    is_send::<troupe::Pointer>();
    is_send::<troupe::Error>();
    is_sync::<troupe::Error>();
}
