import TroupeContainer

final class Engine: Sendable {
  init() {}
  init(power: Int) {}
}

func register(in c: Container) {
  // error: ambiguous
  c.register(factory: auto(Engine.init))
}
