extension String {
  /// The text as one word of a shell's command line.
  package var shellWord: String {
    let isPlain = utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "/._-+:@%,=".utf8.contains($0)
      }
    }
    if isPlain && !isEmpty { return self }
    // By scalars: a quote and a combining character are one character of a string.
    var word = "'"
    for scalar in unicodeScalars {
      if scalar == "'" { word += #"'\''"# } else { word.unicodeScalars.append(scalar) }
    }
    return word + "'"
  }
}
