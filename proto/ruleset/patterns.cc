#include "proto/ruleset/patterns.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <re2/filtered_re2.h>
#include <re2/re2.h>

#include <algorithm>

#include "proto/ruleset/bounds.h"

namespace sluice::ruleset {
namespace {

/// Shorter literals are in too many names to lead anywhere.
constexpr int kMinLiteral_bytes = 3;
/// For the pattern whose literals are looked for.
constexpr std::int64_t kLiterals_bytes = 256 << 10;

/// RE2 itself beside its program.
constexpr std::uint32_t kObject_bytes = 2'048;

RE2::Options linear_options(std::int64_t memory_bytes) {
  RE2::Options out(RE2::Latin1);  // texts are bytes
  out.set_case_sensitive(false);
  out.set_log_errors(false);
  out.set_never_capture(true);
  out.set_max_mem(memory_bytes);
  return out;
}

struct Linear {
  std::unique_ptr<RE2> pattern;  // null: none
  std::uint32_t bytes = 0;       // what it may come to
};

Linear compile_linear(std::string_view text) {
  for (const PatternSize& size : kPatternSizes) {
    auto out = std::make_unique<RE2>(re2::StringPiece(text.data(), text.size()),
                                     linear_options(size.memory_bytes));
    if (!out->ok() && out->error_code() != RE2::ErrorPatternTooLarge) return {};
    if (!out->ok() || out->ProgramSize() > size.instructions) continue;
    return {std::move(out), static_cast<std::uint32_t>(size.memory_bytes / 3) + kObject_bytes};
  }
  return {};
}

struct FreeCode {
  void operator()(pcre2_code* code) const noexcept { pcre2_code_free(code); }
};
struct FreeContext {
  void operator()(pcre2_match_context* context) const noexcept {
    pcre2_match_context_free(context);
  }
};
struct FreeData {
  void operator()(pcre2_match_data* data) const noexcept { pcre2_match_data_free(data); }
};
using Code = std::unique_ptr<pcre2_code, FreeCode>;

Code compile_backtracking(std::string_view pattern) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  constexpr std::uint32_t kOptions = PCRE2_CASELESS | PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UTF;
  return Code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), kOptions,
                            &error, &offset, nullptr));
}

std::uint32_t size_of(const pcre2_code* code) {
  std::size_t out = 0;
  if (pcre2_pattern_info(code, PCRE2_INFO_SIZE, &out) != 0) return 0;
  return static_cast<std::uint32_t>(out);
}

/// The limits and the working memory, one of each per thread, made when first needed.
bool search_backtracking(const pcre2_code* code, std::string_view text) noexcept {
  static thread_local const std::unique_ptr<pcre2_match_context, FreeContext> context = [] {
    std::unique_ptr<pcre2_match_context, FreeContext> out(pcre2_match_context_create(nullptr));
    if (out != nullptr) {
      pcre2_set_match_limit(out.get(), kMatchLimit);
      pcre2_set_depth_limit(out.get(), kDepthLimit);
      pcre2_set_heap_limit(out.get(), kHeapLimit_kib);
    }
    return out;
  }();
  static thread_local const std::unique_ptr<pcre2_match_data, FreeData> data(
      pcre2_match_data_create(1, nullptr));
  if (context == nullptr || data == nullptr) return false;
  // 0: matched, with more groups than there is room for.
  return pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, 0, data.get(),
                     context.get()) >= 0;
}

}  // namespace

class Patterns::Compiled {
 public:
  std::unique_ptr<RE2> re2;
  Code pcre2;
};

Patterns::Patterns() noexcept = default;
Patterns::Patterns(Patterns&&) noexcept = default;
Patterns& Patterns::operator=(Patterns&&) noexcept = default;
Patterns::~Patterns() = default;

std::expected<Patterns, std::uint32_t> Patterns::compile(const PatternTexts& texts) {
  Patterns out;
  out.compiled_.resize(texts.count());
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < texts.count(); ++i) {
    Compiled& one = out.compiled_[i];
    if (texts.engine(i) == Engine::linear) {
      Linear linear = compile_linear(texts.text(i));
      one.re2 = std::move(linear.pattern);
      bytes += linear.bytes;
    } else {
      one.pcre2 = compile_backtracking(texts.text(i));
      if (one.pcre2 != nullptr) bytes += size_of(one.pcre2.get());
    }
    if (one.re2 == nullptr && one.pcre2 == nullptr) return std::unexpected(i);
    if (bytes > kAllPatterns_bytes) return std::unexpected(i);
  }
  return out;
}

bool Patterns::search(std::uint32_t index, std::string_view text) const noexcept {
  const Compiled& one = compiled_[index];
  if (one.re2 == nullptr) return search_backtracking(one.pcre2.get(), text);
  const re2::StringPiece piece(text.data(), text.size());
  return one.re2->Match(piece, 0, piece.size(), RE2::UNANCHORED, nullptr, 0);
}

Result<PatternCost> cost_of_pattern(std::string_view pattern) {
  if (pattern.size() > kMaxPattern_bytes) return fail(Errc::too_large);
  const Linear linear = compile_linear(pattern);
  if (linear.pattern != nullptr) return PatternCost{Engine::linear, linear.bytes};
  const Code code = compile_backtracking(pattern);
  if (code != nullptr) return PatternCost{Engine::backtracking, size_of(code.get())};
  return fail(Errc::malformed);
}

Result<Engine> check_pattern(std::string_view pattern) {
  const Result<PatternCost> cost = cost_of_pattern(pattern);
  if (!cost) return fail(cost.error());
  return cost->engine;
}

/// A literal is necessary when all others together do not let the pattern through.
std::vector<std::string> necessary_literals(std::string_view pattern) {
  re2::FilteredRE2 filter(kMinLiteral_bytes);
  int id = 0;
  const re2::StringPiece piece(pattern.data(), pattern.size());
  if (filter.Add(piece, linear_options(kLiterals_bytes), &id) != RE2::NoError) return {};
  std::vector<std::string> literals;
  filter.Compile(&literals);
  std::vector<int> passing;
  filter.AllPotentials({}, &passing);
  if (!passing.empty()) return {};  // matches may hold none of them
  std::size_t best = literals.size();
  for (std::size_t i = 0; i < literals.size(); ++i) {
    std::vector<int> others;
    for (std::size_t k = 0; k < literals.size(); ++k)
      if (k != i) others.push_back(static_cast<int>(k));
    filter.AllPotentials(others, &passing);
    const bool longer = best == literals.size() || literals[i].size() > literals[best].size();
    if (passing.empty() && longer) best = i;
  }
  if (best < literals.size()) return {literals[best]};
  return literals;
}

}  // namespace sluice::ruleset
