// Updates its plugins while one of them is being activated: updating DIRECTORY NEW-VERSION CASE. Prints what the caller of each function
// gets, and at the end the plugins and their registrations.
import Glibc
import TroupeHost

let (directory, new, action) = (CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3])
let path = directory + "/gated.so"

/// Holds an activation until the program has acted.
actor Gate {
  private var (hasArrived, answer): (Bool, String?) = (false, nil)
  private var waiting: [CheckedContinuation<Void, Never>] = []

  private func change() {
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  func pass() async -> String {
    hasArrived = true
    change()
    while answer == nil { await withCheckedContinuation { waiting.append($0) } }
    return answer ?? ""
  }

  func arrival() async { while !hasArrived { await withCheckedContinuation { waiting.append($0) } } }

  func open(_ text: String) {
    answer = text
    change()
  }
}

var options = PluginHost.Options(directories: [directory])
(options.opensCopies, options.loading) = (true, .eager)
let host = PluginHost(options)
let gate = Gate()

func show(_ words: String...) { print(words.joined(separator: " ")) }

func listRegistrations() {
  for plugin in host.plugins { show(plugin.manifest.map { "\($0.id) \($0.version)" } ?? plugin.path, plugin.state.name) }
  let versions = (try? host.container.resolve([String].self, tags: "gated") as [String]) ?? []
  show("versions:", versions.isEmpty ? "none" : versions.joined(separator: " "))
}

func close() {
  host.container.register(String.self, tags: "gate") { _ async in await gate.pass() }
}

if action == "start" {
  close()
  let first = Task { await host.start() }
  await gate.arrival()
  let second = Task {
    await host.start()
    show("second start:", host.plugins.map(\.state.name).joined(separator: " "))
  }
  // Time for the second start, which would return if it did not wait for the first one.
  for _ in 0..<1000 { await Task.yield() }
  await gate.open("pass")
  await first.value
  await second.value
} else {
  await host.start()
  close()
  guard rename(new, path) == 0 else { fatalError("\(new) cannot be renamed") }
  let update = Task { await host.refresh() }
  await gate.arrival()
  var later: Task<Bool, Never>?
  switch action {
  case "retire":
    do { try host.retire("org.example.gated") } catch { show("\(error)") }
  case "shutdown": host.shutdown()
  case "cancel": update.cancel()
  case "remove":
    unlink(path)
    later = Task { await host.refresh() }
  default: break
  }
  await gate.open(action == "fail" ? "fail" : "pass")
  show("refresh: \(await update.value)")
  if let later { show("later refresh: \(await later.value)") }
}
listRegistrations()
