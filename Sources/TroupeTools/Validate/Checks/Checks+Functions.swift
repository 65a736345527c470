internal import Synchronization
internal import TroupeCall
internal import TroupeHost

/// The functions whose parameters are all numbers or buffers.
extension Checks {
  static let functions: [Check] = [
    calling("function-call", level: 3, isGate: true, "Each function returns for small numbers.") { function, _ in
      try function.call(function.simpleArguments())
      return .passed
    },
    calling("function-empty-buffers", level: 4, "Each function accepts empty buffers.") { function, _ in
      if function.hasBuffer { try function.call(function.simpleArguments(emptyBuffers: true)) }
      return .passed
    },
    calling("function-state", level: 4, "A call keeps the state of the process.") { function, subject in
      let changes = try stateChanges(subject) { try function.call(function.simpleArguments()) }
      return .expect(
        changes.isEmpty, changes.map(\.description).joined(separator: ", and "),
        remedy: "restore the state of the process before it returns")
    },
    calling("function-leak", level: 4, "Up to 1,000 calls leave no memory behind.") { function, subject in
      let arguments = function.simpleArguments()
      let growth = try HeapGrowth.perRound(1000, within: subject.share) { try function.call(arguments) }
      return .expect(growth < 8, "leaks \(growth) bytes for each call", remedy: "free the memory before it returns")
    },
    Check(
      "function-eight-threads", level: 4, needs: [activation, "function-call"],
      "Eight threads call a function at once and get the same result."
    ) { subject in
      try callOnEightThreads(try subject.use().callableFunctions(), subject)
    },
    calling("function-extremes", level: 5, "Each function survives the least and greatest numbers.") { function, subject in
      for index in 0..<CType.extremeCount {
        let arguments = function.extremeArguments(index)
        subject.begin("in its function \(function.name) with \(shown(arguments))")
        try function.call(arguments)
      }
      return .passed
    },
    Check(
      generatedCalls, level: 5, needs: [activation, "function-call", "function-empty-buffers", "function-extremes"],
      "Each function survives generated arguments."
    ) { subject in
      let functions = try subject.use().callableFunctions()
      let calls = subject.request.reproduces ? 1 : 1000 * functions.count
      var seed = subject.request.seed
      try Repetition.run(calls, within: subject.share) {
        defer { seed &+= 1 }
        // The seed also chooses the function.
        let function = functions[Int(seed % UInt64(functions.count))]
        var generator = SeededGenerator(seed: seed)
        let arguments = function.generatedArguments(&generator)
        subject.begin("in its function \(function.name) with \(shown(arguments)) (--reproduce \(seed))")
        try function.call(arguments)
      }
      return .passed
    },
  ]

  /// - Parameter isGate: True if the other checks of functions need it.
  private static func calling(
    _ name: String, level: Int, isGate: Bool = false, _ summary: String,
    _ body: @escaping @Sendable (CallableFunction, CheckedFile) throws -> CheckResult
  ) -> Check {
    let needs = [activation] + (isGate ? [] : ["function-call"])
    return Check(name, level: level, needs: needs, summary) { subject in
      let loaded = try subject.use()
      return try checkEach(loaded.callableFunctions(), subject, name: { "its function \($0.name)" }) {
        try body($0, subject)
      }
    }
  }

  /// Calls one function after the other on the same eight threads, since starting threads takes longer than the calls.
  private static func callOnEightThreads(_ functions: [CallableFunction], _ subject: CheckedFile) throws -> CheckResult {
    let calls = try functions.map { function in
      subject.begin("in its function \(function.name)")
      let arguments = function.simpleArguments()
      let expected = try function.call(arguments)
      // A function such as rand(3) has another result each time.
      return (function, arguments, expected, isConstant: try function.call(arguments) == expected)
    }
    subject.divideTime(among: calls.count)
    let (barrier, reporter) = (Barrier(8), UncheckedSendable(subject))
    let failure = Mutex<String?>(nil)
    Threads.run(8) { [time = subject.share / 8] thread in
      for (function, arguments, expected, isConstant) in calls {
        barrier.wait()
        if thread == 0 { reporter.value.begin("in its function \(function.name)") }
        barrier.wait()
        Repetition.run(1000, within: time) {
          let result = try? function.call(arguments)
          if isConstant && result != expected { failure.withLock { $0 = $0 ?? function.name } }
        }
      }
    }
    let name = failure.withLock { $0 }
    return .expect(
      name == nil, "its function \(name ?? "") returns another result on eight threads at once",
      remedy: "keep state in the caller's arguments")
  }

  /// Returns the arguments in parentheses. A long buffer is shown by its length.
  private static func shown(_ arguments: [Value]) -> String { "(\(arguments.map(\.shown).joined(separator: ", ")))" }
}
