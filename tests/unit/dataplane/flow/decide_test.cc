// Facts about a flow on their way to the rules; owners are those of real sockets.
#include "dataplane/flow/decide.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <string>

#include "dataplane/flow/acceptor.h"
#include "dataplane/flow/admission.h"
#include "dataplane/flow/explain.h"
#include "dataplane/flow/limits.h"
#include "proto/common/log.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"
#include "tests/unit/dataplane/flow/rig.h"

namespace sluice::flow {
namespace {

using contract::InboundType;
using ruleset::Condition;

constexpr std::uint32_t kReject = 1;

/// Answers every question for a program with one path, or the one before it, or keeps silent.
class Programs final : public ProcessSource {
 public:
  void ask(ProcessQuery query, unsigned) noexcept override {
    ++asked;
    if (!path.empty()) engine->owners().answer({late ? query.id - 1 : query.id, path});
  }
  Engine* engine = nullptr;
  std::string path;
  bool late = false;
  int asked = 0;
};

/// No descriptor is left while it lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit none{0, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

/// Warnings of the component "owner", while it lives.
class OwnerWarnings {
 public:
  OwnerWarnings() { set_log_tap(&OwnerWarnings::keep, this, LogLevel::warning); }
  OwnerWarnings(const OwnerWarnings&) = delete;
  OwnerWarnings& operator=(const OwnerWarnings&) = delete;
  ~OwnerWarnings() { set_log_tap(nullptr, nullptr, LogLevel::silent); }
  std::vector<std::string> lines;

 private:
  static void keep(void* context, LogLevel, std::string_view component, std::string_view text,
                   std::int64_t) {
    if (component == "owner") static_cast<OwnerWarnings*>(context)->lines.emplace_back(text);
  }
};

class Decide : public EngineRig {
 protected:
  void SetUp() override {
    EngineRig::SetUp();
    programs.engine = engine.get();
    engine->owners().set_process_source(&programs);
    listener = std::move(*listen_tcp(*Endpoint::parse("127.0.0.1:0")));
    client = connected();
    request.source = local_endpoint(client.get());
    request.inbound = local_endpoint(listener.get());
    request.inbound_name = "DEFAULT-MIXED";
    request.destination.name = "page.test";
    request.destination.port = 443;
  }
  UniqueFd connected() const {
    sockaddr_storage raw{};
    const socklen_t size = local_endpoint(listener.get()).to_sockaddr(raw);
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&raw), size), 0);
    return fd;
  }
  /// The first line rejects what `condition` holds; the second lets the rest out.
  void reject(const Condition& condition) {
    use_rules([&](ruleset::Builder& rules, contract::Manifest& m) {
      rules.line(condition);
      rules.always();
      m.rules = {{"Any", "", kReject, 0}, {"Match", "", 0, 1}};
    });
  }
  /// The rule that decides `request`.
  std::int32_t rule_of(const Request& asked) {
    Result<Decision> out = fail(Errc::invalid);
    bool done = false;
    worker->loop().spawn(run(asked, out, done));
    turn_until([&] { return done; });
    EXPECT_TRUE(out);
    return out ? shown_rule(*out) : -2;
  }
  bool rejects(const Request& asked) { return rule_of(asked) == 0; }
  Task<void> run(Request asked, Result<Decision>& out, bool& done) {
    out = co_await decide(*engine, asked, worker->loop().now() + 2_s, nullptr);
    done = true;
  }
  Errc refusal_of(const Request& asked) {
    Result<Decision> out = fail(Errc::invalid);
    bool done = false;
    worker->loop().spawn(run(asked, out, done));
    turn_until([&] { return done; });
    return out ? Errc::none : out.error().code;
  }
  bool enters(Request& asked) {
    const PinnedSnapshot now = engine->pin();
    return admit(*now, now->find_listener(asked.inbound_name), asked);
  }
  std::vector<contract::ExplainStep> explained(const contract::ExplainQuery& query) {
    contract::Explanation out;
    bool done = false;
    worker->loop().spawn(run_explain(query, out, done));
    turn_until([&] { return done; });
    return out.steps;
  }
  Task<void> run_explain(contract::ExplainQuery query, contract::Explanation& out, bool& done) {
    out = co_await explain(*engine, query);
    done = true;
  }

  Programs programs;
  UniqueFd listener;
  UniqueFd client;
  Request request;
};

