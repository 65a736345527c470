internal import TroupeFiles

/// The kinds of messages in a call of a worker. The host begins each call; the worker answers, possibly after messages of its own.
package enum MessageKind: UInt32, Sendable {
  // From the host.
  /// Apply the policy of a `WorkerRequest`. The answer is the layers in force, as a `UInt32`. First of all messages.
  case restrict = 1
  /// Load the plugins of that request. The answer is a `WorkerReport`.
  case load
  /// Call a function with a block of memory: the number of the registration as a word, and a block of `FlatCall`.
  case flatCall
  /// Call a function for each row of a block of memory: the number of the registration as a word, and a block of `FlatMap`.
  case flatMap
  /// Call a function: the number of the registration, that of a lifetime or 0, the types of the callbacks, and the arguments as one array.
  case call
  /// Make an instance: the number of the registration, and its arguments as one array. The answer is the number of the instance.
  case make
  /// Make an instance with a factory that is asynchronous or on the main actor: the offset of a `FactorySignal`, and then as `make`.
  case makeAsync
  /// Release an object: its number.
  case release
  /// Read a struct or a member of one: the number of the object, and the path. The answer is the value.
  case readObject
  /// Make a `ForeignLifetime` for the arguments of calls. The answer is its number. `release` ends it.
  case makeLifetime
  /// Give a transform bytes: the number of the instance, and a `StreamChunk`.
  case feed
  /// End the input of a transform: as `feed`.
  case finish
  /// Call a function for each row of columns: a `MapRequest`.
  case map
  /// The result of a callback, or that an output has been written.
  case proceed
  /// The text of the error of a callback; or an output takes no more bytes.
  case stop

  // From the worker.
  /// The result, which ends the call.
  case done = 100
  /// A `RemoteError`, which ends the call.
  case failed
  /// The bytes of the result of a flat call.
  case flatDone
  /// Call a callback: its number, and its arguments as one array.
  case callback
  /// Write the output of a transform: the number of bytes in the region of the stream.
  case output
}

/// A message about a content in the heap, which is too large for a mailbox.
///
/// A host writes the content and then sends `isInHeap`. A worker sends `wantsRoom`, gets `isInHeap` with a region, or `isRefused`, and answers
/// with the same kind after it has written the content.
struct LargeMessage {
  /// The kinds of these messages, which no other message has.
  static let isInHeap: UInt32 = 0x0100_0000
  static let wantsRoom: UInt32 = 0x0100_0001
  static let isRefused: UInt32 = 0x0100_0002

  /// The kind of the message that has the content.
  let kind: UInt32
  let offset: Int
  let count: Int

  init(kind: UInt32, offset: Int, count: Int) { (self.kind, self.offset, self.count) = (kind, offset, count) }

  /// Reads a message, which may contain anything; nil if it is malformed.
  init?(_ bytes: [UInt8]) {
    var record = RecordReader(bytes)
    guard let kind: UInt32 = try? record.number(), let offset: UInt64 = try? record.number(),
      let count: UInt64 = try? record.number(), record.left == 0, let offset = Int(exactly: offset),
      let count = Int(exactly: count)
    else { return nil }
    (self.kind, self.offset, self.count) = (kind, offset, count)
  }

  var bytes: [UInt8] {
    var record = RecordWriter()
    record.write(number: kind)
    record.write(number: UInt64(offset))
    record.write(number: UInt64(count))
    return record.bytes
  }
}
