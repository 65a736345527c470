//! References to structs in C, memory of C types, and callbacks that a program keeps.

mod common;

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::Arc;

use troupe::{Error, Memory, Object, Reference, TypeKind, Value};

fn node(value: Value<'static>) -> Reference {
    value.into_object().unwrap()
}

#[test]
fn members_are_read_and_written_where_they_are() {
    let host = common::calls();
    let new = host.dyn_function("node_new").unwrap();
    assert_eq!(new.signature().result().kind(), TypeKind::Reference);
    let first = node(new.call(&[Value::Null, 1.into()]).unwrap());
    let mut second = node(new.call(&[(&first).into(), 2.into()]).unwrap());
    assert_eq!((second.value_type().kind(), second.value_type().name()), (TypeKind::Struct, "struct node"));
    assert_eq!(second.read("next.value").unwrap().as_u64(), Some(1));
    second.write("next.value", &40.into()).unwrap();
    assert_eq!(first.read("value").unwrap().as_u64(), Some(40));
    second.write("name", &"second".into()).unwrap();
    let members = second.read("").unwrap();
    assert_eq!(members.get("name").unwrap().as_str(), Some("second"));
    let sum = host.dyn_function("node_sum").unwrap();
    assert_eq!(sum.call(&[(&second).into()]).unwrap().as_u64(), Some(42));
    assert_eq!(sum.call(&[Value::Null]).unwrap().as_u64(), Some(0));
    let next = node(second.read("next").unwrap());
    assert_eq!(next.address(), first.address());
    let literal = Value::Struct(vec![("value".to_owned(), 5.into()), ("next".to_owned(), (&second).into())]);
    let whole = [("value", 5.into()), ("name", Value::Null), ("next", (&second).into())];
    let whole = Value::Struct(whole.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
    assert_eq!(sum.call(&[whole]).unwrap().as_u64(), Some(47));
    // Members that are left out are zero.
    assert_eq!(sum.call(&[literal]).unwrap().as_u64(), Some(47));

    assert_eq!(second.read("previous").unwrap_err().code(), "invalidData");
    assert_eq!(second.read("next.next.value").unwrap_err().code(), "invalidData");
    assert_eq!(second.write("value", &"seven".into()).unwrap_err().code(), "invalidData");
    let opaque = node(host.dyn_function("box_new").unwrap().call(&[42.into()]).unwrap());
    assert_eq!(opaque.value_type().kind(), TypeKind::Void);
    assert_eq!(opaque.read("value").unwrap_err().code(), "invalidData");
}

#[test]
fn memory_has_one_address_for_all_calls() {
    let host = common::calls();
    let set_all = host.dyn_function("set_all").unwrap();
    let mut numbers = Object::memory("int", 3).unwrap();
    assert_eq!(set_all.call(&[(&numbers).into(), 3.into(), 9.into()]).unwrap().as_i64(), Some(3));
    assert_eq!(numbers.read("[2]").unwrap().as_i64(), Some(9));
    numbers.write("[2]", &4.into()).unwrap();
    assert_eq!(numbers.read("").unwrap().as_slice::<i32>(), Some(&[9, 9, 4][..]));
    assert_eq!(numbers.read("[3]").unwrap_err().code(), "invalidData");
    let mut points = Object::memory("struct point { double x, y; }", 2).unwrap();
    points.write("[1].y", &2.5.into()).unwrap();
    assert_eq!(points.read("[1].y").unwrap().as_f64(), Some(2.5));
    assert_eq!(set_all.call(&[(&points).into(), 1.into(), 0.into()]).unwrap_err().code(), "invalidData");
    assert_eq!(Object::memory("struct missing", 1).unwrap_err().code(), "invalidSignature");
    assert_eq!(Object::memory("int", 0).unwrap_err().code(), "invalidArgument");
}

#[test]
fn a_plain_pointer_takes_slices_and_arrays() {
    let host = common::calls();
    let set_all = host.dyn_function("set_all").unwrap();
    let mut own = [0, 0];
    assert_eq!(set_all.call(&[Memory::new_mut(&mut own).into(), 2.into(), 8.into()]).unwrap().as_i64(), Some(2));
    assert_eq!(own, [8, 8]);
    assert_eq!(set_all.call(&[Memory::new(&own).into(), 2.into(), 8.into()]).unwrap_err().code(), "invalidData");
    assert_eq!(
        set_all.call(&[Memory::new_mut(&mut [0.0]).into(), 1.into(), 8.into()]).unwrap_err().code(),
        "invalidData"
    );
    let result = set_all.call(&[Value::Array(vec![0.into(), 0.into()]), 2.into(), 7.into()]).unwrap();
    assert_eq!(result.get("result").unwrap().as_i64(), Some(2));
    assert_eq!(result.get("numbers").unwrap().as_slice::<i32>(), Some(&[7, 7][..]));
    let alone = host.dyn_function("set_first").unwrap().call(&[Value::Array(vec![0.into(), 1.into()])]).unwrap();
    assert_eq!(alone.as_slice::<i32>(), Some(&[7, 1][..]));
}

#[test]
fn a_kept_callback_is_called_until_its_end() {
    let host = common::calls();
    let keep = host.dyn_function("keep").unwrap();
    let call = |number: i32| host.dyn_function("call_kept").unwrap().call(&[number.into()]);
    let count = Arc::new(AtomicI32::new(0));
    let counted = count.clone();
    let triple = Object::callback("int (int number)", move |arguments| {
        counted.fetch_add(1, Ordering::Relaxed);
        match arguments[0].as_i64() {
            Some(number) if number >= 0 => Ok((3 * number).into()),
            _ => Err(Error::failure("negative")),
        }
    })
    .unwrap();
    keep.call(&[(&triple).into()]).unwrap();
    assert_eq!(call(14).unwrap().as_i64(), Some(42));
    assert_eq!(triple.value_type().kind(), TypeKind::Callback);
    assert_eq!(triple.read("").unwrap_err().code(), "invalidArgument");
    drop(triple);
    // The closure has ended, and C still has the pointer.
    assert_eq!(Arc::strong_count(&count), 1);
    assert_eq!(call(14).unwrap().as_i64(), Some(0));
    assert_eq!(count.load(Ordering::Relaxed), 1);
    let code = |signature| Object::callback(signature, |_| Ok(Value::Void)).unwrap_err().code().to_owned();
    assert_eq!(code("int ("), "invalidSignature");
}
