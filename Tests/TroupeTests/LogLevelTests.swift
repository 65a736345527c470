import CTroupe
import Testing
import Troupe

@Suite("Log levels")
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
