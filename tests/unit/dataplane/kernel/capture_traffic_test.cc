// Real packets through the table:
//
//   lan namespace            this process's namespace (router)          wan namespace
//   192.168.7.2  --- lan0 192.168.7.1    wan0 192.0.2.1 --- 192.0.2.2 (+ .50)
//   fd07::2          fd07::1                  2001:db8::1       2001:db8::2
//
// The listeners are ours, as the data plane's would be. nc, dig and the like are not needed:
// clients are shell one-liners of socat in the other namespaces.
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/wait.h>

#include <csignal>

#include "dataplane/kernel/conntrack.h"
#include "dataplane/kernel/reserved.h"
#include "kernel_test_support.h"

namespace sluice::kernel {
namespace {

using test::has;
using test::output_of;

/// A process that only keeps a network namespace alive.
class Neighbour {
 public:
  Neighbour() {
    int ready[2];
    if (::pipe(ready) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      const bool made = ::unshare(CLONE_NEWNET) == 0;
      (void)!::write(ready[1], &made, 1);
      for (;;) ::pause();
    }
    char byte = 0;
    (void)!::read(ready[0], &byte, 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  ~Neighbour() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] std::string in() const {
    return "nsenter -t " + std::to_string(pid_) + " -n sh -c ";
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] std::string run(const std::string& command) const {
    return output_of(in() + "'" + command + "'");
  }

 private:
  pid_t pid_ = -1;
};

/// A dual-stack listener of ours on a port of the kernel's choice.
UniqueFd listener(int type, bool transparent, std::uint16_t& port) {
  UniqueFd fd(::socket(AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  if (transparent) {
    ::setsockopt(fd.get(), SOL_IP, IP_TRANSPARENT, &on, sizeof on);
    ::setsockopt(fd.get(), SOL_IPV6, IPV6_TRANSPARENT, &on, sizeof on);
  }
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  socklen_t size = sizeof any;
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&any), size), 0);
  if (type == SOCK_STREAM) {
    EXPECT_EQ(::listen(fd.get(), 16), 0);
  }
  EXPECT_EQ(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&any), &size), 0);
  port = ntohs(any.sin6_port);
  return fd;
}

/// How many connections or datagrams wait; takes them.
int arrivals(const UniqueFd& fd, int type) {
  int count = 0;
  while (wait_readable(fd.get(), 100)) {
    char byte = 0;
    if (type == SOCK_STREAM) {
      ::close(::accept(fd.get(), nullptr, nullptr));
    } else {
      (void)!::recv(fd.get(), &byte, 1, 0);
    }
    ++count;
  }
  return count;
}

class Traffic : public test::Namespace {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root: makes network namespaces";
    ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
    lan.emplace();
    wan.emplace();
    const std::string l = std::to_string(lan->pid());
    const std::string w = std::to_string(wan->pid());
    const std::string setup =
        "set -e; ip link set lo up; echo 1 >/proc/sys/net/ipv4/ip_forward;"
        "echo 1 >/proc/sys/net/ipv6/conf/all/forwarding;"
        // Without duplicate address detection IPv6 works at once.
        "echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad;" +
        lan->in() + "'echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad';" + wan->in() +
        "'echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad';"
        "ip link add lan0 type veth peer name eth0 netns " +
        l +
        ";"
        "ip link add wan0 type veth peer name eth0 netns " +
        w +
        ";"
        "ip addr add 192.168.7.1/24 dev lan0; ip addr add fd07::1/64 dev lan0 nodad;"
        "ip addr add 192.0.2.1/24 dev wan0; ip addr add 2001:db8::1/64 dev wan0 nodad;"
        "ip link set lan0 up; ip link set wan0 up;" +
        lan->in() +
        "'ip link set lo up; ip addr add 192.168.7.2/24 dev eth0;"
        "ip addr add fd07::2/64 dev eth0 nodad; ip link set eth0 up;"
        "ip route add default via 192.168.7.1; ip -6 route add default via fd07::1';" +
        wan->in() +
        "'ip link set lo up; ip addr add 192.0.2.2/24 dev eth0;"
        "ip addr add 192.0.2.50/24 dev eth0; ip addr add 2001:db8::2/64 dev eth0 nodad;"
        "ip link set eth0 up; ip route add default via 192.0.2.1;"
        "ip -6 route add default via 2001:db8::1'";
    ASSERT_EQ(std::system(setup.c_str()), 0);
    Result<PolicyRoutes> routes = PolicyRoutes::open();
    ASSERT_TRUE(routes);
    owner.emplace(helpers, std::move(*routes));
    tcp = listener(SOCK_STREAM, true, table.tcp_port);
    for (UniqueFd& fd : udp) fd = listener(SOCK_DGRAM, true, table.udp_ports.emplace_back());
    table.lan = {{"lan0", 0, 0}};
    table.fakes = {Prefix::parse("198.18.0.0/16").value()};
    table.bypass = disjoint(reserved_prefixes());
  }
  void apply() { ASSERT_TRUE(owner->apply(table, why)) << why.text; }
  void send_tcp(const std::string& to) const {
    (void)lan->run("socat -u OPEN:/dev/null TCP:" + to + ",connect-timeout=1");
  }
  void send_udp(const std::string& to) const { (void)lan->run("echo x | socat -u - UDP:" + to); }
  int udp_arrivals() { return arrivals(udp[0], SOCK_DGRAM) + arrivals(udp[1], SOCK_DGRAM); }
  [[nodiscard]] bool lan_pings(const std::string& address) const {
    return has(lan->run("ping -c1 -W1 " + address), " 0% packet loss");
  }

  std::optional<Neighbour> lan;
  std::optional<Neighbour> wan;
  test::Helpers helpers;
  std::optional<CaptureOwner> owner;
  nft::CaptureTable table;
  UniqueFd tcp;
  std::array<UniqueFd, 2> udp;
  Refusal why;
};

