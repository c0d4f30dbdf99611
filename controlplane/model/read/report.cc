#include "controlplane/model/read/report.h"

#include <algorithm>
#include <utility>

#include "proto/common/sort_stably.h"

namespace sluice::model {

std::string join_path(std::string_view path, std::string_view key) {
  std::string out(path);
  if (key.find_first_of(". []\"") != std::string_view::npos)
    return out.append("[\"").append(key).append("\"]");
  if (!out.empty()) out += '.';
  return out.append(key);
}

std::string join_path(std::string_view path, std::size_t index) {
  return std::string(path) + "[" + std::to_string(index) + "]";
}

namespace {

void sort_by_place(std::vector<Diagnostic>& diagnostics) {
  sort_stably(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
}

}  // namespace

bool Report::add(Severity severity, const Place& place, std::string problem, std::string remedy) {
  std::size_t& count = severity == Severity::error ? errors_ : warnings_;
  if (++count > kKept) return false;
  diagnostics_.push_back({severity, file_, place.at.line, place.at.column, place.path,
                          std::move(problem), std::move(remedy)});
  return true;
}

void Report::error(const Place& place, std::string problem, std::string remedy) {
  add(Severity::error, place, std::move(problem), std::move(remedy));
}

void Report::warning(const Place& place, std::string problem, std::string remedy) {
  add(Severity::warning, place, std::move(problem), std::move(remedy));
}

void Report::add_once(Severity severity, const std::string& topic, const Place& place,
                      std::string problem, std::string remedy) {
  if (const auto it = topics_.find(topic); it != topics_.end()) {
    ++it->second.more;
  } else if (add(severity, place, std::move(problem), std::move(remedy))) {
    topics_.emplace(topic, Topic{diagnostics_.size() - 1});
  }
}

void Report::warning_once(const std::string& topic, const Place& place, std::string problem,
                          std::string remedy) {
  add_once(Severity::warning, topic, place, std::move(problem), std::move(remedy));
}

void Report::error_once(const std::string& topic, const Place& place, std::string problem,
                        std::string remedy) {
  add_once(Severity::error, topic, place, std::move(problem), std::move(remedy));
}

std::vector<Diagnostic> Report::finish() {
  for (const auto& [topic, t] : topics_)
    if (t.more > 0)
      diagnostics_[t.index].problem +=
          " (and in " + std::to_string(t.more) + (t.more == 1 ? " more place)" : " more places)");
  sort_by_place(diagnostics_);
  const auto say_rest = [this](Severity severity, std::size_t count, const char* what) {
    if (count <= kKept) return;
    diagnostics_.push_back({severity, file_, 0, 0, "",
                            std::to_string(count - kKept) + " more " + what + " are not shown",
                            "correct the ones above first"});
  };
  say_rest(Severity::error, errors_, "errors");
  say_rest(Severity::warning, warnings_, "warnings");
  topics_.clear();
  errors_ = warnings_ = 0;
  return std::exchange(diagnostics_, {});
}

}  // namespace sluice::model
