// kernel_test_support.h - a fresh network namespace per test, and helpers that run in this process.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dataplane/helper/server.h"
#include "dataplane/kernel/capture_owner.h"
#include "proto/runtime/process/descriptors.h"

namespace sluice::kernel::test {

inline std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    out.push_back(static_cast<char>(c));
  ::pclose(pipe);
  return out;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Namespace : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root: makes network namespaces";
    ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
    ASSERT_EQ(std::system("ip link set lo up && ip link add lan0 type veth peer name peer0 &&"
                          "ip addr add 192.168.7.1/24 dev lan0 &&"
                          "ip addr add fd07::1/64 dev lan0 nodad && ip link set lan0 up"),
              0);
  }
};

/// Answers commands: by the real server, or by `spoil` when it returns a verdict with an error.
class Helpers final : public HelperSource {
 public:
  using Spoil = std::function<int(const nft::Request&)>;

  ~Helpers() override {
    kill_current();
    for (std::thread& thread : threads_) thread.join();
    for (const pid_t pid : processes) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
  Result<NftHelper> start_nft_helper() override {
    if (refuse_start) return fail(Errc::closed);
    Result<SocketPair> pair = make_socket_pair(SOCK_SEQPACKET);
    if (!pair) return fail(pair.error());
    ++started;
    if (as_processes) return start_process(std::move(*pair));
    current_ = UniqueFd(::dup(pair->theirs.get()));
    threads_.emplace_back([this, peer = std::move(pair->theirs)] { serve(peer.get()); });
    return NftHelper{std::move(pair->ours), -1};
  }
  /// The current helper dies, and its table with it.
  void kill_current() {
    if (current_.valid()) ::shutdown(current_.get(), SHUT_RDWR);
    current_.reset();
  }

  Spoil spoil;
  bool refuse_start = false;
  int started = 0;
  bool as_processes = false;  ///< not as threads of this one
  std::vector<pid_t> processes;

 private:
  NftHelper start_process(SocketPair pair) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      pair.ours.reset();
      serve(pair.theirs.get());
      ::_exit(0);
    }
    processes.push_back(pid);
    return {std::move(pair.ours), pid};
  }
  void serve(int peer) {
    Result<nft::NftSocket> socket = nft::NftSocket::open();
    if (!socket) return;
    const auto server = std::make_unique<nft::Server>(std::move(*socket));
    std::vector<std::byte> frame(nft::kMaxFrameBytes);
    for (;;) {
      const Result<ReceivedMessage> message = receive_message(peer, frame);
      if (!message || message->size == 0) return;
      const Result<nft::Request> request =
          nft::decode_request(ByteView(frame).first(message->size));
      if (!request) return;
      const int error = spoil ? spoil(*request) : 0;
      if (error < 0) return;  // dies instead of answering
      nft::Verdict verdict{request->command, request->id, error, "this kernel lacks nft_tproxy"};
      if (error == 0) verdict = server->run(*request);
      Writer out{frame};
      nft::encode_verdict(verdict, out);
      if (!send_message(peer, out.written())) return;
    }
  }
  UniqueFd current_;
  std::vector<std::thread> threads_;
};

inline nft::CaptureTable small_table() {
  nft::CaptureTable table;
  table.dns_hijack = true;
  table.dns_redirect = true;
  table.tcp_port = 5100;
  table.udp_ports = {5000, 5001};
  table.lan = {{"lan0", 5300, 5301}};
  table.fakes = {Prefix::parse("198.18.0.0/16").value()};
  return table;
}

}  // namespace sluice::kernel::test
