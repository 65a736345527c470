// The interface for C++. Argument: plugins.
#include <cassert>
#include <cstdio>
#include <cstdlib>

#include <troupe-host.hpp>

#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (0)

template <class Step> static std::string codeOf(Step step) {
  try {
    step();
  } catch (const troupe::Error &error) {
    CHECK(error.status() != TROUPE_OK && std::string(error.what()).find(error.subject()) != std::string::npos);
    return error.code();
  }
  return "";
}

template <class Failure, class Step> static bool throws(Step step) {
  try {
    step();
  } catch (const Failure &) {
    return true;
  }
  return false;
}

// Another plugin has a function of the same name.
static const char *const areaID = "7a1e5000-0000-4000-8000-000000000000";

struct Point {
  double x, y;
};

static void checkFunctions(troupe::Host &host) {
  auto area = host.function<double(double, double)>(areaID);
  CHECK(area(3, 4.5) == 13.5 && area.function().name() == "area" && area.address()(2, 2) == 4);
  CHECK(codeOf([&] { host.function<float(double, double)>(areaID); }) == "invalidSignature");
  CHECK(codeOf([&] { host.function("nothing of this name"); }) == "notRegistered");
  CHECK((host.function<std::uint64_t(unsigned long)>("large")(7) == 7));
  CHECK((host.function<double(const double *, std::size_t)>("sum")(std::vector<double>{1, 2}.data(), 2) == 3));
  auto scaled = host.function<Point(Point, double)>("scaled", "struct point { double x, y; }; struct point (struct point, double)");
  CHECK(scaled({1, 2}, 3).y == 6);
}

static void checkCalls(troupe::Host &host) {
  auto call = [&](const char *name, const auto &...arguments) { return host.function(name).call(arguments...); };
  CHECK(call(areaID, 3, 4.5).template as<double>() == 13.5);
  CHECK(call("small", -5).template as<int>() == -5 && call("both", true, true).template as<bool>());
  CHECK(throws<std::invalid_argument>([&] { (void)call("small", -5).template as<unsigned>(); }));
  CHECK(throws<std::invalid_argument>([&] { (void)call(areaID, 0.5, 0.5).template as<int>(); }));
  CHECK(call("greeting", std::string("Ada")).template as<std::string>() == "Ada");
  CHECK(call("greeting", "Bob").template as<std::string_view>() == "Bob");
  CHECK(call("no_text").template as<const char *>() == nullptr);
  CHECK(throws<std::invalid_argument>([&] { (void)call("no_text").template as<std::string>(); }));
  std::vector<double> values{1, 2, 3};
  CHECK(call("begin", values).template as<std::uintptr_t>() == reinterpret_cast<std::uintptr_t>(values.data()));
  CHECK(call("sum", troupe::Span<const double>(values.data() + 1, 2)).template as<double>() == 5);
  troupe::Value squares = call("squares", 4);
  CHECK(troupe::Value::elements<std::int32_t>(squares["values"])[3] == 9);
  CHECK(throws<std::out_of_range>([&] { (void)squares["cubes"]; }));
  CHECK(troupe::Value::as<double>(call("scaled", Point{1, 2}, 2.0)["y"]) == 4);
  troupe::Value counter = call("counter_new", 1), moved = std::move(counter);
  CHECK(call("count", moved).template as<int>() == 2 && call("alive_counters").template as<int>() == 1);
  moved = troupe::Value();
  CHECK(throws<std::invalid_argument>([&] { call("sum", std::vector<float>{1, 2}); }));
  CHECK(throws<std::invalid_argument>([&] { call("sum", std::vector<std::int64_t>{1, 2}); }));
  struct Narrow {
    float x, y;
  };
  CHECK(throws<std::invalid_argument>([&] { call("scaled", Narrow{1, 2}, 2.0); }));
  CHECK(codeOf([&] { call(areaID, 1); }) == "usage" && codeOf([&] { call("small", 1000); }) == "invalidData");
}

static void checkColumns(troupe::Host &host) {
  using Numbers = std::vector<double>;
  troupe::Function area = host.function(areaID), sum = host.function("sum");
  CHECK(area.map<double>(Numbers{1, 2, 3}, 10.0) == (Numbers{10, 20, 30}));
  CHECK(area.map<double>(Numbers{1, 2, 3}, Numbers{10}) == (Numbers{10, 20, 30}));
  CHECK(area.map<double>(Numbers{2}, Numbers{1, 2, 3}) == (Numbers{2, 4, 6}) && area.map<double>(Numbers{}, 1.0).empty());
  CHECK(throws<std::invalid_argument>([&] { area.map<double>(Numbers{1, 2}, Numbers{1, 2, 3}); }));
  CHECK(throws<std::invalid_argument>([&] { area.map<double>(Numbers{}, Numbers{1, 2, 3}); }));
  Numbers results(2);
  troupe::Span<double> place(results.data(), results.size());
  CHECK(throws<std::invalid_argument>([&] { area.map(place, Numbers{1, 2, 3}, 1.0); }));
  area.map(place, 3.0, 2.0);
  CHECK(results == (Numbers{6, 6}) && sum.map<double>(Numbers{1, 2, 4}) == Numbers{7});
  CHECK(codeOf([&] { area.map<double>(Numbers{1}, 3); }) == "invalidData");
}

