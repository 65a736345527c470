import TroupeContainer

func connect() async -> Database { Database() }

func register(in c: Container) {
  c.register(Service.self) { r in
    let database = connect()  // error: 'async'
    return Service(database: database)
  }
}
