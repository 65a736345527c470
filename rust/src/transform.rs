use std::any::Any;
use std::ffi::c_void;
use std::io::{self, Read, Write};
use std::panic::{self, AssertUnwindSafe};

use crate::error::checked;
use crate::{sys, text, Error, Instance, Registration, Result};

/// A streaming stage: takes bytes in pieces of any size, and writes bytes as they become available.
///
/// ```
/// # let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/../.build/plugins");
/// # let host = unsafe { troupe::Host::builder().directory(plugins).start()? };
/// use std::io::{self, Read, Write};
/// use troupe::{Request, Transform};
///
/// let transform = |tag| -> troupe::Result<Transform> {
///     let mut instances = host.resolve(&Request::new().tag(tag).contract(Transform::CONTRACT))?;
///     Ok(instances.remove(0).into_transform().unwrap())
/// };
///
/// let mut text = String::new();
/// transform("base64-decode")?.reader(&b"dHJvdXBl"[..]).read_to_string(&mut text).unwrap();
/// assert_eq!(text, "troupe");
///
/// let mut writer = transform("base64-encode")?.writer(Vec::new());
/// io::copy(&mut "troupe".as_bytes(), &mut writer).unwrap();
/// assert_eq!(writer.finish().unwrap(), b"dHJvdXBl\n");
/// # Ok::<(), troupe::Error>(())
/// ```
#[derive(Debug)]
pub struct Transform(Instance);

impl Transform {
    /// The contract of transforms, for [`Request::contract`](crate::Request::contract).
    pub const CONTRACT: &'static str = "troupe.transform/1";

    pub(crate) fn new(instance: Instance) -> Transform {
        Transform(instance)
    }

    /// Returns the registration of the transform's factory.
    pub fn registration(&self) -> Registration {
        self.0.registration()
    }

    /// Passes all of the input through the transform, and returns the output.
    ///
    /// Fails with `reportedFailure` if the transform fails.
    pub fn process(mut self, input: &[u8]) -> Result<Vec<u8>> {
        let mut output = Vec::new();
        self.feed(input, &mut output)?;
        self.finish(&mut output)?;
        Ok(output)
    }

    /// Passes bytes to the transform, which appends the output that is ready.
    ///
    /// Fails with `reportedFailure` if the transform fails, and with `invalidArgument` if it has failed or finished before.
    pub fn feed(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        self.pass(Some(input), output).map_err(StepError::into_error)
    }

    /// Ends the input; the transform appends the rest of its output. Fails as [`feed`](Transform::feed) does.
    pub fn finish(&mut self, output: &mut Vec<u8>) -> Result<()> {
        self.pass(None, output).map_err(StepError::into_error)
    }

    /// Makes the transform as it was when it was resolved, so that it takes another input. Returns false if its stage cannot: resolve
    /// another one then.
    pub fn reset(&mut self) -> bool {
        // SAFETY: `self` is borrowed mutably, so that there is one caller.
        unsafe { sys::troupe_transform_reset(self.0.as_ptr()) != 0 }
    }

    /// Returns a reader of the output for the input that `inner` reads.
    ///
    /// If the transform fails, reads fail with [`io::ErrorKind::InvalidData`].
    pub fn reader<R: Read>(self, inner: R) -> Reader<R> {
        Reader { transform: self, inner, input: vec![0; 65536], output: Vec::new(), position: 0, has_ended: false }
    }

    /// Returns a writer that passes its input through the transform to `inner`. Call [`Writer::finish`] at the end of the input.
    pub fn writer<W: Write>(self, inner: W) -> Writer<W> {
        Writer { transform: self, inner }
    }

