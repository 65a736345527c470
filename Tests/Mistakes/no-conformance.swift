import TroupeContainer

func register(in c: Container) {
  // error: cannot convert value of type 'Database' to closure result type 'any Animal'
  c.register((any Animal).self) { _ in Database() }
}
