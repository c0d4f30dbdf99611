// Random lists over every type of rule, with logic, nested SUB-RULEs, sets, PASS, PASS-RULE,
// REMATCH and disabled lines, and random flows, of which some do not know their address or owner:
// the block must decide, and ask, exactly as the naive walker does.
//
// Half of the lists come from fixed seeds, half from a fresh one that is printed. To repeat a run:
// SLUICE_RULE_SEED=<the printed number>.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "tests/support/rule_lines.h"
#include "tests/support/rule_model.h"

namespace sluice::test {
namespace {

using Kind = Tree::Kind;

constexpr std::uint32_t kDecisions = 1'000'000;
constexpr std::uint32_t kFlowsPerList = 100;

const char* const kUsers[] = {"ann", "bob", ""};
const char* const kPaths[] = {"/usr/bin/curl", "/usr/bin/Ping", "/opt/a/curl", ""};
const char* const kWildcards[] = {"*.test", "a*",  "*b*",     "x.*.test", "?.test",
                                  "*",      "a.b", "*shop*x", "**a",      "t?st.*"};
// The last three are beyond RE2.
const char* const kPatterns[] = {"^a\\.",        "shop-[a-z]+",        "(x|ab)\\.test$", "b.+test",
                                 "^(a|b|ab)$",   "longer|xn--b",       "[0-9]",          "ABC",
                                 "^(?!a).*test", "(a|b)\\.\\1(\\.|$)", "x(?=\\.test)"};

template <std::size_t Count>
const char* pick(Random& random, const char* const (&items)[Count]) {
  return items[random.below(Count)];
}

ruleset::MacAddress mac(Random& random) {
  return {std::byte{2}, std::byte{0}, std::byte{0},
          std::byte{0}, std::byte{0}, static_cast<std::byte>(random.below(4))};
}

void fill_address(Random& random, Tree& t) {
  t.address = random_address(random);
  t.length = random.below(t.address.is_v4() ? 33 : 129);
  if (random.one_in(2)) t.length %= 9;
  t.resolve = random.one_in(2);
}

std::string label_pattern(Random& random) {
  std::string out;
  for (std::uint32_t i = 1 + random.below(3); i > 0; --i)
    out += (random.one_in(3) ? "*" : random_name(random, 1)) + ".";
  return out + random_name(random, 1);
}

void fill_range(Random& random, Tree& t, std::uint32_t bound) {
  t.first = random.below(bound);
  t.last = t.first + random.below(bound - t.first);
}

/// A single test that a set may hold as well.
Tree random_atom(Random& random, std::size_t zones) {
  Tree t;
  t.kind = static_cast<Kind>(
      static_cast<unsigned>(Kind::domain) +
      random.below(static_cast<unsigned>(Kind::set) - static_cast<unsigned>(Kind::domain)));
  // Broad ones hide what stands behind them.
  if (t.kind >= Kind::network && t.kind <= Kind::dscp && random.one_in(2)) t.kind = Kind::suffix;
  t.text = random_name(random, 3);
  fill_address(random, t);
  t.ports = random_ports(random);
  t.types = {static_cast<std::uint8_t>(random.below(7)),
             static_cast<std::uint8_t>(random.below(7))};
  t.mac = mac(random);
  switch (t.kind) {
    case Kind::labels:
      t.text = label_pattern(random);
      break;
    case Kind::keyword:
      t.text = random_name(random, 2).substr(random.below(2), 1 + random.below(6));
      break;
    case Kind::wildcard:
      t.text = pick(random, kWildcards);
      break;
    case Kind::regex:
      t.text = pick(random, kPatterns);
      break;
    case Kind::network:
      t.first = random.below(2);
      break;
    case Kind::dscp:
      fill_range(random, t, 64);
      break;
    case Kind::protocol:
      t.first = 1 + random.below(127);  // a line names one at least
      break;
    case Kind::uid:
      fill_range(random, t, 5);
      break;
    case Kind::user:
    case Kind::inbound:
    case Kind::rematch:
      t.text = pick(random, kUsers);
      break;
    case Kind::process_name:
      t.text = random.one_in(2) ? "CURL" : "ping";
      break;
    case Kind::process_path:
      t.text = pick(random, kPaths);
      break;
    case Kind::process_wildcard:
      t.text = random.one_in(2) ? "c*l" : "*";
      break;
    case Kind::process_regex:
      t.text = random.one_in(2) ? "^/usr/" : "bin/(?!p)";
      break;
    case Kind::time:
      t.window = {static_cast<std::uint8_t>(random.below(128)),
                  static_cast<std::uint16_t>(random.below(1441)),
                  static_cast<std::uint16_t>(random.below(1441)),
                  {static_cast<std::uint16_t>(random.below(static_cast<std::uint32_t>(zones)))}};
      break;
    default:
      break;
  }
  return t;
}

/// What a list of rules for ads holds beside its names.
Tree random_pattern(Random& random) {
  Tree t;
  t.kind = random.one_in(2) ? Kind::regex : Kind::wildcard;
  t.text = t.kind == Kind::regex ? pick(random, kPatterns) : pick(random, kWildcards);
  return t;
}

Tree random_set(Random& random, const Model& model) {
  Tree t;
  t.kind = Kind::set;
  t.first = random.below(static_cast<std::uint32_t>(model.sets.size()));
  t.resolve = random.one_in(2);
  t.for_source = random.one_in(5);
  return t;
}

Tree branch(Kind kind, std::vector<Tree> children) {
  Tree t;
  t.kind = kind;
  t.children = std::move(children);
  return t;
}

/// The sets of a list whose entries have weights: NOT d AND (c OR (a AND NOT b)).
Tree random_weights(Random& random, const Model& model) {
  Tree a = random_set(random, model);
  const auto beside = [&] {
    Tree t = random_set(random, model);
    t.resolve = a.resolve;
    t.for_source = a.for_source;
    return t;
  };
  Tree listed = branch(Kind::all, {a, branch(Kind::negate, {beside()})});
  return branch(Kind::all, {branch(Kind::negate, {beside()}),
                            branch(Kind::any, {beside(), std::move(listed)})});
}

Tree random_tree(Random& random, const Model& model, unsigned depth) {
  if (depth > 0 && random.one_in(3)) {
    Tree t;
    t.kind = static_cast<Kind>(random.below(3));
    const std::uint32_t count = t.kind == Kind::negate ? 1 : 1 + random.below(4);
    for (std::uint32_t i = 0; i < count; ++i)
      t.children.push_back(random_tree(random, model, depth - 1));
    return t;
  }
  if (!model.sets.empty() && random.one_in(5)) return random_set(random, model);
  if (!model.sets.empty() && random.one_in(12)) return random_weights(random, model);
  Tree t = random_atom(random, model.zones.size());
  if (random.one_in(40)) t.kind = random.one_in(2) ? Kind::always : Kind::never;
  return t;
}

ruleset::Zone random_zone(Random& random) {
  ruleset::Zone out;
  out.first_offset_s = static_cast<std::int32_t>(random.below(100'000)) - 50'000;
  std::int64_t at = -1'000'000'000;
  for (std::uint32_t i = random.below(6); i > 0; --i) {
    at += 1 + static_cast<std::int64_t>(random.below(700'000'000));
    out.transitions.push_back({at, static_cast<std::int32_t>(random.below(100'000)) - 50'000});
  }
  return out;
}

Aim random_aim(Random& random, std::size_t entries) {
  Aim out;
  if (random.one_in(4))
    out.target = Target::pass;
  else if (random.one_in(6))
    out.target = Target::pass_rule;
  else if (random.one_in(8))
    out.target = Target::again;
  out.entry = random.below(static_cast<std::uint32_t>(entries) + 1);
  out.rematch_name = pick(random, kUsers);
  return out;
}

/// The lines of sub-rule lists: each is one test wherever it stands, or a SUB-RULE.
struct Shared {
  std::uint32_t first = 0;  // number of the first one
  std::vector<Tree> trees;
};

Tree both(const Tree& a, const Tree& b) {
  Tree out;
  out.kind = Kind::all;
  out.children = {a, b};
  return out;
}

/// Lines of a list inside `guard`, some of them SUB-RULEs again.
void add_places(Random& random, const Shared& shared, const Tree& guard,
                std::vector<std::uint32_t> inside, TopLine& out) {
  for (std::uint32_t i = random.below(5); i > 0; --i) {
    const std::uint32_t which = random.below(static_cast<std::uint32_t>(shared.trees.size()));
    const Tree tree = both(guard, shared.trees[which]);
    if (inside.size() < 2 && random.one_in(5)) {
      std::vector<std::uint32_t> deeper = inside;
      deeper.push_back(shared.first + which);
      add_places(random, shared, tree, std::move(deeper), out);
    } else {
      out.places.push_back({shared.first + which, tree, inside});
    }
  }
}

TopLine random_group(Random& random, const Model& m, const Shared& shared, std::uint32_t line) {
  TopLine out{line, true, {}};
  add_places(random, shared, random_tree(random, m, 1), {}, out);
  return out;
}

/// A list holds each of its lines once.
List random_entry(Random& random, const Model& m, const Shared& shared) {
  List out;
  for (std::uint32_t i = random.below(6); i > 0; --i) {
    const std::uint32_t which = random.below(static_cast<std::uint32_t>(shared.trees.size()));
    const std::uint32_t line = shared.first + which;
    if (std::ranges::find(out, line, &TopLine::line) != out.end()) continue;
    if (random.one_in(4))
      out.push_back(random_group(random, m, shared, line));
    else
      out.push_back({line, false, {{line, shared.trees[which], {}}}});
  }
  return out;
}

Model random_model(Random& random) {
  Model m;
  for (std::uint32_t i = 1 + random.below(2); i > 0; --i) m.zones.push_back(random_zone(random));
  m.sets.resize(random.below(6));
  for (auto& set : m.sets) {
    const std::uint32_t count = random.below(random.one_in(3) ? 30 : 6);
    std::vector<Tree> entries;
    Model without_sets;
    without_sets.zones = m.zones;
    const bool of_patterns = random.one_in(3);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (of_patterns && random.one_in(2)) {
        entries.push_back(random_pattern(random));
        continue;
      }
      entries.push_back(random.one_in(10) ? random_tree(random, without_sets, 2)
                                          : random_atom(random, m.zones.size()));
    }
    set = std::move(entries);
  }
  const std::uint32_t tops = random.below(25);
  Shared shared{tops, {}};
  for (std::uint32_t i = random.below(6); i > 0; --i)
    shared.trees.push_back(random_tree(random, m, 2));
  for (std::uint32_t top = 0; top < tops; ++top) {
    if (!shared.trees.empty() && random.one_in(6))
      m.list.push_back(random_group(random, m, shared, top));
    else
      m.list.push_back({top, false, {{top, random_tree(random, m, random.one_in(3) ? 4 : 0), {}}}});
  }
  if (!shared.trees.empty()) m.entries.resize(random.below(4));
  for (List& entry : m.entries) entry = random_entry(random, m, shared);
  for (std::size_t i = 0; i < tops + shared.trees.size(); ++i) {
    m.lines.push_back(random_aim(random, m.entries.size()));
    if (random.one_in(12)) m.disabled.insert(static_cast<std::uint32_t>(i));
  }
  return m;
}

struct Flow {
  std::string name;
  ruleset::Key key;
  Answers answers;
};

void fill_flow(Random& random, Flow& flow) {
  flow.key = random_key(random, flow.name);
  ruleset::Key& k = flow.key;
  k.in_port = static_cast<std::uint16_t>(70 + random.below(40));
  k.dscp = static_cast<std::uint8_t>(random.below(64));
  if (random.one_in(2)) k.source_mac = mac(random);
  k.user = pick(random, kUsers);
  k.inbound_name = pick(random, kUsers);
  k.rematch_name = pick(random, kUsers);
  // In 1960 to 2060.
  k.utc_seconds = static_cast<std::int64_t>(random.next() % 3'155'760'000ULL) - 315'576'000;
  if (random.one_in(2)) k.owner.uid_known = k.owner.process_known = Known::no;
  if (random.one_in(2)) k.protocol_known = Known::no;
  Answers& a = flow.answers;
  if (!random.one_in(4)) a.protocol = static_cast<std::uint8_t>(random.below(7));
  a.address = random.one_in(5) ? IpAddress{} : random_address(random);
  a.owner.uid_known = random.one_in(4) ? Known::none : Known::yes;
  a.owner.process_known = random.one_in(4) ? Known::none : Known::yes;
  a.owner.uid = random.below(5);
  a.owner.process_path = pick(random, kPaths);
}

struct Totals {
  std::uint64_t decisions = 0, caught = 0, asked = 0, patterns = 0, groups = 0, again = 0;
};

/// The list as far as it decided differently.
std::string text_of_lines(const Model& model, const Decision& a, const Decision& b) {
  std::set<std::uint32_t> lines(a.caught.begin(), a.caught.end());
  lines.insert(b.caught.begin(), b.caught.end());
  std::string out;
  std::vector<List> lists = model.entries;
  lists.insert(lists.begin(), model.list);
  for (std::size_t entry = 0; entry < lists.size(); ++entry)
    for (const TopLine& top : lists[entry])
      for (const Place& place : top.places)
        if (lines.count(place.line) != 0)
          out += "\n  entry " + std::to_string(entry) + " line " + std::to_string(place.line) +
                 ": " + text_of(place.tree);
  return out;
}

void compare_one_list(std::uint64_t seed, Totals& totals) {
  Random random(seed);
  const Model model = random_model(random);
  const auto block = builder_of(model).finish();
  ASSERT_TRUE(block);
  const auto view = ruleset::View::open(*block);
  ASSERT_TRUE(view) << view.error().reason;
  const auto patterns = ruleset::Patterns::compile(view->patterns());
  ASSERT_TRUE(patterns);
  ruleset::LineBits disabled(view->line_count());
  for (const std::uint32_t line : model.disabled)
    if (line < view->line_count()) disabled.set(line, true);
  const ruleset::Match::Tools tools{&*patterns, disabled.count() == 0 ? nullptr : &disabled,
                                    nullptr};
  Flow flow;
  for (std::uint32_t i = 0; i < kFlowsPerList; ++i) {
    fill_flow(random, flow);
    const Decision naive = walk(model, flow.key, flow.answers);
    const Decision found = decide(model, *view, tools, flow.key, flow.answers);
    ASSERT_EQ(found.caught, naive.caught)
        << "flow " << i << " to '" << flow.name << "'" << text_of_lines(model, found, naive);
    ASSERT_EQ(found.asked, naive.asked) << "flow " << i << " to '" << flow.name << "'";
    ++totals.decisions;
    totals.caught += naive.caught.size();
    totals.asked += naive.asked.size();
    for (const std::uint32_t line : naive.caught)
      totals.again += model.lines[line].target == Target::again ? 1 : 0;
  }
  totals.patterns += view->patterns().count();
  for (const TopLine& top : model.list) totals.groups += top.group ? 1 : 0;
}

void compare(std::uint64_t first_seed, std::uint32_t decisions) {
  Totals totals;
  for (std::uint64_t seed = first_seed; totals.decisions < decisions; ++seed) {
    SCOPED_TRACE("list seed " + std::to_string(seed));
    compare_one_list(seed, totals);
    if (testing::Test::HasFatalFailure()) return;
  }
  std::printf("%llu decisions, %llu lines caught a flow, %llu questions\n",
              static_cast<unsigned long long>(totals.decisions),
              static_cast<unsigned long long>(totals.caught),
              static_cast<unsigned long long>(totals.asked));
  // Lists and flows do meet, or the comparison would show nothing.
  EXPECT_GT(totals.caught, decisions / 2);
  EXPECT_GT(totals.asked, decisions / 20);
  EXPECT_GT(totals.patterns, decisions / kFlowsPerList / 2);
  EXPECT_GT(totals.groups, decisions / kFlowsPerList / 2);
  EXPECT_GT(totals.again, decisions / 50);
}

TEST(Differential, FixedListsDecideAsTheNaiveWalkerDoes) {
  compare(1, kDecisions / 2);
}

TEST(Differential, FreshListsDecideAsTheNaiveWalkerDoes) {
  const char* const chosen = std::getenv("SLUICE_RULE_SEED");
  const std::uint64_t seed = chosen != nullptr
                                 ? std::strtoull(chosen, nullptr, 10)
                                 : static_cast<std::uint64_t>(std::random_device{}()) << 16U;
  std::printf("SLUICE_RULE_SEED=%llu\n", static_cast<unsigned long long>(seed));
  compare(seed, kDecisions / 2);
}

}  // namespace
}  // namespace sluice::test
