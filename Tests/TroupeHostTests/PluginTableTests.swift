import Testing

@testable import Troupe
@testable import TroupeFiles
@testable import TroupeHost

@Suite("The table of plugins")
struct PluginTableTests {
  private var table = PluginTable()
  private let file: PluginFile
  private let loaded: LoadedPlugin
  private let diagnosis = Diagnosis(.refused, "/a.so", problem: "fails", remedy: "fix it")

  init() throws {
    file = PluginFile("/a.so", Admission.Outcome())
    let version = try #require(SemanticVersion("1.0.0"))
    let manifest = Manifest(
      adoptingAs: "org.example.a", name: "A", description: "", version: version, abi: Manifest.ABI(major: 1, minor: 0))
    let bindings = HostBindings(
      plugin: manifest, configuration: [:], services: [], log: Log(from: .error) { _ in }, owner: Owner(name: "a"),
      factories: PluginRegistry(contracts: []), ended: { _ in })
    loaded = LoadedPlugin(bindings: bindings, code: bindings)
    list([FoundPlugin(file: file, diagnosis: nil)])
  }

  private mutating func list(_ found: [FoundPlugin], keeping kept: [PluginFile] = [], isProbed: Bool = false) {
    table.list(DiscoveredPlugins(kept + found.map(\.file), LoadOrder([])), adding: found, isProbed: isProbed)
  }

  /// Applies events, and returns the effects of each, or `-` for an event that does not belong to the state.
  private mutating func effects(of events: PluginTable.Event..., to file: PluginFile? = nil) -> [String] {
    events.map { event in
      guard let effects = table.apply(event, to: file ?? self.file) else { return "-" }
      return effects.map { effect in
        switch effect {
        case .send(let element, let previous): "\(previous?.view.name ?? "nothing") > \(element.state.view.name)"
        case .unregister: "unregister"
        case .close: "close"
        }
      }.joined(separator: ", ")
    }
  }

  private var state: String { table[file].state.view.name }

  @Test("A plugin is in use from its first registrations to its retirement, and each change is an event")
  mutating func regular() {
    #expect(effects(of: .announce) == ["nothing > admitted"])
    #expect(!table[file].isInUse)
    #expect(effects(of: .addPending(PluginTable.Pending())) == [""])
    #expect(table[file].isInUse && state == "admitted")
    #expect(effects(of: .beginOpening, .endOpening(loaded)) == ["", "admitted > loaded"])
    #expect(table[file].loaded != nil && table[file].pending == nil)
    #expect(effects(of: .beginActivation(TaskEvent()), .endActivation) == ["", "loaded > active"])
    #expect(table[file].isInUse)
    #expect(effects(of: .retire) == ["active > draining, close"])
    #expect(!table[file].isInUse && table[file].loaded == nil)
    #expect(effects(of: .releaseImage(isMapped: true)) == ["draining > retired"])
    #expect(table[file].isMapped)
  }

  @Test("A plugin that is not announced is so before its first change, and only once")
  mutating func announced() {
    #expect(effects(of: .reject(diagnosis)) == ["nothing > admitted, admitted > rejected"])
    #expect(effects(of: .announce) == ["-"])
  }

