internal import TroupeHost

/// Lists the known names for an error about an unknown one: all in their order or, of more than twenty, the twenty with the most
/// similar spelling, the nearest first. Lists equal names once.
package func knownNames(_ names: [String], for wanted: String) -> String {
  var seen: Set<String> = []
  let names = names.filter { seen.insert($0).inserted }
  guard !names.isEmpty else { return "none" }
  guard names.count > 20 else { return names.joined(separator: ", ") }
  // A stable sort keeps the order of equally near names.
  return names.map { ($0, editDistance($0, wanted)) }.sorted { $0.1 < $1.1 }.map(\.0).listed(atMost: 20)
}
