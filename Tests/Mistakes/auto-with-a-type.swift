// Not exact. The compiler names the line and lists the functions; it does not say that `Service.init` is meant.
import TroupeContainer

func register(in c: Container) {
  c.register(factory: auto(Service.self))  // error: no exact matches in call to global function 'auto'
}
