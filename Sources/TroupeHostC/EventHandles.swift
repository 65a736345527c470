// include/troupe-host.h documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

internal import CLinux
public import CTroupeHost
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TroupeHost

extension CArena {
  fileprivate func event(_ event: PluginEvent) -> UnsafePointer<troupe_event> {
    UnsafePointer(
      new(
        troupe_event(
          struct_size: UInt32(MemoryLayout<troupe_event>.size), reserved: 0,
          plugin: plugin(event.plugin, count: event.plugin.registrationCount),
          previous: optionalText(event.previous?.name))))
  }
}

// MARK: Queues

/// The unread events of a queue, and an eventfd that is readable while there are unread events and after the end.
private final class EventBuffer: Sendable {
  private struct UnreadEvents {
    var events: [PluginEvent] = []
    /// Index of the first unread event.
    var next = 0
    var hasEnded = false
  }

  private let state = Mutex(UnreadEvents())
  let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  func add(_ event: PluginEvent) {
    state.withLock { state in
      state.events.append(event)
      increment(descriptor)
    }
  }

  func end() {
    state.withLock { state in
      state.hasEnded = true
      increment(descriptor)
    }
  }

  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func removeFirst() -> PluginEvent? {
    state.withLock { state in
      guard state.next < state.events.count else { return nil }
      let event = state.events[state.next]
      state.next += 1
      if state.next == state.events.count {
        (state.events, state.next) = ([], 0)
        if !state.hasEnded { reset() }
      }
      return event
    }
  }

  private func reset() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}

/// The object behind a `troupe_event_queue`.
private final class EventQueueHandle: Handle {
  let buffer: EventBuffer
  private let observation: EventObservation
  private var current: CArena?

  init(_ host: PluginHost) throws(Diagnosis) {
    let descriptor = linux_eventfd()
    guard descriptor >= 0 else {
      throw Diagnosis(
        .missingResource, "the event queue", problem: "has no descriptor: \(SystemError(code: errno))",
        remedy: "raise the limit of open files, see ulimit -n")
    }
    let buffer = EventBuffer(descriptor)
    self.buffer = buffer
    observation = host.observe({ buffer.add($0) }, end: { buffer.end() })
  }

  func next() -> UnsafePointer<troupe_event>? {
    current = nil
    guard let event = buffer.removeFirst() else { return nil }
    let arena = CArena()
    current = arena
    return arena.event(event)
  }
}

@c @implementation
public func troupe_event_queue_new(
  _ host: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  ErrorHandle.pointer(error) { try EventQueueHandle(HostHandle.borrow(host, as: "host").host).retainedPointer() }
}

@c @implementation
public func troupe_event_queue_descriptor(_ queue: OpaquePointer) -> Int32 {
  EventQueueHandle.borrow(queue).buffer.descriptor
}

@c @implementation
public func troupe_event_queue_next(_ queue: OpaquePointer) -> UnsafePointer<troupe_event>? {
  EventQueueHandle.borrow(queue).next()
}

@c @implementation
public func troupe_event_queue_has_ended(_ queue: OpaquePointer) -> Int32 {
  EventQueueHandle.borrow(queue).buffer.hasEnded ? 1 : 0
}

@c @implementation
public func troupe_event_queue_free(_ queue: OpaquePointer?) { EventQueueHandle.release(queue) }

// MARK: Listeners

/// The object behind a `troupe_event_listener`.
private final class EventListenerHandle: Handle {
  typealias Function = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<troupe_event>) -> Void

  private let queue = DispatchQueue(label: "troupe.events")
  private let isEnded = Ended()
  private let observation: EventObservation

  private final class Ended: Sendable {
    let value = Atomic(false)
  }

  init(_ host: PluginHost, _ function: @escaping Function, _ context: UnsafeMutableRawPointer?) {
    // A number, since a closure that several threads call holds no pointer.
    let (queue, isEnded, context) = (queue, isEnded, UInt(bitPattern: context))
    observation = host.observe(
      { event in
        queue.async {
          if isEnded.value.load(ordering: .acquiring) { return }
          let arena = CArena()
          function(UnsafeMutableRawPointer(bitPattern: context), arena.event(event))
        }
      }, end: {})
  }

  /// Waits for the running call.
  func end() {
    isEnded.value.store(true, ordering: .releasing)
    queue.sync {}
  }
}

@c @implementation
public func troupe_event_listener_new(
  _ host: OpaquePointer?, _ callback: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<troupe_event>) -> Void)?,
  _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  ErrorHandle.pointer(error) {
    let host = try HostHandle.borrow(host, as: "host").host
    guard let callback else { throw Diagnosis.missing("callback") }
    return EventListenerHandle(host, callback, context).retainedPointer()
  }
}

@c @implementation
public func troupe_event_listener_free(_ listener: OpaquePointer?) {
  guard let listener else { return }
  EventListenerHandle.borrow(listener).end()
  EventListenerHandle.release(listener)
}
