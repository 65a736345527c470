/// Infers from names and types which function releases the objects that others return.
///
///     gsl_rng *gsl_rng_alloc(const gsl_rng_type *type);    owned(gsl_rng_free) struct gsl_rng *(…)
///     gsl_rng *gsl_rng_clone(const gsl_rng *source);       owned(gsl_rng_free) struct gsl_rng *(…)
///     void gsl_rng_free(gsl_rng *rng);                     void (consumed struct gsl_rng *rng)
///
///     int sqlite3_open(const char *path, sqlite3 **db);    int (const char *path, out owned(sqlite3_close) struct sqlite3 **db)
///
///     cJSON *cJSON_CreateArray(void);                      owned(cJSON_Delete) struct cJSON *(void)
///     int cJSON_AddItemToArray(cJSON *array, cJSON *item); int (struct cJSON *array, consumed struct cJSON *item)
///
/// A wrong guess releases an object that the library still uses, so a guess needs evidence on both sides. The function that releases takes
/// nothing but the object, and its name has a word such as `free`. The name of the other has a word such as `new`, and it takes no object
/// that can be the owner of its result. If several functions release a type, the one counts whose words in front of `free` are those in front
/// of `new`, and of these the one that ends with `free`. If that is none or several, there is no guess.
///
/// A function with a word such as `add`, that takes two objects of a type which is released, stores the second one in the first one. So it
/// takes ownership: where it does not, an object is never released, and nothing is released twice.
struct OwnerGuess {
  private struct Owned {
    let deallocator: String
    /// The parameter through which the object comes back; nil for the result.
    let output: Int?
  }

  private var owned: [String: Owned] = [:]
  /// The indices of the arguments that functions take ownership of.
  private var consumed: [String: Set<Int>] = [:]

  /// - Parameter functions: The functions of the library.
  init(_ functions: [Header.Function], _ header: Header, _ handles: Header.Handles) {
    let candidates = functions.compactMap { Candidate($0, header, handles) }
    var releasing: [String: [Candidate]] = [:]
    for candidate in candidates where candidate.releases {
      for type in candidate.objects.values { releasing[type, default: []].append(candidate) }
    }
    var released: Set<String> = []
    for candidate in candidates where candidate.creates {
      guard let (type, output) = candidate.created, let all = releasing[type] else { continue }
      let near = all.filter { $0.stem(Self.releasingWords) == candidate.stem(Self.creatingWords) }
      let exact = near.filter(\.endsWithRelease)
      guard let found = [all, near, exact].first(where: { $0.count == 1 })?.first else { continue }
      owned[candidate.name] = Owned(deallocator: found.name, output: output)
      consumed[found.name] = [0]
      released.insert(type)
    }
    for candidate in candidates where candidate.stores {
      for type in released {
        let indices = candidate.objects.filter { $0.value == type }.keys.sorted().dropFirst()
        if !indices.isEmpty { consumed[candidate.name, default: []].formUnion(indices) }
      }
    }
  }

  /// The function that releases the result of a function.
  func deallocator(ofResultOf function: String) -> String? {
    owned[function].flatMap { $0.output == nil ? $0.deallocator : nil }
  }

  /// The function that releases the object that a parameter gives back.
  func deallocator(of parameter: Int, of function: String) -> String? {
    owned[function].flatMap { $0.output == parameter ? $0.deallocator : nil }
  }

  /// Returns true if a function takes ownership of an argument.
  func consumes(_ parameter: Int, of function: String) -> Bool { consumed[function]?.contains(parameter) ?? false }

  /// The functions whose results each function releases.
  var results: [String: [String]] { Dictionary(grouping: owned.keys.sorted()) { owned[$0]?.deallocator ?? "" } }

  private static let releasingWords: Set<String> = ["free", "delete", "unref", "destroy", "close"]
  private static let creatingWords: Set<String> = [
    "new", "create", "alloc", "open", "fdopen", "dup", "copy", "clone", "make", "parse", "load", "build", "init",
  ]
  private static let storingWords: Set<String> = [
    "add", "append", "attach", "insert", "prepend", "push", "put", "replace", "set",
  ]
  /// The result is an object beside the argument.
  private static let copyingWords: Set<String> = ["dup", "copy", "clone"]

  /// What is known about a function.
  private struct Candidate {
    let name: String
    /// The struct of the object that it returns, or gives back through the parameter with an index.
    let created: (type: String, output: Int?)?
    /// The structs of the objects that it takes and can change, by the indices of its parameters.
    let objects: [Int: String]
    private let words: [String]
    private let takesOneArgument: Bool
    private let returnsNumber: Bool

    init?(_ function: Header.Function, _ header: Header, _ handles: Header.Handles) {
      guard case .function(let result, let list)? = try? header.resolve(HeaderTypeParser.type(function.type), handles) else {
        return nil
      }
      func object(_ type: HeaderType?) -> String? {
        guard let pointee = type?.pointee, !pointee.isConstant, let words = pointee.words, SignatureWriter.isRecord(words),
          !words.hasSuffix(HeaderTypeParser.anonymous)
        else { return nil }
        return words
      }
      name = function.name
      words = Self.words(function.name)
      objects = list.types.indices.reduce(into: [:]) { $0[$1] = object(list.types[$1]) }
      takesOneArgument = list.types.count == 1
      returnsNumber = result.words.map { $0 == "void" || SignatureWriter.isInteger($0) } ?? false
      let outputs = list.types.indices.filter { object(list.types[$0].pointee) != nil }
      if let type = object(result) {
        created = (type, nil)
      } else if outputs.count == 1, returnsNumber, let type = object(list.types[outputs[0]].pointee) {
        created = (type, outputs[0])
      } else {
        created = nil
      }
    }

    var releases: Bool {
      returnsNumber && takesOneArgument && objects.count == 1 && words.contains(where: OwnerGuess.releasingWords.contains)
    }

    var creates: Bool {
      words.contains(where: OwnerGuess.creatingWords.contains)
        && (objects.isEmpty || words.contains(where: OwnerGuess.copyingWords.contains))
    }

    var stores: Bool { words.contains(where: OwnerGuess.storingWords.contains) }

    var endsWithRelease: Bool { words.last.map(OwnerGuess.releasingWords.contains) ?? false }

    /// The words in front of the last one of some words.
    func stem(_ verbs: Set<String>) -> [String] { words.lastIndex(where: verbs.contains).map { Array(words[..<$0]) } ?? words }

    /// The words of `gsl_rng_free` or `xmlFreeDoc`, in lower case.
    private static func words(_ name: String) -> [String] {
      var words = [""]
      var wasLower = false
      for character in name {
        if character == "_" || character.isUppercase && wasLower { words.append("") }
        if character != "_" { words[words.count - 1] += character.lowercased() }
        wasLower = character.isLowercase || character.isNumber
      }
      return words.filter { !$0.isEmpty }
    }
  }
}
