import TestSupport
import Testing

@testable import TroupeSandbox

@Suite("Signals between a host and a factory that its worker awaits")
struct FactorySignalTests {
  private let channel: Channel
  /// The signal as the host has it, and as the worker does in its own mapping.
  private let host, worker: FactorySignal

  init() throws {
    channel = try Channel(.init(slots: 1, capacity: 64, heap: 1 << 16))
    host = try #require(FactorySignal(in: channel.heap))
    let memory = try ChannelMemory(of: channel.memory.descriptor, channel.memory.shape)
    worker = try #require(FactorySignal(memory, at: UInt64(host.offset)))
  }

  @Test("A cancellation reaches the worker once, and only the end of the factory ends its wait")
  func cancelled() {
    let cancellations = Counter()
    let thread = JoinableThread { [worker] in
      worker.wait {
        cancellations.add()
        worker.finish()
      }
    }
    host.cancel()
    host.cancel()
    thread.join()
    #expect(cancellations.count == 1)
  }

  @Test("The end of a factory that nobody cancels ends the wait")
  func finished() {
    let cancellations = Counter()
    let thread = JoinableThread { [worker] in worker.wait { cancellations.add() } }
    worker.finish()
    thread.join()
    #expect(cancellations.count == 0)
  }

  @Test("A token that was cancelled before the call cancels the factory at once")
  func earlyCancellation() {
    let token = CallToken()
    token.cancel()
    token.begin(host)
    let cancellations = Counter()
    worker.wait {
      cancellations.add()
      worker.finish()
    }
    #expect(cancellations.count == 1)
  }

  @Test("A token of an ended call cancels nothing")
  func lateCancellation() {
    let token = CallToken()
    token.begin(host)
    token.finish()
    token.cancel()
    worker.finish()
    let cancellations = Counter()
    worker.wait { cancellations.add() }
    #expect(cancellations.count == 0)
  }

  @Test(
    "A signal outside of the shared memory, or across two words, is refused", arguments: [2, 1 << 16, 65_533, .max] as [UInt64])
  func outside(offset: UInt64) {
    #expect(FactorySignal(channel.memory, at: offset) == nil)
  }
}
