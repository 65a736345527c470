import TroupeContainer

func register(in c: Container) {
  c.register(Service.self) { _ in
    // error: cannot convert
    Database()
  }
}
