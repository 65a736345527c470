import Foundation
import TestSupport
import Testing
import TroupeTools
import TroupeHost

@Suite("The limits of clang")
struct ClangTests {
  /// A thousand declarations in one line.
  private static let growing = """
    #define TEN(text) text text text text text text text text text text
    #define THOUSAND(text) TEN(TEN(TEN(text)))
    THOUSAND(int function(int first);)

    """

  /// Returns the fault of a header under limits, and expects that its compiler has ended.
  private func diagnosis(_ header: String, _ change: (inout ToolchainProgram.Limits) -> Void) throws -> Diagnosis? {
    let directory = try TemporaryDirectory()
    let path = try directory.write("growing.h", header.utf8)
    var limits = ToolchainProgram.Limits()
    change(&limits)
    let clang = try Clang(limits: limits)
    let diagnosis = #expect(throws: Diagnosis.self) { try clang.syntaxTree(of: [path], options: ["-I", directory.path]) }
    #expect(diagnosis?.code == .tooLarge)
    #expect(diagnosis?.subject == path)
    #expect(diagnosis?.remedy == "include a smaller header")
    let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
    let lines = processes.compactMap { try? Data(contentsOf: URL(filePath: "/proc/\($0)/cmdline")) }
    #expect(!lines.contains { $0.range(of: Data("-I\0\(directory.path)\0".utf8)) != nil })
    return diagnosis
  }

  @Test("A syntax tree that is larger than the limit is refused, and the compiler ends")
  func tree() throws {
    #expect(try diagnosis(Self.growing) { $0.output = 1 << 20 }?.problem == "has a syntax tree of more than 1 MiB")
  }

  @Test("A header for which the compiler needs more memory than the limit is refused")
  func memory() throws {
    let header = Self.growing.replacing("THOUSAND(int", with: "THOUSAND(THOUSAND(int").replacing(";)", with: ";))")
    let diagnosis = try diagnosis(header) { ($0.memory, $0.seconds) = (300 << 20, 20) }
    #expect(diagnosis?.problem == "takes the compiler more than 300 MiB of memory")
  }

  @Test("A header for which the compiler needs more processor time than the limit is refused")
  func time() throws {
    // The tree of a hundred thousand declarations takes longer than a second.
    let header = Self.growing.replacing("THOUSAND(int", with: "TEN(TEN(THOUSAND(int").replacing(";)", with: ";)))")
    let diagnosis = try diagnosis(header) { $0.seconds = 1 }
    #expect(diagnosis?.problem == "takes the compiler more than 1 s of processor time")
  }

  @Test("The tree of a header within the limits is returned")
  func small() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("growing.h", Self.growing.utf8)
    var limits = ToolchainProgram.Limits()
    limits.output = 8 << 20
    let tree = try Clang(limits: limits).syntaxTree(of: [path], options: [])
    #expect(tree.count > 1 << 20)
    #expect(tree.last == UInt8(ascii: "}"))
  }
}
