//! Functions that the host calls with the values of its user.
//!
//! `function!` makes a C function and its signature from each. The host converts arguments and results by the
//! signature. The functions keep no state, so that the host may call them on several threads at once.

#[macro_use]
#[allow(dead_code)]
mod troupe;

use troupe::{Errno, Registrar, Registration};

manifest!(r#"{"id":"@ID@","name":"@TITLE@","version":"0.1.0","language":"rust","abi":"1.0"}"#);
entry!(register);

function! {
    /// Numbers.
    fn fahrenheit(celsius: f64) -> f64 {
        celsius * 9.0 / 5.0 + 32.0
    }
}

function! {
    /// Text. The host releases the result.
    fn greeting(name: &str) -> String {
        format!("Hello, {}!", if name.is_empty() { "world" } else { name })
    }
}

function! {
    /// A buffer: the caller passes an array.
    fn mean(numbers: &[f64]) -> f64 {
        if numbers.is_empty() { 0.0 } else { numbers.iter().sum::<f64>() / numbers.len() as f64 }
    }
}

structure! {
    /// A struct: one definition for Rust and for the signature.
    struct Point { x: f64, y: f64 }
}

function! {
    fn midpoint(a: Point, b: Point) -> Point {
        Point { x: (a.x + b.x) / 2.0, y: (a.y + b.y) / 2.0 }
    }
}

/// The number of the error "numerical argument out of domain".
const EDOM: i32 = 33;

function! {
    /// Outputs, and an error that the host reports.
    fn divide(dividend: i32, divisor: i32, quotient: &mut i32, remainder: &mut i32) -> Result<(), Errno> {
        *quotient = dividend.checked_div(divisor).ok_or(Errno(EDOM))?;
        *remainder = dividend % divisor;
        Ok(())
    }
}

function! {
    /// A callback: the caller passes a function of this type, such as `descending`. The host returns the changed
    /// buffer.
    fn sort(numbers: &mut [i32], precedes: Option<extern "C" fn(i32, i32) -> i32>) {
        if let Some(precedes) = precedes {
            for end in 1..numbers.len() {
                let mut i = end;
                while i > 0 && precedes(numbers[i], numbers[i - 1]) != 0 {
                    numbers.swap(i, i - 1);
                    i -= 1;
                }
            }
        }
    }
}

function! {
    fn descending(a: i32, b: i32) -> i32 {
        (a > b) as i32
    }
}

fn register(registrar: &Registrar) -> troupe::Result<()> {
    fn of<'a>(uuid: &'a str, name: &'a str, metadata: &'a [(&'a str, &'a str)]) -> Registration<'a> {
        Registration { uuid, name, tags: &["@NAME@"], metadata }
    }
    let about = [
        ("description", "Converts a temperature from degrees Celsius to degrees Fahrenheit."),
        ("parameter.celsius", "The temperature in degrees Celsius."),
        ("example(100)", "212"),
    ];
    registrar.function(of("@UUID1@", "fahrenheit", &about), fahrenheit())?;
    let about = [("description", "Greets someone by name.")];
    registrar.function(of("@UUID2@", "greeting", &about), greeting())?;
    let about = [("description", "Returns the arithmetic mean, 0 without numbers.")];
    registrar.function(of("@UUID3@", "mean", &about), mean())?;
    let about = [("description", "Returns the point in the middle of two points.")];
    registrar.function(of("@UUID4@", "midpoint", &about), midpoint())?;
    let about = [("description", "Divides two integers. A divisor of 0 is the error EDOM.")];
    registrar.function(of("@UUID5@", "divide", &about), divide())?;
    let about = [("description", "Sorts integers with a function such as descending.")];
    registrar.function(of("@UUID6@", "sort", &about), sort())?;
    let about = [("description", "Returns whether the first integer is larger.")];
    registrar.function(of("@UUID7@", "descending", &about), descending())?;
    Ok(())
}
