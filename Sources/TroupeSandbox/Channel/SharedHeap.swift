internal import CLinux
internal import Glibc
internal import Synchronization

/// The part of the memory of a channel for contents that are larger than a mailbox. The host allocates regions in it. The worker may write
/// anywhere in it at any time.
package final class SharedHeap: Sendable {
  let memory: ChannelMemory
  /// The unused ranges of bytes in ascending order, none of which touch.
  private let unused: Mutex<[Range<Int>]>

  init(_ memory: ChannelMemory) {
    self.memory = memory
    unused = Mutex(memory.shape.heap > 0 ? [0..<memory.shape.heap] : [])
  }

  /// The size in bytes.
  package var size: Int { memory.shape.heap }

  /// Allocates whole pages, with any content. Returns nil if there is no room.
  package func allocate(_ count: Int) -> SharedRegion? {
    guard count <= size else { return nil }
    let size = (max(count, 1) + Self.page - 1) / Self.page * Self.page
    let range = unused.withLock { unused -> Range<Int>? in
      guard let index = unused.firstIndex(where: { $0.count >= size }) else { return nil }
      let start = unused[index].lowerBound
      unused[index] = start + size..<unused[index].upperBound
      if unused[index].isEmpty { unused.remove(at: index) }
      return start..<start + size
    }
    return range.map { SharedRegion(self, $0, count: count) }
  }

  fileprivate func release(_ range: Range<Int>) {
    // The system has the memory of large regions back at once.
    if range.count >= Self.largeSize {
      linux_punch_hole(memory.descriptor, memory.shape.heapStart + range.lowerBound, range.count)
    }
    unused.withLock { unused in
      let index = unused.firstIndex { $0.lowerBound >= range.upperBound } ?? unused.count
      unused.insert(range, at: index)
      for first in [index, index - 1] where first >= 0 && first + 1 < unused.count {
        guard unused[first].upperBound == unused[first + 1].lowerBound else { continue }
        unused[first] = unused[first].lowerBound..<unused[first + 1].upperBound
        unused.remove(at: first + 1)
      }
    }
  }

  fileprivate func bytes(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer { memory.heapBytes(range) }

  /// The offset in the heap of an address within it; nil for any other address.
  package func offset(of address: UnsafeRawPointer) -> Int? {
    let offset = UInt(bitPattern: address) &- UInt(bitPattern: memory.heapBytes(0..<0).baseAddress)
    return offset < UInt(size) ? Int(offset) : nil
  }

  private static let page = 4096
  private static let largeSize = 1 << 20
}

/// A part of the heap, which ends with this object.
package final class SharedRegion: Sendable {
  private let heap: SharedHeap
  private let range: Range<Int>
  /// The requested number of bytes.
  package let count: Int

  fileprivate init(_ heap: SharedHeap, _ range: Range<Int>, count: Int) {
    (self.heap, self.range, self.count) = (heap, range, count)
  }

  deinit { heap.release(range) }

  /// The first byte in the heap.
  package var offset: Int { range.lowerBound }

  /// The memory, valid for as long as this object. The worker may change it at any time.
  package var bytes: UnsafeMutableRawBufferPointer { heap.bytes(offset..<offset + count) }

  package func copy(_ count: Int) -> [UInt8] { [UInt8](bytes.prefix(count)) }
}
