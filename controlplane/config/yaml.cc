#include "controlplane/config/yaml.h"

#include <libfyaml.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "controlplane/config/encoding.h"
#include "controlplane/config/tree_builder.h"

namespace sluice::config {
namespace {

using model::Node;
using model::Position;

struct Free {
  void operator()(fy_parser* p) const noexcept { fy_parser_destroy(p); }
  void operator()(fy_diag* d) const noexcept { fy_diag_destroy(d); }
};

/// libfyaml's parser over a borrowed text, with its messages collected instead of printed.
class EventParser {
 public:
  explicit EventParser(std::string_view text) {
    fy_diag_cfg diag_config;
    fy_diag_cfg_default(&diag_config);
    diag_config.fp = nullptr;
    diag_config.colorize = false;
    diag_.reset(fy_diag_create(&diag_config));
    if (!diag_) return;
    fy_diag_set_collect_errors(diag_.get(), true);
    fy_parse_cfg config{};
    // Sloppy indentation: flow maps whose next lines start at column 1 are common in the field.
    config.flags = static_cast<fy_parse_cfg_flags>(FYPCF_QUIET | FYPCF_COLLECT_DIAG |
                                                   FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE |
                                                   FYPCF_SLOPPY_FLOW_INDENTATION);
    config.diag = diag_.get();
    parser_.reset(fy_parser_create(&config));
    if (parser_ && fy_parser_set_string(parser_.get(), text.data(), text.size()) != 0)
      parser_.reset();
  }

  [[nodiscard]] bool ready() const noexcept { return parser_ != nullptr; }
  /// nullptr at the end and after a syntax error. Give it back with release().
  fy_event* next() noexcept { return fy_parser_parse(parser_.get()); }
  void release(fy_event* event) noexcept { fy_parser_event_free(parser_.get(), event); }
  [[nodiscard]] bool failed() noexcept { return fy_parser_get_stream_error(parser_.get()); }
  /// The first collected error, or nullptr.
  [[nodiscard]] const fy_diag_error* first_error() noexcept {
    void* cursor = nullptr;
    return fy_diag_errors_iterate(diag_.get(), &cursor);
  }

 private:
  std::unique_ptr<fy_diag, Free> diag_;  // outlives the parser
  std::unique_ptr<fy_parser, Free> parser_;
};

std::string_view text_of(fy_token* token) noexcept {
  std::size_t length = 0;
  const char* text = token != nullptr ? fy_token_get_text(token, &length) : nullptr;
  return text != nullptr ? std::string_view(text, length) : std::string_view();
}

/// Marks count from 0; an empty value has none and takes the place after what came before it.
Position position_of(fy_event* event, Position last) noexcept {
  const fy_mark* mark = fy_event_start_mark(event);
  if (mark == nullptr) return last;
  return {static_cast<std::uint32_t>(mark->line + 1), static_cast<std::uint32_t>(mark->column + 1)};
}

/// Hands parse events on to a TreeBuilder.
class Reading {
 public:
  explicit Reading(TreeBuilder& builder) noexcept : builder_(builder) {}

  /// False when reading must stop; what is wrong is in the builder then.
  bool take(fy_event* event) {
    at_ = position_of(event, at_);
    switch (event->type) {
      case FYET_DOCUMENT_START:
        return begin_document();
      case FYET_SCALAR:
        return take_scalar(event->scalar);
      case FYET_ALIAS:
        // The mark is that of the name; the place a person looks for is the `*` before it.
        return builder_.alias(text_of(event->alias.anchor), {at_.line, at_.column - 1});
      case FYET_SEQUENCE_START:
        return builder_.begin(Node::Kind::sequence, at_, text_of(event->sequence_start.anchor));
      case FYET_MAPPING_START:
        return builder_.begin(Node::Kind::mapping, at_, text_of(event->mapping_start.anchor));
      case FYET_SEQUENCE_END:
      case FYET_MAPPING_END:
        return builder_.end();
      case FYET_NONE:
      case FYET_STREAM_START:
      case FYET_STREAM_END:
      case FYET_DOCUMENT_END:
        break;
    }
    return true;
  }
  [[nodiscard]] Position at() const noexcept { return at_; }

