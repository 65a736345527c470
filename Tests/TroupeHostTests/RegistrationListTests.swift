import Foundation
import Testing
import TroupeContainer

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeProbing

@Suite("Lists of registrations")
struct RegistrationListTests {
  private let uuids = (0..<6).map { _ in UUID() }

  private func registration(_ plugin: String, _ number: Int, name: String) -> Registration {
    let entry = Entry.plain(Int.self, tags: TagList(Set(elements: uuids[number])), lifetime: .transient) { _ in number }
    return Registration(plugin: plugin, entry: entry, contract: nil, name: name, metadata: [:])
  }

  /// Six registrations that alternate between two plugins.
  private func list() -> RegistrationList {
    var list = RegistrationList()
    for number in 0..<6 { list.append(registration(number.isMultiple(of: 2) ? "a" : "b", number, name: "\(number)")) }
    return list
  }

  private func expect(_ list: RegistrationList, _ names: [String], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(list.all.map(\.name) == names, sourceLocation: sourceLocation)
    // The holder of each UUID must match.
    for (number, uuid) in uuids.enumerated() {
      let name = names.first { $0.hasPrefix("\(number)") }
      #expect(list.holder(of: uuid)?.name == name, sourceLocation: sourceLocation)
    }
  }

  @Test("New registrations of a plugin replace its old ones by UUID, and additional ones are appended")
  func replacement() {
    var list = list()
    list.replace("a", with: [4, 0].map { registration("a", $0, name: "\($0) anew") })
    expect(list, ["0 anew", "1", "3", "4 anew", "5"])
    list.replace("b", with: [1, 3, 5, 2].map { registration("b", $0, name: "\($0) anew") })
    expect(list, ["0 anew", "1 anew", "3 anew", "4 anew", "5 anew", "2 anew"])
    list.replace("c", with: [])
    expect(list, ["0 anew", "1 anew", "3 anew", "4 anew", "5 anew", "2 anew"])
  }

  @Test("A removed registration frees its UUID")
  func removal() {
    var list = list()
    for number in [5, 1] { list.remove(registration("b", number, name: "").key) }
    expect(list, ["0", "2", "3", "4"])
    list.removeAll(of: "none")
    list.removeAll(of: "b")
    expect(list, ["0", "2", "4"])
    list.removeAll(of: "a")
    expect(list, [])
    list.append(registration("c", 3, name: "3 again"))
    expect(list, ["3 again"])
  }

  @Test("A UUID of another plugin is a clash, and one of the same plugin is not")
  func clash() {
    let list = list()
    #expect(list.clash(with: [registration("a", 0, name: "x")]) == nil)
    #expect(list.clash(with: [registration("a", 0, name: "x"), registration("a", 1, name: "y")])?.holder.name == "1")
  }
}
