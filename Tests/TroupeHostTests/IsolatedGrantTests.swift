import Foundation
import TestSupport
import Testing
import TroupeFiles

@testable import TroupeHost

@Suite("Grants of workers that start again")
struct IsolatedGrantTests {
  @Test("A plugin's file that is replaced is not read by the next process, and the error says so")
  func replacedPlugin() async throws {
    let isolated = try await IsolatedHost("isolation/grants.c")
    let path = try #require(isolated.host.plugins.first?.path)
    #expect(try isolated.call("reads", .string(path)) == .integer(0))
    try copyFile(path, to: path + ".new")
    try #require(rename(path + ".new", path) == 0)
    // The process that runs has the older file, and may not read the new one.
    #expect(try isolated.call("reads", .string(path)) == .integer(Int128(-EACCES)))
    kill(try #require(isolated.worker.process), SIGKILL)
    // The end may be noticed in a call, or before it.
    let failures = (0..<2).map { _ in isolated.failure("reads", .string(path)) }
    let diagnosis = try #require(failures.compactMap { $0 as? Diagnosis }.first)
    #expect(diagnosis.code == .changed && diagnosis.subject == path && diagnosis.problem.contains("replaced"), "\(diagnosis)")
    #expect(try await isolated.host.reload("org.example.grants"))
    #expect(try isolated.call("reads", .string(path)) == .integer(0))
  }

  @Test("A worker without Landlock starts, and grants are of no account")
  func withoutLandlock() async throws {
    let layers = Set(WorkerPolicy.Layer.allCases).subtracting([.files])
    let isolated = try await IsolatedHost("isolation/grants.c", layers: layers) { $0.readable = ["/usr", "/nowhere"] }
    #expect(try isolated.call("reads", .string("/etc/passwd")) == .integer(0))
    #expect(try !isolated.worker.enforced.contains(.files))
    #expect(isolated.log.all.contains("warning org.example.grants: the policy grants /nowhere, which does not exist"))
  }
}
