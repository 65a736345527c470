use std::ffi::{c_char, c_void, CStr};
use std::marker::PhantomData;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use crate::error::checked;
use crate::{sys, Direction, DynFunction, Element, Error, Parameter, Passing, Result, Type, TypeKind};

/// An element of an input column: an [`Element`] or a [`TextPointer`]. This crate alone implements it.
pub trait Input: sealed::Cell {}

/// An element of an output column: an [`Element`], or a `*const c_char`, which points to a string that belongs to the plugin. This
/// crate alone implements it.
pub trait Output: sealed::Cell {}

mod sealed {
    pub trait Cell: Copy {
        const KIND: crate::TypeKind;
        /// The C type in messages; for a struct its name in signatures.
        const NAME: &'static str;
    }
}

impl<T: Element> sealed::Cell for T {
    const KIND: TypeKind = T::KIND;
    const NAME: &'static str = T::NAME;
}
impl<T: Element> Input for T {}
impl<T: Element> Output for T {}

/// A C string of an input column.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct TextPointer<'a>(*const c_char, PhantomData<&'a CStr>);

// SAFETY: it stands for a `&CStr`.
unsafe impl Send for TextPointer<'_> {}
// SAFETY: as above.
unsafe impl Sync for TextPointer<'_> {}

impl<'a> From<&'a CStr> for TextPointer<'a> {
    fn from(text: &'a CStr) -> Self {
        TextPointer(text.as_ptr(), PhantomData)
    }
}

impl sealed::Cell for TextPointer<'_> {
    const KIND: TypeKind = TypeKind::String;
    const NAME: &'static str = "const char *";
}
impl Input for TextPointer<'_> {}

impl sealed::Cell for *const c_char {
    const KIND: TypeKind = TypeKind::String;
    const NAME: &'static str = "const char *";
}
impl Output for *const c_char {}

/// The elements of a slice that belong to rows: every `step`-th, from the first or the last on.
#[derive(Clone, Copy)]
struct Rows {
    /// The number of elements of the slice.
    length: usize,
    step: usize,
    is_reversed: bool,
    element_size: usize,
}

impl Rows {
    fn new<T>(length: usize) -> Rows {
        Rows { length, step: 1, is_reversed: false, element_size: mem::size_of::<T>() }
    }

    /// Returns the number of rows; `None` for one element for all rows.
    fn count(&self) -> Option<usize> {
        (self.step > 0).then(|| self.length.div_ceil(self.step))
    }

    /// Returns the number of bytes from the slice to the element of the first row, and from one row to the next.
    fn offset_and_stride(&self) -> (usize, isize) {
        // A slice has at most isize::MAX bytes; a greater step leads to no second row.
        let size = self.element_size;
        let stride = isize::try_from(self.step.saturating_mul(size)).unwrap_or(0);
        if !self.is_reversed || self.length == 0 {
            return (0, stride);
        }
        ((self.length - 1) / self.step.max(1) * self.step * size, -stride)
    }
}

/// A bitmap with a 1 for each row that has a value, the least significant bit of the first byte first.
#[derive(Clone, Copy)]
struct Validity<P> {
    bits: P,
    byte_count: usize,
    /// The number of the bit that belongs to the first row.
    offset: usize,
}

impl<P> Validity<P> {
    fn covers(&self, row_count: usize) -> bool {
        let end = self.offset.checked_add(row_count);
        end.is_some_and(|end| end.div_ceil(8) <= self.byte_count)
    }
}

/// An input column: the argument of one parameter for each row. A slice converts to it.
///
/// The column of a buffer parameter is the buffer itself: all rows get all of it.
#[derive(Clone, Copy)]
pub struct Column<'a> {
    data: *const c_void,
    kind: TypeKind,
    name: &'static str,
    rows: Rows,
    validity: Option<Validity<*const u8>>,
    lifetime: PhantomData<&'a [u8]>,
}

impl<'a> Column<'a> {
    /// Returns a column of elements, one for each row.
    pub fn new<T: Input>(elements: &'a [T]) -> Column<'a> {
        let rows = Rows::new::<T>(elements.len());
        let data = elements.as_ptr().cast();
        Column { data, kind: T::KIND, name: T::NAME, rows, validity: None, lifetime: PhantomData }
    }

    /// Returns a column with the same element for all rows.
    pub fn repeat<T: Input>(element: &'a T) -> Column<'a> {
        Column::new(std::slice::from_ref(element)).step_by(0)
    }

    /// Takes every `step`-th element, such as one member of a table with `step` members; 0 gives all rows the first.
    pub fn step_by(mut self, step: usize) -> Column<'a> {
        self.rows.step = step;
        self
    }

    /// Takes the elements from the last row to the first.
    pub fn reversed(mut self) -> Column<'a> {
        self.rows.is_reversed = !self.rows.is_reversed;
        self
    }

