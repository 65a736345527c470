import Foundation
import TestSupport
import Testing

@testable import TroupeFiles

@Suite("What an ELF file needs from others")
struct ImportsTests {
  /// A library with a version of its symbols, and one that links it.
  private struct Libraries {
    let directory: TemporaryDirectory
    let provider, user: [UInt8]

    init(_ options: String...) throws {
      directory = try TemporaryDirectory()
      let map = try directory.write("p.map", "ONE_1 { global: one; }; ONE_2 { global: two; } ONE_1;".utf8)
      let provider = directory.file("libprovider.so.1")
      try succeed([
        "cc", "-shared", "-fPIC", "-Wl,-soname,libprovider.so.1", "-Wl,--version-script,\(map)", "-o", provider,
        directory.write("p.c", "int one(void) { return 1; } int two(void) { return 2; }".utf8),
      ])
      let code = """
        int one(void); int two(void); int absent(void) __attribute__((weak)); int plain(void);
        int user(void) { return one() + two() + plain() + (absent ? absent() : 0); }
        """
      let user = directory.file("libuser.so")
      try succeed(
        ["cc", "-shared", "-fPIC", "-o", user, directory.write("u.c", code.utf8), provider] + options)
      self.provider = [UInt8](try Data(contentsOf: URL(filePath: provider)))
      self.user = [UInt8](try Data(contentsOf: URL(filePath: user)))
    }
  }

  @Test(
    "Undefined symbols have their binding and version, with each kind of hash table and without section headers",
    arguments: ["gnu", "sysv", "both"], [false, true])
  func imports(style: String, hasSections: Bool) throws {
    let libraries = try Libraries("-Wl,--hash-style=\(style)")
    let bytes = hasSections ? libraries.user : DynamicSectionTests.withoutSections(libraries.user)
    let file = try ELFFile(MemoryBytes(bytes))
    let imports = try file.imports(DynamicSectionTests.dynamic(bytes))
    let symbols = Dictionary(uniqueKeysWithValues: imports.map { ($0.name, $0) })
    #expect(symbols["one"]?.version?.version == "ONE_1")
    #expect(symbols["two"]?.version?.version == "ONE_2")
    #expect(symbols["two"]?.version?.library == "libprovider.so.1")
    #expect(symbols["two"]?.isWeak == false)
    #expect(symbols["absent"]?.isWeak == true)
    #expect(symbols["plain"].map { $0.version == nil && !$0.isWeak } == true)
    #expect(symbols["user"] == nil)
  }

  @Test(
    "The loader looks up only symbols with a relocation", arguments: [[], ["-Wl,-z,now"], ["-Wl,-z,nopack-relative-relocs"]])
  func relocated(options: [String]) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("x.so")
    let code =
      "__asm__(\".globl unused\"); int called(void); extern int data; int *pointer = &data; int f(void) { return called(); }"
    try succeed(
      ["cc", "-shared", "-fPIC", "-o", path, directory.write("x.c", code.utf8)] + options)
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let (file, dynamic) = (try ELFFile(MemoryBytes(bytes)), try DynamicSectionTests.dynamic(bytes))
    let names = Set(try file.imports(dynamic).map(\.name))
    #expect(names.isSuperset(of: ["called", "data", "unused"]))
    let needed = Set(try file.relocated(file.imports(dynamic), dynamic).map(\.name))
    #expect(needed.isSuperset(of: ["called", "data"]))
    #expect(!needed.contains("unused"))
  }

  @Test("Needed and defined versions are read")
  func versions() throws {
    let libraries = try Libraries()
    let user = try ELFFile(MemoryBytes(libraries.user))
    let needs = try user.versionNeeds(DynamicSectionTests.dynamic(libraries.user)).filter { $0.library == "libprovider.so.1" }
    #expect(Set(needs.map(\.version)) == ["ONE_1", "ONE_2"])
    #expect(needs.allSatisfy { !$0.isWeak })
    let provider = try ELFFile(MemoryBytes(libraries.provider))
    let versions = try provider.versionDefinitions(DynamicSectionTests.dynamic(libraries.provider))
    #expect(versions == ["libprovider.so.1", "ONE_1", "ONE_2"])
    #expect(try user.versionDefinitions(DynamicSectionTests.dynamic(libraries.user)).isEmpty)
  }

  @Test("Any damage of the tables is an error or another result, and no crash")
  func damage() throws {
    let libraries = try Libraries()
    var generator = SplitMix64(seed: 11)
    var errors = 0
    for original in [libraries.user, libraries.provider] {
      for _ in 0..<3000 {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          let offset = Int.random(in: 64..<min(bytes.count, 4096), using: &generator)
          bytes[offset] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
        }
        do {
          let file = try ELFFile(MemoryBytes(bytes))
          guard let dynamic = try file.dynamicSection() else { continue }
          _ = try file.versionDefinitions(dynamic)
          _ = try file.relocated(file.imports(dynamic), dynamic)
          _ = try file.interfaceMarks(dynamic)
        } catch {
          errors += 1
        }
      }
    }
    #expect(errors > 0)
  }

  @Test("The hidden bit of a needed version is not part of its index")
  func hiddenVersion() throws {
    var bytes = try Libraries().user
    let dynamic = try DynamicSectionTests.dynamic(bytes)
    let file = try ELFFile(MemoryBytes(bytes))
    let header = Int(try #require(dynamic.versionNeedsAddress.flatMap { file.offset(of: $0) }))
    // The index of the first version of the first library.
    let index = header + bytes.long(at: header + 8) + 6
    bytes.set(UInt16(bytes.half(at: index)) | 0x8000, at: index)
    let hidden = try ELFFile(MemoryBytes(bytes))
    #expect(try hidden.imports(dynamic) == file.imports(dynamic))
  }

  @Test("A list of versions without an end is an error")
  func endlessVersions() throws {
    var bytes = try Libraries().user
    let dynamic = try DynamicSectionTests.dynamic(bytes)
    let file = try ELFFile(MemoryBytes(bytes))
    let need = try #require(dynamic.versionNeedsAddress.flatMap { file.offset(of: $0) })
    // The last entry of a library has no distance to a next one, so a larger count repeats it.
    bytes.set(UInt16.max, at: Int(need) + 2)
    let damaged = try ELFFile(MemoryBytes(bytes))
    let error = try #require(throws: ReadError.self) { try damaged.versionNeeds(dynamic) }
    #expect(error.description == "is damaged: the list of its versions has no end")
  }
}

