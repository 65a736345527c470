import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Rejections by an earlier host")
struct RejectionTests {
  private let plugin: VersionedPlugin

  init() throws { plugin = try VersionedPlugin() }

  /// The rejection that a host reports without a probe or a load.
  private func rejection() throws -> Diagnosis? {
    let found = try #require(plugin.lazyHost().discover().first)
    #expect(found.state == .admitted)
    return found.previousRejection
  }

  @Test("Other hosts report a rejection by a probe until the file changes or works")
  func probed() async throws {
    #expect(try rejection() == nil)
    try plugin.replace(number: 1, ["FAILS": "1"])
    let host = try plugin.lazyHost()
    await host.start()
    let diagnosis = try #require(host.diagnosis(plugin.path))
    #expect(host.plugins.first?.previousRejection == nil)
    #expect(try rejection() == diagnosis)
    // The next host tries the plugin again.
    let again = try plugin.lazyHost()
    await again.start()
    #expect(again.states == ["versioned.so rejected"])
    try plugin.replace(number: 2)
    #expect(try rejection() == nil)
  }

  @Test("A rejection at a load is reported, and forgotten once a host has loaded the plugin", .inProcess)
  func loaded() async throws {
    try plugin.replace(number: 1, ["FAILS_WITH_CENSUS": "1"])
    let census = Census()
    let failing = try plugin.lazyHost(services: [census.service])
    await failing.start()
    #expect(throws: Diagnosis.self) { try failing.object() }
    #expect(try rejection()?.code == .refused)
    let working = try plugin.lazyHost()
    await working.start()
    #expect(working.plugins.first?.previousRejection == nil)
    #expect(try rejection() == nil)
  }

  @Test("A rejection that another plugin causes is not stored")
  func needs() async throws {
    try plugin.replace(
      number: 7, ["ID": "org.example.a-dependent".quoted, "SUFFIX": "02".quoted, "REQUIRES": "org.example.versioned".quoted],
      name: "a.so")
    try plugin.replace(number: 1, ["FAILS": "1"])
    let host = try plugin.lazyHost()
    await host.start()
    #expect(host.states == ["a.so rejected", "versioned.so rejected"])
    #expect(try plugin.lazyHost().discover().map { $0.previousRejection?.code } == [nil, .refused])
  }
}