TEST_F(Decide, AUserIdIsThatOfTheClientsSocket) {
  reject(Condition::uid(::geteuid(), ::geteuid()));
  EXPECT_TRUE(rejects(request));
  EXPECT_EQ(programs.asked, 0) << "no program was asked for";
  reject(Condition::uid(4'000'000, 4'000'001));
  EXPECT_FALSE(rejects(request));
}

TEST_F(Decide, ACapturedClientsSocketTalksToItsDestination) {
  reject(Condition::uid(::geteuid(), ::geteuid()));
  request.inbound_type = InboundType::redir;
  request.destination = {};
  request.destination.ip = request.inbound.ip;
  request.destination.port = request.inbound.port;
  request.inbound.port = 1;
  EXPECT_TRUE(rejects(request));
  request.destination.port = 1;
  EXPECT_FALSE(rejects(request));
}

TEST_F(Decide, ADatagramClientIsFoundByItsRelay) {
  const auto socket = bind_udp(*Endpoint::parse("127.0.0.1:0"));
  reject(Condition::uid(::geteuid(), ::geteuid()));
  request.network = Network::udp;
  request.source = local_endpoint(socket->get());
  request.relay = *Endpoint::parse("127.0.0.1:9");
  EXPECT_TRUE(rejects(request));
}

