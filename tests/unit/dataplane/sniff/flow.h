// A flow of datagrams in front of the sniffer.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/sniff/datagram.h"

namespace sluice::sniff::test {

class Flow {
 public:
  Flow() {
    auto made = InitialOpener::make();
    EXPECT_TRUE(made);
    opener_ = std::make_unique<InitialOpener>(std::move(*made));
  }
  /// A copy of the exact size, so that the sanitizer sees a read past its end.
  Answer feed(std::string_view datagram) {
    const std::vector<char> exact(datagram.begin(), datagram.end());
    return sniffer_.feed(*opener_, as_byte_view({exact.data(), exact.size()}));
  }
  InitialOpener& opener() { return *opener_; }

 private:
  std::unique_ptr<InitialOpener> opener_;
  DatagramSniffer sniffer_;
};

/// All but the last of `datagrams` ask for more; the last one is answered.
inline void expect_found_last(const std::vector<std::string>& datagrams, Protocol protocol,
                              std::string_view host) {
  Flow flow;
  for (std::size_t i = 0; i < datagrams.size(); ++i) {
    const Answer answer = flow.feed(datagrams[i]);
    if (i + 1 < datagrams.size()) {
      ASSERT_EQ(answer.verdict, Verdict::needs_more) << i;
      continue;
    }
    ASSERT_EQ(answer.verdict, Verdict::found);
    EXPECT_EQ(answer.protocol, protocol);
    EXPECT_EQ(answer.host.text(), host);
  }
}

}  // namespace sluice::sniff::test
