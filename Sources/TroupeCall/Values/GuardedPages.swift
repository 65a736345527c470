internal import Glibc

/// Memory that ends where an inaccessible page begins, so that an overrun is a crash and not a wrong value:
///
///     [ … slack | data ][ guard ]      pages; the data ends at the guard, or less than its alignment before
///
/// The caller unmaps it once. Cost: two system calls and a page fault, 2 µs.
struct GuardedPages: @unchecked Sendable {
  // Sendable because it is constant; its owner says who uses the memory.

  let start: UnsafeMutableRawPointer
  private let base: UnsafeMutableRawPointer
  private let size: Int

  /// The memory is zero. Returns nil if the system has none.
  init?(_ byteCount: Int, alignment: Int) {
    let page = Int(getpagesize())
    let (whole, overflow) = byteCount.addingReportingOverflow(2 * page)
    guard !overflow else { return nil }
    let data = whole.roundedUp(to: page) - page
    guard let base = mmap(nil, data + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), base != MAP_FAILED
    else { return nil }
    guard mprotect(base + data, page, PROT_NONE) == 0 else {
      munmap(base, data + page)
      return nil
    }
    (self.base, size) = (base, data + page)
    start = base + (data - byteCount) / alignment * alignment
  }

  func unmap() { munmap(base, size) }
}
