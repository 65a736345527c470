import TroupeContainer

func register(in c: Container) {
  c.register(Service.self) { _ in
    Database()  // error: cannot convert
  }
}
