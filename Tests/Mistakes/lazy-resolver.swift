import TroupeContainer

func register(in c: Container) {
  c.register(Service.self) { r in
    let database = try r.resolve(LazyResolver<Database>.self)
    // error: has no member 'value'
    return Service(database: database.value)
  }
}
