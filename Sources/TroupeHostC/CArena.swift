/// Bump allocator for C structs and strings that are freed together, such as a list of plugins with all its strings.
///
/// `publish` returns the root of such a structure to the program. A hidden header in front of it retains the arena, so that the `_free`
/// function of the list needs only the pointer:
///
///     [ arena | padding | root | strings, arrays, elements … ]
///                       ^ the pointer that the program has
///
/// One thread fills an arena. It is constant after `publish`.
final class CArena {
  private var blocks: [UnsafeMutableRawPointer] = []
  /// The rest of the last block.
  private var free = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var retained: [AnyObject] = []

  private static let blockSize = 4096
  private static let headerSize = 16

  deinit { for block in blocks { block.deallocate() } }

  /// Returns memory aligned to 16 bytes, enough for any type.
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

  func text(_ text: String) -> UnsafePointer<CChar> {
    let bytes = text.utf8CString
    let copy = allocate(bytes.count).bindMemory(to: CChar.self, capacity: bytes.count)
    _ = UnsafeMutableBufferPointer(start: copy, count: bytes.count).initialize(from: bytes)
    return UnsafePointer(copy)
  }

  func optionalText(_ text: String?) -> UnsafePointer<CChar>? { text.map { self.text($0) } }

  func new<Layout: BitwiseCopyable>(_ value: Layout) -> UnsafeMutablePointer<Layout> {
    let copy = allocate(MemoryLayout<Layout>.size).bindMemory(to: Layout.self, capacity: 1)
    copy.initialize(to: value)
    return copy
  }

  /// Returns nil for an empty array.
  func array<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafePointer<Element>? {
    if elements.isEmpty { return nil }
    let copy = allocate(elements.count * MemoryLayout<Element>.stride).bindMemory(to: Element.self, capacity: elements.count)
    copy.initialize(from: elements, count: elements.count)
    return UnsafePointer(copy)
  }

  /// Retains an object for the life of the arena.
  func pointer(to object: AnyObject) -> OpaquePointer {
    retained.append(object)
    return OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
  }

  /// Returns a root that retains the arena until `release`.
  func publish<Layout: BitwiseCopyable>(_ value: Layout) -> UnsafeMutablePointer<Layout> {
    let start = allocate(Self.headerSize + MemoryLayout<Layout>.size)
    start.storeBytes(of: Unmanaged.passRetained(self).toOpaque(), as: UnsafeMutableRawPointer.self)
    let copy = (start + Self.headerSize).bindMemory(to: Layout.self, capacity: 1)
    copy.initialize(to: value)
    return copy
  }

  /// Releases the arena of a root; ignores NULL.
  static func release<Layout>(_ value: UnsafeMutablePointer<Layout>?) {
    guard let value else { return }
    let header = UnsafeRawPointer(value) - headerSize
    Unmanaged<CArena>.fromOpaque(header.load(as: UnsafeRawPointer.self)).release()
  }
}

/// A C string that lives as long as this object.
final class OwnedCString: Sendable {
  // Safe to share: the bytes are constant.
  nonisolated(unsafe) let pointer: UnsafePointer<CChar>

  init(_ text: String) {
    let bytes = text.utf8CString
    let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
    _ = copy.initialize(from: bytes)
    // The buffer has at least the NUL.
    pointer = UnsafePointer(copy.baseAddress.unsafelyUnwrapped)
  }

  deinit { pointer.deallocate() }
}
