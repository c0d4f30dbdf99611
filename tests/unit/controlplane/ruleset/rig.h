// What the tests of this room share: a sink that writes entries down, sources, and files.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "controlplane/ruleset/set_reader.h"
#include "controlplane/ruleset/shelf.h"
#include "controlplane/ruleset/source.h"
#include "tests/support/scratch.h"

namespace sluice::sets {

using ruleformats::Behavior;
using ruleformats::Format;
using Strings = std::vector<std::string>;

/// One short line for each entry.
class Taken final : public compile::SetEntries {
 public:
  void name(const ruleformats::NameEntry& entry) override {
    static constexpr const char* kKinds[] = {"exact", "suffix",  "below",
                                             "glob",  "keyword", "regex"};
    entries.push_back((ruleformats::is_exception(entry.weight) ? "not " : "") +
                      std::string(kKinds[static_cast<int>(entry.kind)]) + " " +
                      std::string(entry.text));
  }
  void prefix(const Prefix& prefix) override { entries.push_back(prefix.to_string()); }
  void condition(const model::Condition& condition) override {
    entries.push_back(condition.op == model::Condition::Op::atom
                          ? std::string(model::api_name(condition.atom.kind, condition.atom.source))
                          : "of " + std::to_string(condition.operands.size()));
  }
  [[nodiscard]] Strings sorted() const {
    Strings out = entries;
    std::ranges::sort(out);
    return out;
  }

  Strings entries;
};

inline std::string golden(const std::string& name) {
  std::ifstream in(std::string(SLUICE_GOLDEN_DIR) + "/ruleformats/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline Source list(SourceKind kind, std::string path, Format format = Format::text,
                   Behavior behavior = Behavior::domain) {
  Source out;
  out.kind = kind;
  out.name = "ads";
  out.path = std::move(path);
  out.format = format;
  out.behavior = behavior;
  return out;
}

/// Later than every file of a test by far: nothing is too young.
inline std::int64_t much_later() {
  return wall_ms() + 3'600'000;
}

inline Shelf shelf_at(const test::Scratch& scratch) {
  return Shelf(scratch.path("cache"), much_later);
}

inline Strings entries_of(Shelf& shelf, const Source& source,
                          const compile::SetRef& set = {compile::SetKind::provider, "ads"}) {
  SetReader reader(shelf, {source});
  Taken taken;
  (void)reader.read(set, taken);
  return taken.entries;
}

/// Other bytes in the same file, which looks untouched.
inline void swap_content(const std::string& path, const std::string& text) {
  struct stat before{};
  ASSERT_EQ(::stat(path.c_str(), &before), 0);
  ASSERT_EQ(static_cast<std::size_t>(before.st_size), text.size());
  {
    std::fstream out(path, std::ios::in | std::ios::out | std::ios::binary);
    out << text;
  }
  const timespec times[] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

}  // namespace sluice::sets
