extension Array {
  /// Returns the consecutive elements with equal keys.
  func chunked(by key: (Element) -> String) -> [(key: String, elements: ArraySlice<Element>)] {
    var chunks: [(key: String, elements: ArraySlice<Element>)] = []
    for (index, element) in enumerated() {
      let key = key(element)
      if let last = chunks.last, last.key == key {
        chunks[chunks.count - 1].elements = self[last.elements.startIndex...index]
      } else {
        chunks.append((key, self[index...index]))
      }
    }
    return chunks
  }
}
