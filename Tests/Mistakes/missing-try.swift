import TroupeContainer

func register(in c: Container) {
  c.register(Service.self) { r in
    // error: 'try'
    let database: Database = r.resolve()
    return Service(database: database)
  }
}
