internal import Testing
public import TroupeContainer

extension Container {
  /// The container of the test that runs, which the trait `.container` has made for it.
  ///
  /// The tasks that a test starts have it, too; a detached task and a thread of its own have to be given it. Where there is
  /// none, an issue is recorded, and the answer is an empty container.
  public static var current: Container {
    if let container = ofTest { return container }
    Issue.record(
      """
      no container was made for this test; give it, or its suite, the trait .container, and hand its container to detached tasks \
      and threads, which do not inherit it
      """)
    return Container()
  }

  /// The container of the present task's test, if it has one.
  @TaskLocal static var ofTest: Container?
}
