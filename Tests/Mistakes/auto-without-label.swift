import TroupeContainer

func register(in c: Container) {
  // error: write 'factory:' in front of 'auto'
  c.register(auto(Service.init))
}
