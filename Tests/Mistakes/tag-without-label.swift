import TroupeContainer

func register(in c: Container) {
  // error: missing argument label 'tags:' in call
  c.register(Database.self, "main") { _ in Database() }
}