TEST_F(Traffic, TproxyTakesBothFamiliesAndProtocols) {
  apply();
  send_tcp("192.0.2.50:80");
  send_tcp("[2001:db8::2]:80");
  EXPECT_EQ(arrivals(tcp, SOCK_STREAM), 2);
  send_udp("192.0.2.50:5000");
  send_udp("192.0.2.53:53");
  send_udp("[2001:db8::2]:5000");
  EXPECT_EQ(udp_arrivals(), 3);
}

TEST_F(Traffic, RedirectTakesTcpOfBothFamilies) {
  table.mode = nft::Mode::redirect;
  tcp = listener(SOCK_STREAM, false, table.tcp_port);
  apply();
  send_tcp("192.0.2.50:80");
  send_tcp("[2001:db8::2]:80");
  EXPECT_EQ(arrivals(tcp, SOCK_STREAM), 2);
  send_udp("192.0.2.50:5000");
  EXPECT_EQ(udp_arrivals(), 1) << "UDP comes by TPROXY";
}

TEST_F(Traffic, RouterTrafficIsTakenUnlessExempt) {
  table.router_traffic = true;
  table.exempt_uids = {54321};
  apply();
  (void)output_of("echo x | socat -u - UDP:192.0.2.53:53");
  (void)output_of("echo x | socat -u - UDP:[2001:db8::2]:53");
  EXPECT_EQ(udp_arrivals(), 2);
  (void)output_of("socat -u OPEN:/dev/null TCP:192.0.2.50:80,connect-timeout=1");
  EXPECT_EQ(arrivals(tcp, SOCK_STREAM), 1);
  (void)output_of("setpriv --reuid 54321 --clear-groups socat -u OPEN:/dev/null UDP:192.0.2.50:9");
  (void)output_of(
      "setpriv --reuid 54321 --clear-groups sh -c 'echo x | socat -u - UDP:192.0.2.50:9'");
  (void)output_of("echo x | socat -u - UDP:192.0.2.50:9,so-mark=256");
  EXPECT_EQ(udp_arrivals(), 0) << "exempt user, own mark";
}

