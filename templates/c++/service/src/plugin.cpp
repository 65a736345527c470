// Objects with a contract of their own, and a stage that resolves them.
//
// Two factories make counters, whose interface is counter.h: one counter for each text that is processed, and one for
// all. The stage numbers the lines of a text with the first, and counts the lines of all texts with the second.
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include <troupe.h>

#include "counter.h"
#include "guard.hpp"

TROUPE_PLUGIN_WITH("@ID@", "@TITLE@", "0.1.0",
                   TROUPE_PROVIDES(COUNTER_CONTRACT),
                   TROUPE_SETTINGS(TROUPE_SETTING_INTEGER("start", 1, 0, 1000000, "The first number of each counter")))

namespace {

// Factories do not get the host as an argument. troupe_plugin_main stores it here once, before other code runs.
const troupe_host *host;

// Several threads may use the counter that is shared, so that its number is atomic.
using Counter = std::atomic<std::int64_t>;

// A resolved counter, which is released with this object.
class ResolvedCounter {
 public:
  // Resolves the counter with a tag. Throws if there is none.
  ResolvedCounter(const troupe_resolver *resolver, const char *tag) : resolver_(resolver) {
    const char *const tags[] = {"@NAME@", tag};
    troupe_query query{};
    query.struct_size = sizeof query;
    query.contract = COUNTER_CONTRACT;
    query.tags = tags;
    query.tag_count = 2;
    if (resolver->resolve(resolver, &query, &instance_) == TROUPE_OK) return;
    const char *reason = resolver->message(resolver);
    throw std::runtime_error(reason == nullptr ? "a counter cannot be resolved" : reason);
  }
  ~ResolvedCounter() { resolver_->release(resolver_, instance_); }
  ResolvedCounter(const ResolvedCounter &) = delete;
  ResolvedCounter &operator=(const ResolvedCounter &) = delete;

  std::int64_t next() const { return static_cast<const counter_interface *>(instance_.vtable)->next(instance_.object); }

 private:
  const troupe_resolver *resolver_;
  troupe_instance instance_{};
};

class Numbering {
 public:
  explicit Numbering(const troupe_resolver *resolver)
      : of_text_(resolver, "@NAME@-of-text"), of_all_(resolver, "@NAME@-of-all") {}

  troupe_status feed(std::string_view bytes, const troupe_output &output) {
    text_.clear();
    while (!bytes.empty()) {
      if (!begun_) write_number();
      const std::size_t newline = bytes.find('\n');
      begun_ = newline == std::string_view::npos;
      const std::size_t length = begun_ ? bytes.size() : newline + 1;
      text_ += bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
    return output.write(&output, text_.data(), text_.size());
  }

  void finish() const {
    char line[80];
    std::snprintf(line, sizeof line, "%" PRId64 " is the last number of all texts", last_);
    host->log(host, TROUPE_LOG_INFO, line);
  }

  // Copies the reason of a failure. Cannot fail itself: there may be no memory left.
  void set_message(const char *message) noexcept { std::snprintf(message_, sizeof message_, "%s", message); }

  const char *message() const noexcept { return message_[0] == '\0' ? nullptr : message_; }

 private:
  void write_number() {
    char number[32];
    std::snprintf(number, sizeof number, "%" PRId64 "\t", of_text_.next());
    text_ += number;
    last_ = of_all_.next();
  }

  ResolvedCounter of_text_, of_all_;
  std::int64_t last_ = 0;  // The last number of the counter for all texts.
  std::string text_;
  bool begun_ = false;  // Whether the number of the current line is written.
  char message_[120] = "";
};

}  // namespace

// The C interface: thin functions, static because the host reaches them through tables, not by name.
extern "C" {

static void *counter_create() {
  return make(host, []() -> void * {
    troupe_value start;
    if (host->setting(host, "start", &start) != TROUPE_OK) throw std::runtime_error("a setting is not declared");
    return new Counter(start.as.int64);
  });
}

static void counter_destroy(void *instance) {
  delete static_cast<Counter *>(instance);
}

static std::int64_t counter_next(void *instance) {
  return static_cast<Counter *>(instance)->fetch_add(1);
}

static void *numbering_create(const troupe_resolver *resolver) {
  return make(host, [=]() -> void * { return new Numbering(resolver); });
}

static void numbering_destroy(void *instance) {
  delete static_cast<Numbering *>(instance);
}

static troupe_status numbering_feed(void *instance, const void *bytes, std::size_t count, const troupe_output *output) {
  Numbering *self = static_cast<Numbering *>(instance);
  return guard([=](const char *reason) { self->set_message(reason); },
               [=] { return self->feed(std::string_view(static_cast<const char *>(bytes), count), *output); });
}

static troupe_status numbering_finish(void *instance, const troupe_output *) {
  static_cast<const Numbering *>(instance)->finish();
  return TROUPE_OK;  // `feed` has written everything.
}

static const char *numbering_message(void *instance) {
  return static_cast<Numbering *>(instance)->message();
}

}  // extern "C"

static constexpr counter_interface counter_functions = {sizeof(counter_interface), 0, counter_next};

// Zeroed first, then filled in: members that a later version of the header appends stay zero.
static constexpr troupe_transform numbering_functions = [] {
  troupe_transform table{};
  table.struct_size = sizeof table;
  table.feed = numbering_feed;
  table.finish = numbering_finish;
  table.message = numbering_message;
  return table;
}();

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  host = registrar->host;
  static const char *const of_text_tags[] = {"@NAME@", "@NAME@-of-text"};
  static const char *const of_all_tags[] = {"@NAME@", "@NAME@-of-all"};
  static const char *const stage_tags[] = {"@NAME@"};
  static const troupe_metadata about_of_text[] = {TROUPE_DESCRIPTION("Makes a counter for each text."), {"unit", "lines"}};
  static const troupe_metadata about_of_all[] = {TROUPE_DESCRIPTION("Makes one counter for all texts."), {"unit", "lines"}};
  static const troupe_metadata about_stage[] = {TROUPE_DESCRIPTION("Numbers the lines of a text, and counts the lines of all.")};
  const troupe_factory factories[] = {
    TROUPE_CONTRACT_FACTORY_WITH(TROUPE_SCOPED, about_of_text, "@UUID1@", "@NAME@-of-text",
                                 of_text_tags, COUNTER_CONTRACT, &counter_functions, counter_destroy,
                                 void *, counter_create, (void)),
    TROUPE_CONTRACT_FACTORY_WITH(TROUPE_SINGLETON, about_of_all, "@UUID2@", "@NAME@-of-all",
                                 of_all_tags, COUNTER_CONTRACT, &counter_functions, counter_destroy,
                                 void *, counter_create, (void)),
    TROUPE_CONTRACT_FACTORY_WITH(TROUPE_TRANSIENT, about_stage, "@UUID3@", "@NAME@",
                                 stage_tags, TROUPE_CONTRACT_TRANSFORM, &numbering_functions, numbering_destroy,
                                 void *, numbering_create, (TROUPE_RESOLVER)),
  };
  for (const troupe_factory &factory : factories) {
    const troupe_status status = registrar->register_factory(registrar, &factory);
    if (status != TROUPE_OK) return status;
  }
  return TROUPE_OK;
}
