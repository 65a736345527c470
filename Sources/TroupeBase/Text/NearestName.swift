/// Suggests the correction of a misspelled name: `area` for `aera`.
///
/// Returns nil if the nearest name still differs in more than half of the bytes of `wanted`. A common prefix up to a dot does not count,
/// since all ids of one author begin with the same domain.
package func nearestName(to wanted: String, in names: [String]) -> String? {
  let near = names.map { (name: $0, distance: editDistance($0, wanted)) }.filter { candidate in
    let shared = zip(candidate.name.utf8, wanted.utf8).prefix { $0 == $1 }.map(\.0)
    let domain = shared.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? 0
    return 2 * candidate.distance <= wanted.utf8.count - domain
  }
  return near.min { $0.distance < $1.distance }?.name
}

/// Lists the known names for the error of an unknown one: each once, the nearest first, at most 20.
package func knownNames(_ names: [String], for wanted: String) -> String {
  var seen: Set<String> = []
  let names = names.filter { seen.insert($0).inserted }
  // A stable sort keeps the order of equally near names.
  let sorted = names.map { ($0, editDistance($0, wanted)) }.sorted { $0.1 < $1.1 }.map(\.0)
  return sorted.isEmpty ? "none" : sorted.listed(atMost: 20)
}

/// Returns the Levenshtein distance in bytes, regardless of case. Ignores what follows the first 256 bytes, which bounds the cost.
package func editDistance(_ one: String, _ other: String) -> Int {
  let (one, other) = (Array(one.lowercased().utf8.prefix(256)), Array(other.lowercased().utf8.prefix(256)))
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

extension Diagnosis {
  /// `no plugin "tabel"; did you mean "table"?`, or another remedy if no name is similar.
  package static func unknown(
    _ kind: String, _ name: String, among names: [String], code: Code = .usage, subject: String? = nil,
    otherwise remedy: @autoclosure () -> String
  ) -> Diagnosis {
    let problem = "no \(kind) \"\(name.shortened())\""
    let remedy = nearestName(to: name, in: names).map { "did you mean \"\($0.shortened().onOneLine)\"?" } ?? remedy()
    return subject.map { Diagnosis(code, $0, problem: problem, remedy: remedy) }
      ?? Diagnosis(code, problem: problem, remedy: remedy)
  }
}