// B091: only what is bound to the packet's own local destination is left alone.
TEST_F(Traffic, B091AForeignWildcardSocketDoesNotTakeCapturedDatagrams) {
  UniqueFd other(::socket(AF_INET, SOCK_DGRAM, 0));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(5000);
  ASSERT_EQ(::bind(other.get(), reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
  apply();
  send_udp("192.0.2.50:5000");
  EXPECT_EQ(udp_arrivals(), 1);
  EXPECT_FALSE(wait_readable(other.get(), 50));
  send_udp("192.168.7.1:5000");
  EXPECT_TRUE(wait_readable(other.get(), 500)) << "the router's own address";
  EXPECT_EQ(udp_arrivals(), 0);
}

// B094, B095: replies of flows that began outside take their own way, both families.
TEST_F(Traffic, B094B095RepliesOfInboundFlowsPass) {
  table.router_traffic = true;
  apply();
  for (const char* address : {"192.168.7.2", "[fd07::2]"}) {
    const std::string family = address[0] == '[' ? "6" : "4";
    const std::string serve =
        "(timeout 3 socat UDP" + family + "-RECVFROM:700" + family + " EXEC:cat &) ; sleep 0.2";
    ASSERT_EQ(std::system((lan->in() + "'" + serve + "'").c_str()), 0);
    const std::string answer = wan->run(
        "echo hello | timeout 1 socat -t0.5 - UDP:" + std::string(address) + ":700" + family);
    EXPECT_EQ(answer, "hello\n") << address;
  }
  EXPECT_EQ(udp_arrivals(), 0);
  // The same pair of hosts, begun inside: captured.
  send_udp("192.0.2.2:9");
  EXPECT_EQ(udp_arrivals(), 1);
}

TEST_F(Traffic, NobodyReachesAListenerUninvited) {
  apply();
  const std::string port = std::to_string(table.tcp_port);
  for (const std::string& target : {"192.168.7.1:" + port, "[fd07::1]:" + port}) send_tcp(target);
  (void)wan->run("socat -u OPEN:/dev/null TCP:192.0.2.1:" + port + ",connect-timeout=1");
  (void)output_of("socat -u OPEN:/dev/null TCP:127.0.0.1:" + port + ",connect-timeout=1");
  EXPECT_EQ(arrivals(tcp, SOCK_STREAM), 0);
  send_udp("192.168.7.1:" + std::to_string(table.udp_ports[0]));
  EXPECT_EQ(udp_arrivals(), 0);
}

TEST_F(Traffic, AFakeAddressNeverLeavesAndAnswersPing) {
  apply();
  EXPECT_TRUE(lan_pings("198.18.0.9"));
  send_tcp("198.18.0.9:80");
  EXPECT_EQ(arrivals(tcp, SOCK_STREAM), 1);
  tcp.reset();
  ASSERT_EQ(std::system("nft add table ip watch; nft add chain ip watch out "
                        "'{ type filter hook forward priority 0; }';"
                        "nft add rule ip watch out ip daddr 198.18.0.0/16 counter"),
            0);
  send_tcp("198.18.0.9:80");
  EXPECT_TRUE(has(output_of("nft list table ip watch"), "packets 0"))
      << "not even without listener";
}

TEST_F(Traffic, WithoutAListenerFailOpenPassesPlainly) {
  apply();
  tcp.reset();
  const std::string serve = "(timeout 3 socat TCP4-LISTEN:80 EXEC:cat &) ; sleep 0.2";
  ASSERT_EQ(std::system((wan->in() + "'" + serve + "'").c_str()), 0);
  EXPECT_EQ(lan->run("echo hi | timeout 2 socat -t0.5 - TCP:192.0.2.50:80"), "hi\n");
}

TEST_F(Traffic, FailClosedHoldsWhileTheHelperIsGone) {
  table.fail_closed = true;
  apply();
  EXPECT_TRUE(lan_pings("192.0.2.2")) << "plain traffic passes the guard by its mark";
  EXPECT_TRUE(lan_pings("2001:db8::2"));
  helpers.kill_current();
  ASSERT_TRUE(wait_readable(owner->helper_fd(), 2000));
  for (int i = 0; i < 400 && has(output_of("nft list tables"), "inet sluice\n"); ++i)
    ::poll(nullptr, 0, 5);
  EXPECT_FALSE(lan_pings("192.0.2.2"));
  EXPECT_FALSE(lan_pings("2001:db8::2"));
  EXPECT_TRUE(lan_pings("192.168.7.1")) << "the router itself stays reachable";
  ASSERT_TRUE(owner->recover(why));
  EXPECT_TRUE(lan_pings("192.0.2.2"));
}

// A client that keeps its socket reaches the former resolver once the redirect is withdrawn.
TEST_F(Traffic, WithdrawingDnsForgetsItsConnections) {
  UniqueFd ours = listener(SOCK_DGRAM, false, table.lan[0].dns_udp_port);
  UniqueFd former(::socket(AF_INET, SOCK_DGRAM, 0));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(53);
  ASSERT_EQ(::bind(former.get(), reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
  table.dns_hijack = table.dns_redirect = true;
  apply();
  const std::string ask = "echo x | socat -u - UDP:192.168.7.1:53,sourceport=4444";
  (void)lan->run(ask);
  EXPECT_TRUE(wait_readable(ours.get(), 500));
  EXPECT_EQ(arrivals(ours, SOCK_DGRAM), 1);
  ASSERT_TRUE(owner->set_dns_redirect(false, why)) << why.text;
  (void)lan->run(ask);
  EXPECT_TRUE(wait_readable(former.get(), 500)) << "the old entry would send it to us";
  EXPECT_EQ(arrivals(ours, SOCK_DGRAM), 0);
  ASSERT_TRUE(owner->set_dns_redirect(true, why));
  (void)lan->run("echo x | socat -u - UDP:192.168.7.1:53,sourceport=4445");
  EXPECT_EQ(arrivals(ours, SOCK_DGRAM), 1);
}

TEST_F(Traffic, FlowsOlderThanTheRulesAreLeftAlone) {
  ASSERT_EQ(std::system(
                (wan->in() + "'(timeout 5 socat TCP4-LISTEN:80 EXEC:cat &) ; sleep 0.2'").c_str()),
            0);
  // Conntrack must know the flow, as it does on any router with a firewall.
  ASSERT_EQ(
      std::system("nft add table ip fw; nft add chain ip fw f "
                  "'{ type filter hook forward priority 0; }'; nft add rule ip fw f ct state new"),
      0);
  FILE* client = ::popen(
      (lan->in() + "'(echo one; sleep 0.6; echo two) | timeout 3 socat -t0.5 - TCP:192.0.2.50:80'")
          .c_str(),
      "r");
  ::poll(nullptr, 0, 300);
  apply();
  std::string text;
  for (int c = std::fgetc(client); c != EOF; c = std::fgetc(client))
    text.push_back(static_cast<char>(c));
  ::pclose(client);
  EXPECT_EQ(text, "one\ntwo\n");
}

}  // namespace
}  // namespace sluice::kernel
