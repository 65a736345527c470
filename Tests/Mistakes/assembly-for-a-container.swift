import TroupeContainer

struct Services: Assembly {  // error: does not conform to protocol 'Assembly'
  func register(in container: Container) {
    container.register { _ in Database() }
  }
}
