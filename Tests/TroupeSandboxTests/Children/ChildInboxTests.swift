import CSandbox
import Testing

@testable import TroupeFiles
@testable import TroupeSandbox

@Suite("Messages of a probe", .timeLimit(.minutes(60)))
struct ChildInboxTests {
  private let keys = ChildInbox.Keys()

  /// Returns a message with a key; nil for the key of its regular sender.
  private func message(_ kind: Int, _ content: [UInt8] = [], key: [UInt8]? = nil, count: UInt32? = nil) -> [UInt8] {
    var writer = RecordWriter()
    writer.write(number: count ?? UInt32(content.count))
    writer.write(number: UInt8(kind))
    writer.append(key ?? (kind < TROUPE_PROBE_END ? keys.watched : keys.watching))
    writer.append(content)
    return writer.bytes
  }

  /// The kinds of the messages in bytes that arrive in pieces of a size. A final nil marks an invalid message.
  private func kinds(_ bytes: [UInt8], size: Int = .max) -> [Int?] {
    var inbox = ChildInbox(keys)
    var kinds: [Int?] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      inbox.add(rest.prefix(size))
      rest = rest.dropFirst(size)
      while let message = inbox.next() { kinds.append(message.kind) }
    }
    return inbox.violation != nil ? kinds + [nil] : kinds
  }

  @Test("Messages are read in pieces of any size", arguments: [1, 2, 20, 21, 22, 1000])
  func pieces(_ size: Int) {
    let bytes =
      message(TROUPE_PROBE_READY) + message(TROUPE_PROBE_REPORT, [1, 2, 3]) + message(TROUPE_PROBE_DONE)
      + message(TROUPE_PROBE_END, [4])
    #expect(kinds(bytes, size: size) == [TROUPE_PROBE_READY, TROUPE_PROBE_REPORT, TROUPE_PROBE_DONE, TROUPE_PROBE_END])
    #expect(kinds(bytes.dropLast(), size: size).count == 3)
  }

  @Test("A message with a wrong key is rejected before its content has arrived")
  func keyOfAnother() {
    let other = ChildInbox.Keys()
    let zeros = [UInt8](repeating: 0, count: Int(TROUPE_PROBE_KEY_SIZE))
    for key in [other.watched, other.watching, zeros, keys.watching] {
      #expect(kinds(message(TROUPE_PROBE_READY) + message(TROUPE_PROBE_DONE, key: key)) == [TROUPE_PROBE_READY, nil])
      #expect(kinds(message(TROUPE_PROBE_REPORT, key: key, count: 1000)) == [nil])
    }
    #expect(kinds(message(TROUPE_PROBE_END, [4], key: keys.watched)) == [nil], "the plugin's process cannot report its end")
    #expect(kinds(message(TROUPE_PROBE_NOT_STARTED, [4], key: keys.watched)) == [nil])
  }

  @Test("After an invalid message all later messages are ignored")
  func garbled() {
    var inbox = ChildInbox(keys)
    inbox.add([UInt8](repeating: 7, count: 100)[...])
    let first = inbox.next()
    #expect(first == nil && inbox.violation == .foreignBytes)
    inbox.add(message(TROUPE_PROBE_DONE)[...])
    let second = inbox.next()
    #expect(second == nil && inbox.violation == .foreignBytes)
  }

  @Test("A message above the size limit is a fault of its own")
  func tooLong() {
    #expect(kinds(message(TROUPE_PROBE_REPORT, count: 1 << 26)) == [])
    var inbox = ChildInbox(keys)
    inbox.add(message(TROUPE_PROBE_REPORT, count: 1 << 26 + 1)[...])
    let message = inbox.next()
    #expect(message == nil && inbox.violation == .tooLong(1 << 26 + 1))
  }

  @Test("Many messages are read in linear time")
  func many() {
    let count = 400_000
    let one = message(TROUPE_PROBE_READY)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * one.count)
    for _ in 0..<count { bytes += one }
    // Moving the remaining bytes for each message would take hours.
    #expect(kinds(bytes, size: 1 << 20).count == count)
  }

  @Test("The greeting has the length that the other end expects")
  func greeting() {
    #expect(keys.greeting.count == Int(TROUPE_PROBE_GREETING_SIZE + 2 * TROUPE_PROBE_KEY_SIZE))
    #expect(Array(keys.greeting.prefix(Int(TROUPE_PROBE_GREETING_SIZE))) == Array(TROUPE_PROBE_GREETING.utf8))
    #expect(keys.watched != keys.watching && keys.watched != ChildInbox.Keys().watched)
  }
}
