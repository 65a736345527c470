// Two stages of a stream: each writes a prefix in front of each line.
//
// The prefix of the first stage is a setting, that of the second an argument. The host feeds pieces of any size, so
// that a line may begin in one piece and end in another: an instance keeps its position in the line.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <troupe.h>

#include "guard.hpp"

TROUPE_PLUGIN_WITH("@ID@", "@TITLE@", "0.1.0",
                   TROUPE_SETTINGS(TROUPE_SETTING_TEXT("prefix", "> ", "Text before each line"),
                                   TROUPE_SETTING_INTEGER("longest", 1048576, 1, 1073741824, "Bytes in the longest line")))

namespace {

// Factories do not get the host as an argument. troupe_plugin_main stores it here once, before other code runs.
const troupe_host *host;

// The value of a setting, which the manifest declares.
troupe_value setting(const char *key) {
  troupe_value value;
  if (host->setting(host, key, &value) != TROUPE_OK) throw std::runtime_error("a setting is not declared");
  return value;
}

class LinePrefix {
 public:
  LinePrefix(std::string prefix, std::size_t longest) : prefix_(std::move(prefix)), longest_(longest) {}

  // Writes a piece of text. Throws if a line is too long; returns the status of a failed output.
  troupe_status feed(std::string_view bytes, const troupe_output &output) {
    // Written together, since a write for each line would cost more.
    text_.clear();
    while (!bytes.empty()) {
      if (!begun_) text_ += prefix_;
      const std::size_t newline = bytes.find('\n');
      const bool ends = newline != std::string_view::npos;
      const std::string_view part = bytes.substr(0, ends ? newline : bytes.size());
      if (part.size() > longest_ - column_) throw std::runtime_error(too_long());
      column_ += part.size();
      text_ += part;
      if (ends) {
        text_ += '\n';
        line_++;
        column_ = 0;
      }
      begun_ = !ends;
      bytes.remove_prefix(part.size() + (ends ? 1 : 0));
    }
    return output.write(&output, text_.data(), text_.size());
  }

  // Copies the reason of a failure. Cannot fail itself: there may be no memory left.
  void set_message(const char *message) noexcept { std::snprintf(message_, sizeof message_, "%s", message); }

  const char *message() const noexcept { return message_[0] == '\0' ? nullptr : message_; }

 private:
  const char *too_long() {
    std::snprintf(reason_, sizeof reason_, "line %zu is longer than %zu bytes; raise the setting \"longest\"", line_, longest_);
    return reason_;
  }

  std::string prefix_;
  std::size_t longest_;
  std::string text_;
  std::size_t line_ = 1;    // The number of the current line.
  std::size_t column_ = 0;  // The number of its bytes so far.
  bool begun_ = false;      // Whether its prefix is written.
  char reason_[120] = "";
  char message_[120] = "";
};

}  // namespace

// The C interface: thin functions, static because the host reaches them through tables, not by name.
extern "C" {

static void *line_prefix_create_with(const char *prefix) {
  return make(host, [=]() -> void * {
    if (prefix == nullptr) throw std::runtime_error("the prefix is missing; pass a text");
    return new LinePrefix(prefix, static_cast<std::size_t>(setting("longest").as.int64));
  });
}

static void *line_prefix_create() {
  return make(host, []() -> void * { return line_prefix_create_with(setting("prefix").as.string); });
}

static void line_prefix_destroy(void *instance) {
  delete static_cast<LinePrefix *>(instance);
}

static troupe_status line_prefix_feed(void *instance, const void *bytes, std::size_t count, const troupe_output *output) {
  LinePrefix *self = static_cast<LinePrefix *>(instance);
  return guard([=](const char *reason) { self->set_message(reason); },
               [=] { return self->feed(std::string_view(static_cast<const char *>(bytes), count), *output); });
}

static troupe_status line_prefix_finish(void *, const troupe_output *) {
  return TROUPE_OK;  // `feed` has written everything.
}

static const char *line_prefix_message(void *instance) {
  return static_cast<LinePrefix *>(instance)->message();
}

}  // extern "C"

// Zeroed first, then filled in: members that a later version of the header appends stay zero.
static constexpr troupe_transform functions = [] {
  troupe_transform table{};
  table.struct_size = sizeof table;
  table.feed = line_prefix_feed;
  table.finish = line_prefix_finish;
  table.message = line_prefix_message;
  return table;
}();

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  host = registrar->host;
  // The host copies the factories with their tags and metadata; it keeps the address of `functions`.
  static const char *const setting_tags[] = {"text", "@NAME@"};
  static const char *const argument_tags[] = {"@NAME@-with"};
  static const troupe_metadata about_setting[] = {TROUPE_DESCRIPTION("Writes the setting prefix in front of each line.")};
  static const troupe_metadata about_argument[] = {TROUPE_DESCRIPTION("Writes its argument in front of each line.")};
  const troupe_factory factories[] = {
    TROUPE_CONTRACT_FACTORY_WITH(TROUPE_TRANSIENT, about_setting, "@UUID1@", "@NAME@",
                                 setting_tags, TROUPE_CONTRACT_TRANSFORM, &functions, line_prefix_destroy,
                                 void *, line_prefix_create, (void)),
    TROUPE_CONTRACT_FACTORY_WITH(TROUPE_TRANSIENT, about_argument, "@UUID2@", "@NAME@-with",
                                 argument_tags, TROUPE_CONTRACT_TRANSFORM, &functions, line_prefix_destroy,
                                 void *, line_prefix_create_with, (const char *prefix)),
  };
  for (const troupe_factory &factory : factories) {
    const troupe_status status = registrar->register_factory(registrar, &factory);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}
