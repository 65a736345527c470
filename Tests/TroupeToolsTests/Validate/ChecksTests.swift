import Testing

@testable import TroupeTools

@Suite("The table of checks")
struct ChecksTests {
  @Test("A check has a name of its own in kebab case, a level and an expectation", arguments: Checks.all.map(\.name))
  func form(name: String) throws {
    let checks = Checks.all.filter { $0.name == name }
    #expect(checks.count == 1)
    let check = try #require(checks.first)
    #expect(name.wholeMatch(of: /(file|load|registration|instance|transform|function)(-[a-z]+)+/) != nil)
    #expect(name.hasPrefix(check.group + "-"))
    #expect(CheckLevel.all.contains(check.level))
    #expect(check.summary.hasSuffix(".") && check.summary.count <= 140)
  }

  @Test("The checks that a check needs precede it and are of no higher level", arguments: Checks.all.map(\.name))
  func needs(name: String) throws {
    let index = try #require(Checks.all.firstIndex { $0.name == name })
    for need in Checks.all[index].needs {
      let needed = try #require(Checks.all.firstIndex { $0.name == need }, "\(need)")
      #expect(needed < index && Checks.all[needed].level <= Checks.all[index].level, "\(need)")
    }
  }

  @Test(
    "The first line of a description has 1 to 200 characters without white space around it, and is not the name",
    arguments: [
      ("adds numbers", nil), ("a", nil), ("sums", nil), (String(repeating: "é", count: 200), nil),
      ("", "has an empty first line"),
      (String(repeating: "é", count: 201), "has 201 characters in its first line"), ("\nadds", "has an empty first line"),
      ("adds\n" + String(repeating: "numbers ", count: 50), nil), ("adds\u{2028}numbers", "has control characters"),
      ("adds ", "begins or ends with white space"),
      ("\u{A0}adds", "begins or ends with white space"), (" ", "begins or ends with white space"), ("Sum", "is its name again"),
    ] as [(String, String?)])
  func description(text: String, fault: String?) {
    #expect(Checks.descriptionProblem(text, of: "sum") == fault)
  }

  @Test("A problem becomes a failure or a warning by the severity of its check")
  func severity() {
    let fault = CheckResult.problem("is faulty", remedy: "fix it")
    func result(_ severity: Check.Severity, _ body: @escaping @Sendable (CheckedFile) throws -> CheckResult) -> CheckResult {
      Check("file-x", level: 1, severity: severity, "It is right.", body).run(
        CheckedFile(CheckRequest(check: "file-x", path: "x.so", time: .zero)))
    }
    #expect(result(.failure) { _ in fault } == CheckResult(.failed, "is faulty", remedy: "fix it"))
    #expect(result(.warning) { _ in fault } == CheckResult(.warning, "is faulty", remedy: "fix it"))
    #expect(result(.failure) { _ in .passed }.verdict == .passed)
    #expect(result(.failure) { _ in throw NotApplicable("it is small") } == CheckResult(.skipped, "it is small"))
    #expect(result(.failure) { _ in throw CancellationError() }.verdict == .failed)
    #expect(result(.warning) { _ in throw CancellationError() }.verdict == .warning)
  }
}
