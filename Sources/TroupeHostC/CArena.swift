/// Memory of C structs and texts, all of which is freed with the arena.
final class CArena {
  private var blocks: [UnsafeMutableRawPointer] = []
  private var free = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var objects: [AnyObject] = []

  private static let blockSize = 4096
  /// The memory in front of a published struct, which has the reference to its arena.
  private static let headerSize = 16

  deinit { for block in blocks { block.deallocate() } }

  /// Returns memory that is aligned for any type.
  private func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let size = (max(byteCount, 1) + 15) & ~15
    if size > free.count {
      let count = max(size, Self.blockSize)
      let block = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
      blocks.append(block)
      free = UnsafeMutableRawBufferPointer(start: block, count: count)
    }
    // There are at least `size` bytes, so the buffer has an address.
    let start = free.baseAddress.unsafelyUnwrapped
    free = UnsafeMutableRawBufferPointer(rebasing: free[size...])
    return start
  }

  /// Returns a copy of a text.
  func text(_ text: String) -> UnsafePointer<CChar> {
    let bytes = text.utf8CString
    let copy = allocate(bytes.count).bindMemory(to: CChar.self, capacity: bytes.count)
    _ = UnsafeMutableBufferPointer(start: copy, count: bytes.count).initialize(from: bytes)
    return UnsafePointer(copy)
  }

  /// Returns a copy of a text, or nil.
  func optionalText(_ text: String?) -> UnsafePointer<CChar>? { text.map { self.text($0) } }

  /// Returns a copy of a value.
  func new<Layout: BitwiseCopyable>(_ value: Layout) -> UnsafeMutablePointer<Layout> {
    let copy = allocate(MemoryLayout<Layout>.size).bindMemory(to: Layout.self, capacity: 1)
    copy.initialize(to: value)
    return copy
  }

  /// Returns a copy of an array; nil for an empty one.
  func array<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafePointer<Element>? {
    if elements.isEmpty { return nil }
    let copy = allocate(elements.count * MemoryLayout<Element>.stride).bindMemory(to: Element.self, capacity: elements.count)
    copy.initialize(from: elements, count: elements.count)
    return UnsafePointer(copy)
  }

  /// Returns the pointer of an object, which lives as long as the arena.
  func pointer(to object: AnyObject) -> OpaquePointer {
    objects.append(object)
    return OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
  }

  /// Returns a copy of a value that keeps the arena until `release`.
  func publish<Layout: BitwiseCopyable>(_ value: Layout) -> UnsafeMutablePointer<Layout> {
    let start = allocate(Self.headerSize + MemoryLayout<Layout>.size)
    start.storeBytes(of: Unmanaged.passRetained(self).toOpaque(), as: UnsafeMutableRawPointer.self)
    let copy = (start + Self.headerSize).bindMemory(to: Layout.self, capacity: 1)
    copy.initialize(to: value)
    return copy
  }

  /// Releases a value that `publish` returned, and with it the arena; ignores nil.
  static func release<Layout>(_ value: UnsafeMutablePointer<Layout>?) {
    guard let value else { return }
    let header = UnsafeRawPointer(value) - headerSize
    Unmanaged<CArena>.fromOpaque(header.load(as: UnsafeRawPointer.self)).release()
  }
}
