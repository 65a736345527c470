import Testing
import TroupeContainer

@testable import TroupeFiles
@testable import TroupeHost

@Suite("The transitions of a plugin")
struct PluginProgressTests {
  private typealias Progress = PluginProgress<String>

  private let diagnosis = Diagnosis(.refused, "/a.so", problem: "fails", remedy: "fix it")
  private let lazy = Progress.Lazy(opening: LoadOnce(owner: Owner(name: "a")) {}, hasUnknownTypes: false)

  /// Checks the result of a mutating function, which the macro cannot call.
  private func expect(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
  }

  /// Makes a whole transition to a phase.
  private func move(_ progress: inout Progress, to phase: Progress.Phase) {
    expect(progress.begin(from: progress.state))
    _ = progress.enter(phase)
    expect(progress.end() == (false, false))
  }

  @Test("A plugin is in use from its first registrations to its retirement")
  func regular() {
    var progress = Progress(.admitted(nil))
    #expect(!progress.isInUse && !progress.wasUsed)
    expect(progress.setLazy(lazy))
    #expect(progress.state == .admitted && progress.isInUse && !progress.wasUsed && progress.lazy != nil)
    move(&progress, to: .loaded("image"))
    #expect(progress.state == .loaded && progress.loaded == "image" && progress.lazy == nil)
    move(&progress, to: .active("image"))
    #expect(progress.state == .active && progress.isInUse)
    guard case .open("image") = progress.retire(isReplaced: false) else {
      Issue.record("the retirement has no image")
      return
    }
    #expect(progress.state == .draining && !progress.isInUse && progress.wasUsed)
    expect(progress.closeImage())
    #expect(progress.state == .retired)
  }

  @Test("A transition begins only from its state, and only one at a time")
  func exclusive() {
    var progress = Progress(.admitted(nil))
    expect(!progress.begin(from: .loaded))
    expect(progress.begin(from: .admitted))
    expect(!progress.begin(from: .admitted))
    guard case .admitted = progress.enter(.rejected(diagnosis)) else {
      Issue.record("the phase before is another one")
      return
    }
    expect(!progress.begin(from: .rejected(diagnosis)))
    _ = progress.end()
    #expect(progress.state == .rejected(diagnosis))
    expect(progress.begin(from: .rejected(diagnosis)))
  }

  @Test("A retirement during a transition follows at its end", arguments: [false, true])
  func deferred(isReplaced: Bool) {
    var progress = Progress(.admitted(lazy))
    expect(progress.begin(from: .admitted))
    expect(progress.retire(isReplaced: isReplaced) == nil)
    #expect(progress.state == .admitted)
    _ = progress.enter(.loaded("image"))
    expect(progress.end() == (true, isReplaced))
    expect(progress.retire(isReplaced: isReplaced) != nil)
    #expect(progress.state == .draining)
  }

  @Test("The retirement of a plugin that was never opened leaves only its lazy registrations to remove")
  func lazyRetirement() {
    var progress = Progress(.admitted(lazy))
    guard case .lazy = progress.retire(isReplaced: false) else {
      Issue.record("the retirement has other work")
      return
    }
    #expect(progress.state == .retired)
    for phase in [Progress.Phase.admitted(nil), .rejected(diagnosis), .quarantined(diagnosis), .draining, .retired] {
      var other = Progress(phase)
      expect(other.retire(isReplaced: false) == nil)
    }
  }

  @Test("Only an admitted plugin gets lazy registrations, and only a draining one is retired with its image")
  func illegal() {
    for phase in [Progress.Phase.rejected(diagnosis), .loaded("image"), .active("image"), .draining, .retired] {
      var progress = Progress(phase)
      expect(!progress.setLazy(lazy) && progress.lazy == nil)
    }
    for phase in [Progress.Phase.admitted(nil), .rejected(diagnosis), .loaded("image"), .active("image"), .retired] {
      var progress = Progress(phase)
      expect(!progress.closeImage())
    }
  }
}
