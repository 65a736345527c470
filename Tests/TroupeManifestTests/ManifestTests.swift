import Testing
import TroupeBase

@testable import TroupeManifest

@Suite("Manifests") struct ManifestTests {
  /// The members of a valid manifest, as JSON.
  static let good = [
    "id": #""org.example.x""#, "name": #""X ☃""#, "version": #""1.2.3-a+b""#, "language": #""c""#, "abi": #""1.0""#,
    "sdk": #""0.1.0""#, "interface": #""7f""#, "compiler": #""6.3""#,
  ]

  static func json(_ members: [String: String], extra: String = "") -> [UInt8] {
    Array(("{" + members.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" }.joined(separator: ",") + extra + "}").utf8)
  }

  /// The problem with a manifest, or nil.
  static func fault(_ json: [UInt8]) -> String? {
    do {
      _ = try Manifest(json: json)
      return nil
    } catch {
      return error.description
    }
  }

  private static let notJSON = "is not JSON"

  @Test("Every member is read")
  func reads() throws {
    let manifest = try Manifest(json: Self.json(Self.good))
    #expect(manifest.id == "org.example.x")
    #expect(manifest.name == "X ☃")
    #expect(manifest.version.description == "1.2.3-a+b")
    #expect(manifest.language == "c")
    #expect(manifest.abi.description == "1.0")
    #expect(manifest.sdk == "0.1.0")
    #expect(manifest.interface == "7f")
    #expect(manifest.compiler == "6.3")
  }

  @Test("A member that is missing, null or empty is named", arguments: ["id", "name", "version", "language", "abi"])
  func missing(_ name: String) {
    var members = Self.good
    members[name] = nil
    #expect(Self.fault(Self.json(members)) == "has no \"\(name)\"")
    for value in ["null", "\"\""] {
      members[name] = value
      #expect(Self.fault(Self.json(members)) == "has no \"\(name)\"")
    }
  }

  @Test("A description is optional, and has the limits of a name")
  func description() throws {
    #expect(try Manifest(json: Self.json(Self.good)).description == "")
    for (value, description) in [("null", ""), ("\"\"", ""), ("\"Reads x. ☃\"", "Reads x. ☃")] {
      let json = Self.json(Self.good, extra: ",\"description\":\(value)")
      #expect(try Manifest(json: json).description == description)
    }
    for value in ["1", "[]", "\"a\\nb\"", "\"" + String(repeating: "a", count: 1025) + "\""] {
      #expect(Self.fault(Self.json(Self.good, extra: ",\"description\":\(value)")) != nil, "\(value)")
    }
  }

  @Test("Settings are read with their types, defaults, ranges and choices; a missing bound is no limit")
  func settings() throws {
    let json = #"""
      [{"key":"w","type":"integer","default":76,"minimum":1,"maximum":1000,"description":"Bytes"},
       {"key":"i","type":"integer","default":"-1"}, {"key":"n","type":"number","default":1e-3,"maximum":1},
       {"key":"b","type":"boolean","default":true}, {"key":"t","type":"text","default":"","other":[{}]},
       {"key":"c","type":"choice","choices":["x","y"],"default":"y"}]
      """#
    let settings = try Manifest(json: Self.json(Self.good, extra: ",\"settings\":\(json)")).settings
    #expect(settings.map(\.key) == ["w", "i", "n", "b", "t", "c"])
    #expect(
      settings.map(\.valueType) == [
        .integer(1...1000), .integer(.min ... .max), .number(-.infinity...1), .boolean, .text, .choice(["x", "y"]),
      ])
    #expect(settings.map(\.defaultValue) == ["76", "-1", "0.001", "true", "", "y"])
    #expect(settings.map(\.description) == ["Bytes", "", "", "", "", ""])
  }

  @Test(
    "An invalid declaration of a setting is named",
    arguments: [
      (#"{"key":"a","type":"text","default":""}"#, "has a \"settings\" that is not a list of objects"),
      (#"["a"]"#, "\"settings\""),
      (#"[{"key":"a","type":"integer","default":1,"maximum":1.5}]"#, "the maximum 1.5"),
      (#"[{"key":"a","type":"number","default":1,"minimum":"x"}]"#, "the minimum x"),
      (#"[{"type":"text","default":""}]"#, "setting \"\", which is not a key"),
      (#"[{"key":"a","type":"text"}]"#, "declares the setting \"a\", which has no \"default\""),
      (#"[{"key":"a","type":"text","default":[]}]"#, "a \"default\" of the wrong type"),
      (#"[{"key":"a","type":"date","default":""}]"#, "the type \"date\""),
      (#"[{"key":"a","type":"integer","default":0,"minimum":1}]"#, "the default \"0\""),
      (#"[{"key":"a","type":"integer","default":0,"minimum":2,"maximum":1}]"#, "the range 2 to 1"),
      (#"[{"key":"a","type":"text","default":""},{"key":"a","type":"text","default":""}]"#, "the setting \"a\" twice"),
    ])
  func wrongSettings(_ json: String, _ fault: String) {
    let found = Self.fault(Self.json(Self.good, extra: ",\"settings\":\(json)"))
    #expect(found?.contains(fault) == true, "\(found ?? "no fault")")
  }

  @Test("The remedy for an unknown key names the nearest key, if there is one, and at most eight of the keys")
  func unknownKey() throws {
    let settings = (1...256).map { #"{"key":"key\#($0)","type":"text","default":""}"# }.joined(separator: ",")
    let manifest = try Manifest(json: Self.json(Self.good, extra: ",\"settings\":[\(settings)]"))
    let list = "key1, key2, key3, key4, key5, key6, key7, key8 and 248 more"
    for (key, start) in [
      ("kye7", "set \"key7\" instead, the nearest of its settings: "), ("x", "set one of its settings instead: "),
    ] {
      #expect(manifest.diagnosis(inConfiguration: [key: ""])?.remedy == start + list)
    }
  }

  @Test("The release is optional")
  func withoutRelease() throws {
    var members = Self.good
    members["sdk"] = nil
    #expect(try Manifest(json: Self.json(members)).sdk == nil)
  }

  @Test(
    "A member that is not a string is named",
    arguments: ["id", "name", "version", "language", "abi", "sdk", "interface", "compiler"],
    ["1", "true", "[]", "{}", "1.0"])
  func wrongType(_ name: String, _ value: String) {
    var members = Self.good
    members[name] = value
    #expect(Self.fault(Self.json(members)) == "has a \"\(name)\" that is not a string")
  }

  @Test(
    "Control characters and texts of more than 1024 bytes are refused",
    arguments: ["id", "name", "version", "language", "abi", "sdk", "interface", "compiler"])
  func badText(_ name: String) {
    var members = Self.good
    members[name] = #""a\u001b[2J""#
    #expect(Self.fault(Self.json(members)) == "has a \"\(name)\" with control characters")
    members[name] = "\"" + String(repeating: "a", count: 1025) + "\""
    #expect(Self.fault(Self.json(members)) == "has a \"\(name)\" of more than 1024 bytes")
  }

  @Test(
    "Text that is not a JSON object is refused",
    arguments: [
      ("is not a JSON object", ["[]", "[{}]", "5", #""text""#, "null"]), (notJSON, ["", "   ", "{", "{]", "nonsense"]),
      ("has no \"id\"", ["{}"]),
    ])
  func notAnObject(_ fault: String, _ texts: [String]) {
    for text in texts { #expect(Self.fault(Array(text.utf8)) == fault) }
  }

  @Test("Invalid UTF-8 is refused", arguments: [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xE2, 0x98]] as [[UInt8]])
  func notUTF8(_ bytes: [UInt8]) {
    var members = Self.good
    members["name"] = #""N""#
    var json = Self.json(members)
    guard let index = json.firstIndex(of: UInt8(ascii: "N")) else { return }
    json.replaceSubrange(index...index, with: bytes)
    #expect(Self.fault(json) == "is not UTF-8")
  }

  @Test("A NUL ends the text, and trailing spaces are ignored")
  func padding() {
    #expect(Self.fault(Self.json(Self.good) + [0]) == nil)
    #expect(Self.fault(Self.json(Self.good) + [0, 0xFF, 0x7B]) == nil)
    #expect(Self.fault(Self.json(Self.good) + Array("  \n\t ".utf8)) == nil)
    #expect(Self.fault([0] + Self.json(Self.good)) == Self.notJSON)
    #expect(Self.fault(Self.json(Self.good) + Array("{}".utf8)) == Self.notJSON)
  }

  @Test("Unknown members are ignored, with any value", arguments: ["5", "null", #"{"id":7}"#, "[[1],{}]"])
  func unknown(_ value: String) {
    #expect(Self.fault(Self.json(Self.good, extra: ",\"later\":\(value)")) == nil)
  }

  @Test("Escape sequences are decoded as in JSON, also in names of members")
  func escapes() throws {
    var members = Self.good
    members["id"] = nil
    members["name"] = #""\ud83d\ude00\"\\\/\u00e9 ☃""#
    let manifest = try Manifest(json: Self.json(members, extra: #","\u0069\u0064":"org.ex\u0061mple.x""#))
    #expect(manifest.id == "org.example.x")
    #expect(manifest.name == "😀\"\\/é ☃")
  }

  @Test(
    "Malformed JSON is refused at any position",
    arguments: [
      "01", "1.", ".5", "-", "+1", "1e", "1e+", "tru", "nulll", "NaN", "'x'", #""\x""#, #""\u12g4""#, #""\ud800""#,
      #""\udc00""#,
      #""\ud800\u0041""#, "\"\u{1}\"", "\"\n\"", "[1,]", "[,1]", "[1 2]", #"{"a"}"#, #"{"a":}"#, "{a:1}", #"{"a":1,}"#, "\"",
      "",
    ])
  func notQuite(_ value: String) {
    #expect(Self.fault(Self.json(Self.good, extra: ",\"later\":\(value)")) == Self.notJSON)
    #expect(Self.fault(Self.json(Self.good, extra: ",\"requires\":[\(value),1]")) == Self.notJSON)
  }

  @Test("Unknown numbers, literals and nested values of every kind are skipped")
  func skipped() {
    let value = #"[0, -0, 10, 1.5, 1e5, 1E-5, 1.25e+10, true, false, null, "", "\b\f\n\r\t", {}, [], {"a": [{"b": []}]}]"#
    #expect(Self.fault(Self.json(Self.good, extra: ",\"later\":\(value)")) == nil)
  }

  @Test("512 levels of nesting are accepted, and 513 are refused")
  func levels() {
    func nested(_ count: Int) -> String { String(repeating: "[", count: count) + String(repeating: "]", count: count) }
    #expect(Self.fault(Self.json(Self.good, extra: ",\"later\":\(nested(511))")) == nil)
    #expect(Self.fault(Self.json(Self.good, extra: ",\"later\":\(nested(512))")) == Self.notJSON)
  }

  @Test("Of a duplicate member one value is used, and that value is checked")
  func duplicate() throws {
    let json = Self.json(Self.good, extra: #","name":"Y""#)
    #expect(try ["X ☃", "Y"].contains(Manifest(json: json).name))
    #expect(
      Self.fault(Self.json(["id": #""a""#], extra: #","id":"b""#))?.hasPrefix("has the id ") == true)
  }

  @Test("Deep nesting is refused without a stack overflow")
  func deep() {
    for open in ["[", #"{"a":"#] {
      let nested = String(repeating: open, count: 60_000 / open.utf8.count)
      #expect(Self.fault(Array(nested.utf8)) == Self.notJSON)
      #expect(Self.fault(Self.json(Self.good, extra: ",\"later\":" + nested)) == Self.notJSON)
    }
  }

  @Test(
    "A malformed id, version or abi is refused",
    arguments: [
      ("id", "x", "is not in reverse DNS notation"), ("id", "org..x", "has an empty part"),
      ("version", "1.0", "is not a semantic version such as 1.0.0"), ("version", "v1.0.0", ""),
      ("version", "99999999999999999999.0.0", ""), ("abi", "1", "is not a version such as 1.0"), ("abi", "1.0.0", ""),
      ("abi", "1.", ""), ("abi", "-1.0", ""), ("abi", "1.65536", ""), ("abi", " 1.0", ""), ("abi", "one.two", ""),
    ])
  func malformed(_ name: String, _ value: String, _ problem: String) throws {
    var members = Self.good
    members[name] = "\"\(value)\""
    #expect(try #require(Self.fault(Self.json(members))).hasPrefix("has the \(name) \"\(value)\", which \(problem)"))
  }

  @Test("Requirements and provided contracts are read in order; an absent list is the same as an empty one")
  func needs() throws {
    var members = Self.good
    #expect(try Manifest(json: Self.json(members)).requires == [])
    members["requires"] = #"["org.example.a", "org.example.b  >=1.0.0   <2.0.0", "org.example.c/1"]"#
    members["provides"] = #"["org.example.d/2"]"#
    let manifest = try Manifest(json: Self.json(members))
    #expect(manifest.requires.map(\.description) == ["org.example.a", "org.example.b >=1.0.0 <2.0.0", "org.example.c/1"])
    #expect(manifest.provides == ["org.example.d/2"])
    members["requires"] = "[]"
    #expect(try Manifest(json: Self.json(members)).requires == [])
  }

  @Test(
    "A malformed requirement or provided contract is refused",
    arguments: [
      ("requires", #""org.example.a""#, #"has a "requires" that is not a list of strings"#),
      ("requires", #"["org.example.a", 1]"#, #"has a "requires" "#), ("provides", #"{"a": 1}"#, #"has a "provides" "#),
      ("requires", #"["a"]"#, #"requires "a", which is not "#),
      ("provides", #"["org.example.a"]"#, #"provides "org.example.a", which is not "#),
    ])
  func wrongNeeds(_ member: String, _ json: String, _ fault: String) {
    var members = Self.good
    members[member] = json
    #expect(Self.fault(Self.json(members))?.hasPrefix(fault) == true)
  }

  @Test("A manifest can have at most 256 requirements")
  func needCount() {
    var members = Self.good
    func list(_ count: Int) -> String { "[" + Array(repeating: #""org.example.a""#, count: count).joined(separator: ",") + "]" }
    members["requires"] = list(256)
    #expect(Self.fault(Self.json(members)) == nil)
    members["requires"] = list(257)
    #expect(Self.fault(Self.json(members)) == "has more than 256 entries in \"requires\"")
  }
}
