import CTroupe
import Synchronization
import Testing
import Troupe

@Suite("A plugin reads its configuration and logs through its context")
struct PluginContextTests {
  @Test("Configuration is read by key")
  func configuration() {
    let context = PluginContext(id: "org.example.test", configuration: ["a": "1", "empty": ""])
    #expect(context.id == "org.example.test")
    #expect(context.configuration("a") == "1")
    #expect(context.configuration("empty") == "")
    #expect(context.configuration("b") == nil)
  }

  @Test("A typed read of a configuration returns nil for a text of another type")
  func typed() {
    let context = PluginContext(
      id: "org.example.test", configuration: ["width": "76", "ratio": "0.5", "strict": "true", "name": "x"])
    #expect(context.configuration("width", as: Int.self) == 76)
    #expect(context.configuration("ratio", as: Double.self) == 0.5)
    #expect(context.configuration("strict", as: Bool.self) == true)
    #expect(context.configuration("name", as: String.self) == "x")
    #expect(context.configuration("name", as: Int.self) == nil)
    #expect(context.configuration("other", as: Int.self) == nil)
  }

  @Test("Logged messages reach the host with their level")
  func log() {
    final class Lines: Sendable {
      let all = Mutex<[String]>([])
    }
    let lines = Lines()
    let context = PluginContext(id: "org.example.test") { level, message in
      lines.all.withLock { $0.append("\(level): \(message)") }
    }
    context.log(.warning, "it rains")
    context.log(.debug, "")
    #expect(lines.all.withLock { $0 } == ["warning: it rains", "debug: "])
  }

  @Test("In a plugin the registrar has the plugin's context")
  func inside() {
    let registrar = TestRegistrar()
    let seen: any Registrar = registrar
    #expect(seen.plugin === registrar.plugin)
    #expect(seen.plugin.configuration("key") == "value")
  }

  @Test("Outside a plugin the configuration is empty and log messages are dropped")
  func outside() {
    let container = Container()
    #expect(container.plugin.id == "")
    #expect(container.plugin.configuration("key") == nil)
    container.plugin.log(.error, "dropped")
  }
}

@Suite("Log levels are those of the header")
struct LogLevelTests {
  @Test("The levels equal those of the header")
  func header() {
    #expect(
      LogLevel.allCases.map { Int($0.rawValue) } == [TROUPE_LOG_DEBUG, TROUPE_LOG_INFO, TROUPE_LOG_WARNING, TROUPE_LOG_ERROR])
    #expect(LogLevel(rawValue: 4) == nil)
    #expect(LogLevel(rawValue: -1) == nil)
  }

  @Test("The levels are ordered by severity")
  func order() {
    #expect(LogLevel.allCases.shuffled().sorted() == [.debug, .info, .warning, .error])
    #expect(!(LogLevel.debug < .debug))
  }
}
