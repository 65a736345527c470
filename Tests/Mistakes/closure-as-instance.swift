import TroupeContainer

func register(in c: Container) {
  // warning: instance: registers the closure itself
  c.register(instance: { Database() })
}
