import TroupeContainer

struct Place { var x = 0 }

func register(in c: Container) {
  // error: 'Hashable'
  c.register(Database.self, tags: Place()) { _ in Database() }
}
