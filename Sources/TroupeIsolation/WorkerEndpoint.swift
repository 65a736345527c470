internal import CLinux
internal import Glibc

/// The worker's side of a slot, for one thread: receives the host's messages and answers them.
package final class WorkerEndpoint {
  private let end: Mailbox
  private let memory: ChannelMemory
  private let mark: PendingLogFlag
  /// The number of marks at the last message.
  private var marks: UInt64 = 0
  /// How the host asks this side to wait.
  private var wait = Mailbox.Wait.asleep

  /// - Parameters:
  ///   - slot: The index of the slot, which has no other end on this side.
  ///   - mark: Marks messages.
  package init(_ memory: ChannelMemory, slot: Int, mark: PendingLogFlag) {
    (end, self.memory, self.mark) = (memory.end(slot: slot, side: .worker), memory, mark)
  }

  /// Waits for the host's next call. Answers flat calls itself.
  ///
  /// - Parameter flat: Makes a flat call with its kind and a copy of a line, of which the first bytes are the message. Writes the answer into
  ///   the copy and returns its kind and range; nil for a malformed message.
  package func receiveCall(
    flat: (MessageKind, _ line: UnsafeMutableRawBufferPointer, _ count: Int) -> (MessageKind, Range<Int>)?
  ) throws(ChannelError) -> (kind: UInt32, bytes: [UInt8]) {
    while true {
      let message = try receiveLine()
      guard let kind = MessageKind(rawValue: message.kind), kind == .flatCall || kind == .flatMap else {
        return try content(message)
      }
      try end.withMutableLine { line throws(ChannelError) in
        guard let (answer, range) = flat(kind, line, message.count) else { throw .malformed }
        let bytes = UnsafeRawBufferPointer(rebasing: line[range]).bytes
        try end.send(kind: answer.rawValue | mark.bit(after: &marks), bytes, wait: .asleep)
      }
    }
  }

  /// Waits for the host's next message. The kind is any number.
  package func receive() throws(ChannelError) -> (kind: UInt32, bytes: [UInt8]) {
    try content(receiveLine())
  }

  private func content(_ message: Mailbox.Message) throws(ChannelError) -> (kind: UInt32, bytes: [UInt8]) {
    guard message.kind == LargeMessage.isInHeap, let place = end.withContent(of: message, { LargeMessage($0) }) else {
      return (message.kind, end.withContent(of: message) { $0.withUnsafeBytes { [UInt8]($0) } })
    }
    return (place.kind, [UInt8](memory.heapBytes(place.offset..<place.offset + place.count)))
  }

  /// Writes what C and the plugin have buffered for standard output, and has the host read it before it reads the next message.
  package func announceOutput() {
    linux_flush_stdout()
    mark.set()
  }

  /// Sends a message. Throws `tooLarge` if the host has no room for an answer; the next message is then a call.
  package func send(kind: MessageKind, _ bytes: [UInt8]) throws(ChannelError) {
    guard bytes.count > memory.shape.capacity else {
      try end.send(kind: kind.rawValue | mark.bit(after: &marks), bytes.span.bytes, wait: .asleep)
      return
    }
    let wanted = LargeMessage(kind: kind.rawValue, offset: 0, count: bytes.count)
    try end.send(kind: LargeMessage.wantsRoom | mark.bit(after: &marks), wanted.bytes.span.bytes, wait: .asleep)
    let message = try receiveLine()
    guard message.kind == LargeMessage.isInHeap, let place = end.withContent(of: message, { LargeMessage($0) }) else {
      try end.send(kind: LargeMessage.isRefused, [UInt8]().span.bytes, wait: .asleep)
      throw .tooLarge(size: bytes.count, capacity: memory.shape.heap)
    }
    bytes.withUnsafeBytes { memory.heapBytes(place.offset..<place.offset + place.count).copyMemory(from: $0) }
    try end.send(kind: LargeMessage.isInHeap, [UInt8]().span.bytes, wait: .asleep)
  }

  private func receiveLine() throws(ChannelError) -> Mailbox.Message {
    let message = try end.receive(wait, until: .never)
    wait = message.wait
    return message
  }
}
