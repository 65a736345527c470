internal import CValidation
internal import Synchronization
internal import Troupe
internal import TroupeHost

/// The instances that factories make.
extension Checks {
  static let instances: [Check] = [
    making("instance-create", level: 3, isGate: true, "Each factory makes an instance and releases it.") {
      loaded, registration, _ in
      _ = try loaded.make(registration)
      return .passed
    },
    making("instance-distinct", level: 3, repeatedly: true, "Two instances are different objects.") { loaded, registration, _ in
      guard registration.lifetime == .transient else { return .passed }
      let (first, second) = (try loaded.make(registration), try loaded.make(registration))
      guard let first = first.flatMap(identity), let second = second.flatMap(identity) else { return .passed }
      return .expect(
        first != second, "returns the same instance twice", remedy: "make a new one each time, or register it as a singleton")
    },
    making("instance-descriptors", level: 3, repeatedly: true, "A released instance leaves no descriptor open.") {
      loaded, registration, _ in
      _ = try loaded.make(registration)
      let before = try openDescriptors()
      for _ in 0..<20 { _ = try loaded.make(registration) }
      let count = try openDescriptors().subtracting(before).count
      return .expect(
        count == 0, "leaves \(count) descriptors open after 20 instances", remedy: "close them in the destroy function")
    },
    making("instance-many", level: 4, repeatedly: true, "1,000 instances live at the same time.") { loaded, registration, _ in
      var instances: [Any] = []
      for number in 1...1000 {
        do {
          if let instance = try loaded.make(registration) { instances.append(instance) }
        } catch {
          return .problem("fails at instance \(number): \(error)", remedy: "allocate the memory of each instance")
        }
      }
      return .passed
    },
    making("instance-leak", level: 4, repeatedly: true, "Up to 1,000 instances leave no memory behind.") {
      loaded, registration, subject in
      let growth = try HeapGrowth.perRound(1000, within: subject.share) { _ = try loaded.make(registration) }
      return .expect(
        growth < 8, "leaks \(growth) bytes for each instance", remedy: "free in the destroy function what the factory allocates"
      )
    },
    making("instance-other-thread", level: 4, repeatedly: true, "An instance can be released on another thread.") {
      loaded, registration, _ in
      let box = Mutex<UncheckedSendable<Any?>>(UncheckedSendable(try loaded.make(registration)))
      Threads.run(1) { _ in
        let instance = box.withLock { box in
          defer { box = UncheckedSendable(nil) }
          return box
        }
        withExtendedLifetime(instance) {}
      }
      return .passed
    },
    making("instance-eight-threads", level: 4, repeatedly: true, "Eight threads make and release up to 1,000 instances each.") {
      loaded, registration, subject in
      let failure = Mutex<String?>(nil)
      Threads.run(8) { [time = subject.share / 8] _ in
        do {
          try Repetition.run(1000, within: time) { _ = try loaded.make(registration) }
        } catch {
          failure.withLock { $0 = "\(error)" }
        }
      }
      let text = failure.withLock { $0 }
      return .expect(
        text == nil, "fails on eight threads: \(text ?? "")", remedy: "protect the state that instances share, or share none")
    },
    making("instance-failing-allocation", level: 4, repeatedly: true, "A factory survives each failed allocation.") {
      loaded, registration, subject in
      _ = try loaded.make(registration)
      return try withFailingAllocations(of: loaded, subject, "in its factory \(registration.name)") {
        _ = try? loaded.make(registration)
      }
    },
    // The end of the host retires the plugin.
    making(
      "instance-after-shutdown", level: 4, repeatedly: true, needs: ["load-unload"],
      "An instance can be released after the host was shut down."
    ) { loaded, registration, subject in
      let instance = try loaded.make(registration)
      loaded.host.shutdown()
      subject.begin("when an instance of \(registration.name) was released after the host was shut down")
      withExtendedLifetime(instance) {}
      return .passed
    },
  ]

  /// A check of each factory of instances.
  ///
  /// - Parameters:
  ///   - repeatedly: True to leave out singletons, which have one instance.
  ///   - isGate: True if the other checks of instances and transforms need it.
  private static func making(
    _ name: String, level: Int, repeatedly: Bool = false, needs: [String] = [], isGate: Bool = false, _ summary: String,
    _ body: @escaping @Sendable (HostedPlugin, RegistrationDescription, CheckedFile) throws -> CheckResult
  ) -> Check {
    let needs = [activation] + (isGate ? [] : ["instance-create"]) + needs
    return Check(name, level: level, needs: needs, summary) { subject in
      let first = try subject.use()
      let factories = Array(try first.factories(repeatedly: repeatedly).enumerated())
      return try checkEach(factories, subject, name: { "its factory \($0.element.name)" }) { index, registration in
        // Each factory in a host of its own, since some checks shut it down.
        let loaded = index == 0 ? first : try subject.use()
        subject.begin("in its factory \(registration.name)")
        do {
          return try body(loaded, registration, subject)
        } catch  where !(error is NotApplicable) {
          return .problem("fails: \(error)", remedy: "return an instance, or report the reason with troupe_host.fail")
        }
      }
    }
  }

  /// Runs work once for each of its first 256 allocations, and lets that allocation fail. Passes unless the work crashes.
  static func withFailingAllocations(
    of loaded: HostedPlugin, _ subject: CheckedFile, _ place: String, _ work: () -> Void
  ) throws -> CheckResult {
    if loaded.plugin.manifest?.language == "rust" {
      throw NotApplicable("it is in Rust, which ends the process if an allocation fails")
    }
    for number in Int32(0)..<256 {
      subject.begin("\(place) when allocation \(number + 1) failed")
      guard validation_fail_allocation(loaded.library, number) > 0 else {
        throw NotApplicable("its library allocates no memory with malloc")
      }
      work()
      if validation_stop_failing() == 0 { break }
    }
    return .passed
  }

  /// Returns the address of an instance; nil for a value type.
  private static func identity(_ instance: Any) -> UInt? {
    if let foreign = instance as? any ForeignBacked { return UInt(bitPattern: foreign.foreign.object) }
    return type(of: instance) is AnyClass ? UInt(bitPattern: ObjectIdentifier(instance as AnyObject).hashValue) : nil
  }
}