TEST_F(Decide, AClientOfTheLanHasNoOwnerAndNobodyIsAsked) {
  reject(Condition::any({Condition::uid(0, 4'294'967'295U), Condition::process_name("curl")}));
  programs.path = "/usr/bin/curl";
  request.source = *Endpoint::parse("192.0.2.7:40000");
  EXPECT_FALSE(rejects(request));
  EXPECT_EQ(programs.asked, 0);
}

TEST_F(Decide, AnAddressOfThisMachineIsALocalSource) {
  auto own = std::make_shared<OwnEndpoints>();
  own->local = {*IpAddress::parse("192.0.2.7")};
  engine->set_own_endpoints(own);
  EXPECT_TRUE(engine->is_local(*IpAddress::parse("192.0.2.7")));
  EXPECT_FALSE(engine->is_local(*IpAddress::parse("192.0.2.8")));
  EXPECT_TRUE(engine->is_local(*IpAddress::parse("::1")));
}

TEST_F(Decide, TheProgramDecidesByNameAndByPath) {
  programs.path = "/usr/bin/curl";
  reject(Condition::process_name("curl"));
  EXPECT_TRUE(rejects(request));
  reject(Condition::process_path("/usr/bin/wget"));
  EXPECT_FALSE(rejects(request));
  EXPECT_EQ(programs.asked, 2);
}

TEST_F(Decide, AProgramThatNobodyNamesInTimeDoesNotMatch) {
  reject(Condition::process_name("curl"));
  const Moment before = worker->loop().refresh_now();
  EXPECT_FALSE(rejects(request));
  const Millis took = monotonic_now() - before;
  EXPECT_GE(took, kOwnerTimeout);
  EXPECT_LT(took, 1_s);
  EXPECT_EQ(programs.asked, 1);
}

TEST_F(Decide, ALateAnswerIsNotTakenForAnotherFlows) {
  reject(Condition::process_name("curl"));
  EXPECT_FALSE(rejects(request));
  programs.path = "/usr/bin/curl";
  programs.late = true;
  EXPECT_FALSE(rejects(request));
  programs.late = false;
  EXPECT_TRUE(rejects(request));
}

TEST_F(Decide, MissingDescriptorsAreSaidOnceAndOwnersAreToldWhenTheyAreBack) {
  reject(Condition::uid(::geteuid(), ::geteuid()));
  OwnerWarnings warnings;
  {
    const NoDescriptors none;
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(rejects(request));
  }
  ASSERT_EQ(warnings.lines.size(), 1U);
  EXPECT_EQ(warnings.lines[0].find("inet_diag"), std::string::npos) << "no module is missing";
  EXPECT_NE(warnings.lines[0].find("no free file descriptors"), std::string::npos);
  EXPECT_TRUE(rejects(request));
  EXPECT_EQ(warnings.lines.size(), 1U);
}

TEST_F(Decide, UserAndProgramAreAskedOneAfterTheOther) {
  programs.path = "/usr/bin/curl";
  const Condition ours = Condition::uid(::geteuid(), ::geteuid());
  reject(Condition::all({ours, Condition::process_name("curl")}));
  EXPECT_TRUE(rejects(request));
  use_rules([&](ruleset::Builder& rules, contract::Manifest& m) {
    rules.line(Condition::uid(4'000'000, 4'000'001));
    rules.line(Condition::process_name("curl"));
    rules.always();
    m.rules = {{"Uid", "", kReject, 0}, {"ProcessName", "", kReject, 1}, {"Match", "", 0, 2}};
  });
  EXPECT_EQ(rule_of(request), 1);
}

TEST_F(Decide, TheListenersPortNameAndUserReachTheRules) {
  const ruleset::PortRange port{7890, 7890};
  request.inbound_port = 7890;
  reject(Condition::in_ports(std::span(&port, 1)));
  EXPECT_TRUE(rejects(request));
  request.inbound_port = 0;
  EXPECT_FALSE(rejects(request));
  reject(Condition::inbound_name("DEFAULT-MIXED"));
  EXPECT_TRUE(rejects(request));
  reject(Condition::user("anna"));
  EXPECT_FALSE(rejects(request));
  request.user = "anna";
  EXPECT_TRUE(rejects(request));
}

TEST_F(Decide, ADscpThatIsNotKnownMatchesNoLine) {
  reject(Condition::dscp(0, 63));
  EXPECT_FALSE(rejects(request));
  request.dscp = 0;
  EXPECT_TRUE(rejects(request));
  reject(Condition::dscp(46, 46));
  request.dscp = 46;
  EXPECT_TRUE(rejects(request));
  request.dscp = 45;
  EXPECT_FALSE(rejects(request));
}

TEST_F(Decide, TheSourcesHardwareAddressComesFromTheNeighbours) {
  constexpr ruleset::MacAddress kMac{std::byte{2}, {}, {}, {}, {}, std::byte{9}};
  reject(Condition::source_mac(kMac));
  request.source = *Endpoint::parse("192.0.2.7:40000");
  EXPECT_FALSE(rejects(request)) << "no table yet";
  engine->set_neighbours(std::make_shared<const kernel::NeighbourTable>(
      std::vector{kernel::Neighbour{*IpAddress::parse("192.0.2.7"), 0x0200'0000'0009},
                  kernel::Neighbour{*IpAddress::parse("192.0.2.8"), 0x0200'0000'000a}}));
  EXPECT_TRUE(rejects(request));
  request.source = *Endpoint::parse("192.0.2.8:40000");
  EXPECT_FALSE(rejects(request));
  request.source = *Endpoint::parse("192.0.2.9:40000");
  EXPECT_FALSE(rejects(request));
}

bool says(const std::vector<contract::ExplainStep>& steps, const std::string& what,
          const std::string& part) {
  return std::ranges::any_of(steps, [&](const contract::ExplainStep& step) {
    return step.what == what && step.detail.find(part) != std::string::npos;
  });
}

/// 0 MATCH -> DIRECT; the list "guests": 0 MATCH -> REJECT, for the listener of that name.
void guests_have_rules(ruleset::Builder& rules, contract::Manifest& m) {
  rules.always();
  rules.begin_entry();
  rules.place(1, Condition::always());
  m.rules = {{"Match", "", 0, 0}, {"Match", "", kReject, 5, "guests"}};
  m.listeners = {route::test::listener("guests", "127.0.0.1", 7000)};
  m.listeners[0].rule_entry = 1;
  m.listeners[0].denied_sources = {*Prefix::parse("192.0.2.0/24")};
}

TEST_F(Decide, AListenersOwnRulesAreThoseOfTheSnapshotThatDecides) {
  const auto without_list = [](ruleset::Builder& rules, contract::Manifest& m) {
    guests_have_rules(rules, m);
    m.listeners[0].rule_entry.reset();
  };
  use_rules(without_list);
  request.inbound_name = "guests";
  ASSERT_TRUE(enters(request));
  EXPECT_EQ(rule_of(request), 0);
  use_rules(guests_have_rules);
  EXPECT_EQ(rule_of(request), 5) << "a list that came after the client";
  use_rules(without_list);
  EXPECT_EQ(rule_of(request), 0);
  request.inbound_name = "gone";
  EXPECT_EQ(refusal_of(request), Errc::not_found);
}

TEST_F(Decide, WithoutAListenerThereIsNoListOfOnesOwn) {
  use_rules(guests_have_rules);
  request.inbound_name = kCaptureListener;
  EXPECT_EQ(rule_of(request), 0);
  request.inbound_type = InboundType::inner;
  for (const char* name : {"dial", "guests"}) {
    request.inbound_name = name;
    EXPECT_EQ(rule_of(request), 0) << "dial.sock is none, whatever one is called";
  }
}

TEST_F(Decide, AListenersProxyNeedsNoList) {
  use_rules(guests_have_rules);
  request.inbound_name = "gone";
  request.outbound = "DIRECT";
  EXPECT_EQ(rule_of(request), -1) << "the name of the outbound is enough";
}

TEST_F(Decide, ExplainFollowsTheListenerThatIsNamed) {
  use_rules(guests_have_rules);
  contract::ExplainQuery query;
  query.destination.name = "page.test";
  query.destination.port = 443;
  EXPECT_TRUE(says(explained(query), "rule", "rule 0 (MATCH) matches: DIRECT"));
  query.listener = "guests";
  auto steps = explained(query);
  EXPECT_TRUE(says(steps, "listener", "the listener's rules begin with sub-rule guests, line 5"));
  EXPECT_TRUE(says(steps, "rule", "sub-rule guests, line 5 (MATCH) matches: REJECT"));
  query.source = *IpAddress::parse("192.0.2.7");
  EXPECT_TRUE(says(explained(query), "refused", "guests does not serve 192.0.2.7"));
  query.listener = "gone";
  EXPECT_TRUE(says(explained(query), "refused", "there is no listener gone"));
}

TEST_F(Decide, ExplainSaysWhoseTheConnectionIsAndWhoTheNeighbourIs) {
  reject(Condition::uid(::geteuid(), ::geteuid()));
  contract::ExplainQuery query;
  query.destination.ip = request.inbound.ip;
  query.destination.port = request.inbound.port;
  query.inbound_type = InboundType::redir;
  query.source = request.source.ip;
  query.source_port = request.source.port;
  auto steps = explained(query);
  EXPECT_TRUE(says(steps, "owner", "needs the user id"));
  EXPECT_TRUE(says(steps, "owner", "the user id is " + std::to_string(::geteuid())));
  query.source_port = 1;
  EXPECT_TRUE(says(explained(query), "owner", "no owner"));

  query.source = *IpAddress::parse("192.0.2.7");
  engine->set_neighbours(std::make_shared<const kernel::NeighbourTable>(
      std::vector{kernel::Neighbour{query.source, 0x0200'0000'0009}}));
  steps = explained(query);
  EXPECT_TRUE(says(steps, "source", "192.0.2.7 has the hardware address 02:00:00:00:00:09"));
  EXPECT_FALSE(says(steps, "owner", "")) << "a LAN client has none";
}

}  // namespace
}  // namespace sluice::flow
