#include "controlplane/config/tree_builder.h"

#include <algorithm>

namespace sluice::config {

using model::Member;
using model::Node;
using model::Position;

bool TreeBuilder::scalar(std::string_view text, bool quoted, Position at, std::string_view anchor) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.quoted = quoted;
  node.line = at.line;
  node.column = at.column;
  node.text = document_.keep(text);
  return place({document_.add(node), 1, 0}, 1, at, anchor);
}

bool TreeBuilder::alias(std::string_view name, Position at) {
  const auto it = anchors_.find(std::string(name));
  if (it != anchors_.end() && it->second.node != nullptr)
    return place(it->second, it->second.weight, at, {});
  const bool open = it != anchors_.end();
  error(at,
        open ? "alias *" + std::string(name) + " stands inside its own anchor"
             : "unknown anchor *" + std::string(name),
        open ? "an anchor cannot contain itself"
             : "write &" + std::string(name) + " above this line, or correct the name");
  return scalar({}, false, at, {});  // go on, so that further errors are found
}

bool TreeBuilder::begin(Node::Kind kind, Position at, std::string_view anchor) {
  if (stack_.size() >= bounds_.depth) {
    error(at, "nested deeper than " + std::to_string(bounds_.depth) + " levels",
          "flatten the file");
    return false;
  }
  if (!anchor.empty()) anchors_[std::string(anchor)] = {nullptr, 0, 0};
  Open& open = stack_.emplace_back();
  open.node.kind = kind;
  open.node.line = at.line;
  open.node.column = at.column;
  open.anchor = anchor;
  return true;
}

bool TreeBuilder::end() {
  Open open = std::move(stack_.back());
  stack_.pop_back();
  if (open.node.is_mapping()) {
    apply_merge(open);
    open.node.members = document_.keep(std::move(open.members));
  } else {
    open.node.items = document_.keep(std::move(open.items));
  }
  return place({document_.add(open.node), open.weight, open.height + 1}, 1, open.node.position(),
               open.anchor);
}

/// Puts a finished node where it belongs: root, item, key or value. `cost` is what it adds to the
/// count: 1, for an alias all that it stands for.
bool TreeBuilder::place(const Built& built, std::uint64_t cost, Position at,
                        std::string_view anchor) {
  if (!anchor.empty()) anchors_[std::string(anchor)] = built;
  nodes_ += cost;
  if (nodes_ > bounds_.nodes) {
    error(at, "more than " + std::to_string(bounds_.nodes) + " values, aliases counted in full",
          "use fewer aliases of large parts");
    return false;
  }
  if (stack_.size() + built.height > bounds_.depth) {
    error(at, "nested deeper than " + std::to_string(bounds_.depth) + " levels, aliases included",
          "flatten the file");
    return false;
  }
  if (stack_.empty()) {
    document_.set_root(built.node);
    return true;
  }
  Open& open = stack_.back();
  open.weight += built.weight;
  open.height = std::max(open.height, built.height);
  if (open.node.is_sequence()) {
    open.items.push_back(built.node);
  } else if (!open.key) {
    take_key(open, *built.node, at);
  } else {
    const OpenKey key = *open.key;
    if (key.merge && !key.duplicate) take_merge(open, *built.node, at);
    if (!key.merge && !key.duplicate)
      open.members.push_back({key.text, key.at.line, key.at.column, built.node});
    open.key.reset();
  }
  return true;
}

void TreeBuilder::take_key(Open& open, const Node& node, Position at) {
  OpenKey key{node.text, at, node.is_scalar() && !node.quoted && node.text == "<<", false};
  if (!node.is_scalar()) {
    error(at, "a key must be plain text, this one is a list or a map",
          "write a name before the colon");
    key.duplicate = true;
  } else if (const auto [it, fresh] = open.keys.try_emplace(node.text, at); !fresh) {
    error(at,
          "key \"" + std::string(node.text) + "\" is written twice in one map, first on line " +
              std::to_string(it->second.line),
          key.merge ? "merge several anchors with one list: <<: [*a, *b]" : "keep one of them");
    key.duplicate = true;
  }
  open.key = key;
}

void TreeBuilder::take_merge(Open& open, const Node& value, Position at) {
  const bool list = value.is_sequence() &&
                    std::ranges::all_of(value.items, [](const Node* n) { return n->is_mapping(); });
  if (!value.is_mapping() && !list) {
    // An unknown anchor was reported already and left a null behind.
    if (!value.is_null())
      error(at, "`<<` needs a map or a list of maps", "merge an anchored map: <<: *name");
    return;
  }
  if (value.is_mapping()) {
    open.merged.push_back(&value);
  } else {
    open.merged.assign(value.items.begin(), value.items.end());
  }
  open.merge_place = open.members.size();
}

/// Members of merged maps come in where `<<` stands, unless a key of the same name is written in
/// the map itself or in an earlier source. Sources are finished, so their own merges are already
/// in.
void TreeBuilder::apply_merge(Open& open) {
  std::vector<Member> fresh;
  for (const Node* source : open.merged)
    for (const Member& member : source->members)
      if (open.keys.try_emplace(member.key, member.position()).second) fresh.push_back(member);
  const auto place = open.members.begin() + static_cast<std::ptrdiff_t>(open.merge_place);
  open.members.insert(place, fresh.begin(), fresh.end());
}

void TreeBuilder::error(Position at, std::string problem, std::string remedy) {
  diagnostics_.push_back({model::Severity::error, file_name_, at.line, at.column, path(),
                          std::move(problem), std::move(remedy)});
}

std::string TreeBuilder::path() const {
  std::string out;
  for (const Open& open : stack_) {
    if (open.node.is_sequence()) {
      out += "[" + std::to_string(open.items.size()) + "]";
    } else if (open.key) {
      if (!out.empty()) out += '.';
      out += open.key->text;
    }
  }
  return out;
}

}  // namespace sluice::config
