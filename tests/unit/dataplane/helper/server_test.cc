// The helper's commands against the real kernel, each test in a network namespace of its own.
#include "dataplane/helper/server.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "dataplane/helper/probe.h"
#include "proto/runtime/process/descriptors.h"
#include "sample_table.h"

namespace sluice::nft {
namespace {

using test::sample_table;

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    out.push_back(static_cast<char>(c));
  ::pclose(pipe);
  return out;
}

class NftServer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root: makes network namespaces and nft tables";
    ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
    open_server();
  }
  void open_server() {
    Result<NftSocket> socket = NftSocket::open();
    ASSERT_TRUE(socket);
    server = std::make_unique<Server>(std::move(*socket));
  }
  Verdict run(Command command, CaptureTable table = {}) {
    Request request;
    request.command = command;
    request.id = ++id;
    request.table = std::move(table);
    return server->run(request);
  }
  Verdict elements(Command command, std::initializer_list<const char*> prefixes,
                   SetId set = SetId::prefixes) {
    Request request;
    request.elements.set = set;
    request.command = command;
    for (const char* prefix : prefixes)
      request.elements.prefixes.push_back(Prefix::parse(prefix).value());
    return server->run(request);
  }
  Verdict redirect_dns(bool on) {
    Request request;
    request.command = Command::dns_redirect;
    request.dns_redirect = on;
    return server->run(request);
  }
  static std::string table() { return output_of("nft -n list table inet sluice"); }
  static bool lists(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  }
  std::unique_ptr<Server> server;
  std::uint32_t id = 0;
};

TEST(NftServerWithoutNetfilter, AnswersEveryCommandWithWhatIsMissing) {
  Result<SocketPair> pair = make_socket_pair(SOCK_SEQPACKET);
  ASSERT_TRUE(pair);
  std::thread helper([peer = pair->theirs.get()] { EXPECT_TRUE(serve_without_netfilter(peer)); });
  for (const Command command : {Command::probe, Command::cleanup}) {
    std::array<std::byte, kMaxFrameBytes> room;
    Writer out{room};
    Request request;
    request.command = command;
    request.id = 7;
    encode_request(request, out);
    ASSERT_TRUE(send_message(pair->ours.get(), out.written()));
    const Result<ReceivedMessage> message = receive_message(pair->ours.get(), room);
    ASSERT_TRUE(message);
    const Result<Verdict> verdict = decode_verdict(ByteView(room).first(message->size));
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->id, 7U);
    EXPECT_NE(verdict->error, 0);
    EXPECT_EQ(verdict->text, "this kernel lacks nf_tables");
  }
  pair->ours.reset();
  helper.join();
}

TEST_F(NftServer, AppliesTheWholeTable) {
  const Verdict verdict = run(Command::apply, sample_table());
  ASSERT_EQ(verdict.error, 0) << verdict.text;
  const std::string text = table();
  for (const char* part : {
           "flags owner",
           "type filter hook prerouting priority -151",
           "type nat hook prerouting priority -101",
           "type route hook output priority -151",
           "type nat hook output priority -101",
           "type filter hook input priority -1",
           "meta l4proto 6 socket transparent 1 socket wildcard 0",
           "iifname { \"lan0\", \"lan1\" } goto lan",
           "ct direction 1 goto plain",
           "ct mark & 0x0000ff00 == 0x00000200 goto caught",
           "fib daddr type { 2, 3, 4, 5 } goto plain",
           "ip daddr 198.18.0.0/16 goto fake",
           "ip daddr 100.96.0.0/12 goto fake",
           "ip6 daddr fdfe:dcba:9876::/64 goto fake",
           "192.168.0.0/16",
           "meta skuid { 991, 992 } accept",
           "tproxy ip to :5100",
           "tproxy ip6 to :5100",
           "udp dport 53",
           "redirect to :5300",
           "tcp dport 5100 meta mark & 0x0000ff00 != 0x00000200 drop",
       })
    EXPECT_TRUE(lists(text, part)) << part << "\n" << text;
  EXPECT_TRUE(lists(output_of("nft -n list table inet sluice_guard"),
                    "iifname \"lan0\" oifname != \"lan0\""));
}

TEST_F(NftServer, AppliesAgainWithoutDoublingAnything) {
  ASSERT_EQ(run(Command::apply, sample_table()).error, 0);
  const std::string first = table();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(run(Command::apply, sample_table()).error, 0);
  const auto without_numbers = [](std::string text) {
    std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
    return text;
  };
  EXPECT_EQ(without_numbers(table()), without_numbers(first));
  CaptureTable smaller = sample_table();
  smaller.lan.clear();
  smaller.router_traffic = false;
  ASSERT_EQ(run(Command::apply, smaller).error, 0);
  EXPECT_FALSE(lists(table(), "lan0"));
  EXPECT_FALSE(lists(table(), "skuid"));
}