static void checkObjects(troupe::Host &host) {
  auto call = [&](const char *name, const auto &...arguments) { return host.function(name).call(arguments...); };
  troupe::Object first = call("node_new", nullptr, 1).object(), second = call("node_new", first, 2).object();
  CHECK(second.type().name == std::string("struct node") && second.address() && second.address() != first.address());
  CHECK(second.read<unsigned>("value") == 2 && second.read<int>("next.value") == 1);
  second.write("next.value", 40);
  second.write("name", std::string("second"));
  CHECK(call("node_sum", second).template as<int>() == 42 && second.read<std::string>("name") == "second");
  CHECK(second.read("next").object().address() == first.address());
  CHECK(troupe::Value::as<int>(second.read()["value"]) == 2);
  first.write("next", second);
  first.write("next", nullptr);
  CHECK(codeOf([&] { second.read("previous"); }) == "invalidData" && codeOf([&] { second.write("value", "seven"); }) == "invalidData");
  CHECK(throws<std::invalid_argument>([&] { call("small", -5).object(); }));
  CHECK(throws<std::invalid_argument>([&] { (void)second.read<std::string>("value"); }));
  troupe::Object moved = std::move(first);
  CHECK(!first.get() && moved.read<int>("value") == 40);

  troupe::Memory numbers("int", 3);
  CHECK(call("fill", numbers, 3, 9).template as<int>() == 3 && numbers.read<int>("[2]") == 9);
  CHECK(static_cast<const int *>(numbers.address())[1] == 9);
  CHECK(codeOf([] { troupe::Memory("struct missing"); }) == "invalidSignature");
  CHECK(codeOf([] { troupe::Memory("int", 0); }) == "invalidArgument");

  auto factor = std::make_shared<int>(3);
  {
    troupe::Callback<int(int)> multiply(host.function("keep"), [factor](int number) {
      if (number == 5) throw std::out_of_range("five");
      return number * *factor;
    });
    call("keep", multiply);
    CHECK(call("call_kept", 14).template as<int>() == 42 && call("each", 3, multiply).template as<int>() == 9);
    CHECK(factor.use_count() == 2);
    CHECK(codeOf([&] { call("each", 6, multiply); }) == "unavailable");
  }
  CHECK(factor.use_count() == 1 && call("call_kept", 14).template as<int>() == 0);
  int sum = 0;
  troupe::Callback<void(const troupe_call_value &)> add(
    "void (int number)", [&](const troupe_call_value &number) { sum += troupe::Value::as<int>(number); });
  call("visit", 4, add);
  CHECK(sum == 6);
  CHECK(codeOf([] { troupe::Callback<int(int)>("int (", [](int number) { return number; }); }) == "invalidSignature");
  CHECK(throws<std::invalid_argument>([&] { troupe::Callback<int(int)>(host.function("fill"), [](int number) { return number; }); }));
}

static void checkHost(troupe::Host &host) {
  bool isFound = false;
  for (const troupe_plugin &plugin : host.plugins()) isFound |= plugin.id && std::string(plugin.id) == "org.example.values";
  CHECK(isFound && host.registrations().size() > 30);
  auto stages = host.transforms({"org.example.stage"});
  CHECK(stages.size() == 1 && stages[0].registration().name == std::string("stage a") && stages[0].run("xyz") == "axyz.");
  CHECK(codeOf([&] { stages[0].run("again"); }) == "invalidArgument");
  auto others = host.transforms({"org.example.stage"});
  CHECK(throws<int>([&] { others[0].feed("x", [](std::string_view) { throw 7; }); }));
  CHECK(codeOf([&] { host.transforms({"org.example.stage"})[0].run("fail"); }) == "reportedFailure");
  troupe::Scope scope = host.scope();
  auto sessions = host.resolve({}, "org.example.session/1", &scope);
  CHECK(sessions.size() == 1 && sessions[0].object<void>().first != nullptr && !sessions[0].isTransform());
}

static void checkEvents(troupe::Host &host) {
  troupe::EventQueue queue = host.events();
  auto listener = host.listen([](const troupe_event &) {});
  host.retire("org.example.twin");
  const troupe_event *event = queue.next();
  CHECK(event && event->plugin->state == std::string("draining"));
  event = queue.next();
  CHECK(event && event->plugin->state == std::string("retired") && !queue.next() && !queue.hasEnded());
  CHECK(codeOf([&] { host.retire("org.example.unknown"); }) == "unknown" && !host.refresh() && !host.reload("org.example.values"));
  troupe::Host other = std::move(host);
  other.shutdown();
  CHECK(queue.hasEnded());
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  troupe::Options options;
  options.directories = {arguments[1]};
  options.settings = {{"org.example.configured", "greeting", "hi"}};
  options.isolations = {{"org.example.configured", "group:greeters"}, {"", std::nullopt}};
  options.other.probing = TROUPE_PROBING_NEVER;
  options.other.has_references = 1;
  options.other.cache_directory = options.other.quarantine_directory = "";
  troupe::Host host(options);
  CHECK(host.function("greeting_setting").call().as<std::string>() == "hi");
  std::size_t workers = 0;
  for (const troupe_worker &worker : host.workers()) workers += worker.name == std::string("greeters") && worker.process > 0;
  CHECK(workers == 1 && host.workers().size() == 1);
  CHECK(codeOf([] { troupe::Options bad; bad.isolations = {{"", "memory:many"}}; troupe::Host host(bad); }) == "invalidArgument");
  CHECK(codeOf([] { troupe::Options bad; bad.pins = "/nowhere/pins"; troupe::Host host(bad); }) == "unreadable");
  checkFunctions(host);
  checkCalls(host);
  checkColumns(host);
  checkObjects(host);
  checkHost(host);
  checkEvents(host);
}