    /// Sets a bitmap with a 1 for each row that has a value, the least significant bit of the first byte first; `offset` is the number of
    /// the first row's bit. Rows with a null in any column are not computed, and are null in the output.
    pub fn validity(mut self, bits: &'a [u8], offset: usize) -> Column<'a> {
        self.validity = Some(Validity { bits: bits.as_ptr(), byte_count: bits.len(), offset });
        self
    }
}

impl<'a, T: Input> From<&'a [T]> for Column<'a> {
    fn from(elements: &'a [T]) -> Self {
        Column::new(elements)
    }
}

impl<'a, T: Input> From<&'a Vec<T>> for Column<'a> {
    fn from(elements: &'a Vec<T>) -> Self {
        Column::new(elements)
    }
}

impl<'a, T: Input, const N: usize> From<&'a [T; N]> for Column<'a> {
    fn from(elements: &'a [T; N]) -> Self {
        Column::new(elements)
    }
}

/// An output column: a result for each row, in the program's memory. A mutable slice converts to it.
pub struct OutputColumn<'a> {
    data: *mut c_void,
    kind: TypeKind,
    name: &'static str,
    rows: Rows,
    validity: Option<Validity<*mut u8>>,
    lifetime: PhantomData<&'a mut [u8]>,
}

impl<'a> OutputColumn<'a> {
    /// Returns a column of elements, one for each row.
    pub fn new<T: Output>(elements: &'a mut [T]) -> OutputColumn<'a> {
        let rows = Rows::new::<T>(elements.len());
        let data = elements.as_mut_ptr().cast();
        OutputColumn { data, kind: T::KIND, name: T::NAME, rows, validity: None, lifetime: PhantomData }
    }

    /// Writes every `step`-th element. Fails later, in [`Map::run`], for a step of 0.
    pub fn step_by(mut self, step: usize) -> OutputColumn<'a> {
        self.rows.step = step;
        self
    }

    /// Writes the elements from the last row to the first.
    pub fn reversed(mut self) -> OutputColumn<'a> {
        self.rows.is_reversed = !self.rows.is_reversed;
        self
    }

    /// Sets a bitmap that the call writes, as [`Column::validity`] reads one. Without a bitmap, a null input is an error.
    pub fn validity(mut self, bits: &'a mut [u8], offset: usize) -> OutputColumn<'a> {
        self.validity = Some(Validity { bits: bits.as_mut_ptr(), byte_count: bits.len(), offset });
        self
    }
}

impl<'a, T: Output> From<&'a mut [T]> for OutputColumn<'a> {
    fn from(elements: &'a mut [T]) -> Self {
        OutputColumn::new(elements)
    }
}

impl<'a, T: Output> From<&'a mut Vec<T>> for OutputColumn<'a> {
    fn from(elements: &'a mut Vec<T>) -> Self {
        OutputColumn::new(elements)
    }
}

impl<'a, T: Output, const N: usize> From<&'a mut [T; N]> for OutputColumn<'a> {
    fn from(elements: &'a mut [T; N]) -> Self {
        OutputColumn::new(elements)
    }
}

type Report<'a> = dyn Fn(usize, &Error) + Sync + 'a;

/// A call of a function for many rows: one column for each parameter that takes an argument, one output for the result, unless it is
/// void, and for each output of the signature, in their order.
///
/// Nothing is copied. Parameters and results are numbers, `bool`, enumerations, structs, strings, references to them, and buffers that
/// the function reads.
///
/// ```
/// # let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/../.build/plugins");
/// # let host = unsafe { troupe::Host::builder().directory(plugins).start()? };
/// use troupe::{Column, OutputColumn};
///
/// let area = host.dyn_function("area")?;
/// let table = [1.0, 10.0, 2.0, 20.0, 3.0, 30.0]; // two columns, row by row
/// let mut areas = [0.0; 3];
/// area.map().column(Column::new(&table).step_by(2)).column(Column::new(&table[1..]).step_by(2)).output(&mut areas).run()?;
/// assert_eq!(areas, [10.0, 40.0, 90.0]);
///
/// let mut validity = [0];
/// let output = OutputColumn::new(&mut areas).validity(&mut validity, 0);
/// let nulls = area.map().column(&[1.0, 2.0, 3.0]).column(Column::repeat(&5.0).validity(&[0b101], 0)).output(output).run()?;
/// assert_eq!((nulls[0], areas, validity), (1, [5.0, 0.0, 15.0], [0b101]));
/// # Ok::<(), troupe::Error>(())
/// ```
#[must_use = "a call does nothing without run"]
pub struct Map<'a> {
    function: &'a DynFunction,
    columns: Vec<Column<'a>>,
    outputs: Vec<OutputColumn<'a>>,
    row_count: Option<usize>,
    threads: u32,
    report: Option<&'a Report<'a>>,
}

