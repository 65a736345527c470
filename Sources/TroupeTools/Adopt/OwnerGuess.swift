/// Infers from names and types which function releases the objects that others return.
///
///     gsl_rng *gsl_rng_alloc(const gsl_rng_type *type);    owned(gsl_rng_free) struct gsl_rng *(…)
///     gsl_rng *gsl_rng_clone(const gsl_rng *source);       owned(gsl_rng_free) struct gsl_rng *(…)
///     void gsl_rng_free(gsl_rng *rng);                     void (consumed struct gsl_rng *rng)
///
///     int box_open(const char *path, box **b);             int (const char *path, out owned(box_close) struct box **b)
///
///     cJSON *cJSON_CreateArray(void);                      no owner, because of the next function
///     int cJSON_AddItemToArray(cJSON *array, cJSON *item); the array may take over the item
///
/// A wrong guess releases an object that the library still uses, so a guess needs evidence on both sides. The function that releases takes
/// nothing but the object, and its name has a word such as `free`. The name of the other has a word such as `new`, and it takes no object
/// that can be its result or the owner of it. If several functions release a type, the one counts whose words in front of `free` are those in
/// front of `new`, and of these the one that ends with `free`. If that is none or several, there is no guess.
///
/// A type has no owner if any function may hand one of its objects to another one: it is then never released, and not released twice.
struct OwnerGuess {
  private struct Owned {
    let deallocator: String
    /// The parameter through which the object comes back; nil for the result.
    let output: Int?
  }

  private var owned: [String: Owned] = [:]
  /// All functions that release an object of a type with an owner.
  private var releasing: Set<String> = []
  /// The functions that create objects without an owner, since another object may take them over, by the types.
  private(set) var unowned: [String: [String]] = [:]

  /// - Parameter functions: The functions of the library.
  init(_ functions: [Header.Function], _ header: Header, _ handles: Header.Handles) {
    let candidates = functions.compactMap { Candidate($0, header, handles) }
    var releasing: [String: [Candidate]] = [:]
    for candidate in candidates where candidate.releases {
      for type in candidate.objects { releasing[type, default: []].append(candidate) }
    }
    let transferred = candidates.reduce(into: Set<String>()) { $0.formUnion($1.transferred) }
    for candidate in candidates where candidate.creates {
      guard let (type, output) = candidate.created, let all = releasing[type] else { continue }
      let near = all.filter { $0.stem(Self.releasingWords) == candidate.stem(Self.creatingWords) }
      let exact = near.filter(\.endsWithRelease)
      guard let found = [all, near, exact].first(where: { $0.count == 1 })?.first else { continue }
      if transferred.contains(type) {
        unowned[type, default: []].append(candidate.name)
      } else {
        owned[candidate.name] = Owned(deallocator: found.name, output: output)
        self.releasing.formUnion(all.map(\.name))
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

  /// Returns true if a function releases its argument.
  func releases(_ function: String) -> Bool { releasing.contains(function) }

  /// The functions whose results each function releases.
  var results: [String: [String]] { Dictionary(grouping: owned.keys.sorted()) { owned[$0]?.deallocator ?? "" } }

  private static let releasingWords: Set<String> = ["free", "delete", "unref", "destroy", "close"]
  private static let creatingWords: Set<String> = [
    "new", "create", "alloc", "open", "fdopen", "dup", "copy", "clone", "make", "parse", "load", "build", "init",
  ]
  private static let storingWords: Set<String> = [
    "add", "append", "assign", "attach", "insert", "prepend", "push", "put", "replace", "set",
  ]
  /// The result is an object beside the argument, or the argument itself.
  private static let copyingWords: Set<String> = ["dup", "copy", "clone"]

  /// What is known about a function.
  private struct Candidate {
    let name: String
    /// The struct of the object that it returns, or gives back through the parameter with an index.
    let created: (type: String, output: Int?)?
    /// The structs of the objects that it takes and can change.
    let objects: [String]
    /// The structs of the arrays of objects that it takes.
    private let arrays: [String]
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
      objects = list.types.compactMap(object)
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
      arrays = created?.output == nil ? outputs.compactMap { object(list.types[$0].pointee) } : []
    }

    var releases: Bool {
      returnsNumber && takesOneArgument && objects.count == 1 && has(OwnerGuess.releasingWords)
    }

    var creates: Bool { objects.isEmpty && arrays.isEmpty && has(OwnerGuess.creatingWords) }

    /// The structs of the arguments that another object may own after the call, or that nobody owns any more.
    var transferred: [String] {
      if releases { return [] }
      let stores = has(OwnerGuess.storingWords) || has(OwnerGuess.creatingWords) && !has(OwnerGuess.copyingWords)
      if stores && (created != nil || objects.count > 1) || has(OwnerGuess.releasingWords) { return objects + arrays }
      return arrays + objects.filter { object in objects.count { $0 == object } > 1 }
    }

    /// Returns true if one of the words is a verb, also one with a digit such as `set1`.
    private func has(_ verbs: Set<String>) -> Bool {
      words.contains { word in verbs.contains(String(word.prefix { !$0.isNumber })) }
    }

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
