import TroupeContainer

func register(in c: Container) {
  // error: (have '_:name:_:', expected '_:tags:_:')
  c.register(Database.self, name: "main") { _ in Database() }
}