  @Test("A plugin with a fault is found rejected, and stays so")
  mutating func found() {
    let faulty = PluginFile("/b.so", Admission.Outcome())
    list([FoundPlugin(file: faulty, diagnosis: diagnosis)], keeping: [file])
    #expect(table[faulty].foundDiagnosis == diagnosis && table[faulty].diagnosis == diagnosis)
    #expect(
      effects(
        of: .announce, .pass(nil, nil), .addPending(PluginTable.Pending()), .beginOpening, .retire,
        to: faulty)
        == ["nothing > rejected", "", "-", "-", "-"])
    #expect(effects(of: .announce, .reject(diagnosis)) == ["nothing > admitted", "admitted > rejected"])
    #expect(table[file].foundDiagnosis == nil && table[file].diagnosis == diagnosis)
  }

  @Test("The code of a plugin may run after its probe, or at once without probes")
  mutating func probed() {
    #expect(table[file].mayRun && table[file].unprobedID == nil)
    let other = PluginFile("/b.so", Admission.Outcome())
    list([FoundPlugin(file: other, diagnosis: nil)], keeping: [file], isProbed: true)
    #expect(!table[other].mayRun)
    #expect(effects(of: .pass(nil, nil), to: other) == [""])
    #expect(table[other].mayRun)
  }

  @Test("One caller at a time makes a transition")
  mutating func exclusive() {
    #expect(effects(of: .endOpening(loaded), .beginActivation(TaskEvent()), .endActivation) == ["-", "-", "-"])
    #expect(effects(of: .announce, .beginOpening, .beginOpening, .reject(diagnosis)) == ["nothing > admitted", "", "-", "-"])
    #expect(effects(of: .addPending(PluginTable.Pending()), .quarantine(diagnosis)) == ["-", "-"])
    #expect(
      effects(of: .endOpening(loaded), .beginActivation(TaskEvent()), .beginActivation(TaskEvent())) == [
        "admitted > loaded", "", "-",
      ])
    #expect(effects(of: .failActivation(diagnosis)) == ["unregister, loaded > rejected"])
  }

  @Test("A retirement during a transition follows at its end, once")
  mutating func deferred() {
    #expect(effects(of: .announce, .beginOpening, .retire, .retire) == ["nothing > admitted", "", "", ""])
    #expect(state == "admitted")
    #expect(effects(of: .endOpening(loaded)) == ["admitted > loaded, loaded > draining, close"])
  }

  /// Opens the plugin, and lists another one that is to replace it.
  private mutating func replacement() -> PluginFile {
    _ = effects(of: .announce, .beginOpening, .endOpening(loaded), .beginActivation(TaskEvent()), .endActivation)
    let new = PluginFile("/a.so", Admission.Outcome())
    table.list(
      DiscoveredPlugins([new], LoadOrder([])), adding: [FoundPlugin(file: new, diagnosis: nil)], replacing: ["/a.so": file],
      isProbed: false)
    return new
  }

  @Test("A retirement of a plugin that is to replace another one retires both, in each state of the new one")
  mutating func retiredReplacement() {
    let states: [(events: [PluginTable.Event], effects: String, end: PluginTable.Event?)] = [
      ([], "active > draining, close", nil),
      ([.addPending(PluginTable.Pending())], "unregister, admitted > retired, active > draining, close", nil),
      ([.reject(diagnosis)], "active > draining, close", nil),
      ([.beginOpening], "active > draining, close", .endOpening(loaded)),
      ([.beginOpening, .endOpening(loaded)], "loaded > draining, close, active > draining, close", nil),
      (
        [.beginOpening, .endOpening(loaded), .beginActivation(TaskEvent())], "unregister, active > draining, close",
        .endActivation
      ),
    ]
    let before = table
    for state in states {
      table = before
      let new = replacement()
      #expect(table[new].replaced === file)
      for event in [.announce] + state.events { _ = table.apply(event, to: new) }
      #expect(effects(of: .retire, to: new) == [state.effects])
      #expect(table[file].state.view == .draining && table[new].replaced == nil)
      if let end = state.end { #expect(effects(of: end, to: new).first?.hasSuffix(" > draining, close") == true) }
      #expect(!table[new].isInUse)
    }
  }

  @Test("A retirement during the activation follows at its end, and a failed one leaves nothing to retire")
  mutating func deferredActivation() {
    #expect(
      effects(of: .announce, .beginOpening, .endOpening(loaded), .beginActivation(TaskEvent()), .retire, .endActivation)
        == ["nothing > admitted", "", "admitted > loaded", "", "unregister", "loaded > active, active > draining, close"])
    let other = PluginFile("/b.so", Admission.Outcome())
    list([FoundPlugin(file: other, diagnosis: nil)], keeping: [file])
    #expect(
      effects(of: .announce, .beginOpening, .retire, .failOpening(diagnosis), to: other)
        == ["nothing > admitted", "", "", "admitted > rejected"])
  }

  @Test("Pending registrations are unregistered when the plugin fails or is retired, and stay if its file has changed")
  mutating func pending() {
    let pending = PluginTable.Pending(hasUnknownTypes: true)
    #expect(
      effects(of: .announce, .addPending(pending), .beginOpening, .postponeOpening) == ["nothing > admitted", "", "", ""])
    #expect(table[file].pending != nil && table.unknown.count == 1)
    #expect(effects(of: .beginOpening, .failOpening(diagnosis)) == ["", "unregister, admitted > rejected"])
    #expect(table.unknown.isEmpty)
    let other = PluginFile("/b.so", Admission.Outcome())
    list([FoundPlugin(file: other, diagnosis: nil)], keeping: [file])
    #expect(effects(of: .announce, .addPending(pending), .retire, to: other).last == "unregister, admitted > retired")
  }

  @Test("Only a plugin with registrations can be retired")
  mutating func unused() {
    #expect(effects(of: .retire) == ["-"])
    #expect(
      effects(of: .announce, .reject(diagnosis), .retire) == [
        "nothing > admitted", "admitted > rejected", "-",
      ])
  }

  @Test("A plugin that is not listed any more stays in the table until it is retired")
  mutating func unlisted() {
    _ = effects(of: .announce, .beginOpening, .endOpening(loaded))
    let new = PluginFile("/a.so", Admission.Outcome())
    list([FoundPlugin(file: new, diagnosis: nil)])
    #expect(table.listed.map(\.file.path) == ["/a.so"] && table.listed.first?.file === new && state == "loaded")
    #expect(
      effects(of: .retire, .releaseImage(isMapped: false)) == ["loaded > draining, close", "draining > retired"])
    #expect(effects(of: .announce) == ["-"])
    #expect(state == "retired")
  }

  @Test("A plugin whose replacement has failed is listed again, and the fault is news once")
  mutating func restored() {
    _ = effects(of: .announce, .beginOpening, .endOpening(loaded))
    let new = PluginFile("/a.so", Admission.Outcome())
    list([FoundPlugin(file: new, diagnosis: nil)])
    _ = effects(of: .announce, .reject(diagnosis), to: new)
    table.restore(file, inPlaceOf: new)
    #expect(table.listed.first?.file === file && state == "loaded")
    let unreplaced = [DiscoveryDiff.UnreplacedPlugin(file: file, diagnosis: diagnosis)]
    let other = [DiscoveryDiff.UnreplacedPlugin(file: file, diagnosis: diagnosis.about("/b.so"))]
    let steps = [(unreplaced, true), (unreplaced, true), (other, false), ([], true), (unreplaced, true)]
    #expect(steps.map { table.note($0.0, isComplete: $0.1).count } == [1, 0, 1, 0, 1])
  }
}
