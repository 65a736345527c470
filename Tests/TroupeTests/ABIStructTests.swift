import CTroupe
import Glibc
import TestSupport
import Testing
import Troupe

@Suite("A host reads the structs of plugins of every older ABI")
struct ABIStructTests {
  /// A struct of the host, whose third member the plugin's version lacks.
  private struct Grown: BitwiseCopyable {
    var size: UInt32
    var first: UInt32
    var second: UInt64
    var third: UInt64
  }

  private static let grown = ABIStruct((minor: 0, bytes: 16), (minor: 2, bytes: 24))

  /// Calls a function with a plugin's struct of 32 bytes, each of which is 0xA5 after the size.
  private static func withStruct<Result>(size: UInt32, _ body: (UnsafeRawPointer) throws -> Result) rethrows -> Result {
    var words = [UInt32](repeating: 0xA5A5_A5A5, count: 8)
    words[0] = size
    return try words.withUnsafeBytes { try body($0.baseAddress.unsafelyUnwrapped) }
  }

  @Test(
    "The size is that of the last version up to the plugin's that changed it", arguments: [(0, 16), (1, 16), (2, 24), (9, 24)])
  func sizes(minor: Int, bytes: Int) {
    #expect(Self.grown.size(inMinor: minor) == bytes)
    #expect(ABIStruct((minor: 3, bytes: 8)).size(inMinor: minor) == 8)
  }

  @Test("Members of a later version are zero in the copy of an older struct")
  func older() throws {
    let copy = try #require(Self.withStruct(size: 16) { Self.grown.copy($0, as: Grown.self, minor: 0) })
    #expect((copy.size, copy.first, copy.second, copy.third) == (16, 0xA5A5_A5A5, 0xA5A5_A5A5_A5A5_A5A5, 0))
  }

  @Test("A size in the middle of a member copies the part that the plugin has")
  func partial() throws {
    let copy = try #require(Self.withStruct(size: 20) { Self.grown.copy($0, as: Grown.self, minor: 1) })
    #expect(copy.third == UInt64(littleEndian: 0xA5A5_A5A5))
  }

  @Test("A larger struct is copied up to the host's size", arguments: [24, 32, UInt32.max])
  func larger(size: UInt32) throws {
    let copy = try #require(Self.withStruct(size: size) { Self.grown.copy($0, as: Grown.self, minor: 2) })
    #expect((copy.size, copy.third) == (size, 0xA5A5_A5A5_A5A5_A5A5))
  }

  @Test(
    "A struct that is smaller than in the plugin's own version is refused",
    arguments: [(0, 0), (15, 0), (15, 1), (16, 2), (23, 2), (23, 3)] as [(UInt32, Int)])
  func smaller(size: UInt32, minor: Int) {
    #expect(Self.withStruct(size: size) { Self.grown.copy($0, as: Grown.self, minor: minor) == nil })
  }

  @Test("No byte beyond the plugin's struct is read", arguments: [4, 16] as [UInt32])
  func boundary(size: UInt32) throws {
    let page = sysconf(Int32(_SC_PAGESIZE))
    let pages = try #require(mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    defer { munmap(pages, 2 * page) }
    try #require(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0)
    let source = pages + page - Int(size)
    source.storeBytes(of: size, as: UInt32.self)
    #expect((Self.grown.copy(source, as: Grown.self, minor: 0) == nil) == (size < 16))
  }

  @Test("The sizes of the newest version are those of the header")
  func newest() {
    let minor = Int(TROUPE_ABI_MINOR)
    #expect(ABIStruct.factory.size(inMinor: minor) == MemoryLayout<CFactory>.size)
    #expect(ABIStruct.query.size(inMinor: minor) == MemoryLayout<CQuery>.size)
    #expect(ABIStruct.transform.size(inMinor: minor) == MemoryLayout<CTransform>.size)
    #expect(ABIStruct.output.size(inMinor: minor) == MemoryLayout<COutput>.size)
  }

  @Test("The sizes of ABI 1.0 are those of its frozen header, and structs without struct_size have the sizes of that header")
  func first() throws {
    let sizes = [
      "FACTORY": ABIStruct.factory.size(inMinor: 0), "QUERY": ABIStruct.query.size(inMinor: 0),
      "TRANSFORM": ABIStruct.transform.size(inMinor: 0), "OUTPUT": ABIStruct.output.size(inMinor: 0),
      "HOST": MemoryLayout<CHost>.size, "REGISTRAR": MemoryLayout<CRegistrar>.size, "RESOLVER": MemoryLayout<CResolver>.size,
      "VALUE": MemoryLayout<CValue>.size, "METADATA": MemoryLayout<CMetadata>.size, "INSTANCE": MemoryLayout<CInstance>.size,
    ]
    try succeed(
      ["cc", "-std=c11", "-fsyntax-only", "-I", Repo.firstHeaders] + sizes.map { "-D\($0.key)=\($0.value)" }
        + [Repo.fixture("abi/sizes.c")])
  }
}
