/// Lists the known names for an error about an unknown one: all in their order or, of more than twenty, the twenty with the most
/// similar spelling, the nearest first. Lists equal names once.
package func knownNames(_ names: [String], for wanted: String) -> String {
  var seen: Set<String> = []
  let names = names.filter { seen.insert($0).inserted }
  guard !names.isEmpty else { return "none" }
  guard names.count > 20 else { return names.joined(separator: ", ") }
  let wanted = Array(wanted.lowercased().utf8)
  // A stable sort keeps the order of equally near names.
  let nearest = names.map { ($0, distance(Array($0.lowercased().utf8), wanted)) }.sorted { $0.1 < $1.1 }.prefix(20)
  return nearest.map(\.0).joined(separator: ", ") + " and \(names.count - 20) more"
}

/// The Levenshtein distance: the number of bytes to insert, delete or replace.
private func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
  var row = Array(0...other.count)
  for (index, byte) in one.enumerated() {
    var diagonal = row[0]
    row[0] = index + 1
    for column in other.indices {
      let replaced = diagonal + (byte == other[column] ? 0 : 1)
      diagonal = row[column + 1]
      row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
    }
  }
  return row[other.count]
}
