import Synchronization
import TestSupport

@testable import TroupeSandbox

/// The worker's side of a channel, on threads of this process with a mapping of its own.
final class TestWorker: Sendable {
  let memory: ChannelMemory
  private let state: Mutex<(threads: [JoinableThread], ends: [Mailbox])> = Mutex(([], []))

  init(_ channel: Channel) throws {
    memory = try ChannelMemory(of: channel.memory.descriptor, channel.memory.shape)
  }

  /// Answers the messages of a slot with the results of a function until `stop`.
  func serve(slot: Int, _ answer: @escaping @Sendable (Mailbox, UInt32, [UInt8]) throws -> [UInt8]) {
    let end = Mailbox(memory, slot: slot, side: .worker)
    let thread = JoinableThread {
      var wait = Mailbox.Wait.asleep
      while let message = try? end.receive(wait, until: .never) {
        wait = message.wait
        guard let reply = try? answer(end, message.kind, end.content(of: message)) else { return }
        _ = try? end.send(kind: message.kind, reply.span.bytes, wait: .asleep)
      }
    }
    state.withLock {
      $0.threads.append(thread)
      $0.ends.append(end)
    }
  }

  /// Writes a field of the worker's line of a slot, as a hostile worker could.
  func write(_ value: UInt32, to field: Field, slot: Int) {
    let line = (memory.shape.size - page) / (2 * memory.shape.slots) / 64 * 64
    precondition(line == 128 + memory.shape.capacity, "the capacity does not fill the pages")
    memory.start.storeBytes(of: value, toByteOffset: page + (2 * slot + 1) * line + field.rawValue, as: UInt32.self)
  }

  /// The size of what precedes the slots.
  private let page = 4096

  /// The offsets of the fields of a line.
  enum Field: Int { case number = 0, kind = 4, wait = 8, count = 12, isAsleep = 64 }

  /// Ends the threads.
  func stop() {
    let state = state.withLock { state in
      defer { state = ([], []) }
      return state
    }
    for end in state.ends { end.close() }
    for thread in state.threads { thread.join() }
  }
}

/// A number that threads count up.
final class Counter: Sendable {
  private let value = Atomic(0)
  var count: Int { value.load(ordering: .sequentiallyConsistent) }
  func add() { value.add(1, ordering: .sequentiallyConsistent) }
}
