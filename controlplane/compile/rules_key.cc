#include "controlplane/compile/rules_key.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "controlplane/compile/sniff_lists.h"
#include "controlplane/compile/used_lists.h"
#include "proto/contract/digest.h"
#include "proto/ruleset/format.h"

namespace sluice::compile {
namespace {

/// Every value has a fixed size or its size before it, so that no two sequences read alike.
class KeyWriter {
 public:
  void number(std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) buffer_ += static_cast<char>(value >> (8 * i));
    if (buffer_.size() >= kChunk_bytes) flush();
  }
  void text(std::string_view value) {
    number(value.size(), 4);
    buffer_ += value;
  }
  template <class T>
  void list(const std::vector<T>& values) {
    number(values.size(), 4);
    for (const T& value : values) write(value);
  }
  void condition(const model::Condition& c) {
    number(static_cast<std::uint64_t>(c.op), 1);
    if (c.op == model::Condition::Op::atom) atom(c.atom);
    number(c.operands.size(), 4);
    for (const model::Condition& operand : c.operands) condition(operand);
  }
  [[nodiscard]] contract::Digest finish() {
    flush();
    return stream_.finish();
  }

 private:
  static constexpr std::size_t kChunk_bytes = 4'096;

  void flush() {
    stream_.update(as_byte_view(buffer_));
    buffer_.clear();
  }

  void atom(const model::Atom& a) {
    number(static_cast<std::uint64_t>(a.kind), 1);
    number((a.source ? 1U : 0U) | (a.no_resolve ? 2U : 0U), 1);
    number(a.payload.index(), 1);
    std::visit([this](const auto& payload) { write(payload); }, a.payload);
  }

  void write(std::monostate) {}
  void write(const std::string& value) { text(value); }
  void write(const IpAddress& value) { text(as_text(value.bytes())); }
  void write(const Prefix& value) {
    write(value.base);
    number(value.length, 1);
  }
  void write(const model::IpSuffix& value) {
    write(value.address);
    number(value.length, 1);
  }
  void write(model::AsNumber value) { number(value.value, 4); }
  void write(model::PortRange value) {
    number(value.first, 2);
    number(value.last, 2);
  }
  void write(model::NumberRange value) {
    number(value.first, 4);
    number(value.last, 4);
  }
  void write(Network value) { number(static_cast<std::uint64_t>(value), 1); }
  void write(contract::InboundType value) { number(static_cast<std::uint64_t>(value), 1); }
  void write(contract::Protocol value) { number(static_cast<std::uint64_t>(value), 1); }
  void write(model::MacAddress value) { number(value.value, 8); }
  void write(model::DayHours value) {
    number(value.weekdays, 1);
    number(value.begin, 2);
    number(value.end, 2);
  }
  void write(const model::TimeTable& value) {
    list(value.hours);
    text(value.zone);
  }
  void write(const model::Regex& value) { text(value.pattern); }
  template <class T>
  void write(const std::vector<T>& values) {
    list(values);
  }

  std::string buffer_;
  contract::DigestStream stream_;
};

}  // namespace

contract::Digest rules_key(const model::Config& config) {
  KeyWriter key;
  key.number(kBlockVersion, 4);
  key.number(ruleset::kFormatVersion, 4);
  key.number(config.geo.find_process == model::FindProcess::off ? 1 : 0, 1);
  const auto lists = used_lists(config);
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (const model::SubRules* list : lists) numbers.emplace(list->name, numbers.size());
  const auto add = [&](const std::vector<model::Rule>& rules) {
    key.number(rules.size(), 4);
    for (const model::Rule& rule : rules) {
      key.condition(rule.condition);
      key.number(rule.sub_rule ? numbers[rule.target] + 1 : 0, 4);
    }
  };
  add(config.rules);
  key.number(lists.size(), 4);
  for (const model::SubRules* list : lists) add(list->rules);
  for (const model::SubRules* list : entry_lists(config)) key.number(numbers[list->name], 4);
  for (const SniffEntry& entry : sniff_lists(config)) key.condition(condition_of(*entry.list));
  return key.finish();
}

}  // namespace sluice::compile