@Suite("Marks of Swift interfaces")
struct InterfaceMarkTests {
  @Test("The module and the hash are parsed, and written as the symbol")
  func parsing() throws {
    let mark = try #require(LayoutMark(version: "Shop_Items_0123456789abcdef"))
    #expect(mark.module == "Shop_Items")
    #expect(mark.hash == "0123456789abcdef")
    #expect(mark.symbol == "_swift_FORCE_LOAD_$_Shop_Items_0123456789abcdef")
    #expect(LayoutMark(symbol: mark.symbol) == mark)
    #expect(mark.description == "Shop_Items 0123456789abcdef")
    let other = try #require(LayoutMark(version: "Shop_Items_0123456789abcdee"))
    #expect([mark, other].sorted() == [other, mark])
  }

  @Test(
    "Other versions and symbols are no marks",
    arguments: [
      "", "_0123456789abcdef", "Shop0123456789abcdef", "Shop_0123456789ABCDEF", "Shop_123456789abcdef",
      "Shop\u{1B}_0123456789abcdef",
      "GLIBC_2.34", "Shop_0123456789abcdeg",
    ])
  func others(text: String) {
    #expect(LayoutMark(version: text) == nil)
    #expect(LayoutMark(symbol: "_swift_FORCE_LOAD_$_" + text) == nil)
    #expect(LayoutMark(symbol: text) == nil)
  }

  private func marks(_ options: [String], _ code: String) throws -> InterfaceMarks? {
    let directory = try TemporaryDirectory()
    let library = directory.file("libShop.so")
    try succeed(
      [
        "swiftc", "-emit-library", "-parse-as-library", "-module-name", "Shop", "-o", library,
        directory.write("Shop.swift", code.utf8),
      ]
        + options)
    let file = try ELFFile(path: library)
    let dynamic = try #require(try file.dynamicSection())
    return try file.interfaceMarks(dynamic)
  }

  @Test("A library with evolution shows it by a requirement, by an enum, or by its mark")
  func resilient() throws {
    let evolution = ["-enable-library-evolution"]
    let item = "public struct Item { public var price = 1 }"
    #expect(try marks(evolution, "public protocol Item { func price() -> Int }")?.isResilient == true)
    #expect(try marks(evolution, "public enum Item { case one, two }")?.isResilient == true)
    #expect(try marks(evolution, item)?.isResilient == false)
    #expect(try marks(evolution + ["-Xlinker", "--defsym=_troupe_resilient_Shop=0"], item)?.isResilient == true)
  }

  @Test("A library without evolution has no such sign, and may have a mark of its layout")
  func fixed() throws {
    let code = """
      public protocol Item { func price() -> Int }
      public enum Kind { case one, two(Int) }
      open class Base { public init() {}; open func run() {} }
      """
    let plain = try #require(try marks([], code))
    #expect(!plain.isResilient)
    #expect(plain.layouts.isEmpty)
    let mark = try #require(LayoutMark(version: "Shop_0123456789abcdef"))
    let marked = try marks(["-module-link-name", "Shop_0123456789abcdef", "-autolink-force-load"], code)
    #expect(marked?.layouts == [mark])
    #expect(marked?.isResilient == false)
  }

  @Test("A library in C has no marks")
  func plain() throws {
    let bytes = try DynamicSectionTests.library()
    #expect(try ELFFile(MemoryBytes(bytes)).interfaceMarks(DynamicSectionTests.dynamic(bytes)) == nil)
  }
}
