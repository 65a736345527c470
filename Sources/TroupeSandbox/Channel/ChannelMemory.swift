internal import CSandbox
internal import Glibc

/// The memory that a host and one worker share, mapped into this process.
package final class ChannelMemory: Sendable {
  /// The sizes of the parts, which both sides know.
  package struct Shape: Sendable {
    package let slots: Int
    /// The size of a line in bytes.
    package let capacity: Int
    /// The size in bytes of the heap for large contents, a multiple of the size of a page.
    package let heap: Int

    package init(slots: Int, capacity: Int, heap: Int = 0) {
      (self.slots, self.capacity, self.heap) = (slots, capacity, heap)
    }

    var heapStart: Int { troupe_channel_size(UInt32(slots), capacity) }
    /// The size of the memory in bytes.
    package var size: Int { heapStart + heap }
  }

  /// A file without a path. Its size is sealed.
  package let descriptor: Int32
  package let shape: Shape
  private let ownsDescriptor: Bool

  /// The first byte.
  // Unsafe for the compiler only: the pointer never changes, and the memory lives as long as this object.
  nonisolated(unsafe) package let start: UnsafeMutableRawPointer

  /// Creates the memory, for the host. Throws `unavailable`.
  package convenience init(_ shape: Shape) throws(ChannelError) {
    let descriptor = troupe_channel_create(shape.size)
    guard descriptor >= 0 else { throw .unavailable(errno) }
    do { try self.init(mapping: descriptor, shape, owning: true) } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  /// Maps the memory of a host, for a worker. The descriptor stays open. Throws `unavailable`.
  package convenience init(of descriptor: Int32, _ shape: Shape) throws(ChannelError) {
    try self.init(mapping: descriptor, shape, owning: false)
  }

  private init(mapping descriptor: Int32, _ shape: Shape, owning: Bool) throws(ChannelError) {
    guard let start = troupe_channel_map(descriptor, shape.size) else { throw .unavailable(errno) }
    (self.descriptor, self.shape, self.start, ownsDescriptor) = (descriptor, shape, start, owning)
  }

  deinit {
    munmap(start, shape.size)
    if ownsDescriptor { Glibc.close(descriptor) }
  }

  /// The signal that ended the worker; nil if the worker reported none. The worker may forge it.
  package var crash: CrashReport? {
    let crash = troupe_crash_read(start)
    return crash.signal == 0 ? nil : CrashReport(crash)
  }

  /// The memory of a range of bytes of the heap.
  package func heapBytes(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= shape.heap, "the heap has \(shape.heap) bytes")
    return UnsafeMutableRawBufferPointer(start: start + shape.heapStart + range.lowerBound, count: range.count)
  }
}

/// The shape of the channel and the PID of the host, which a worker gets with its role; see `ChildRole`.
package struct WorkerStart: Sendable {
  package let shape: ChannelMemory.Shape
  package let parent: Int32

  package init(shape: ChannelMemory.Shape, parent: Int32) { (self.shape, self.parent) = (shape, parent) }

  /// Reads the text; nil for another text.
  package init?(_ text: String) {
    let numbers = text.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 4, (1...64).contains(numbers[0]), numbers[1] > 0, numbers[2] >= 0,
      let parent = Int32(exactly: numbers[3])
    else { return nil }
    self.init(shape: ChannelMemory.Shape(slots: numbers[0], capacity: numbers[1], heap: numbers[2]), parent: parent)
  }

  package var text: String { "\(shape.slots) \(shape.capacity) \(shape.heap) \(parent)" }
}