impl<'a> Map<'a> {
    pub(crate) fn new(function: &'a DynFunction) -> Map<'a> {
        Map { function, columns: Vec::new(), outputs: Vec::new(), row_count: None, threads: 1, report: None }
    }

    /// Adds the column of the next parameter.
    pub fn column(mut self, column: impl Into<Column<'a>>) -> Map<'a> {
        self.columns.push(column.into());
        self
    }

    /// Adds the next output.
    pub fn output(mut self, output: impl Into<OutputColumn<'a>>) -> Map<'a> {
        self.outputs.push(output.into());
        self
    }

    /// Sets the number of rows. By default it is that of all outputs and columns, which must have the same.
    pub fn rows(mut self, count: usize) -> Map<'a> {
        self.row_count = Some(count);
        self
    }

    /// Sets the number of threads that share the rows; 1 by default. More are an error for a function of an adopted library, unless its
    /// file says `"threads": "any"`.
    pub fn threads(mut self, count: u32) -> Map<'a> {
        self.threads = count;
        self
    }

    /// Makes failing rows null and calls the closure for each, on the thread that computed the row. By default, a failing row ends the
    /// call.
    pub fn null_on_failure<F: Fn(usize, &Error) + Sync + 'a>(mut self, report: &'a F) -> Map<'a> {
        self.report = Some(report);
        self
    }

    /// Calls the function for all rows, and returns the number of null rows of each output.
    ///
    /// Fails with `usage` (the number of columns or rows), `invalidData` (a column has another type; a null without a bitmap),
    /// `reportedFailure` (a row failed; the error names it, and rows before it have their results) and `invalidSignature` (the function
    /// cannot be called over columns).
    pub fn run(self) -> Result<Vec<usize>> {
        let row_count = self.checked_row_count()?;
        let columns: Vec<_> = self.columns.iter().map(Column::lowered).collect();
        let mut outputs: Vec<_> = self.outputs.iter().map(OutputColumn::lowered).collect();
        let column_pointers: Vec<*const _> = columns.iter().map(|column| column as *const _).collect();
        let output_pointers: Vec<*mut _> = outputs.iter_mut().map(|output| output as *mut _).collect();
        let reporter = self.report.map(|report| Reporter { report, panic: Mutex::new(None) });
        let options = sys::troupe_map_options {
            struct_size: mem::size_of::<sys::troupe_map_options>() as u32,
            row_failure: if reporter.is_some() {
                sys::TROUPE_ROW_FAILURE_IS_NULL
            } else {
                sys::TROUPE_ROW_FAILURE_ENDS
            },
            threads: self.threads,
            reserved: 0,
            report_row: if reporter.is_some() { Some(report_row) } else { None },
            context: reporter
                .as_ref()
                .map_or(ptr::null_mut(), |reporter| (reporter as *const Reporter).cast_mut().cast()),
        };
        // SAFETY: all columns have elements and bits for all rows, outputs are borrowed mutably, and the reporter is Sync.
        let called = unsafe {
            checked(|error| {
                sys::troupe_function_map(
                    self.function.as_ptr(),
                    column_pointers.as_ptr(),
                    column_pointers.len(),
                    row_count,
                    output_pointers.as_ptr(),
                    output_pointers.len(),
                    &options,
                    error,
                )
            })
        };
        if let Some(payload) = reporter.and_then(Reporter::into_panic) {
            panic::resume_unwind(payload);
        }
        called?;
        Ok(outputs.iter().map(|output| output.null_count).collect())
    }

    /// Returns the number of rows, after a check that all columns have elements and bits for them.
    fn checked_row_count(&self) -> Result<usize> {
        let parameters: Vec<_> = self.function.argument_parameters().collect();
        if parameters.len() != self.columns.len() {
            return Err(self.function.count_error(self.columns.len()));
        }
        let fault = |problem: String, remedy: &str| Err(Error::usage(self.function.name(), problem, remedy));
        if self.outputs.iter().any(|output| output.rows.step == 0) {
            return fault("the step of an output is 0".to_owned(), "give a step of at least 1");
        }
        let is_buffer = parameters.iter().map(|(_, parameter)| parameter.passing() == Passing::Buffer);
        let columns = self.columns.iter().zip(is_buffer);
        let row_columns = columns.clone().filter(|(_, is_buffer)| !is_buffer).map(|(column, _)| column);
        let counts = row_columns.clone().map(|column| column.rows).chain(self.outputs.iter().map(|output| output.rows));
        let mut counts = counts.filter_map(|rows| rows.count());
        let row_count = match self.row_count {
            Some(count) if counts.any(|other| other < count) => {
                return fault(format!("a column has less than {count} rows"), "give an element for each row");
            }
            Some(count) => count,
            None => {
                let first = counts.next().unwrap_or(1);
                if let Some(other) = counts.find(|&other| other != first) {
                    return fault(format!("columns have {first} and {other} rows"), "give columns of one length");
                }
                first
            }
        };
        for (column, is_buffer) in columns {
            // The library reads a bit for each element of a buffer.
            let count = if is_buffer { column.rows.length } else { row_count };
            if column.validity.is_some_and(|bits| !bits.covers(count)) {
                return fault(format!("a bitmap has less than {count} bits"), "give a bit for each row or element");
            }
        }
        if self.outputs.iter().any(|output| output.validity.is_some_and(|bits| !bits.covers(row_count))) {
            return fault(format!("a bitmap has less than {row_count} bits"), "give a bit for each row");
        }
        if row_count > 0 && row_columns.clone().any(|column| column.rows.length == 0) {
            return fault("a column is empty".to_owned(), "give an element for each row");
        }
        self.check_structs(&parameters)?;
        Ok(row_count)
    }

    /// Checks the names of structs, of which the library only compares the sizes.
    fn check_structs(&self, parameters: &[(usize, Parameter<'_>)]) -> Result<()> {
        for (column, (index, parameter)) in self.columns.iter().zip(parameters) {
            let subject = || parameter.described(*index);
            check_struct(column.kind, column.name, parameter.value_type(), subject)?;
        }
        let signature = self.function.signature();
        let result = signature.result();
        let result = (result.kind() != TypeKind::Void).then_some((None, result));
        let written =
            signature.parameters().enumerate().filter(|(_, parameter)| parameter.direction() != Direction::In);
        let written = written.map(|(index, parameter)| (Some((index, parameter)), parameter.value_type()));
        for (output, (parameter, type_)) in self.outputs.iter().zip(result.into_iter().chain(written)) {
            let subject = || parameter.map_or("the result".to_owned(), |(index, parameter)| parameter.described(index));
            check_struct(output.kind, output.name, type_, subject)?;
        }
        Ok(())
    }
}

/// Checks that a column of structs has the structs of a type, or of the type behind a pointer.
fn check_struct(kind: TypeKind, name: &str, type_: Type<'_>, subject: impl Fn() -> String) -> Result<()> {
    let type_ = match type_.kind() {
        TypeKind::Reference => type_.element().unwrap_or(type_),
        _ => type_,
    };
    if kind != TypeKind::Struct || type_.kind() == TypeKind::Struct && type_.name() == name {
        return Ok(());
    }
    let problem = format!("its type is {}, not {name}", type_.name());
    Err(Error::invalid_data(subject(), problem, "give a column of that type"))
}

impl Column<'_> {
    fn lowered(&self) -> sys::troupe_column {
        let (offset, stride) = self.rows.offset_and_stride();
        sys::troupe_column {
            struct_size: mem::size_of::<sys::troupe_column>() as u32,
            kind: self.kind.raw(),
            data: self.data.cast::<u8>().wrapping_add(offset).cast(),
            stride,
            count: self.rows.length,
            validity: self.validity.map_or(ptr::null(), |validity| validity.bits),
            validity_offset: self.validity.map_or(0, |validity| validity.offset),
            element_size: self.rows.element_size,
        }
    }
}

