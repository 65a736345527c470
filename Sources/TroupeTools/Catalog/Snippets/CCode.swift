internal import TroupeHost

/// Programs in C that include `troupe-host.h`.
enum CCode {
  static func call(_ item: CatalogItem, _ sample: SampleArguments) -> String {
    let count = sample.arguments.count
    let values = sample.arguments.map { expression($0.value, $0.type) }.joined(separator: ", ")
    let declaration = count == 0 ? "troupe_call_value result;" : "troupe_call_value arguments[] = {\(values)}, result;"
    let printing = printing(item)
    return """
      // cc main.c $(troupe flags --host) -o main
      #include <inttypes.h>
      #include <stdio.h>
      #include <troupe-host.h>

      int main(void) {
        const char *directories[] = {"\(Snippet.directory)"};
        troupe_host_options options = {.struct_size = sizeof options, .directories = directories, .directory_count = 1};
        troupe_error *error = NULL;
        troupe_host_t *host = troupe_host_start(&options, &error);
        troupe_function_t *function = host ? troupe_host_function(host, \(literal(item.selector)), &error) : NULL;
        \(declaration)
        if (function && troupe_function_call(function, \(count == 0 ? "NULL" : "arguments"), \(count), &result, &error) == TROUPE_OK) {
          \(printing)
          troupe_call_value_clear(&result);
        }
        if (error) fprintf(stderr, "%s\\n", troupe_error_message(error));
        int status = error ? 1 : 0;
        troupe_error_free(error);
        troupe_function_free(function);
        troupe_host_free(host);
        return status;
      }
      """
  }

  static func run(_ item: CatalogItem, _ sample: SampleArguments) -> String {
    let count = sample.arguments.count
    let values = sample.arguments.map { expression($0.value, $0.type) }.joined(separator: ", ")
    let declaration = count == 0 ? "" : "\n  const troupe_call_value arguments[] = {\(values)};"
    let members = count == 0 ? "" : ", .arguments = arguments, .argument_count = \(count)"
    return """
      // cc main.c $(troupe flags --host) -o main
      #include <stdio.h>
      #include <troupe-host.h>

      static troupe_status write_bytes(void *file, const void *bytes, size_t count) {
        return fwrite(bytes, 1, count, file) == count ? TROUPE_OK : TROUPE_FAILED;
      }

      int main(void) {
        const char *directories[] = {"\(Snippet.directory)"}, *tags[] = {\(literal(item.selector))};\(declaration)
        troupe_host_options options = {.struct_size = sizeof options, .directories = directories, .directory_count = 1};
        troupe_request request = {.struct_size = sizeof request, .tags = tags, .tag_count = 1\(members)};
        troupe_error *error = NULL;
        troupe_host_t *host = troupe_host_start(&options, &error);
        troupe_instance_list *transforms = host ? troupe_host_resolve(host, &request, &error) : NULL;
        if (transforms && transforms->count == 1) {
          troupe_instance_t *transform = transforms->items[0];
          const char input[] = \(literal(sample.input));
          if (troupe_transform_feed(transform, input, sizeof input - 1, write_bytes, stdout, &error) == TROUPE_OK) {
            troupe_transform_finish(transform, write_bytes, stdout, &error);
          }
        }
        if (error) fprintf(stderr, "%s\\n", troupe_error_message(error));
        int status = error ? 1 : 0;
        troupe_error_free(error);
        troupe_instance_list_free(transforms);
        troupe_host_free(host);
        return status;
      }
      """
  }

