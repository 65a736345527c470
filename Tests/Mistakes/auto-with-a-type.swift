// Not exact. The compiler names the line and lists the functions; it does not say that `Service.init` is meant.

import TroupeContainer

func register(in c: Container) {
  // error: no exact matches in call to global function 'auto'
  c.register(factory: auto(Service.self))
}