    /// Feeds bytes, or finishes without them.
    fn pass(&mut self, input: Option<&[u8]>, output: &mut dyn Write) -> std::result::Result<(), StepError> {
        let mut sink = Sink { output, failure: None };
        let context: *mut c_void = (&mut sink as *mut Sink).cast();
        let transform = self.0.as_ptr();
        // SAFETY: `self` is borrowed mutably, so that there is one caller; input and sink live for the call.
        let passed = unsafe {
            checked(|error| match input {
                Some(input) => sys::troupe_transform_feed(
                    transform,
                    input.as_ptr().cast(),
                    input.len(),
                    Some(write),
                    context,
                    error,
                ),
                None => sys::troupe_transform_finish(transform, Some(write), context, error),
            })
        };
        match sink.failure {
            Some(SinkError::Panic(payload)) => panic::resume_unwind(payload),
            Some(SinkError::Error(error)) => Err(StepError::Output(error)),
            None => passed.map(drop).map_err(StepError::Transform),
        }
    }
}

/// The reason why a transform did not take input.
enum StepError {
    Transform(Error),
    Output(io::Error),
}

impl StepError {
    fn into_error(self) -> Error {
        match self {
            StepError::Transform(error) => error,
            StepError::Output(error) => Error::failure(error.to_string()),
        }
    }
}

impl From<StepError> for io::Error {
    fn from(failure: StepError) -> io::Error {
        match failure {
            StepError::Transform(error) => error.into(),
            StepError::Output(error) => error,
        }
    }
}

/// The output of a transform, and its failure, which ends the transform.
struct Sink<'a> {
    output: &'a mut dyn Write,
    failure: Option<SinkError>,
}

enum SinkError {
    Error(io::Error),
    Panic(Box<dyn Any + Send>),
}

/// Takes output of a transform.
unsafe extern "C" fn write(context: *mut c_void, bytes: *const c_void, count: usize) -> sys::troupe_status {
    // SAFETY: `context` is the sink of the call under way, which has one caller.
    let sink = unsafe { &mut *context.cast::<Sink<'_>>() };
    if sink.failure.is_some() {
        return sys::TROUPE_FAILED;
    }
    // SAFETY: the library passes `count` bytes.
    let bytes = unsafe { text::slice(bytes.cast::<u8>(), count) };
    sink.failure = match panic::catch_unwind(AssertUnwindSafe(|| sink.output.write_all(bytes))) {
        Ok(Ok(())) => return sys::TROUPE_OK,
        Ok(Err(error)) => Some(SinkError::Error(error)),
        Err(payload) => Some(SinkError::Panic(payload)),
    };
    sys::TROUPE_FAILED
}

/// Reads the output of a transform; see [`Transform::reader`].
#[derive(Debug)]
pub struct Reader<R> {
    transform: Transform,
    inner: R,
    input: Vec<u8>,
    output: Vec<u8>,
    /// The number of bytes of `output` that were read.
    position: usize,
    /// True if the transform has finished or failed.
    has_ended: bool,
}

impl<R> Reader<R> {
    /// Returns the reader of the input. Output that was not read is lost.
    pub fn into_inner(self) -> R {
        self.inner
    }
}

impl<R: Read> Read for Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while self.position == self.output.len() && !self.has_ended {
            let count = self.inner.read(&mut self.input)?;
            self.output.clear();
            self.position = 0;
            self.has_ended = count == 0;
            let input = (count > 0).then(|| &self.input[..count]);
            if let Err(failure) = self.transform.pass(input, &mut self.output) {
                self.has_ended = true;
                return Err(failure.into());
            }
        }
        let count = (&self.output[self.position..]).read(buffer)?;
        self.position += count;
        Ok(count)
    }
}

/// Passes its input through a transform to another writer; see [`Transform::writer`].
#[derive(Debug)]
#[must_use = "finish writes the rest of the output"]
pub struct Writer<W> {
    transform: Transform,
    inner: W,
}

impl<W> Writer<W> {
    /// Returns the writer of the output.
    pub fn get_ref(&self) -> &W {
        &self.inner
    }
}

impl<W: Write> Writer<W> {
    /// Ends the input, writes the rest of the output, and returns the writer of the output, which is not flushed.
    pub fn finish(mut self) -> io::Result<W> {
        self.transform.pass(None, &mut self.inner)?;
        Ok(self.inner)
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.transform.pass(Some(bytes), &mut self.inner)?;
        Ok(bytes.len())
    }

    /// Flushes the writer of the output. The transform may keep bytes until it gets more, or the end.
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
