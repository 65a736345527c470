import TestSupport
import Testing
import TroupeCall
import TroupeHost

@Suite("Functions of plugins over columns") struct HostColumnTests {
  private static func host() async throws -> PluginHost {
    let directory = try PluginDirectory()
    try directory.add("host-api/plugins/columns.c")
    let host = directory.host()
    await host.start()
    try #require(host.states == ["columns.so active"])
    return host
  }

  private static func function(_ name: String, of host: PluginHost) throws -> ForeignFunction {
    try host.function(#require(host.functions(name).first))
  }

  @Test("Arrays are columns, and a vectorized body computes all rows in the place of its function")
  func arrays() async throws {
    let host = try await Self.host()
    let (sum, product) = (try Self.function("column_sum", of: host), try Self.function("column_product", of: host))
    #expect(try sum.map([1.0, 2, 3], [10.0, 20, 30]) as [Double] == [11, 22, 33])
    #expect(try sum.map([1.0, 2, 3], 0.5, as: Double.self) == [1.5, 2.5, 3.5])
    #expect(try product.map([1.0, 2, 3], [2.0, 3, 4], as: Double.self) == [-2, -6, -12])
    #expect(try product(2.0, 3) == .double(6))
    let many = (0..<10_000).map(Double.init)
    #expect(try sum.map(many, many, as: Double.self, options: MapOptions(threads: 4)) == many.map { 2 * $0 })
  }

  @Test("A plugin's functions are callable on any thread, an adopted library's only if its file says so")
  func threads() async throws {
    #expect(try await Self.host().registrations.allSatisfy(\.isCallableFromAnyThread))
    func allowed(_ file: String, _ function: String) async throws -> Bool {
      let directory = try PluginDirectory()
      try directory.add("healthy/box-library.c", as: "libbox")
      let text = AdoptionTests.text(
        "./libbox.so",
        """
        {"uuid": "ad090000-0000-4000-8000-000000000003", "name": "twice", "symbol": "box_twice",
         "signature": "int64_t (int64_t number)"\(function)}
        """)
      try directory.write("boxes.troupe.json", (text.dropLast() + file + "}").utf8)
      let host = directory.host()
      await host.start()
      try #require(host.states == ["boxes.troupe.json active"])
      let twice = try Self.function("twice", of: host)
      #expect(try twice.map([Int64(1), 2], as: Int64.self) == [2, 4])
      do {
        #expect(try twice.map([Int64(1), 2], as: Int64.self, options: MapOptions(threads: 2)) == [2, 4])
      } catch let error as Diagnosis {
        #expect(error.code == .invalidArgument)
        #expect(error.remedy.contains("\"threads\": \"any\""))
      }
      #expect(host.functions("twice").map(\.isCallableFromAnyThread) == [twice.isCallableFromAnyThread])
      return twice.isCallableFromAnyThread
    }
    #expect(try await !allowed("", ""))
    #expect(try await allowed("", #", "threads": "any""#))
    #expect(try await allowed(#", "threads": "any""#, ""))
    #expect(try await !allowed(#", "threads": "any""#, #", "threads": "one""#))
  }

  @Test("Another value of threads is a fault of the file or the function", arguments: [true, false])
  func wrongThreads(isOfFile: Bool) throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/box-library.c", as: "libbox")
    let member = #", "threads": "many""#
    let text = AdoptionTests.text(
      "./libbox.so",
      """
      {"uuid": "ad090000-0000-4000-8000-000000000003", "name": "twice", "symbol": "box_twice",
       "signature": "int64_t (int64_t number)"\(isOfFile ? "" : member)}
      """)
    try directory.write("boxes.troupe.json", (text.dropLast() + (isOfFile ? member : "") + "}").utf8)
    let diagnosis = try #require(directory.host().discover().first?.state.diagnosis)
    #expect(diagnosis.code == .invalidManifest)
    #expect(diagnosis.reason.contains(#"is "many"; expected "any" or "one"; write one of the two"#), "\(diagnosis)")
  }
}
