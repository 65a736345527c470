//! Calls with values.

mod common;

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicI32, Ordering};

use troupe::{Direction, Error, Memory, Passing, Pointer, TypeKind, Value};

#[test]
fn numbers_texts_and_structs_are_converted() {
    let host = common::calls();
    let call = |name: &str, arguments: &[Value]| host.dyn_function(name).unwrap().call(arguments).unwrap();
    assert_eq!(call("negated", &[true.into()]).as_bool(), Some(false));
    assert_eq!(call("halved", &[3.into()]).as_f64(), Some(1.5));
    assert_eq!(call("season", &[1.into()]).as_str(), Some("spring"));
    assert!(matches!(call("season", &[2.into()]), Value::Null));
    assert!(matches!(call("nothing", &[]), Value::Void));
    assert_eq!(call("greeting", &["Ada".into()]).as_str(), Some("hello Ada"));
    assert_eq!(call("length", &[Value::Null]).as_u64(), Some(99));
    assert_eq!(call("other", &["RED".into()]).as_i64(), Some(5));
    let point = Value::Struct(vec![("x".to_owned(), 1.into()), ("y".to_owned(), 2.5.into())]);
    let mirrored = call("mirrored", &[point]);
    assert_eq!((mirrored.get("x").unwrap().as_f64(), mirrored.get("y").unwrap().as_f64()), (Some(2.5), Some(1.0)));
    let arguments: Vec<Value> =
        vec![(-1).into(), 2.into(), 3.into(), 4.into(), 5.into(), 6.into(), (-7).into(), 8.into()];
    assert_eq!(call("weighted", &arguments).as_i64(), Some(-1 + 4 + 9 + 16 + 25 + 36 - 49 + 64));
}

#[test]
fn outputs_are_members_of_the_result() {
    let host = common::calls();
    let result = host.dyn_function("split").unwrap().call(&[7.25.into()]).unwrap();
    assert_eq!(result.get("return").unwrap().as_i64(), Some(1));
    assert_eq!(result.get("whole").unwrap().as_i64(), Some(7));
    assert_eq!(result.get("rest").unwrap().as_f64(), Some(0.25));
    let filled = host.dyn_function("fill").unwrap().call(&[4.into()]).unwrap();
    assert_eq!(filled.get("bytes").unwrap().as_slice::<u8>(), Some(&[0, 1, 2, 3][..]));
}

#[test]
fn slices_are_lent_to_the_function() {
    let host = common::calls();
    let numbers = [1.0, 2.0, 4.0];
    let sum = host.dyn_function("sum").unwrap();
    assert_eq!(sum.call(&[numbers[..].into()]).unwrap().as_f64(), Some(7.0));
    assert_eq!(sum.call(&[Value::Array(vec![1.into(), 2.5.into()])]).unwrap().as_f64(), Some(3.5));
    let address = host.dyn_function("address_of").unwrap().call(&[numbers[..].into()]).unwrap();
    assert_eq!(address.as_ptr(), Some(numbers.as_ptr().cast_mut().cast()));
    let mut written = [1.0, 2.0];
    host.dyn_function("scale").unwrap().call(&[written[..].as_mut().into(), 3.into()]).unwrap();
    assert_eq!(written, [3.0, 6.0]);
}

#[test]
fn memory_of_another_type_is_refused() {
    let host = common::calls();
    let sum = host.dyn_function("sum").unwrap();
    assert_eq!(sum.call(&[[1.0f32][..].into()]).unwrap_err().code(), "invalidData");
    let scale = host.dyn_function("scale").unwrap();
    assert_eq!(scale.call(&[[1.0][..].into(), 3.into()]).unwrap_err().code(), "invalidData");
    let same = host.dyn_function("same").unwrap();
    assert_eq!(same.call(&[[1.0][..].into()]).unwrap_err().code(), "invalidData");
    let nested = Value::Array(vec![[1.0][..].into()]);
    assert_eq!(sum.call(&[nested]).unwrap_err().code(), "invalidData");
}

#[test]
fn a_wrong_number_or_kind_of_arguments_is_an_error() {
    let host = common::calls();
    let sum = host.dyn_function("sum").unwrap();
    assert_eq!(sum.call(&[]).unwrap_err().code(), "usage");
    assert_eq!(sum.call(&[[1.0][..].into(), 1.into(), 2.into()]).unwrap_err().code(), "usage");
    let negated = host.dyn_function("negated").unwrap();
    assert_eq!(negated.call(&["maybe".into()]).unwrap_err().code(), "invalidData");
    let length = host.dyn_function("length").unwrap();
    assert_eq!(length.call(&["a\0b".into()]).unwrap_err().code(), "invalidArgument");
}

#[test]
fn an_address_becomes_an_argument_only_as_a_pointer() {
    let host = common::calls();
    let mut numbers = [1.0, 2.0];
    let second = host.dyn_function("second").unwrap();
    // SAFETY: the function adds to the address of two numbers.
    let pointer = unsafe { Pointer::new(numbers.as_mut_ptr()) };
    let result = second.call(&[pointer.into()]).unwrap();
    assert_eq!(result.as_ptr(), Some(numbers[1..].as_mut_ptr().cast()));
    assert_eq!(second.call(&[result]).unwrap_err().code(), "invalidArgument");
}

