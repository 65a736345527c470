import TroupeContainer

struct Place { var x = 0 }

func register(in c: Container) {
  c.register(Database.self, tags: Place()) { _ in Database() }  // error: 'Hashable'
}
