/// A transfer of a value to another context.
struct Transfer<Value>: @unchecked Sendable {
  // Sendable because the sender does not use the value after the transfer: arguments go to the one factory that runs, an instance
  // goes to the caller.
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
