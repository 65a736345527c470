import Glibc
import TestSupport
import Testing

@testable import TroupeSandbox

@Suite("Channels")
struct ChannelTests {
  // Two pages for each slot, so that the test finds the lines.
  static let shape = ChannelMemory.Shape(slots: 4, capacity: 4096 - 128)

  let channel: Channel
  let worker: TestWorker

  init() throws {
    channel = try Channel(Self.shape)
    worker = try TestWorker(channel)
  }

  func exchange(_ bytes: [UInt8], slot: Int = 0, within limit: Duration = .seconds(600)) throws -> [UInt8] {
    var endpoint = channel.endpoint(slot, until: .after(limit))
    return try endpoint.exchange(kind: 1, bytes.span.bytes).content
  }

  func failure(_ body: () throws -> Void) -> ChannelError? {
    do { try body() } catch { return error as? ChannelError }
    return nil
  }

  @Test("Messages of each size cross in both directions", arguments: [0, 1, 63, 64, 65, 3968])
  func sizes(count: Int) throws {
    defer { worker.stop() }
    worker.serve(slot: 0) { _, _, bytes in bytes.reversed() }
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    for _ in 0..<100 { #expect(try exchange(bytes) == bytes.reversed()) }
  }

  @Test("A message that is too large is refused, and the channel stays open")
  func tooLarge() throws {
    defer { worker.stop() }
    worker.serve(slot: 0) { _, _, bytes in bytes }
    let error = failure { _ = try exchange([UInt8](repeating: 0, count: 3969)) }
    guard case .tooLarge(size: 3969, capacity: 0) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!channel.isClosed)
    #expect(try exchange([7]) == [7])
  }

  @Test("Exchanges of several mailboxes are in flight at once")
  func concurrency() throws {
    for slot in 0..<4 { worker.serve(slot: slot) { _, _, bytes in bytes } }
    let wrong = Counter()
    let threads = (0..<4).map { slot in
      JoinableThread {
        for round in 0..<500 {
          let bytes = [UInt8(slot), UInt8(truncatingIfNeeded: round)]
          if (try? self.exchange(bytes, slot: slot)) != bytes { wrong.add() }
        }
      }
    }
    for thread in threads { thread.join() }
    worker.stop()
    #expect(wrong.count == 0)
    #expect(!channel.isClosed)
  }

  @Test("A worker calls back within a call")
  func callbacks() throws {
    defer { worker.stop() }
    worker.serve(slot: 0) { end, _, bytes in
      var sum = UInt8(0)
      for byte in bytes {
        try end.send(kind: 2, [byte].span.bytes, wait: .asleep)
        let answer = try end.receive(.asleep, until: .never)
        sum += end.content(of: answer)[0]
      }
      return [sum]
    }
    var endpoint = channel.endpoint(until: .never)
    var reply = try endpoint.exchange(kind: 1, [UInt8]([1, 2, 3]).span.bytes)
    while reply.kind == 2 { reply = try endpoint.exchange(kind: 3, [reply.content[0] * 10].span.bytes) }
    #expect(reply.content == [60])
  }

  @Test("A worker that does not answer closes the channel at the deadline")
  func deadline() throws {
    #expect(failure { _ = try exchange([1], within: .milliseconds(1)) } == .timedOut)
    #expect(channel.isClosed)
    #expect(failure { _ = try exchange([1]) } == .closed)
  }

  @Test("Closing ends exchanges in flight, and later ones")
  func closing() throws {
    let ended = Counter()
    let threads = (0..<4).map { slot in
      JoinableThread {
        do { _ = try self.exchange([], slot: slot) } catch ChannelError.closed { ended.add() } catch {}
      }
    }
    channel.close()
    for thread in threads { thread.join() }
    #expect(ended.count == 4)
    #expect(failure { _ = try exchange([1]) } == .closed)
  }

  @Test("Closing twice at once ends a wait")
  func closingTwice() throws {
    for _ in 0..<500 {
      let channel = try Channel(.init(slots: 1, capacity: 64))
      let ended = Counter()
      let waiting = JoinableThread {
        var endpoint = channel.endpoint(until: .never)
        do { _ = try endpoint.exchange(kind: 1, [UInt8]().span.bytes) } catch ChannelError.closed { ended.add() } catch {}
      }
      let closing = (0..<2).map { _ in JoinableThread { channel.close() } }
      for thread in closing + [waiting] { thread.join() }
      #expect(ended.count == 1)
    }
  }

  @Test(
    "A wild number or length of a message closes the channel",
    arguments: [
      (TestWorker.Field.number, UInt32(2)), (.number, .max), (.number, 0x8000_0000), (.number, 0x8000_0001), (.count, 3969),
      (.count, .max), (.count, 0x8000_0000),
    ])
  func forgedFields(field: TestWorker.Field, value: UInt32) throws {
    worker.write(value, to: field, slot: 0)
    if field == .count { worker.write(1, to: .number, slot: 0) }
    #expect(failure { _ = try exchange([1]) } == .malformed)
    #expect(channel.isClosed)
  }

  @Test("The host has its own copy of a message")
  func changedAfterwards() throws {
    defer { worker.stop() }
    let done = Counter()
    let worker = worker
    worker.serve(slot: 0) { _, _, bytes in bytes }
    let attacker = JoinableThread {
      let start = worker.memory.start
      while done.count == 0 {
        for offset in 0..<8 {
          start.storeBytes(of: UInt8.random(in: 0...255), toByteOffset: 4096 + 4096 + 128 + offset, as: UInt8.self)
        }
      }
    }
    for _ in 0..<1000 {
      var endpoint = channel.endpoint(until: .never)
      let first = try endpoint.exchange(kind: 1, [UInt8](repeating: 1, count: 8).span.bytes).content
      sched_yield()
      #expect([UInt8](endpoint.buffer.prefix(8)) == first)
    }
    done.add()
    attacker.join()
  }

  @Test("The worker cannot change the size of the memory, or map another size")
  func sealing() throws {
    let descriptor = channel.memory.descriptor
    for size in [0, 4096, Self.shape.size - 1, Self.shape.size + 4096] { #expect(ftruncate(descriptor, size) != 0) }
    #expect(fcntl(descriptor, 1033, 0) != 0)  // F_ADD_SEALS
    let error = failure { _ = try ChannelMemory(of: descriptor, .init(slots: 5, capacity: Self.shape.capacity)) }
    #expect(error == .unavailable(EINVAL))
    #expect(failure { _ = try ChannelMemory(of: -1, Self.shape) } == .unavailable(EBADF))
  }
}
