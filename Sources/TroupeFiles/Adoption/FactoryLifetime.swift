internal import TroupeBase

/// The lifetime of the instances of a factory, as `troupe_lifetime` in C and the member `lifetime` of an adoption file name it.
package enum FactoryLifetime: UInt8, Sendable, Hashable {
  case transient
  case singleton
  case scoped
}

extension FactoryLifetime: Recordable {
  package func write(to writer: inout RecordWriter) { writer.write(number: rawValue) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    let number: UInt8 = try reader.number()
    guard let lifetime = Self(rawValue: number) else { throw ReadError("\(number) is no lifetime") }
    self = lifetime
  }
}
