import TroupeContainer

func register(in c: Container) {
  // error: has no member 'single'
  c.register(Database.self, lifetime: .single) { _ in Database() }
}