 private:
  bool begin_document() {
    if (++documents_ == 1) return true;
    builder_.error(at_, "a second document starts here",
                   "keep one document per file: remove `---`");
    return false;
  }
  bool take_scalar(const fy_event_scalar_data& scalar) {
    const std::string_view tag = text_of(scalar.tag);
    const fy_scalar_style style = fy_token_scalar_style(scalar.value);
    // The mark is that of the first character; show the quote before it.
    if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) --at_.column;
    const bool quoted =
        style != FYSS_PLAIN || tag == "tag:yaml.org,2002:str" || tag == "!!str" || tag == "!";
    return builder_.scalar(text_of(scalar.value), quoted, at_, text_of(scalar.anchor));
  }

  TreeBuilder& builder_;
  Position at_{1, 1};
  int documents_ = 0;
};

std::string_view line_at(std::string_view text, std::uint32_t number) noexcept {
  for (std::uint32_t line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

/// The tab among the blanks that a line begins with; nothing in a line of blanks or a comment.
std::optional<Position> tab_indent(std::string_view text, std::uint32_t number) noexcept {
  const std::string_view line = line_at(text, number);
  const std::size_t content = line.find_first_not_of(" \t\r");
  const std::size_t tab = line.find('\t');
  if (content == std::string_view::npos || line[content] == '#' || tab >= content)
    return std::nullopt;
  return Position{number, static_cast<std::uint32_t>(tab + 1)};
}

/// Why the parser stopped. It may stop at a tab, or at the end of the line before it, and tabs look
/// like blanks: so they are named as what they are.
void report_syntax(TreeBuilder& builder, EventParser& parser, std::string_view text,
                   Position last) {
  const fy_diag_error* error = parser.first_error();
  if (error == nullptr) {
    builder.error(last, "this is not YAML", "look at this line and the one above it");
    return;
  }
  const auto line = static_cast<std::uint32_t>(error->line);
  for (const std::uint32_t near : {line, line + 1}) {
    const auto tab = tab_indent(text, near);
    if (!tab) continue;
    builder.error(*tab, "this line is indented with a tab, which YAML does not allow",
                  "indent with spaces: replace every tab at the start of a line");
    return;
  }
  builder.error(
      {static_cast<std::uint32_t>(error->line), static_cast<std::uint32_t>(error->column)},
      error->msg != nullptr ? error->msg : "this is not YAML",
      "look at this line and the one above it");
}

void parse(std::string_view text, TreeBuilder& builder) {
  EventParser parser(text);
  if (!parser.ready()) {
    builder.error({}, "the YAML reader could not start", "free some memory and try again");
    return;
  }
  Reading reading(builder);
  while (fy_event* event = parser.next()) {
    const bool go_on = reading.take(event);
    parser.release(event);
    if (!go_on) return;
  }
  if (parser.failed()) report_syntax(builder, parser, text, reading.at());
}

}  // namespace

YamlResult read_yaml(std::string_view text, std::string_view file_name, const Bounds& bounds) {
  TreeBuilder builder(file_name, bounds);
  if (text.size() > bounds.bytes) {
    builder.error({}, "larger than " + std::to_string(bounds.bytes >> 20) + " MiB",
                  "move node and rule lists into providers");
  } else if (const auto fault = check_encoding(text)) {
    builder.error(fault->at, fault->problem, fault->remedy);
  } else if (!text.empty()) {
    parse(text, builder);
  }
  YamlResult result;
  result.diagnostics = builder.take_diagnostics();
  if (result.diagnostics.empty()) result.document = builder.take_document();
  return result;
}

}  // namespace sluice::config
