/// The kinds of values in messages between a host and a worker. A byte with the kind precedes the content.
enum ValueKind: UInt8 {
  case void, no, yes, integer, wideInteger, float, double, longDouble
  case noText, text, null, bytes, array, structure, callback, handle, packed, shared
}
