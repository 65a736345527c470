import TroupeContainer

func register(in c: Container) {
  c.register(instance: { Database() })  // warning: instance: registers the closure itself
}
