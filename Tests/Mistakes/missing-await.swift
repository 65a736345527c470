import TroupeContainer

func connect() async -> Database { Database() }

func register(in c: Container) {
  c.register(Service.self) { r in
    // error: 'async'
    let database = connect()
    return Service(database: database)
  }
}
