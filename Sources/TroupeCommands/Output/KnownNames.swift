/// The names that there are, for the message that one is not among them: all of them in their order or, of more than twenty,
/// the twenty that are spelled most like it, the nearest first. A name that several things have is told once.
package func knownNames(_ names: [String], for wanted: String) -> String {
  var seen: Set<String> = []
  let names = names.filter { seen.insert($0).inserted }
  guard !names.isEmpty else { return "none" }
  guard names.count > 20 else { return names.joined(separator: ", ") }
  let wanted = Array(wanted.lowercased().utf8)
  // Sorting is stable, so that those that are equally far stay in their order.
  let nearest = names.map { ($0, distance(Array($0.lowercased().utf8), wanted)) }.sorted { $0.1 < $1.1 }.prefix(20)
  return nearest.map(\.0).joined(separator: ", ") + " and \(names.count - 20) more"
}

/// How many bytes have to be put in, taken out or replaced to make one text of another, which is Levenshtein's distance.
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
