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

RE2::Options linear_options() {
  RE2::Options out(RE2::Latin1);  // texts are bytes
  out.set_case_sensitive(false);
  out.set_log_errors(false);
  out.set_never_capture(true);
  out.set_max_mem(kPatternMemory_bytes);
  return out;
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
  static std::unique_ptr<RE2> linear(std::string_view text) {
    auto out = std::make_unique<RE2>(re2::StringPiece(text.data(), text.size()), linear_options());
    return out->ok() ? std::move(out) : nullptr;
  }
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
  for (std::uint32_t i = 0; i < texts.count(); ++i) {
    Compiled& one = out.compiled_[i];
    if (texts.engine(i) == Engine::linear)
      one.re2 = Compiled::linear(texts.text(i));
    else
      one.pcre2 = compile_backtracking(texts.text(i));
    if (one.re2 == nullptr && one.pcre2 == nullptr) return std::unexpected(i);
  }
  return out;
}

bool Patterns::search(std::uint32_t index, std::string_view text) const noexcept {
  const Compiled& one = compiled_[index];
  if (one.re2 == nullptr) return search_backtracking(one.pcre2.get(), text);
  const re2::StringPiece piece(text.data(), text.size());
  return one.re2->Match(piece, 0, piece.size(), RE2::UNANCHORED, nullptr, 0);
}

Result<Engine> check_pattern(std::string_view pattern) {
  if (pattern.size() > kMaxPattern_bytes) return fail(Errc::too_large);
  const RE2 linear(re2::StringPiece(pattern.data(), pattern.size()), linear_options());
  if (linear.ok()) return Engine::linear;
  if (compile_backtracking(pattern) != nullptr) return Engine::backtracking;
  return fail(Errc::malformed);
}

/// A literal is necessary when all others together do not let the pattern through.
std::vector<std::string> necessary_literals(std::string_view pattern) {
  re2::FilteredRE2 filter(kMinLiteral_bytes);
  int id = 0;
  const re2::StringPiece piece(pattern.data(), pattern.size());
  if (filter.Add(piece, linear_options(), &id) != RE2::NoError) return {};
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
