// config/tree_builder.h - parse events to a Document: anchors, aliases, merge keys, bounds.
//
//   events:  mapping("proxies") sequence mapping scalar scalar alias end end end
//   stack:   [ mapping, key "proxies" ] [ sequence, 2 items ] [ mapping, key "<<" ]  <- open nodes
//
// Every finished node carries its weight (nodes below it, aliases counted in full) and height, so
// that an alias is refused before it is followed. Knows nothing of libfyaml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "controlplane/config/bounds.h"
#include "controlplane/model/diagnostic.h"
#include "controlplane/model/tree.h"

namespace sluice::config {

class TreeBuilder {
 public:
  TreeBuilder(std::string_view file_name, const Bounds& bounds)
      : file_name_(file_name), bounds_(bounds) {}

  // Each returns false when building must stop (a bound is reached). `anchor` is empty for none.
  bool scalar(std::string_view text, bool quoted, model::Position at, std::string_view anchor);
  bool alias(std::string_view name, model::Position at);
  bool begin(model::Node::Kind kind, model::Position at, std::string_view anchor);
  bool end();

  /// Records an error at the place that is being built.
  void error(model::Position at, std::string problem, std::string remedy);
  [[nodiscard]] model::Document take_document() noexcept { return std::move(document_); }
  [[nodiscard]] std::vector<model::Diagnostic> take_diagnostics() noexcept {
    return std::move(diagnostics_);
  }

 private:
  /// A finished node with its cost.
  struct Built {
    const model::Node* node = nullptr;  // null: the anchor's node is still open
    std::uint64_t weight = 1;
    std::uint32_t height = 0;
  };
  struct OpenKey {
    std::string_view text;
    model::Position at;
    bool merge = false;      // a plain `<<`
    bool duplicate = false;  // already reported; its value is dropped
  };
  struct Open {
    model::Node node;
    std::string anchor;
    std::vector<const model::Node*> items;
    std::vector<model::Member> members;
    std::unordered_map<std::string_view, model::Position> keys;
    std::optional<OpenKey> key;
    // Sources of `<<`, in order of precedence, and where among the members they were written.
    std::vector<const model::Node*> merged;
    std::size_t merge_place = 0;
    std::uint64_t weight = 1;
    std::uint32_t height = 0;
  };

  bool place(const Built& built, std::uint64_t cost, model::Position at, std::string_view anchor);
  void take_key(Open& open, const model::Node& node, model::Position at);
  void take_merge(Open& open, const model::Node& value, model::Position at);
  static void apply_merge(Open& open);
  [[nodiscard]] std::string path() const;

  std::string file_name_;
  Bounds bounds_;
  model::Document document_;
  std::vector<model::Diagnostic> diagnostics_;
  std::vector<Open> stack_;
  std::unordered_map<std::string, Built> anchors_;
  std::uint64_t nodes_ = 0;  // expanded so far
};

}  // namespace sluice::config
