import Testing

@testable import TroupeContainer

@Suite("A resolve throws the error of a factory unchanged and reports it once", .timeLimit(.minutes(60)))
struct FactoryErrorTests {
  private final class TestError: Error, CustomStringConvertible {
    let description = "refusal"
  }

  private let refusal = TestError()
  /// The reported failures without source locations.
  private let reports = Journal()
  private let container: Container

  init() {
    container = Container { [reports] failure in
      reports.write(failure.description.replacing(/\ \([^()]+\.swift:\d+\)/, with: ""))
    }
  }

  /// Checks that a resolve throws the error itself and reports each of the factories once, in this order.
  private func expectRefusal(
    _ factories: [String], at location: SourceLocation = #_sourceLocation, _ resolve: () throws -> Void
  ) {
    let before = reports.lines.count
    #expect(sourceLocation: location) { try resolve() } throws: { ($0 as? TestError) === refusal }
    #expect(reports.lines.dropFirst(before) == factories.map { "the factory of \($0)" }[...], sourceLocation: location)
  }

  /// The same as `expectRefusal` in an asynchronous context.
  @MainActor
  private func expectAsyncRefusal(
    _ factories: [String], at location: SourceLocation = #_sourceLocation, _ resolve: @MainActor () async throws -> Void
  ) async {
    let before = reports.lines.count
    await #expect(sourceLocation: location) { try await resolve() } throws: { ($0 as? TestError) === refusal }
    #expect(reports.lines.dropFirst(before) == factories.map { "the factory of \($0)" }[...], sourceLocation: location)
  }