  private static func printing(_ item: CatalogItem) -> String {
    guard let signature = item.signature else { return "" }
    if !signature.outputs.isEmpty { return #"printf("%zu values\n", result.count);"# }
    switch signature.result {
    case .float, .double: return #"printf("%.17g\n", result.as.float64);"#
    case .bool: return #"puts(result.as.int64 ? "true" : "false");"#
    case .string, .wideString:
      return #"puts(result.kind == TROUPE_VALUE_STRING && result.as.string ? result.as.string : "null");"#
    case .integer(let type) where type.range.lowerBound == 0: return #"printf("%" PRIu64 "\n", result.as.uint64);"#
    case .integer: return #"printf("%" PRId64 "\n", result.as.int64);"#
    case .enumeration(let type) where type.underlying.range.lowerBound == 0:
      return #"printf("%" PRIu64 "\n", result.as.uint64);"#
    case .enumeration: return #"printf("%" PRId64 "\n", result.as.int64);"#
    case .void: return #"puts("done");"#
    default: return #"printf("%zu values\n", result.count);"#
    }
  }

  private static func expression(_ value: SampleValue, _ type: SampleType?) -> String {
    scalar(value, type) ?? "(troupe_call_value){\(members(value, type))}"
  }

  private static func scalar(_ value: SampleValue, _ type: SampleType?) -> String? {
    switch value {
    case .boolean(let value): return "TROUPE_BOOL(\(value ? 1 : 0))"
    case .number(let text):
      let (name, number) = number(text, type)
      return "TROUPE_\(name)(\(number))"
    case .text(let text):
      if case .bytes? = type { return "TROUPE_MEMORY(\(literal(text)), \(text.utf8.count))" }
      return "TROUPE_STRING(\(literal(text)))"
    case .null, .array, .object: break
    }
    return value.bytes.map { "TROUPE_MEMORY(\(literal($0)), \($0.count))" }
  }

  private static func number(_ text: String, _ type: SampleType?) -> (macro: String, number: String) {
    if case .integer? = type, let integer = SampleValue.integer(text) {
      if integer == Int128(Int64.min) { return ("INT64", "INT64_MIN") }
      if let integer = Int64(exactly: integer) { return ("INT64", "\(integer)") }
      if let integer = UInt64(exactly: integer) { return ("UINT64", "\(integer)U") }
    }
    return ("DOUBLE", SampleValue.floatingPoint(text))
  }

  /// Returns the designated members of a value without a macro.
  private static func members(_ value: SampleValue, _ type: SampleType?) -> String {
    switch value {
    case .array(let elements):
      let list = elements.enumerated().map { expression($0.element, type?.element($0.offset)) }
      return list.isEmpty
        ? ".kind = TROUPE_VALUE_ARRAY"
        : ".kind = TROUPE_VALUE_ARRAY, .as.values = (troupe_call_value[]){\(list.joined(separator: ", "))}, .count = \(list.count)"
    case .object(let members):
      let list = members.map { member in named(member.value, type?.member(member.name), member.name) }
      return
        ".kind = TROUPE_VALUE_STRUCT, .as.values = (troupe_call_value[]){\(list.joined(separator: ", "))}, .count = \(list.count)"
    case .null, .boolean, .number, .text: return ".kind = TROUPE_VALUE_POINTER"
    }
  }

  private static func named(_ value: SampleValue, _ type: SampleType?, _ name: String) -> String {
    let content =
      switch value {
      case .boolean(let value): ".kind = TROUPE_VALUE_BOOL, .as.int64 = \(value ? 1 : 0)"
      case .number(let text): member(text, type)
      case .text(let text): ".kind = TROUPE_VALUE_STRING, .as.string = \(literal(text))"
      case .null, .array, .object: members(value, type)
      }
    return "{\(content), .name = \(literal(name))}"
  }

  private static func member(_ text: String, _ type: SampleType?) -> String {
    switch number(text, type) {
    case ("INT64", let number): ".kind = TROUPE_VALUE_INT64, .as.int64 = \(number)"
    case ("UINT64", let number): ".kind = TROUPE_VALUE_UINT64, .as.uint64 = \(number)"
    case (_, let number): ".kind = TROUPE_VALUE_DOUBLE, .as.float64 = \(number)"
    }
  }

  private static func literal(_ text: String) -> String { literal(Array(text.utf8)) }

  private static func literal(_ bytes: [UInt8]) -> String {
    bytes.quoted { byte in
      switch byte {
      // Two question marks could begin a trigraph.
      case UInt8(ascii: "?"): #"\?"#
      case 0x20...0x7E: nil
      // A digit can follow three octal digits.
      default: "\\" + byte.octal
      }
    }
  }
}
