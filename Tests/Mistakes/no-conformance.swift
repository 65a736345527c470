import TroupeContainer

func register(in c: Container) {
  c.register((any Animal).self) { _ in Database() }  // error: cannot convert value of type 'Database' to closure result type 'any Animal'
}