  @Test(
    "Every synchronous form of a resolve throws the error of the factory and reports it once",
    arguments: [Lifetime.transient, .singleton, .scoped])
  func forms(lifetime: Lifetime) throws {
    let key = container.register(Int.self, tags: "a", lifetime: lifetime) { [refusal] _ in throw refusal }
    let child = Container(parent: container)
    let attempts: [() throws -> Void] = [
      { _ = try container.resolve(Int.self, tags: "a") }, { _ = try container.resolve(key: key) },
      { _ = try container.resolve(Int?.self, tags: "a") }, { _ = try container.resolve([Int].self) },
      { _ = try container.resolve(Set<Int>.self, tags: "a") }, { _ = try container.resolve(keys: [key]) },
      { _ = try container.resolve(ifPresent: Int.self, tags: "a") }, { _ = try container.resolve(ifPresent: key) },
      { _ = try container.resolve(LazyResolver<Int>.self, tags: "a").resolve() },
      { _ = try container.resolve(key: Key<Int>(tags: "a"), cached: true) },
      { _ = try container.resolve(key: Key<Int>(tags: "a"), cached: false) },
      { _ = try container.instance(of: #require(container[key]), arguments: []) },
      { _ = try child.resolve(Int.self, tags: "a") }, { _ = try container.scope().resolve(Int.self, tags: "a") },
      { _ = try container.scope().scope().resolve([Int].self) },
      { try container.withOverrides({ _ in }) { _ = try container.resolve(Int.self, tags: "a") } },
    ]
    for attempt in attempts { expectRefusal([#"Swift.Int ["a"] threw refusal"#], attempt) }
  }

  @Test("A resolve throws the error of every kind of registration")
  func kinds() throws {
    container.register(Int8.self) { [refusal] _ in throw refusal }
    container.register(Int8.self, tags: 1, 2) { [refusal] _ in throw refusal }
    container.register(Int8.self, tags: 1, 2, 3) { [refusal] _ in throw refusal }
    container.register(Int16.self) { [refusal] (_, _: Int, _: String) in throw refusal }
    container.register(String.self) { _ in "text" }
    container.register(factory: auto { [refusal] (_: String) throws -> UInt8 in throw refusal })
    container.register(UInt16.self) { [refusal] _ in throw refusal }
    container.add(.dynamic(UInt32.self, tags: TagList([]), lifetime: .transient) { [refusal] _, _ in throw refusal })
    container.add(
      .dynamic(UInt64.self, tags: TagList([]), lifetime: .transient) { [refusal] _ in
        throw refusal
      } factory: { _, _ in
        1
      })
    container.add(
      .pending(Double.self, tags: TagList([]), lifetime: .transient, argumentTypes: []) { [refusal] in throw refusal })
    let object = Instance()
    container.add(WeakEntry<Float>(tags: [], location: nil, object: object) { [refusal] _ in throw refusal })
    container[Key<any Equatable>()] = container[Key<Int8>()]
    let attempts: [(String, () throws -> Void)] = [
      ("Swift.Int8", { _ = try container.resolve(Int8.self) }),
      ("Swift.Int8 [1, 2]", { _ = try container.resolve(Int8.self, tags: 1, 2) }),
      ("Swift.Int8 [1, 2, 3]", { _ = try container.resolve(Int8.self, tags: 1, 2, 3) }),
      ("Swift.Int16", { _ = try container.resolve(Int16.self, args: 1, "a") }),
      ("Swift.Int16", { _ = try container.resolve(Int16?.self, args: 1, "a") }),
      ("Swift.UInt8", { _ = try container.resolve(UInt8.self) }),
      ("Swift.UInt16", { _ = try container.resolve(UInt16.self) }),
      ("Swift.UInt32", { _ = try container.resolve(UInt32.self, args: 1) }),
      ("Swift.UInt64", { _ = try container.resolve(UInt64.self, args: 1) }),
      ("Swift.Double", { _ = try container.resolve(Double.self) }),
      ("Swift.Double", { _ = try container.resolve([Double].self) }),
      ("Swift.Float", { _ = try container.resolve(Float.self) }),
      ("Swift.Float", { _ = try container.instance(of: #require(container[Key<Float>()]), arguments: []) }),
    ]
    for (key, attempt) in attempts { expectRefusal([key + " threw refusal"], attempt) }
    expectRefusal(["Swift.Int8 threw refusal; dependency path: \(AnyKey(Key<any Equatable>())) → Swift.Int8"]) {
      _ = try container.resolve((any Equatable).self)
    }
    withExtendedLifetime(object) {}
  }

  @MainActor
  @Test("Resolves in asynchronous contexts and on the main actor throw and report the error alike")
  func contexts() async {
    let container = container
    for lifetime in [Lifetime.transient, .singleton, .scoped] {
      let sync = container.register(Int.self, tags: "sync", lifetime: lifetime) { [refusal] _ in throw refusal }
      let async = container.register(Int.self, tags: "async", lifetime: lifetime) { [refusal] _ async throws in
        throw refusal
      }
      let main = container.register(Int.self, isolation: MainActor.shared, tags: "main", lifetime: lifetime) { [refusal] _ in
        throw refusal
      }
      for key in [sync, async, main] {
        let lazy = LazyResolver<Int>(tagset: key.tagset, with: container)
        let name = "\(AnyKey(key)) threw refusal"
        await expectAsyncRefusal([name]) { _ = try await container.resolve(key: key) }
        await expectAsyncRefusal([name]) { _ = try await container.resolve(keys: [key]) }
        await expectAsyncRefusal([name]) { _ = try await container.resolve(ifPresent: key) }
        await expectAsyncRefusal([name]) { _ = try await lazy.resolve() }
        await expectAsyncRefusal([name]) { _ = try await container.scope().resolve(key: key) }
      }
      for key in [sync, main] {
        let lazy = LazyResolver<Int>(tagset: key.tagset, with: container)
        let name = "\(AnyKey(key)) threw refusal"
        expectRefusal([name]) { _ = try container.resolve(key: key, isolation: MainActor.shared) }
        expectRefusal([name]) { _ = try container.resolve(ifPresent: key, isolation: MainActor.shared) }
        expectRefusal([name]) { _ = try lazy.resolve(isolation: MainActor.shared) }
      }
      let first = #"Swift.Int ["sync"] threw refusal"#
      await expectAsyncRefusal([first]) { _ = try await container.resolve([Int].self) }
      await expectAsyncRefusal([first]) { _ = try await container.resolve(Set<Int>.self) }
      expectRefusal([first]) { _ = try container.resolve([Int].self, isolation: MainActor.shared) }
      await expectAsyncRefusal([#"Swift.Int ["async"] threw refusal"#]) {
        _ = try await container.resolve(Int?.self, tags: "async")
      }
      container.unregister(keys: [sync, async, main])
    }
  }

  private final class Target {
    var number = 0
    var text: String?
  }

  @MainActor
  @Test("An injection throws the error of a property's factory or of a block in every context")
  func injections() async {
    let container = container
    container.register(Int.self) { [refusal] _ in throw refusal }
    container.register(String.self) { [refusal] _ in throw refusal }
    let name = "the injection into \(typeName(Target.self))"
    for (type, builder) in [
      ("Swift.Int", container.into(injectable: Target.self).inject(\.number)),
      ("Swift.String", container.into(injectable: Target.self).inject(\.text)),
    ] {
      builder.register()
      let factory = "\(type) threw refusal; dependency path: \(name) → \(type)"
      expectRefusal([factory]) { try container.resolve(into: Target()) }
      expectRefusal([factory]) { try container.resolve(into: Target(), isolation: MainActor.shared) }
      await expectAsyncRefusal([factory]) { _ = try await container.resolve(into: Target()) }
    }
    container.into(injectable: Target.self).inject { [refusal] _, _ in throw refusal }.register()
    #expect { try container.resolve(into: Target()) } throws: { ($0 as? TestError) === refusal }
    #expect(reports.lines.last == "\(name) threw refusal")
  }

  @Test("An error is reported once, also if a thousand other factories fail before it is thrown on")
  func manyFailures() {
    let container = container
    container.register(Int.self) { [refusal] _ in throw refusal }
    container.register(Bool.self) { _ in throw TestError() }
    container.register(String.self) { r throws in
      do {
        return "\(try r.resolve(Int.self))"
      } catch {
        for _ in 1...1000 { _ = try? r.resolve(Bool.self) }
        throw error
      }
    }
    #expect { try container.resolve(String.self) } throws: { ($0 as? TestError) === refusal }
    let path = { (type: String) in "the factory of \(type) threw refusal; dependency path: Swift.String → \(type)" }
    #expect(reports.lines == [path("Swift.Int")] + Array(repeating: path("Swift.Bool"), count: 1000))
  }

  @Test("The report names the innermost factory with the path to it and the source locations")
  func path() throws {
    let failures = Lock<[FailedFactory]>([])
    let owner = Owner(name: "org.example.owner")
    let container = Container { failure in failures.withLock { $0.append(failure) } }
    let line = #line + 1
    let inner = container.registrar(owner: owner).register(Int.self, tags: "inner") { [refusal] _ in throw refusal }
    container.register(Int.self, tags: "middle", lifetime: .singleton) { try $0.resolve(Int.self, tags: "inner") }
    let outer = container.register(Int.self, tags: "outer") { try $0.resolve([Int].self, tags: "middle").count }
    #expect { _ = try container.resolve(key: outer) } throws: { ($0 as? TestError) === refusal }
    let all = failures.withLock { $0 }
    let failure = try #require(all.first)
    #expect(all.count == 1 && failure.error as? TestError === refusal && failure.owner == owner)
    #expect(failure.path.map(\.key) == [AnyKey(outer), AnyKey(Int.self, tags: "middle"), AnyKey(inner)])
    let lines = (0..<3).map { "(TroupeContainerTests/FactoryErrorTests.swift:\(line + $0))" }
    #expect(
      failure.description == #"the factory of Swift.Int ["inner"] \#(lines[0]) threw refusal; dependency path: "#
        + #"Swift.Int ["outer"] \#(lines[2]) → Swift.Int ["middle"] \#(lines[1]) → Swift.Int ["inner"] \#(lines[0])"#)
  }

  @MainActor
  @Test("Below asynchronous and main-actor factories, the report names the innermost factory")
  func asyncPath() async {
    let container = container
    container.register(UInt8.self, isolation: MainActor.shared, lifetime: .singleton) { resolver in
      UInt8(try resolver.resolve(Double.self, tags: 1))
    }
    container.register(UInt16.self, lifetime: .singleton) { resolver in UInt16(try await resolver.resolve([UInt8].self).count) }
    container.register(UInt32.self) { resolver async throws in UInt32(try await resolver.resolve(UInt16.self)) }
    container.register(UInt64.self) { resolver async throws in UInt64(try await resolver.resolve(UInt32?.self) ?? 0) }
    container.register(Double.self, tags: 1, lifetime: .singleton) { [refusal] _ in throw refusal }
    // The path lacks the transient `UInt64`, which has an asynchronous factory.
    let path = "dependency path: Swift.UInt32 → Swift.UInt16"
    await expectAsyncRefusal(["Swift.Double [1] threw refusal; \(path) → Swift.UInt8 → Swift.Double [1]"]) {
      _ = try await container.resolve(UInt64.self)
    }
    container.register(UInt16.self) { [refusal] _ async throws in throw refusal }
    await expectAsyncRefusal(["Swift.UInt16 threw refusal; \(path)"]) { _ = try await container.resolve(UInt64.self) }
  }

  @MainActor
  @Test("All waiters for a singleton get its error, which is reported once for each run of the factory")
  func waiters() async {
    let container = container
    let (runs, gate) = (Counter(), AsyncStream.makeStream(of: Void.self))
    container.register(Instance.self, lifetime: .singleton) { [refusal] _ async throws in
      runs.next()
      for await _ in gate.stream { break }
      throw refusal
    }
    container.register(Int.self) { (resolver: any Resolver, number: Int) async throws in
      _ = try await resolver.resolve(Instance.self)
      return number
    }
    let waiters = (0..<10).map { number in Task { _ = try await container.resolve(Int.self, args: number) } }
    gate.continuation.finish()
    for waiter in waiters {
      await #expect { try await waiter.value } throws: { ($0 as? TestError) === refusal }
    }
    #expect(reports.lines.count == runs.count)
    #expect(reports.lines.allSatisfy { $0.contains("the factory of \(typeName(Instance.self)) threw refusal") })
  }

  @Test("An error that a factory throws in place of a caught one is reported as well")
  func replaced() async {
    container.register(Int.self) { [refusal] _ in throw refusal }
    container.register(String.self) { resolver in
      do { return "\(try resolver.resolve(Int.self))" } catch { throw SampleError() }
    }
    container.register(String.self, tags: "async", lifetime: .singleton) { resolver async throws in
      do { return "\(try await resolver.resolve(Int.self))" } catch { throw SampleError() }
    }
    #expect(throws: SampleError.self) { try container.resolve(String.self) }
    await #expect(throws: SampleError.self) { try await container.resolve(String.self, tags: "async") }
    let names = ["Swift.String", #"Swift.String ["async"]"#]
    #expect(
      reports.lines
        == names.flatMap {
          [
            "the factory of Swift.Int threw refusal; dependency path: \($0) → Swift.Int",
            "the factory of \($0) threw SampleError()",
          ]
        })
  }

  @Test("An error that is stored as any Error and thrown by several factories is reported for the first")
  func stored() async {
    let error: any Error = refusal
    container.register(Int.self) { _ in throw error }
    container.register(Bool.self) { resolver in
      _ = try? resolver.resolve(Int.self)
      return true
    }
    container.register(String.self) { resolver in
      _ = try resolver.resolve(Bool.self)
      throw error
    }
    let inner = "Swift.Int threw refusal; dependency path: Swift.String → Swift.Bool → Swift.Int"
    expectRefusal([inner]) { _ = try container.resolve(String.self) }
    expectRefusal([]) { _ = try container.resolve(String.self) }
  }

  @Test("An error that a factory catches is not kept")
  func released() async throws {
    container.register(Int.self) { _ in throw TestError() }
    container.register(WeakError.self) { resolver in
      do { _ = try resolver.resolve(Int.self) } catch { return WeakError(error as? TestError) }
      return WeakError(nil)
    }
    container.register(WeakError.self, tags: "async") { resolver async throws in
      do { _ = try await resolver.resolve(Int.self) } catch { return WeakError(error as? TestError) }
      return WeakError(nil)
    }
    let references = try await [container.resolve(WeakError.self), container.resolve(WeakError.self, tags: "async")]
    for reference in references { #expect(reference.wasThere && reference.refusal == nil) }
  }

  private final class WeakError: @unchecked Sendable {
    // Sendable because it is constant except for the weak reference, which the runtime clears atomically.
    private(set) weak var refusal: TestError?
    let wasThere: Bool
    init(_ refusal: TestError?) { (self.refusal, wasThere) = (refusal, refusal != nil) }
  }

  @Test("A resolution error and a cancellation are not reported, and are thrown unchanged")
  func others() throws {
    container.register(Int.self) { _ in throw CancellationError() }
    container.register(String.self) { resolver in "\(try resolver.resolve(Double.self))" }
    #expect(throws: CancellationError.self) { try container.resolve(Int.self) }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(String.self) }
    #expect(error.reason.name == "notFound" && error.key == Key<Double>())
    #expect(reports.lines.isEmpty)
  }

  @Test("A container reports to its own closure, and a container without one throws the same error")
  func children() {
    let own = Journal()
    container.register(Int.self) { [refusal] _ in throw refusal }
    let child = Container(parent: container) { own.write("\($0.path.map(\.key))") }
    #expect { _ = try child.resolve(Int.self) } throws: { ($0 as? TestError) === refusal }
    #expect(own.lines == ["[Swift.Int]"] && reports.lines.isEmpty)
    let silent = Container()
    silent.register(Int.self) { [refusal] _ in throw refusal }
    #expect { _ = try silent.resolve(Int.self) } throws: { ($0 as? TestError) === refusal }
  }

  @Test("The closure may resolve, even if that resolve fails as well")
  func reentrance() {
    let depth = Counter()
    let inner = Lock<Container?>(nil)
    let container = Container { _ in
      if depth.next() == 1 { _ = try? inner.withLock { $0 }?.resolve(Double.self) }
    }
    inner.withLock { $0 = container }
    container.register(Int.self) { [refusal] _ in throw refusal }
    container.register(Double.self) { _ in throw SampleError() }
    container.register(String.self) { resolver in "\(try resolver.resolve(Int.self))" }
    #expect { _ = try container.resolve(String.self) } throws: { ($0 as? TestError) === refusal }
    #expect(depth.count == 2)
    inner.withLock { $0 = nil }
  }
}
