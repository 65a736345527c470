// Not exact. The compiler names the line and lists the functions; it does not say that the label `tags:` is missing.

import TroupeContainer

func register(in c: Container) {
  // error: no exact matches in call to instance method 'register'
  c.register(Database.self, "main") { _ in Database() }
}
