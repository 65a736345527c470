import Testing
import TroupeScopes

// Compiled in Swift 5 mode, without `any` and with factories that Swift 6 rejects: code that was written for Lambdaspire compiles
// unchanged except for its imports.

private class Label {
  let text: String
  init(text: String) { self.text = text }
}

private protocol Service {
  var label: Label { get }
}

private class LabeledService: Service, Resolvable {
  let label: Label
  required init(scope: DependencyResolutionScope) { label = scope.resolve() }
}

/// A registry that a client wrote for its tests.
private class CountingRegistry: DependencyRegistry {
  var count = 0

  func transient<I>(_: @escaping () -> I) { count += 1 }
  func transient<I>(_: @escaping (DependencyResolutionScope) -> I) { count += 1 }
  func transient<C>(_: C.Type, _: @escaping () -> C) { count += 1 }
  func transient<C>(_: C.Type, _: @escaping (DependencyResolutionScope) -> C) { count += 1 }
  func transient<C, I>(_: C.Type, _: @escaping Assigned<C, I>) { count += 1 }
  func transient<I: Resolvable>(_: I.Type) { count += 1 }
  func transient<C, I: Resolvable>(_: C.Type, _: @escaping Assigned<C, I>) { count += 1 }

  func scoped<I>(_: @escaping () -> I) { count += 1 }
  func scoped<I>(_: @escaping (DependencyResolutionScope) -> I) { count += 1 }
  func scoped<C>(_: C.Type, _: @escaping () -> C) { count += 1 }
  func scoped<C>(_: C.Type, _: @escaping (DependencyResolutionScope) -> C) { count += 1 }
  func scoped<C, I>(_: C.Type, _: @escaping Assigned<C, I>) { count += 1 }
  func scoped<I: Resolvable>(_: I.Type) { count += 1 }
  func scoped<C, I: Resolvable>(_: C.Type, _: @escaping Assigned<C, I>) { count += 1 }

  func singleton<I>(_: @escaping () -> I) { count += 1 }
  func singleton<I>(_: @escaping (DependencyResolutionScope) -> I) { count += 1 }
  func singleton<C>(_: C.Type, _: @escaping () -> C) { count += 1 }
  func singleton<C>(_: C.Type, _: @escaping (DependencyResolutionScope) -> C) { count += 1 }
  func singleton<C, I>(_: C.Type, _: @escaping Assigned<C, I>) { count += 1 }
  func singleton<I: Resolvable>(_: I.Type) { count += 1 }
  func singleton<C, I: Resolvable>(_: C.Type, _: @escaping Assigned<C, I>) { count += 1 }
}

@Suite("A client in an older language mode")
class OlderClientTests {
  private var count = 0

  private func register(in registry: DependencyRegistry) {
    registry.transient { Label(text: "label") }
    registry.singleton(Service.self, assigned(LabeledService.self))
  }

  @Test("Factories may use values that are not Sendable")
  func captures() {
    let builder = ContainerBuilder()
    register(in: builder)
    builder.scoped(Label.self) {
      self.count += 1
      return Label(text: "label \(self.count)")
    }
    var resolved = 0
    let shared = Label(text: "shared")
    builder.transient { (scope: DependencyResolutionScope) -> [Label] in
      resolved += 1
      return [scope.resolve(), shared]
    }
    func forward<T>(_ factory: @escaping () -> T) { builder.singleton(factory) }
    forward { 7 }
    let container = builder.build()
    let service: Service = container.resolve()
    #expect(service.label.text == "label 1")
    container.scope { scope in
      #expect(scope.resolve([Label].self).map { $0.text } == ["label 2", "shared"])
    }
    #expect(container.resolve(Int.self) == 7)
    #expect(count == 2 && resolved == 1)
  }

  @Test("A client's own registry conforms without changes")
  func registry() {
    let registry = CountingRegistry()
    register(in: registry)
    registry.scoped { 1 }
    #expect(registry.count == 3)
  }
}