TEST_F(NftServer, AppliesEveryCombinationOfChoices) {
  for (unsigned bits = 0; bits < 128; ++bits) {
    CaptureTable table = sample_table();
    const auto bit = [&](unsigned n) { return (bits >> n & 1U) != 0; };
    table.mode = bit(0) ? Mode::redirect : Mode::tproxy;
    if (bit(1)) table.tcp_port = 0;
    table.udp_ports.resize(bit(2) ? 1 : bit(3) ? 0 : 4);
    table.dns_hijack = bit(3);
    table.dns_redirect = bit(3) && bit(4);
    table.router_traffic = bit(4);
    table.fail_closed = bit(5);
    if (bit(6)) table.fakes.clear();
    const Verdict verdict = run(Command::apply, table);
    ASSERT_EQ(verdict.error, 0) << bits << ": " << verdict.text;
  }
}

TEST_F(NftServer, DnsRedirectIsOneChainThatFillsAndEmpties) {
  EXPECT_EQ(redirect_dns(true).error, EINVAL) << "nothing applied yet";
  ASSERT_EQ(run(Command::apply, sample_table()).error, 0);
  ASSERT_EQ(redirect_dns(false).error, 0);
  EXPECT_FALSE(lists(table(), "redirect to :5300"));
  EXPECT_TRUE(lists(table(), "tproxy ip to :5100"));
  ASSERT_EQ(redirect_dns(true).error, 0);
  ASSERT_EQ(redirect_dns(true).error, 0);
  const std::string text = table();
  const std::size_t once = text.find("redirect to :5300");
  ASSERT_NE(once, std::string::npos);
  EXPECT_EQ(text.find("redirect to :5300", once + 1), std::string::npos);
}

TEST_F(NftServer, ElementsComeAndGoAndSurviveAnApply) {
  EXPECT_EQ(elements(Command::add_elements, {"203.0.113.0/24"}).error, ENOENT);
  ASSERT_EQ(run(Command::apply, sample_table()).error, 0);
  ASSERT_EQ(elements(Command::add_elements,
                     {"203.0.113.0/24", "203.0.114.0/24", "2001:db8::/32", "255.255.255.255/32"})
                .error,
            0);
  ASSERT_EQ(run(Command::apply, sample_table()).error, 0);
  EXPECT_TRUE(lists(table(), "203.0.113.0/24, 203.0.114.0/24"));
  EXPECT_TRUE(lists(table(), "2001:db8::/32"));
  ASSERT_EQ(elements(Command::remove_elements, {"203.0.113.0/24", "2001:db8::/32"}).error, 0);
  EXPECT_FALSE(lists(table(), "203.0.113.0/24"));
  EXPECT_TRUE(lists(table(), "203.0.114.0/24"));
  EXPECT_FALSE(lists(table(), "2001:db8::/32"));
}

TEST_F(NftServer, AddressesHaveAHashSetOfTheirOwn) {
  ASSERT_EQ(run(Command::apply, sample_table()).error, 0);
  const auto both = {"203.0.113.7/32", "2001:db8::7/128"};
  ASSERT_EQ(elements(Command::add_elements, both, SetId::addresses).error, 0);
  EXPECT_TRUE(lists(output_of("nft list set inet sluice hosts4"), "elements = { 203.0.113.7 }"));
  EXPECT_TRUE(lists(output_of("nft list set inet sluice hosts6"), "elements = { 2001:db8::7 }"));
  ASSERT_EQ(elements(Command::remove_elements, both, SetId::addresses).error, 0);
  EXPECT_FALSE(lists(table(), "203.0.113.7"));
  EXPECT_EQ(elements(Command::remove_elements, both, SetId::addresses).error, ENOENT);
}

TEST_F(NftServer, ARefusedTransactionChangesNothingAndSaysWhy) {
  ASSERT_EQ(run(Command::apply, sample_table()).error, 0);
  const std::string before = table();
  CaptureTable bad = sample_table();
  bad.tcp_port = 6000;
  bad.bypass.push_back(Prefix::parse("10.1.0.0/16").value());  // inside 10.0.0.0/8
  const Verdict verdict = run(Command::apply, bad);
  EXPECT_NE(verdict.error, 0);
  EXPECT_TRUE(lists(verdict.text, "set element to add: ")) << verdict.text;
  EXPECT_EQ(table(), before);
}

