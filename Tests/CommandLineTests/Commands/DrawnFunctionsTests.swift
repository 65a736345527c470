import Foundation
import TestSupport
import Testing

/// Functions of libraries that nobody tuned for, drawn by `scripts/draw-functions 2026 20` from those that the headers declare and the library
/// exports. `Tests/Fixtures/drawn/NAME.sh` calls each with the command alone, and `NAME.c` calls it from C with the same input.
@Suite(
  "Functions that a seed drew from libraries",
  .enabled(
    if: DrawnLibrary.missing.isEmpty,
    "pkg-config does not find \(DrawnLibrary.missing.joined(separator: ", ")); run scripts/install-dependencies libraries"))
struct DrawnFunctionsTests {
  @Test("A drawn function gives what it gives a program in C, unless the fixture says why not", arguments: DrawnLibrary.all)
  func equality(_ library: DrawnLibrary) throws {
    let directory = try TemporaryDirectory()
    let run = try run(
      [Repo.fixture("drawn/run"), library.name],
      environment: ["TROUPE": Repo.troupe, "WORK": directory.path, "XDG_CACHE_HOME": directory.file("cache")])
    try #require(run.status == 0, "\(run.text)\(run.errors)")
    let lines = run.text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
    let equal = lines.filter { $0[0] == "equal" }.map { $0[1] }
    #expect(Set(equal) == Set(library.functions).subtracting(library.short), "\(run.text)")
  }

  @Test("Of twenty functions of each of ten libraries, at least 85 % give what they give a program in C")
  func share() {
    let libraries = DrawnLibrary.all
    #expect(libraries.count == 10)
    for library in libraries {
      #expect(Set(library.functions).count == 20, "\(library.name)")
      #expect(Set(library.functions).isSuperset(of: library.short), "\(library.name)")
    }
    #expect(libraries.reduce(0) { $0 + $1.short.count } <= 30)
  }
}

/// A library with the functions that were drawn, as `NAME.c` lists them.
struct DrawnLibrary: Sendable, CustomTestStringConvertible {
  let name: String
  let packageName: String
  let functions: [String]
  /// The functions that the command cannot call, or not with the same result.
  let short: Set<String>

  var testDescription: String { name }

  static let all = ["cairo", "cjson", "fftw3", "jpeg", "nettle", "sodium", "tasn1", "tiff", "xxhash", "yaml"]
    .map(DrawnLibrary.init)

  /// The packages of pkg-config that are not installed.
  static let missing = all.map(\.packageName).filter { (try? shell("pkg-config --exists '\($0)'"))?.status != 0 }

  private init(_ name: String) {
    let source = (try? String(contentsOfFile: Repo.fixture("drawn/\(name).c"), encoding: .utf8)) ?? ""
    self.name = name
    packageName = source.firstMatch(of: /\/\/ package: (\S+)/).map { String($0.output.1) } ?? ""
    functions = source.matches(of: /drawn\((\w+)\)/).map { String($0.output.1) }
    short = Set(source.matches(of: /\/\/ short: (\w+): ./).map { String($0.output.1) })
  }
}
