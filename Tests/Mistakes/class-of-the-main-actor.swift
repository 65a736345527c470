import TroupeContainer

@MainActor final class Screen {
  init() {}
}

func register(in c: Container) {
  c.register(Screen.self) { _ in
    // error: main actor
    Screen()
  }
}
