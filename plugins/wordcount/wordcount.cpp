// wordcount.cpp - an example plugin in C++: a transform that reads a text and writes its most frequent words
//
// A class does the work. It uses little of Troupe and throws on errors. The functions at the end are its C interface:
// no exception may leave them, so each that can throw runs its body in `guard`.
#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.wordcount", "Word count", "1.0.0",
                   TROUPE_PLUGIN_DESCRIPTION("Counts the words of a text, in C++."))

namespace {

// The default number of reported words.
constexpr std::size_t default_top = 10;

// A longer word is refused: it is not text, and would be kept completely in memory.
constexpr std::size_t longest_word = 1024 * 1024;

// Factories do not get the host as an argument. troupe_plugin_main stores it here once, before other code runs.
const troupe_host *host;

// The character that each byte adds to a word, 0 if it ends one: letters in lower case, digits, the apostrophe, other
// bytes than ASCII. isalpha and tolower of the C library depend on the locale of the process.
constexpr std::array<char, 256> make_word_characters() {
  std::array<char, 256> characters{};
  for (std::size_t byte = 0; byte < characters.size(); byte++) {
    const bool upper = byte >= 'A' && byte <= 'Z';
    const bool kept = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '\'' || byte >= 0x80;
    if (upper) characters[byte] = static_cast<char>(byte - 'A' + 'a');
    if (kept) characters[byte] = static_cast<char>(byte);
  }
  return characters;
}
constexpr std::array<char, 256> word_characters = make_word_characters();

// Returns the number in digits. std::to_string of g++'s library contains a symbol that is unique in the process. A
// plugin with such a symbol is never unmapped; `nm -D` marks them with "u".
std::string decimal(std::uint64_t number) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%" PRIu64, number);
  return digits;
}

// Counts words. Failures are thrown; the only statuses are those of `output`.
class WordCount {
 public:
  explicit WordCount(std::size_t top) : top_(top) {}

  // Counts the words in a piece of text. A word may begin in one piece and end in another.
  void feed(const unsigned char *bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; i++) {
      const char character = word_characters[bytes[i]];
      if (character == 0) {
        end_word();
      } else if (word_.size() < longest_word) {
        word_ += character;
      } else {
        throw std::runtime_error("the word that begins at byte offset " + decimal(offset_ + i - word_.size()) +
                                 " is longer than 1 MiB");
      }
    }
    offset_ += count;
  }

  // Writes the most frequent words; equally frequent ones in the order of their bytes.
  troupe_status finish(const troupe_output &output) {
    end_word();

    // Pointers, so that sorting does not copy the words.
    std::vector<const Entry *> entries;
    entries.reserve(counts_.size());
    for (const Entry &entry : counts_) entries.push_back(&entry);
    const auto end = entries.begin() + static_cast<std::ptrdiff_t>(std::min(top_, entries.size()));
    std::partial_sort(entries.begin(), end, entries.end(), [](const Entry *a, const Entry *b) {
      return a->second != b->second ? a->second > b->second : a->first < b->first;
    });

    std::string report;
    for (auto entry = entries.begin(); entry != end; ++entry) {
      report += decimal((*entry)->second) + '\t' + (*entry)->first + '\n';
      if (report.size() < 65536) continue;
      const troupe_status status = output.write(&output, report.data(), report.size());
      if (status != TROUPE_OK) return status;
      report.clear();
    }
    return output.write(&output, report.data(), report.size());
  }

  // Copies the reason of a failure. Cannot fail itself: there may be no memory left.
  void set_message(const char *message) noexcept { std::snprintf(message_, sizeof message_, "%s", message); }

  const char *message() const noexcept { return message_[0] == '\0' ? nullptr : message_; }

 private:
  using Counts = std::unordered_map<std::string, std::uint64_t>;
  using Entry = Counts::value_type;

  void end_word() {
    if (word_.empty()) return;
    ++counts_[word_];
    word_.clear();
  }

  std::size_t top_;
  Counts counts_;
  std::string word_;          // The incomplete word.
  std::uint64_t offset_ = 0;  // The number of bytes before this piece.
  char message_[128] = "";
};

// The number of words to report, from the configuration.
std::size_t configured_top() {
  const char *setting = host->configuration(host, "top");
  if (setting == nullptr) return default_top;
  std::size_t top = 0;
  const char *end = setting + std::strlen(setting);
  const auto [stop, error] = std::from_chars(setting, end, top);
  if (error != std::errc() || stop != end || top == 0) {
    throw std::runtime_error("\"top\" is \"" + std::string(setting) + "\", but must be a number of words, at least 1");
  }
  return top;
}

// Runs `body`, which returns a status. Converts an exception to a status and a message for `report`, which does not
// throw.
template <typename Report, typename Body>
troupe_status guard(Report report, Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    report("there is not enough memory");
    return TROUPE_OUT_OF_MEMORY;
  } catch (const std::exception &error) {
    report(error.what());
    return TROUPE_FAILED;
  } catch (...) {
    report("something unknown was thrown");
    return TROUPE_FAILED;
  }
}

}  // namespace

// The C interface: thin functions with C linkage, static because the host reaches them through tables, not by name.
extern "C" {

static void *word_count_create() {
  WordCount *made = nullptr;
  guard([](const char *reason) { host->fail(host, reason); },
        [&]() -> troupe_status {
          made = new WordCount(configured_top());
          return TROUPE_OK;
        });
  return made;
}

static void word_count_destroy(void *instance) {
  delete static_cast<WordCount *>(instance);
}

static troupe_status word_count_feed(void *instance, const void *bytes, std::size_t count, const troupe_output *) {
  WordCount *self = static_cast<WordCount *>(instance);
  return guard([=](const char *reason) { self->set_message(reason); },
               [=]() -> troupe_status {
                 self->feed(static_cast<const unsigned char *>(bytes), count);
                 return TROUPE_OK;
               });
}

static troupe_status word_count_finish(void *instance, const troupe_output *output) {
  WordCount *self = static_cast<WordCount *>(instance);
  return guard([=](const char *reason) { self->set_message(reason); }, [=] { return self->finish(*output); });
}

static const char *word_count_message(void *instance) {
  return static_cast<WordCount *>(instance)->message();
}

}  // extern "C"

// Zeroed first, then filled in: members that a later version of the header appends stay zero.
static constexpr troupe_transform functions = [] {
  troupe_transform table{};
  table.struct_size = sizeof table;
  table.feed = word_count_feed;
  table.finish = word_count_finish;
  table.message = word_count_message;
  return table;
}();

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  host = registrar->host;

  // The host copies the factory and its tags, which may be local to this function; it keeps the address of `functions`.
  static const char *const tags[] = {"report", "word-count"};
  static const troupe_metadata texts[] = {
    TROUPE_DESCRIPTION("Counts the words of a text, without regard to case. Writes a line with the number and the word for each."),
    TROUPE_EXAMPLE("\"a b. A! a b\\n\"", "\"3\\ta\\n2\\tb\\n\""),
  };
  const troupe_factory factory =
    TROUPE_CONTRACT_FACTORY_WITH(TROUPE_TRANSIENT, texts, "a3ccf240-a80e-4d69-9da5-13592fc8d613", "word-count", tags,
                                 TROUPE_CONTRACT_TRANSFORM, &functions, word_count_destroy, void *, word_count_create, (void));
  return registrar->register_factory(registrar, &factory);
}
