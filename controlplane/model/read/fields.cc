#include "controlplane/model/read/fields.h"

#include <algorithm>

#include "controlplane/model/read/nearest.h"
#include "controlplane/model/read/words.h"
#include "proto/common/text.h"

namespace sluice::model {

std::string_view shape_of(const Node& node) noexcept {
  switch (node.kind) {
    case Node::Kind::sequence:
      return "a list";
    case Node::Kind::mapping:
      return "a map";
    case Node::Kind::scalar:
      break;
  }
  return "text";
}

bool is_device_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 15 && text != "." && text != ".." &&
         std::ranges::all_of(text, [](char c) {
           return static_cast<unsigned char>(c) > 0x20 && c != '/' && c != ':';
         });
}

void Fields::error(const Place& place, std::string_view problem, std::string_view remedy) const {
  const std::string owner = owner_.empty() ? "" : quote(owner_) + ": ";
  report_.error(place, owner + std::string(problem), std::string(remedy));
}

void Fields::warning(const Place& place, std::string_view problem, std::string_view remedy) const {
  const std::string owner = owner_.empty() ? "" : quote(owner_) + ": ";
  report_.warning(place, owner + std::string(problem), std::string(remedy));
}

const Node* Fields::raw(std::string_view key) const noexcept {
  const Member* member = map_.find(key);
  return member == nullptr || member->value->is_null() ? nullptr : member->value;
}

Place Fields::place(std::string_view key) const {
  const Node* node = raw(key);
  return {node != nullptr ? node->position() : map_.position(), join_path(path_, key)};
}

std::optional<Value> Fields::value(std::string_view key) const {
  const Node* node = raw(key);
  if (node == nullptr) return std::nullopt;
  return Value{node, join_path(path_, key)};
}

std::optional<Value> Fields::scalar(std::string_view key) const {
  const auto v = value(key);
  if (!v || v->node->is_scalar()) return v;
  error(v->place(), "is " + std::string(shape_of(*v->node)) + ", one text is needed",
        v->node->is_sequence() ? "put it in quotes if the brackets belong to the text"
                               : "write one value");
  return std::nullopt;
}

std::optional<Fields> Fields::map(std::string_view key) const {
  const auto v = value(key);
  if (!v) return std::nullopt;
  if (v->node->is_mapping()) return Fields(*v->node, v->path, report_);
  error(v->place(), "is " + std::string(shape_of(*v->node)) + ", a map is needed",
        "write `key: value` lines below it");
  return std::nullopt;
}

std::vector<Value> Fields::texts(std::string_view key) const {
  std::vector<Value> out;
  const auto v = value(key);
  if (!v) return out;
  if (v->node->is_scalar()) return {*v};
  if (v->node->is_mapping()) {
    error(v->place(), "is a map, a list is needed", "write one `- item` per line");
    return out;
  }
  for (std::size_t i = 0; i < v->node->items.size(); ++i) {
    const Value item{v->node->items[i], join_path(v->path, i)};
    if (item.node->is_scalar() && !item.node->is_null()) {
      out.push_back(item);
    } else {
      error(item.place(),
            item.node->is_null()
                ? "is empty"
                : "is " + std::string(shape_of(*item.node)) + ", one text is needed",
            "write one text per item, in quotes if it holds `: ` or brackets");
    }
  }
  return out;
}

std::vector<Fields> Fields::maps(std::string_view key) const {
  std::vector<Fields> out;
  const auto v = value(key);
  if (!v) return out;
  if (!v->node->is_sequence()) {
    error(v->place(), "is " + std::string(shape_of(*v->node)) + ", a list is needed",
          "write one `- {…}` per entry");
    return out;
  }
  for (std::size_t i = 0; i < v->node->items.size(); ++i) {
    const Node& item = *v->node->items[i];
    if (item.is_mapping()) {
      out.emplace_back(item, join_path(v->path, i), report_);
    } else {
      error({item.position(), join_path(v->path, i)},
            "is " + std::string(shape_of(item)) + ", a map is needed", "write `key: value` pairs");
    }
  }
  return out;
}

void Fields::flag(std::string_view key, bool& out) const {
  const auto v = scalar(key);
  if (!v) return;
  if (const auto parsed = parse_flag(v->text())) {
    out = *parsed;
  } else {
    error(v->place(), quote(v->text()) + " is neither true nor false", "write true or false");
  }
}

void Fields::text(std::string_view key, std::string& out) const {
  if (const auto v = scalar(key)) out = v->text();
}

std::optional<std::uint64_t> Fields::whole(std::string_view key, std::uint64_t least,
                                           std::uint64_t most) const {
  const auto v = scalar(key);
  if (!v) return std::nullopt;
  const auto n = parse_integer(v->text());
  if (n && *n >= least && *n <= most) return *n;
  error(v->place(),
        quote(v->text()) + " is not a number from " + std::to_string(least) + " to " +
            std::to_string(most),
        "write such a number");
  return std::nullopt;
}

void Fields::span(std::string_view key, Millis& out, Millis least, Millis most) const {
  const auto v = scalar(key);
  if (!v) return;
  const auto parsed = parse_span(v->text());
  if (parsed && *parsed >= least && *parsed <= most) {
    out = *parsed;
    return;
  }
  error(v->place(),
        quote(v->text()) + " is not a time from " + std::to_string(least.count) + " ms to " +
            std::to_string(most.count / 1000) + " s",
        "write seconds, or a number with ms, s, m or h");
}

void Fields::size(std::string_view key, std::uint64_t& out, std::uint64_t least) const {
  const auto v = scalar(key);
  if (!v) return;
  const auto parsed = parse_size(v->text());
  if (parsed && (*parsed >= least || *parsed == 0)) {
    out = *parsed;
    return;
  }
  error(v->place(),
        quote(v->text()) + " is not a size of at least " + std::to_string(least >> 20) + " MiB",
        "write for example 64MiB, or 0 for the default");
}

void Fields::prefixes(std::string_view key, std::vector<Prefix>& out) const {
  if (!has(key)) return;
  std::vector<Prefix> parsed;
  for (const Value& v : texts(key)) {
    const auto prefix = Prefix::parse(v.text());
    if (prefix) {
      parsed.push_back(*prefix);
    } else {
      error(v.place(), quote(v.text()) + " is not an address range",
            "write for example 192.168.0.0/16 or fd00::/8");
    }
  }
  out = std::move(parsed);
}

void Fields::device(std::string_view key, std::string& out) const {
  const auto v = scalar(key);
  if (!v) return;
  if (is_device_name(v->text())) {
    out = v->text();
  } else {
    error(v->place(), quote(v->text()) + " is not a network device name",
          "write at most 15 bytes, as `ip link` shows it");
  }
}

std::optional<std::size_t> Fields::which(std::string_view key,
                                         std::span<const std::string_view> names) const {
  const auto v = scalar(key);
  if (!v) return std::nullopt;
  Nearest nearest(v->text());
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (iequals(v->text(), names[i])) return i;
    nearest.offer(names[i]);
    all += (all.empty() ? "" : ", ") + std::string(names[i]);
  }
  error(v->place(), quote(v->text()) + " is none of " + all, nearest.remedy("write one of them"));
  return std::nullopt;
}

}  // namespace sluice::model
