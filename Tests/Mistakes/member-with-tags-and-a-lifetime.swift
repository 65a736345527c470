import TroupeContainer

func register(in c: Container) {
  c.register(Service.self, tags: "main", 1, lifetime: .singleton) { r in
    let database: Database = try r.resolve(tags: "main")
    // error: has no member 'open'
    database.open()
    return Service(database: database)
  }
}
