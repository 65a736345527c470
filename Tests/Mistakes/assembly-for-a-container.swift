import TroupeContainer

// error: does not conform to protocol 'Assembly'
struct Services: Assembly {
  func register(in container: Container) {
    container.register { _ in Database() }
  }
}
