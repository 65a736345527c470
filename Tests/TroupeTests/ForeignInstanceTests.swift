import Testing
import Troupe

@Suite("An instance made in C is destroyed once, and its plugin outlives it")
struct ForeignInstanceTests {
  @Test("An instance is destroyed once, after the last reference to it")
  func destroyed() {
    let stage = CStage()
    var first: ForeignInstance? = stage.instance()
    var second = first
    #expect(second?.foreign === first)
    first = nil
    #expect(stage.destroyed == 0)
    second = nil
    #expect(stage.destroyed == 1)
  }

  @Test("A transform retains its instance")
  func transform() throws {
    let stage = CStage()
    var transform: (any Transform)? = try stage.transform()
    #expect((transform as? any ForeignBacked)?.foreign.object == Unmanaged.passUnretained(stage).toOpaque())
    #expect(stage.destroyed == 0)
    transform = nil
    #expect(stage.destroyed == 1)
  }

  @Test("The plugin outlives the destruction of its instance")
  func plugin() {
    final class Image {}
    let stage = CStage()
    weak let image: Image?
    var wasAlive = false
    do {
      let owned = Image()
      image = owned
      let instance = stage.instance(plugin: owned)
      stage.atEnd = { wasAlive = image != nil }
      withExtendedLifetime(instance) {}
    }
    #expect(stage.destroyed == 1)
    #expect(wasAlive)
    #expect(image == nil)
  }

  @Test("An instance without `destroy` is not destroyed")
  func endless() {
    var object = 0
    withUnsafeMutablePointer(to: &object) { object in
      let instance = ForeignInstance(contract: "org.example.mark/1", object: object, vtable: nil, destroy: nil, plugin: nil)
      #expect(instance.contract == "org.example.mark/1")
      #expect(instance.vtable == nil)
    }
    #expect(object == 0)
  }
}
