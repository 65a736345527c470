// Not exact. The compiler names the line, and tries the functions for other kinds of properties before it looks at the
// name.

import TroupeContainer

final class Controller {
  var database: Database?
}

func register(in c: Container) {
  // error: no exact matches in call to instance method 'inject'
  c.into(injectable: Controller.self).inject(\.databse).register()
}
