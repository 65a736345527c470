import CSandbox
import Testing

@testable import TroupeFiles
@testable import TroupeSandbox

@Suite("Backtraces")
struct BacktraceTests {
  private static let maps = """
    00400000-00410000 r-xp 00001000 08:01 11                         /usr/bin/host
    00500000-00510000 r-xp 00000000 08:01 12                         /plugins/a b.so
    00600000-00610000 rw-p 00000000 00:00 0
    nonsense

    """

  private func frames(_ instruction: UInt64, _ frames: [UInt64], maps: String = Self.maps) -> [String] {
    let signal = CrashReport(number: 11, cause: 0, instruction: instruction, frames: frames)
    return Backtrace(signal, maps: Array(maps.utf8)).frames.map(\.description)
  }

  @Test("A frame has the file and the offset from the file's start")
  func places() {
    #expect(frames(0x500010, [0x500010, 0x400020]) == ["a b.so+0x10", "host+0x1020"])
  }

  @Test("A backtrace begins at the instruction, not at the signal handler")
  func handler() {
    #expect(frames(0x500010, [0x400001, 0x400002, 0x500010, 0x400020]) == ["a b.so+0x10", "host+0x1020"])
  }

  @Test("All frames are kept if the instruction is not among them")
  func unknownInstruction() {
    #expect(frames(0, [0x400001, 0x500010]) == ["host+0x1001", "a b.so+0x10"])
    #expect(frames(0, []).isEmpty)
  }

  @Test("A frame without a mapped file is a bare address")
  func nowhere() {
    #expect(frames(8, [8, 0x600000, 0x410000, .max]) == ["0x8", "0x600000", "0x410000", "0xffffffffffffffff"])
    #expect(frames(8, [8, 0x500010], maps: "") == ["0x8", "0x500010"])
  }

  @Test("Impossible mappings give frames without an error")
  func impossible() {
    let maps = "0-ffffffffffffffff r-xp ffffffffffffffff 08:01 11 /a.so\n-1-1 x 0\n9-8 r-xp 0 /b.so\n"
    #expect(frames(8, [8, .max], maps: maps) == ["a.so+0x7", "0xffffffffffffffff"])
  }

  /// The location of a crash behind the memory of an argument.
  private func location(isWrite: Int32, name: String = "exp", position: UInt32 = 2) -> String? {
    var crash = troupe_crash()
    (crash.signal, crash.instruction, crash.call_count) = (11, 0x500010, 1)
    crash.calls.0 = 0x500010
    (crash.argument.position, crash.argument.size, crash.is_write) = (position, 4, isWrite)
    withUnsafeMutableBytes(of: &crash.argument.name) { $0.copyBytes(from: name.utf8.prefix($0.count - 1)) }
    return Backtrace.location(of: CrashReport(crash), maps: Array(Self.maps.utf8), preferring: ["/plugins/a b.so"])
  }

  @Test("The location of a crash behind the memory of an argument names the argument and the size")
  func overrun() {
    #expect(location(isWrite: 1) == "a b.so+0x10, which wrote behind the memory of argument 2 \"exp\" (4 bytes)")
    #expect(location(isWrite: 0, name: "") == "a b.so+0x10, which read behind the memory of argument 2 (4 bytes)")
    #expect(location(isWrite: -1) == "a b.so+0x10, which went behind the memory of argument 2 \"exp\" (4 bytes)")
    #expect(location(isWrite: 1, position: 0) == "a b.so+0x10")
  }

  @Test("A forged name of an argument stays within its quotes")
  func forged() {
    #expect(location(isWrite: 1, name: "a\n\"\u{1B}")?.contains { $0.isNewline || $0 == "\u{1B}" } == false)
    #expect(location(isWrite: 1, position: .max)?.contains("argument 4294967295") == true)
  }
}
