/// The arguments of a row of some columns: each call of a range gets the next elements.
///
/// What is the same for all rows is written once: buffers with their lengths, the resolver, the addresses of outputs.
struct RowArguments: ~Copyable, ArgumentSource {
  private let call: PreparedCall
  private let columns: ColumnMemory
  private let outputs: [ColumnPlan.Output]
  private let frame: CallFrame
  /// The steps of each row.
  private let steps: [CallPlan.Step]
  /// The buffers whose lengths follow from other arguments.
  private var computed: [(step: CallPlan.Step, count: Int)] = []
  /// Columns by the position of the argument. A buffer, which all rows share, has none.
  private var sources: [ColumnMemory.Rows<UnsafeRawPointer>?]
  /// Copies of structs that are not aligned in their column, and the alignments, by the position.
  private var alignedCopies: [(offset: Int, alignment: Int)?]
  /// The outputs that are no inputs, which are zero before each call.
  private var cleared: [(offset: Int, size: Int)] = []
  /// The lengths of buffers, which the function may change where C sees a pointer to them.
  private var lengths: [(offset: Int, number: Int)] = []
  private var row = 0

  /// Makes the memory of the calls.
  init(_ call: PreparedCall, _ outputs: [ColumnPlan.Output], _ columns: ColumnMemory) {
    (self.call, self.columns, self.outputs) = (call, columns, outputs)
    let plan = call.plan
    var size = plan.layout.size
    sources = Array(repeating: nil, count: plan.argumentCount)
    alignedCopies = Array(repeating: nil, count: plan.argumentCount)
    for (input, rows) in columns.inputs {
      sources[input.position] = rows
      guard let pointee = input.pointee, rows.element != .pointer else { continue }
      size = size.roundedUp(to: 16)
      alignedCopies[input.position] = (size, pointee.alignment)
      size += pointee.size
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    frame = CallFrame(memory)
    steps = plan.steps.filter { if case .value = $0.kind { true } else { false } }
  }

  /// Writes what is the same for all rows. Throws a `CallError` for lengths of buffers that differ or are too large, for a missing resolver,
  /// and if the thread's stack is too small.
  mutating func fill(resolver: UnsafeRawPointer?) throws(CallError) {
    let plan = call.plan
    try plan.checkStack()
    var constant: [CallPlan.Step] = []
    for step in plan.steps {
      switch step.kind {
      case .computedBuffer:
        let (address, count) = try buffer(step)
        frame.point(step, to: address)
        computed.append((step, count))
      case .output:
        cleared.append((step.targetOffset, call.signature.parameters[step.parameter].type.size))
        constant.append(step)
      case .resolver, .buffer, .fixedBuffer, .countedBuffer: constant.append(step)
      case .value, .newBuffer: break
      }
    }
    try call.fill(frame, plan, constant, from: &self, resolver: resolver)
    for case .countedBuffer(_, let offset, _, _, isFirst: true) in constant.map(\.kind) {
      lengths.append((offset, (frame.memory + offset).load(as: Int.self)))
    }
    cleared.removeAll { offset, _ in lengths.contains { $0.offset == offset } }
  }

  deinit { frame.memory.deallocate() }

  func write(_ step: CallPlan.Step, to frame: CallFrame) throws(CallError) {
    guard let rows = sources[step.argument] else { return }
    let source = rows.data + row * rows.stride
    if let (offset, alignment) = alignedCopies[step.argument] {
      let copy = frame.memory + offset
      let isAligned = UInt(bitPattern: source) % UInt(alignment) == 0
      if !isAligned { copy.copyMemory(from: source, byteCount: rows.element.size) }
      frame.point(step, to: isAligned ? source : UnsafeRawPointer(copy))
    } else if step.targetOffset > 0 {
      frame.pointToTarget(step).copyMemory(from: source, byteCount: rows.element.size)
    } else {
      step.slot.copy(source, to: frame.memory)
    }
  }

  func buffer(_ step: CallPlan.Step) throws(CallError) -> (address: UnsafeRawPointer?, count: Int) {
    let buffer = columns.buffers.first { $0.input.position == step.argument }
    return (buffer?.address, buffer?.count ?? 0)
  }

  func newBuffer(_ step: CallPlan.Step, count: Int128) throws(CallError) -> UnsafeRawPointer {
    fatalError("a plan with columns has none")
  }

  /// Calls the function with the arguments of a row and stores its outputs. Throws the failure of the call, and stores nothing then.
  mutating func run(_ row: Int) throws(CallError) {
    self.row = row
    for (offset, size) in cleared { (frame.memory + offset).initializeMemory(as: UInt8.self, repeating: 0, count: size) }
    for (offset, number) in lengths { (frame.memory + offset).storeBytes(of: number, as: Int.self) }
    try call.fill(frame, call.plan, steps, from: &self, resolver: nil)
    for (step, count) in computed {
      do throws(CallError) {
        try call.checkLength(step, count: count, frame, call.plan)
      } catch {
        throw error.about(argument: step.argument, name: call.signature.parameters[step.parameter].name)
      }
    }
    let (result, failure) = call.run(frame, call.plan)
    if let failure { throw failure }
    for (output, rows) in zip(outputs, columns.outputs) {
      let source = output.parameter.map { frame.memory + call.plan.layout.valueOffset($0) } ?? result
      (rows.data + row * rows.stride).copyMemory(from: source, byteCount: rows.element.size)
    }
  }
}
