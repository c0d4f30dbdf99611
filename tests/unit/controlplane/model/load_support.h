// Shared by this folder's tests: a YAML text in, a Config or the diagnostics as text out.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "controlplane/model/load.h"

namespace sluice::model {

/// All diagnostics, one per line, each with W or E before it.
inline std::string said(const LoadResult& result) {
  std::string out;
  for (const Diagnostic& d : result.diagnostics)
    out += std::string(d.severity == Severity::error ? "E " : "W ") + d.to_text() + "\n";
  return out;
}

/// What is said about a text.
inline std::string said(std::string_view text) {
  return said(load_config(text, "f.yaml"));
}

/// The Config of a text that must load without a word.
inline Config clean(std::string_view text) {
  LoadResult result = load_config(text, "f.yaml");
  EXPECT_EQ(said(result), "");
  return result.config ? std::move(*result.config) : Config();
}

/// The Config of a text that must load, whatever is warned about.
inline Config loaded(std::string_view text) {
  LoadResult result = load_config(text, "f.yaml");
  EXPECT_TRUE(result.config) << said(result);
  return result.config ? std::move(*result.config) : Config();
}

/// A file below tests/golden.
inline std::string golden(const std::string& name) {
  std::ifstream file(std::string(SLUICE_GOLDEN) + "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace sluice::model
