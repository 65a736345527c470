import Testing
import TroupeContainer

@Suite("Descriptions of containers")
struct DescriptionTests {
  private struct Words: Assembly {
    func register(in registrar: any Registrar) {}
  }

  @Test("The description counts registrations, created singletons and unassembled assemblies in one line")
  func counts() throws {
    let container = Container()
    #expect("\(container)" == "Container (0 registrations)")
    container.register(Int.self) { 1 }
    #expect("\(container)" == "Container (1 registration)")
    container.register(lifetime: .singleton) { Instance() }
    container.register(assemblies: Words())
    #expect("\(container)" == "Container (2 registrations, 0 singletons made, 1 assembly not assembled)")
    _ = try container.resolve(Instance.self)
    #expect("\(container)" == "Container (2 registrations, 1 singleton made, 1 assembly not assembled)")
  }

  @Test("The description includes the parents and names scopes and the null container")
  func kinds() {
    let parent = Container()
    parent.register(Int.self) { 1 }
    #expect("\(Container(parent: parent))" == "Container (0 registrations) in Container (1 registration)")
    #expect("\(parent.scope())" == "Scope (0 registrations) in Container (1 registration)")
    #expect("\(Container.null)" == "Container.null (0 registrations)")
  }
}
