/// Carries a value to another context.
struct Crossing<Value>: @unchecked Sendable {
  // Sendable because who makes it hands the value over and does not use it again: arguments go to the one factory that
  // runs, an instance to the one who asked for it.
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