impl OutputColumn<'_> {
    fn lowered(&self) -> sys::troupe_output_column {
        let (offset, stride) = self.rows.offset_and_stride();
        sys::troupe_output_column {
            struct_size: mem::size_of::<sys::troupe_output_column>() as u32,
            kind: self.kind.raw(),
            data: self.data.cast::<u8>().wrapping_add(offset).cast(),
            stride,
            validity: self.validity.map_or(ptr::null_mut(), |validity| validity.bits),
            validity_offset: self.validity.map_or(0, |validity| validity.offset),
            element_size: self.rows.element_size,
            null_count: 0,
        }
    }
}

/// The closure for failing rows, and its first panic.
struct Reporter<'a> {
    report: &'a Report<'a>,
    panic: Mutex<Option<Box<dyn std::any::Any + Send>>>,
}

impl Reporter<'_> {
    fn into_panic(self) -> Option<Box<dyn std::any::Any + Send>> {
        self.panic.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Passes a failing row to the closure.
unsafe extern "C" fn report_row(context: *mut c_void, row: usize, error: *const sys::troupe_error) {
    // SAFETY: `context` is the reporter of the call under way, and the error is valid for this call.
    let (reporter, error) = unsafe { (&*context.cast::<Reporter<'_>>(), Error::copy(error)) };
    if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(|| (reporter.report)(row, &error))) {
        reporter.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
    }
}
