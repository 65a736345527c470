// Not exact. The compiler names the line; a note says that the closure expects an argument. A function that takes this
// closure would hide the errors in all others.

import TroupeContainer

func register(in c: Container) {
  // error: no exact matches in call to instance method 'register'
  c.register { Database() }
}
