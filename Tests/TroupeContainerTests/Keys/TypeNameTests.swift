import Testing

@testable import TroupeContainer

private struct Car: Hashable {}
private enum Kind { case small }
private struct Tagged: Hashable { let kind: Kind }
private final class Shed<Content> {
  struct Door {}
  enum `Side-Door` {}
}
private protocol Vehicle {}
extension Array {
  fileprivate struct Part {}
}
struct TypeNameSample {
  fileprivate struct Hidden {
    struct Deep {}
  }
}

private func localTypes() -> [any Any.Type] {
  struct Local {}
  final class Box<Content> {
    struct Lid {}
  }
  func inner() -> any Any.Type {
    struct Innermost {}
    return Innermost.self
  }
  return [Local.self, Box<Local>.self, Box<Int>.Lid.self, inner()]
}

@Suite("The name of a private or local type has no address", .timeLimit(.minutes(60)))
struct TypeNameTests {
  @Test("The context of a private type is its module or the type around it, and the name is in parentheses")
  func privateType() {
    let names: [(any Any.Type, String)] = [
      (Car.self, "M.(Car)"),
      (Shed<Int>.self, "M.(Shed)<Swift.Int>"),
      (Shed<Car>.Door.self, "M.(Shed)<M.(Car)>.Door"),
      (Shed<Car>.`Side-Door`.self, "M.(Shed)<M.(Car)>.`Side-Door`"),
      ((any Vehicle).self, "M.(Vehicle)"),
      ([String: Car?].self, "Swift.Dictionary<Swift.String, Swift.Optional<M.(Car)>>"),
      (TypeNameSample.Hidden.self, "M.TypeNameSample.(Hidden)"),
      (TypeNameSample.Hidden.Deep.self, "M.TypeNameSample.(Hidden).Deep"),
      ([Car].Part.self, "(extension in M):Swift.Array<M.(Car)>.(Part)"),
      ((Car, any Vehicle).self, "(M.(Car), M.(Vehicle))"),
      (((Car) -> Car).self, "(M.(Car)) -> M.(Car)"),
      (Car.Type.self, "M.(Car).Type"),
      (TypeNameSample.self, "M.TypeNameSample"),
      (Int.self, "Swift.Int"),
    ]
    for (type, name) in names { #expect(typeName(type).replacing("TroupeContainerTests", with: "M") == name) }
  }

  @Test("The functions around a local type are not part of its name")
  func localType() {
    let module = "TroupeContainerTests."
    #expect(
      localTypes().map { typeName($0) }
        == ["(Local)", "(Box)<\(module)(Local)>", "(Box)<Swift.Int>.Lid", "(Innermost)"].map { module + $0 })
  }

  @Test("Keys, errors, validations, explanations and graphs use the name, as do tags")
  func uses() throws {
    let container = Container()
    container.register(Int.self) { (_, _: Car) in 1 }
    container.register([Car].self, factory: auto { (car: Car, _: Int) in [car] })
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Car.self, tags: Tagged(kind: .small)) }
    let name = "TroupeContainerTests.(Car)"
    #expect(error.description == "nothing is registered as \(name) [Tagged(kind: TroupeContainerTests.(Kind).small)]")
    #expect(Key<Car>().type == name && Criteria<Car>().type == name && AnyKey(Car.self).description == name)
    let mismatch = try #require(throws: ResolutionError.self) { try container.resolve(Int.self) }
    #expect(mismatch.withoutLocations.hasSuffix(" takes (\(name)) and was given no arguments"))
    for text in [
      container.validate().description, container.graph().json, "\(container.explain(Car.self))",
      "\(container.explain(Int.self))", "\(Injection.key(intoAny: Car.self))",
    ] {
      #expect(text.contains(name) && !text.contains("unknown context"), "\(text)")
    }
  }
}
