// Tables against the C library's own idea of a zone.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

#include "controlplane/zoneinfo/span.h"
#include "proto/ruleset/zone.h"

namespace sluice::zoneinfo {

/// A variable of the environment for as long as this lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) const {
    value != nullptr ? ::setenv(name_, value, 1) : ::unsetenv(name_);
    ::tzset();
  }
  const char* name_;
  std::optional<std::string> before_;
};

inline std::int32_t table_offset(const ruleset::Zone& zone, std::int64_t at) {
  std::int32_t out = zone.first_offset_s;
  for (const auto& transition : zone.transitions)
    if (transition.at <= at) out = transition.offset_s;
  return out;
}

/// The first moment where table and C library differ under TZ=`tz`: some 4000 of ten years (each
/// 25 hours), and both sides of every transition.
inline std::optional<std::int64_t> first_difference(const ruleset::Zone& zone,
                                                    const std::string& tz, Span span) {
  const Variable variable("TZ", tz.c_str());
  const auto differs = [&](std::int64_t at) {
    const std::time_t moment = at;
    std::tm local{};
    ::localtime_r(&moment, &local);
    return local.tm_gmtoff != table_offset(zone, at);
  };
  for (const auto& transition : zone.transitions)
    for (const std::int64_t at : {transition.at - 1, transition.at})
      if (differs(at)) return at;
  for (std::int64_t at = span.from; at < span.to; at += 25 * std::int64_t{3600})
    if (differs(at)) return at;
  return std::nullopt;
}

}  // namespace sluice::zoneinfo
