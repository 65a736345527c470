import TroupeContainer

func register(in c: Container) {
  c.register(Service.self) { r in
    let database: Database = r.resolve()  // error: 'try'
    return Service(database: database)
  }
}
