import TroupeContainer

func register(in c: Container) {
  c.register(Database.self, lifetime: .single) { _ in Database() }  // error: has no member 'single'
}
