internal import Glibc

/// A library in this process, as the loader lists it.
struct LoadedImage: Hashable {
  /// The path under which the loader opened it first; empty for the program.
  let path: String
  /// Whether it made the stack executable (`PF_X` of `PT_GNU_STACK`).
  let needsExecutableStack: Bool

  /// The libraries in this process, in the order in which the loader opened them.
  static var all: [LoadedImage] {
    var images: [LoadedImage] = []
    withUnsafeMutablePointer(to: &images) { images in
      iterate(images) { information, size, images in
        guard size >= MemoryLayout<Record>.size else { return 1 }
        images.assumingMemoryBound(to: [LoadedImage].self).pointee.append(LoadedImage(information.load(as: Record.self)))
        return 0
      }
    }
    return images
  }

  /// The number of libraries that the loader has ever opened. It is unchanged after an opening that found the library open.
  static var additions: UInt64 {
    var additions: UInt64 = 0
    iterate(&additions) { information, size, additions in
      guard size >= MemoryLayout<Record>.size else { return 1 }
      additions.assumingMemoryBound(to: UInt64.self).pointee = information.load(as: Record.self).additions
      return 1
    }
    return additions
  }

  private init(_ record: Record) {
    path = record.name.map { String(cString: $0) } ?? ""
    let segments = UnsafeRawBufferPointer(start: record.segments, count: Int(record.segmentCount) * Segment.size)
    needsExecutableStack = stride(from: 0, to: segments.count, by: Segment.size).contains { offset in
      segments.load(fromByteOffset: offset, as: UInt32.self) == Segment.stack
        && segments.load(fromByteOffset: offset + 4, as: UInt32.self) & Segment.executable != 0
    }
  }

  /// Calls a function with each library until it does not return 0. The loader's lock is held meanwhile.
  private static func iterate(_ context: UnsafeMutableRawPointer, _ body: Body) {
    if let function { _ = function(body, context) }
  }

  /// Swift's Glibc does not show dl_iterate_phdr(3), an extension of GNU.
  private static let function = dlsym(nil, "dl_iterate_phdr").map { unsafeBitCast($0, to: Iteration.self) }

  private typealias Body = @convention(c) (UnsafeRawPointer, Int, UnsafeMutableRawPointer) -> CInt
  private typealias Iteration = @convention(c) (Body, UnsafeMutableRawPointer) -> CInt

  /// The beginning of `struct dl_phdr_info` in link.h.
  private struct Record {
    let base: UInt
    let name: UnsafePointer<CChar>?
    let segments: UnsafeRawPointer?
    let segmentCount: UInt16
    let additions: UInt64
  }

  /// `Elf64_Phdr` in elf.h: `p_type` and `p_flags` come first.
  private enum Segment {
    static let size = 56
    static let stack: UInt32 = 0x6474_e551
    static let executable: UInt32 = 1
  }
}
