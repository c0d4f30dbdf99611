// read/report.h - collects what is wrong or not built while a tree is read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "controlplane/model/diagnostic.h"

namespace sluice::model {

/// "a" + "b" -> "a.b"; keys with dots or blanks are quoted: hosts["+.lan"].
[[nodiscard]] std::string join_path(std::string_view path, std::string_view key);
[[nodiscard]] std::string join_path(std::string_view path, std::size_t index);

class Report {
 public:
  /// More than this many of one severity are counted, not kept: a hostile file stays cheap.
  static constexpr std::size_t kKept = 1000;

  explicit Report(std::string_view file) : file_(file) {}

  void error(const Place& place, std::string problem, std::string remedy);
  void warning(const Place& place, std::string problem, std::string remedy);
  /// A warning that is given at the first place only; further ones of the same `topic` are counted
  /// and said in its text.
  void warning_once(const std::string& topic, const Place& place, std::string problem,
                    std::string remedy);
  /// The same for an error. A topic has one severity.
  void error_once(const std::string& topic, const Place& place, std::string problem,
                  std::string remedy);

  [[nodiscard]] bool has_errors() const noexcept { return errors_ > 0; }
  /// In file order. The report is empty afterwards.
  [[nodiscard]] std::vector<Diagnostic> finish();

 private:
  struct Topic {
    std::size_t index;  // in diagnostics_
    std::size_t more = 0;
  };
  bool add(Severity severity, const Place& place, std::string problem, std::string remedy);
  void add_once(Severity severity, const std::string& topic, const Place& place,
                std::string problem, std::string remedy);

  std::string file_;
  std::vector<Diagnostic> diagnostics_;
  std::unordered_map<std::string, Topic> topics_;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
};

}  // namespace sluice::model
