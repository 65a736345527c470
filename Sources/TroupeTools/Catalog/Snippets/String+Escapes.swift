internal import TroupeBase

/// Escapes for string literals in snippets. Pages and terminals replace some invisible characters, so snippets never contain one.
extension String {
  /// Returns the text with another text for some characters.
  func escaped(_ escape: (Unicode.Scalar) -> String?) -> String {
    var result = ""
    for scalar in unicodeScalars {
      if let text = escape(scalar) { result += text } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  /// Returns the text as a string literal of Swift or Python.
  ///
  /// - Parameter escape: Returns the escape of an invisible character.
  func quoted(_ escape: (Unicode.Scalar) -> String) -> String {
    let text = escaped { scalar in
      switch scalar {
      case "\"": #"\""#
      case "\\": #"\\"#
      case "\n": #"\n"#
      default: scalar.isInvisible ? escape(scalar) : nil
      }
    }
    return "\"\(text)\""
  }

  /// The text as a JSON string with escapes for invisible characters.
  var inVisibleJSON: String {
    // The JSON has escapes for control characters already.
    inJSON.escaped { scalar in
      scalar.isInvisible ? UTF16.encode(scalar)?.map { "\\u" + $0.hexadecimal(digits: 4) }.joined() : nil
    }
  }

  /// True if code can contain the text without an escape.
  var isVisible: Bool { !unicodeScalars.contains(where: \.isInvisible) }
}

extension Unicode.Scalar {
  /// True if it is a control character, a line separator, or a character such as a joiner or a mark of the direction. Pages and terminals
  /// replace some of these characters, so that code has escapes for them.
  var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

extension FixedWidthInteger {
  /// - Parameter digits: The minimum number of digits.
  func hexadecimal(digits: Int) -> String { text(radix: 16, digits: digits) }

  /// The number in octal, with at least three digits.
  var octal: String { text(radix: 8, digits: 3) }

  private func text(radix: Int, digits: Int) -> String {
    let text = String(self, radix: radix)
    return String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
  }
}

extension Sequence<UInt8> {
  /// Returns the bytes as a string literal of C or Python.
  ///
  /// - Parameter escape: Returns the escape of a byte, or nil to keep the byte. Gets no quotes, backslashes and line feeds.
  func quoted(_ escape: (UInt8) -> String?) -> String {
    var result = "\""
    for byte in self {
      switch byte {
      case UInt8(ascii: "\""): result += #"\""#
      case UInt8(ascii: "\\"): result += #"\\"#
      case UInt8(ascii: "\n"): result += #"\n"#
      default:
        if let text = escape(byte) { result += text } else { result.unicodeScalars.append(Unicode.Scalar(byte)) }
      }
    }
    return result + "\""
  }
}