#[test]
fn closures_are_called_back() {
    let host = common::calls();
    let apply = host.dyn_function("apply").unwrap();
    let calls = AtomicI32::new(0);
    let triple = |arguments: &[Value]| {
        calls.fetch_add(1, Ordering::Relaxed);
        Ok(Value::from(3 * arguments[0].as_i64().unwrap()))
    };
    assert_eq!(apply.call(&[Value::callback(&triple), 5.into()]).unwrap().as_i64(), Some(45));
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    let on_thread = host.dyn_function("apply_on_thread").unwrap();
    assert_eq!(on_thread.call(&[Value::callback(&triple)]).unwrap().as_i64(), Some(60));
    let product = host.dyn_function("product_of_result").unwrap();
    let increment = |arguments: &[Value]| {
        let [x, y] = ["x", "y"].map(|name| arguments[0].get(name).unwrap().as_f64().unwrap());
        Ok(Value::Struct(vec![("x".to_owned(), (x + 1.0).into()), ("y".to_owned(), (y + 1.0).into())]))
    };
    let result = product.call(&[Value::callback(&increment), 2.into(), 4.into()]).unwrap();
    assert_eq!(result.as_f64(), Some(15.0));
}

#[test]
fn a_failure_of_a_closure_is_that_of_the_call() {
    let host = common::calls();
    let apply = host.dyn_function("apply").unwrap();
    let failing = |_: &[Value]| -> troupe::Result<Value<'static>> { Err(Error::failure("out of numbers")) };
    let error = apply.call(&[Value::callback(&failing), 5.into()]).unwrap_err();
    assert_eq!((error.code(), error.message()), ("unavailable", "out of numbers"));
    assert!(host.function::<(bool,), bool>("negated").unwrap().call(false));
}

#[test]
fn a_panic_of_a_closure_continues_behind_the_call() {
    let host = common::calls();
    let apply = host.dyn_function("apply").unwrap();
    let panicking = |_: &[Value]| -> troupe::Result<Value<'static>> { panic::resume_unwind(Box::new(17)) };
    let call = || apply.call(&[Value::callback(&panicking), 5.into()]);
    let payload = panic::catch_unwind(AssertUnwindSafe(call)).unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&17));
    let on_thread = host.dyn_function("apply_on_thread").unwrap();
    let call = || on_thread.call(&[Value::callback(&panicking)]);
    assert!(panic::catch_unwind(AssertUnwindSafe(call)).is_err());
}

#[test]
fn an_object_is_released_once() {
    let host = common::calls();
    let count = || host.dyn_function("box_count").unwrap().call(&[]).unwrap().as_i64();
    let object = host.dyn_function("box_new").unwrap().call(&[42.into()]).unwrap().into_object().unwrap();
    assert_eq!(count(), Some(1));
    assert!(!object.address().is_null());
    let value = host.dyn_function("box_value").unwrap();
    assert_eq!(value.call(&[(&object).into()]).unwrap().as_i64(), Some(42));
    drop(host.dyn_function("box_new").unwrap().call(&[1.into()]).unwrap());
    assert_eq!(count(), Some(1));
    assert_eq!(value.call(&[Value::Object(object)]).unwrap().as_i64(), Some(42));
    assert_eq!(count(), Some(0));
}

#[test]
fn a_signature_is_data() {
    let host = common::calls();
    let scale = host.dyn_function("scale").unwrap();
    let signature = scale.signature();
    assert_eq!(signature.to_string(), "void (double numbers[count], size_t count, double factor)");
    assert_eq!(signature.result().kind(), TypeKind::Void);
    assert!(!signature.can_fail() && !signature.is_variadic());
    let parameters: Vec<_> = signature.parameters().collect();
    assert_eq!(parameters[0].name(), Some("numbers"));
    assert_eq!((parameters[0].passing(), parameters[0].direction()), (Passing::Buffer, Direction::InOut));
    assert_eq!(parameters[0].length_parameter(), Some(1));
    assert_eq!(parameters.iter().map(|parameter| parameter.takes_argument()).collect::<Vec<_>>(), [true, false, true]);
    assert!(host.dyn_function("half").unwrap().signature().can_fail());

    let mirrored = host.dyn_function("mirrored").unwrap();
    let point = mirrored.signature().result();
    assert_eq!(
        (point.kind(), point.name(), point.size(), point.alignment()),
        (TypeKind::Struct, "struct point", 16, 8)
    );
    let members: Vec<_> = point.members().map(|(name, type_, offset)| (name, type_.kind(), offset)).collect();
    assert_eq!(members, [("x", TypeKind::Double, 0), ("y", TypeKind::Double, 8)]);
    let other = host.dyn_function("other").unwrap();
    let color = other.signature().result();
    assert_eq!(color.enumerators().collect::<Vec<_>>(), [("RED", 0), ("GREEN", 5)]);
    assert_eq!(color.element().unwrap().kind(), TypeKind::UInt32);
    let apply = host.dyn_function("apply").unwrap();
    let function = apply.signature().parameters().next().unwrap().value_type();
    assert_eq!(function.signature().unwrap().result().name(), "int");
}

#[test]
fn memory_knows_its_type() {
    let mut bytes = [1u8, 2];
    let memory = Memory::new(&bytes);
    assert_eq!((memory.len(), memory.kind()), (2, TypeKind::UInt8));
    assert_eq!(memory.as_slice::<u8>(), Some(&[1, 2][..]));
    assert_eq!(memory.as_slice::<i8>(), Some(&[1, 2][..]));
    assert_eq!(memory.as_slice::<u16>(), None);
    // A call may write it while a slice of it is in use.
    assert_eq!(Memory::new_mut(&mut bytes).as_slice::<u8>(), None);
}