TEST_F(NftServer, TheTableGoesWithItsSocketAndTheGuardStays) {
  ASSERT_EQ(run(Command::apply, sample_table()).error, 0);
  server.reset();
  EXPECT_TRUE(lists(table(), "No such file"));
  EXPECT_TRUE(lists(output_of("nft list tables"), "table inet sluice_guard"));
  open_server();
  ASSERT_EQ(run(Command::remove_guard).error, 0);
  EXPECT_EQ(run(Command::remove_guard).error, 0) << "absence is success";
  EXPECT_EQ(output_of("nft list tables"), "");
}

TEST_F(NftServer, TearDownLeavesNothingButTheGuard) {
  ASSERT_EQ(run(Command::apply, sample_table()).error, 0);
  ASSERT_EQ(run(Command::tear_down).error, 0);
  EXPECT_EQ(output_of("nft list tables"), "table inet sluice_guard\n");
  ASSERT_EQ(run(Command::apply, sample_table()).error, 0) << "and can be built again";
}

TEST_F(NftServer, CleanupRemovesAPlainTableOfOurName) {
  ASSERT_EQ(std::system("nft add table inet sluice; nft add table inet other"), 0);
  ASSERT_EQ(run(Command::cleanup).error, 0);
  EXPECT_EQ(output_of("nft list tables"), "table inet other\n");
}

TEST_F(NftServer, ASecondOwnerIsToldSo) {
  ASSERT_EQ(run(Command::apply, sample_table()).error, 0);
  Result<NftSocket> socket = NftSocket::open();
  ASSERT_TRUE(socket);
  Server other(std::move(*socket));
  Request request;
  request.command = Command::apply;
  request.table = sample_table();
  const Verdict verdict = other.run(request);
  EXPECT_EQ(verdict.error, EPERM);
  EXPECT_EQ(verdict.text, "another process owns table inet sluice");
}

TEST_F(NftServer, TheProbeFindsEverythingHereAndLeavesNoTrace) {
  const Verdict verdict = run(Command::probe);
  EXPECT_EQ(verdict.error, 0) << verdict.text;
  EXPECT_EQ(output_of("nft list tables"), "");
}

TEST_F(NftServer, WithoutThePrivilegeTheProbeNamesIt) {
  Result<NftSocket> socket = NftSocket::open();
  ASSERT_TRUE(socket);
  ASSERT_EQ(::seteuid(54321), 0);
  alignas(8) static std::array<std::byte, kBatchBytes> room;
  const Outcome outcome = probe_kernel(*socket, room);
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_EQ(outcome.error, EPERM);
  EXPECT_EQ(outcome.where, "CAP_NET_ADMIN");
}

TEST_F(NftServer, AFullBatchIsRefusedWhole) {
  Result<NftSocket> socket = NftSocket::open();
  ASSERT_TRUE(socket);
  alignas(8) static std::array<std::byte, 16384> room;
  Transaction out(room);
  for (int i = 0; i < 400; ++i) out.add_chain("sluice", "a-chain-with-a-name");
  const Outcome outcome = out.commit(*socket);
  EXPECT_EQ(outcome.error, ENOBUFS);
  EXPECT_EQ(outcome.where, "batch");
}

TEST_F(NftServer, ServesUntilEndOfFile) {
  Result<SocketPair> pair = make_socket_pair(SOCK_SEQPACKET);
  ASSERT_TRUE(pair);
  Request request;
  request.id = 77;
  std::array<std::byte, 64> room{};
  Writer out{room};
  encode_request(request, out);
  ASSERT_TRUE(send_message(pair->ours.get(), out.written()));
  ASSERT_EQ(::shutdown(pair->ours.get(), SHUT_WR), 0);
  EXPECT_TRUE(server->serve(pair->theirs.get()));
  std::array<std::byte, 512> answer{};
  const Result<ReceivedMessage> got = receive_message(pair->ours.get(), answer);
  ASSERT_TRUE(got);
  EXPECT_EQ(decode_verdict(ByteView(answer).first(got->size))->id, 77U);
}

TEST_F(NftServer, EndsAtAFrameThatIsNoRequest) {
  Result<SocketPair> pair = make_socket_pair(SOCK_SEQPACKET);
  ASSERT_TRUE(pair);
  ASSERT_TRUE(send_message(pair->ours.get(), as_byte_view("GET / HTTP/1.1")));
  EXPECT_EQ(server->serve(pair->theirs.get()).error().code, Errc::unsupported);
}

}  // namespace
}  // namespace sluice::nft
