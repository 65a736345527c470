import CSandbox
import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeSandbox

@Suite("The executable of probes")
struct ProbeExecutableTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func helper(mode: Int) throws -> ProbeExecutable {
    let path = try directory.write("helper", "".utf8)
    try setMode(mode, of: path)
    return .helper(path)
  }

  @Test("The program's own executable has no fault, and is asked to answer by another role")
  func own() {
    #expect(ProbeExecutable.own.diagnosis == nil && ProbeExecutable.answering.diagnosis == nil)
    #expect(ProbeExecutable.own.path == nil && ProbeExecutable.answering.path == nil)
    #expect(ProbeExecutable.own.role == .probe)
    #expect(ProbeExecutable.answering.role == .answer)
    #expect(ProbeExecutable.helper("/a").role == .probe)
  }

  @Test("A helper that only the user can change, and may execute, has no fault")
  func usable() throws {
    #expect(try helper(mode: 0o755).diagnosis == nil)
  }

  @Test(
    "A helper that another user can change, or that may not be executed, is a missing resource",
    arguments: [(0o757, "is writable by all users"), (0o644, "cannot be used: permission denied")])
  func unusable(mode: Int, problem: String) throws {
    let executable = try helper(mode: mode)
    let diagnosis = try #require(executable.diagnosis)
    #expect(diagnosis.code == .missingResource)
    #expect(diagnosis.problem == "cannot be probed: the probe executable \(directory.file("helper")) \(problem)")
  }

  @Test("A path that leads to no file, or to a directory, is a missing resource", arguments: ["absent", "", "\n"])
  func missing(name: String) throws {
    let diagnosis = try #require(ProbeExecutable.helper(directory.file(name)).diagnosis)
    #expect(diagnosis.code == .missingResource)
    #expect(diagnosis.problem.hasSuffix(name == "" ? "is not a regular file" : "does not exist"))
  }

  @Test("The fault of a failed start is that of the helper only if the system refuses the file")
  func start() {
    let helper = ProbeExecutable.helper("/helper")
    for code in [EACCES, ENOEXEC] {
      #expect(helper.diagnosis(starting: SystemError(code: code)).code == .missingResource)
      #expect(ProbeExecutable.own.diagnosis(starting: SystemError(code: code)).code == .notProbed)
    }
    for code in [EMFILE, EAGAIN, ENOMEM] { #expect(helper.diagnosis(starting: SystemError(code: code)).code == .notProbed) }
  }

  @Test("A probe that ends before it reads the request is a fault of the helper, or of the program")
  func withoutAnswer() {
    var result = ProbeRun()
    result.end = .exited(70)
    for (executable, code) in [(ProbeExecutable.helper("/helper"), Diagnosis.Code.missingResource), (.own, .notProbed)] {
      guard case .inconclusive(let diagnosis) = result.outcome(.sample, ProbeLimits(), executable) else {
        Issue.record("the outcome must be inconclusive")
        continue
      }
      #expect(diagnosis.code == code && diagnosis.subject == ProbeRequest.sample.path)
      #expect(diagnosis.problem.hasSuffix("does not answer as a probe: it ended with status 70"), "\(diagnosis)")
    }
  }
}
