internal import CLinux
internal import TroupeBase

/// Memory that ends where an inaccessible page begins, so that an overrun is a crash and not a wrong value. See `guarded_memory.h` for the
/// pages and their reuse.
struct GuardedPages: @unchecked Sendable {
  // Sendable because it is constant; its owner says who uses the memory.

  let start: UnsafeMutableRawPointer
  private let memory: linux_guarded_memory

  /// The memory is zero. Returns nil if the system has none.
  init?(_ byteCount: Int, alignment: Int) {
    var memory = linux_guarded_memory()
    guard linux_guarded_allocate(&memory, byteCount, alignment), let start = memory.data else { return nil }
    (self.start, self.memory) = (start, memory)
  }

  /// Frees the memory, once.
  func free() { withUnsafePointer(to: memory) { linux_guarded_free($0) } }

  /// Says for the report of a crash which argument the memory is.
  func note(_ argument: CallError.Argument, of function: UnsafeRawPointer) {
    withUnsafePointer(to: memory) { memory in
      let position = UInt32(clamping: argument.index + 1)
      linux_guarded_note(memory, UInt64(UInt(bitPattern: function)), position, argument.name)
    }
  }

  /// Throws if something has written behind the memory, within its alignment.
  func checkEnd(after function: UnsafeRawPointer?) throws(CallError) {
    guard withUnsafePointer(to: memory, { linux_guarded_is_overrun($0) }) else { return }
    throw .overrun(memory.size, by: function?.functionName)
  }
}

extension CallError {
  fileprivate static func overrun(_ size: Int, by function: String?) -> CallError {
    CallError(
      .resultLength, "\(function ?? "the function") wrote behind this memory of \(counted(size, "byte"))",
      remedy: "give more, such as {\"bytes\": \(2 * size)}, or pass the size that it has")
  }
}
