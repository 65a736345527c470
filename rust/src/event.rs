use std::ffi::{c_int, c_short, c_ulong, c_void};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;

use crate::error::checked;
use crate::{sys, text, Plugin, Result, State};

/// A change of a plugin's state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Event {
    /// The plugin in its new state.
    pub plugin: Plugin,
    /// The state before; `None` for a plugin that was found.
    pub previous: Option<State>,
}

impl Event {
    /// Copies an event of the library.
    ///
    /// # Safety
    ///
    /// `event` is valid.
    unsafe fn copy(event: *const sys::troupe_event) -> Event {
        // SAFETY: the event is valid, and with it its plugin and its string.
        unsafe {
            Event {
                plugin: Plugin::copy((*event).plugin),
                previous: text::optional_string((*event).previous).map(|name| State::named(&name)),
            }
        }
    }
}

/// The events of a host since [`Host::events`](crate::Host::events), in their order.
///
/// As an iterator it waits for the next event, and ends when the host has been shut down and all events are read.
/// [`try_next`](Events::try_next) does not wait; a program that polls several things polls the descriptor before. Unread events are
/// stored without a limit.
///
/// ```
/// # let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/../.build/plugins");
/// # let host = unsafe { troupe::Host::builder().directory(plugins).start()? };
/// let mut events = host.events()?;
/// host.retire("org.example.geometry")?;
/// assert_eq!(events.next().unwrap().plugin.id.as_deref(), Some("org.example.geometry"));
/// # Ok::<(), troupe::Error>(())
/// ```
#[derive(Debug)]
pub struct Events(NonNull<sys::troupe_event_queue>);

// SAFETY: the header tags the functions of a queue with [any thread], but [one caller] for the one that takes an event, which needs
// a mutable reference here, and for the release.
unsafe impl Send for Events {}
// SAFETY: as above.
unsafe impl Sync for Events {}

impl Events {
    pub(crate) fn new(host: *const sys::troupe_host_t) -> Result<Events> {
        // SAFETY: the caller's host is valid.
        let queue = unsafe { checked(|error| sys::troupe_event_queue_new(host, error)) }?;
        Ok(Events(NonNull::new(queue).expect("troupe_event_queue_new returned neither a queue nor an error")))
    }

    /// Removes the oldest event and returns it, or `None`. Does not wait.
    pub fn try_next(&mut self) -> Option<Event> {
        // SAFETY: the queue is valid, no other caller has it, and the event is valid until the next call.
        unsafe {
            let event = sys::troupe_event_queue_next(self.0.as_ptr());
            (!event.is_null()).then(|| Event::copy(event))
        }
    }

    /// Returns `true` after the host has been shut down: no more events come, and some may be unread.
    pub fn has_ended(&self) -> bool {
        // SAFETY: the queue is valid.
        unsafe { sys::troupe_event_queue_has_ended(self.0.as_ptr()) != 0 }
    }

    /// Waits until the descriptor is readable.
    fn wait(&self) {
        let mut descriptor = PollDescriptor { fd: self.as_raw_fd(), events: POLLIN, revents: 0 };
        // SAFETY: one descriptor, which lives for the call. An interrupted call returns early, and the caller then tries again.
        unsafe { poll(&mut descriptor, 1, -1) };
    }
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            // In this order, since an event may come between the two.
            let has_ended = self.has_ended();
            match self.try_next() {
                Some(event) => return Some(event),
                None if has_ended => return None,
                None => self.wait(),
            }
        }
    }
}

impl AsRawFd for Events {
    /// Returns a descriptor that `poll` finds readable while an event is stored, and when the host has been shut down. Only poll it.
    fn as_raw_fd(&self) -> RawFd {
        // SAFETY: the queue is valid.
        unsafe { sys::troupe_event_queue_descriptor(self.0.as_ptr()) }
    }
}

impl AsFd for Events {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the queue owns the descriptor, and lives as long as the borrow.
        unsafe { BorrowedFd::borrow_raw(self.as_raw_fd()) }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        // SAFETY: this is the only release.
        unsafe { sys::troupe_event_queue_free(self.0.as_ptr()) }
    }
}

const POLLIN: c_short = 1;

/// `struct pollfd` of poll(2).
#[repr(C)]
struct PollDescriptor {
    fd: c_int,
    events: c_short,
    revents: c_short,
}

extern "C" {
    fn poll(descriptors: *mut PollDescriptor, count: c_ulong, timeout: c_int) -> c_int;
}

type Closure = Box<dyn FnMut(Event) + Send>;

/// The registration of a closure with [`Host::listen`](crate::Host::listen). Dropping it ends the calls, and waits for the one under
/// way.
#[derive(Debug)]
#[must_use = "dropping a listener ends its calls"]
pub struct Listener {
    listener: NonNull<sys::troupe_event_listener>,
    closure: NonNull<Closure>,
}

// SAFETY: the handle has no function but the release, which may be called on any thread, and the closure is Send.
unsafe impl Send for Listener {}
// SAFETY: a shared reference has no functions.
unsafe impl Sync for Listener {}

impl Listener {
    pub(crate) fn new(
        host: *const sys::troupe_host_t,
        closure: impl FnMut(Event) + Send + 'static,
    ) -> Result<Listener> {
        let closure: NonNull<Closure> = NonNull::from(Box::leak(Box::new(Box::new(closure) as Closure)));
        // SAFETY: the host is valid, and `drop` releases the closure only after the listener.
        let listener = unsafe {
            checked(|error| sys::troupe_event_listener_new(host, Some(pass_event), closure.as_ptr().cast(), error))
        };
        match listener {
            Ok(listener) => Ok(Listener {
                listener: NonNull::new(listener)
                    .expect("troupe_event_listener_new returned neither a listener nor an error"),
                closure,
            }),
            Err(error) => {
                // SAFETY: without a listener, nothing else has the closure.
                drop(unsafe { Box::from_raw(closure.as_ptr()) });
                Err(error)
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // SAFETY: this is the only release of the listener. Afterwards no call is under way, and nothing else has the closure.
        unsafe {
            sys::troupe_event_listener_free(self.listener.as_ptr());
            drop(Box::from_raw(self.closure.as_ptr()));
        }
    }
}

/// Passes an event to the closure.
unsafe extern "C" fn pass_event(context: *mut c_void, event: *const sys::troupe_event) {
    // A panic in a closure for messages has no caller that could handle it; the panic hook has reported it.
    let _ = panic::catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: `context` is the closure of the listener, which calls it on one thread at a time; the event is valid for the call.
        unsafe { (*context.cast::<Closure>())(Event::copy(event)) }
    }))
    .map_err(std::mem::forget);
}
