// What every decoder of a stream must do with every prefix of what it understands.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dataplane/sniff/limits.h"
#include "dataplane/sniff/stream.h"

namespace sluice::sniff::test {

/// A copy of the exact size, so that the sanitizer sees a read past its end.
inline Answer sniffed(std::string_view wire) {
  const std::vector<char> exact(wire.begin(), wire.end());
  return sniff_stream(as_byte_view({exact.data(), exact.size()}));
}

inline bool same(const Answer& a, const Answer& b) {
  return a.verdict == b.verdict && a.protocol == b.protocol && a.host.text() == b.host.text();
}

/// Every prefix asks for more until the answer comes, which then stays; `wants` never asks for more
/// than it takes, and `enough` is enough.
inline void expect_found(std::string_view wire, Protocol protocol, std::string_view host) {
  const Answer whole = sniffed(wire);
  ASSERT_EQ(whole.verdict, Verdict::found);
  EXPECT_EQ(whole.protocol, protocol);
  EXPECT_EQ(whole.host.text(), host);
  bool done = false;
  std::size_t wants = 0;
  std::size_t enough = kMaxStream;
  for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
    const Answer answer = sniffed(wire.substr(0, cut));
    if (answer.verdict == Verdict::needs_more) {
      ASSERT_FALSE(done) << cut;
      ASSERT_LT(cut, answer.wants) << cut;
      ASSERT_LE(answer.wants, answer.enough) << cut;
      ASSERT_LT(cut, enough) << cut;
      enough = std::min(enough, answer.enough);
      wants = answer.wants;
    } else {
      ASSERT_TRUE(same(answer, whole)) << cut;
      if (!done) {
        EXPECT_LE(wants, cut) << "asked for more than it took";
      }
      done = true;
    }
  }
}

inline void expect_nothing(std::string_view wire) {
  EXPECT_EQ(sniffed(wire).verdict, Verdict::nothing);
}

}  // namespace sluice::sniff::test
