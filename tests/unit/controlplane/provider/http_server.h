// An HTTP server on the test's own loop, which answers what the script says, byte for byte; over
// TCP on loopback, or behind a SOCKS5 handshake on a Unix socket as dial.sock has it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proto/common/text.h"
#include "proto/common/unix_socket.h"
#include "proto/runtime/loop/task_set.h"
#include "proto/runtime/loop/wait.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"

namespace sluice::provider::test {

struct HttpAnswer {
  enum class Then : std::uint8_t { keep, close, hang, drip };
  std::string bytes;
  Then then = Then::keep;
};

/// "HTTP/1.1 STATUS" with a length; `fields` end with CRLF each.
inline std::string http(int status, const std::string& body = {}, const std::string& fields = {}) {
  return "HTTP/1.1 " + std::to_string(status) +
         " Reason\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + fields + "\r\n" +
         body;
}

class HttpServer {
 public:
  struct Request {
    std::string head;  ///< request line and fields
    [[nodiscard]] std::string path() const {
      const std::size_t at = head.find(' ') + 1;
      return head.substr(at, head.find(' ', at) - at);
    }
    /// "a|b" for a field that came twice; "-" when it did not.
    [[nodiscard]] std::string field(const std::string& name) const {
      std::string out;
      for (std::size_t at = head.find("\r\n"); at != std::string::npos;
           at = head.find("\r\n", at)) {
        at += 2;
        const std::string line = head.substr(at, head.find("\r\n", at) - at);
        if (line.size() <= name.size() || line[name.size()] != ':' ||
            !iequals(line.substr(0, name.size()), name))
          continue;
        out += (out.empty() ? "" : "|") + std::string(trim(line.substr(name.size() + 1)));
      }
      return out.empty() ? "-" : out;
    }
  };
  using Script = std::function<HttpAnswer(const Request&)>;

  HttpServer(Loop& loop, Script script) : script_(std::move(script)), tasks_(loop) {
    adopt(loop, std::move(*listen_tcp({IpAddress::v4(0x7f000001), 0})));
  }
  /// SOCKS5, with a user name or without, on `unix_path`; what is asked to be reached is this
  /// server.
  HttpServer(Loop& loop, Script script, const std::string& unix_path)
      : script_(std::move(script)), socks_(true), tasks_(loop) {
    adopt(loop, std::move(*listen_unix(unix_path, 0600)));
  }

  [[nodiscard]] std::uint16_t port() const { return local_endpoint(listener_.fd()).port; }
  [[nodiscard]] std::string url(const std::string& path = "/") const {
    return "http://127.0.0.1:" + std::to_string(port()) + path;
  }
  std::vector<Request> requests;
  int accepted = 0;
  int open = 0;
  std::string socks_user;
  std::string socks_target;  ///< "host:port" as the client wrote it
  std::string socks_methods;
  /// What becomes of those who come by the Unix socket.
  enum class Dial : std::uint8_t {
    serves,
    refuses,         ///< whatever is asked to be reached
    has_no_rules,    ///< and says that no method will do
    ends_unread,     ///< before it reads or says anything
    ends_at_method,  ///< instead of an answer to the methods
    ends_at_wish,    ///< instead of an answer to what is asked to be reached
  };
  Dial dial = Dial::serves;

 private:
  struct Counted {
    explicit Counted(int& number) : count(number) { ++count; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() { --count; }
    int& count;
  };

  void adopt(Loop& loop, UniqueFd fd) {
    listener_ = std::move(*Socket::adopt(loop, std::move(fd)));
    tasks_.run(accept_all());
  }

  Task<void> accept_all() {
    for (;;) {
      (void)co_await readable(listener_.watch(), Moment::never());
      UniqueFd client(::accept4(listener_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!client.valid()) {
        listener_.watch().clear_readable();
        continue;
      }
      ++accepted;
      tasks_.run(serve(std::move(*Socket::adopt(listener_.loop(), std::move(client)))));
    }
  }

  Task<bool> read_until(Socket& socket, std::string& in, std::function<bool()> enough) {
    while (!enough()) {
      in.resize(in.size() + 4096);
      const auto got = socket.read(std::as_writable_bytes(std::span(in)).last(4096));
      in.resize(in.size() - 4096 + (got ? *got : 0));
      if (got) continue;
      if (got.error().code != Errc::again) co_return false;
      (void)co_await readable(socket.watch(), Moment::never());
    }
    co_return true;
  }

  Task<bool> write(Socket& socket, std::string bytes) {
    std::string_view left = bytes;
    while (!left.empty()) {
      const auto put = socket.write(as_byte_view(left));
      if (put)
        left.remove_prefix(*put);
      else if (put.error().code != Errc::again)
        co_return false;
      else
        (void)co_await writable(socket.watch(), Moment::never());
    }
    co_return true;
  }

  /// RFC 1928 and 1929, names only.
  Task<bool> handshake(Socket& socket, std::string& in) {
    Task<bool> hello = read_until(socket, in, [&in] {
      return in.size() >= 2 && in.size() >= 2 + static_cast<std::size_t>(in[1]);
    });
    if (!co_await hello) co_return false;
    socks_methods = in.substr(2, static_cast<std::size_t>(in[1]));
    in.erase(0, 2 + socks_methods.size());
    if (dial == Dial::ends_at_method) co_return false;
    if (dial == Dial::has_no_rules) {
      Task<bool> choose_none = write(socket, std::string("\x05\xff", 2));
      (void)co_await choose_none;
      co_return false;
    }
    const bool named = socks_methods.find('\x02') != std::string::npos;
    Task<bool> choose = write(socket, std::string(named ? "\x05\x02" : "\x05\x00", 2));
    if (!co_await choose) co_return false;
    if (named) {
      Task<bool> naming = take_name(socket, in);
      if (!co_await naming) co_return false;
    }
    Task<bool> asking = take_wish(socket, in);
    co_return co_await asking;
  }

  Task<bool> take_name(Socket& socket, std::string& in) {
    Task<bool> login = read_until(socket, in, [&in] {
      if (in.size() < 2) return false;
      const std::size_t user = 2 + static_cast<unsigned char>(in[1]);
      return in.size() > user && in.size() >= user + 1 + static_cast<unsigned char>(in[user]);
    });
    if (!co_await login) co_return false;
    const std::size_t user_size = static_cast<unsigned char>(in[1]);
    socks_user = in.substr(2, user_size);
    in.erase(0, 3 + user_size + static_cast<unsigned char>(in[2 + user_size]));
    Task<bool> admit = write(socket, std::string("\x01\x00", 2));
    co_return co_await admit;
  }

  Task<bool> take_wish(Socket& socket, std::string& in) {
    Task<bool> wish = read_until(socket, in, [&in] {
      return in.size() >= 5 && in.size() >= 7 + static_cast<std::size_t>(in[4]);
    });
    if (!co_await wish) co_return false;
    const auto size = static_cast<std::size_t>(in[4]);
    const int port =
        static_cast<unsigned char>(in[5 + size]) * 256 + static_cast<unsigned char>(in[6 + size]);
    socks_target = in.substr(5, size) + ":" + std::to_string(port);
    in.erase(0, 7 + size);
    if (dial == Dial::ends_at_wish) co_return false;
    const char code = dial == Dial::refuses || socks_user == "unknown" ? '\x02' : '\x00';
    std::string verdict("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10);
    verdict[1] = code;
    Task<bool> tell = write(socket, verdict);
    const bool told = co_await tell;
    co_return told&& code == 0;
  }

  Task<void> serve(Socket socket) {
    const Counted counted(open);
    std::string in;
    if (socks_) {
      if (dial == Dial::ends_unread) co_return;
      Task<bool> shaking = handshake(socket, in);
      if (!co_await shaking) co_return;
    }
    for (;;) {
      Task<bool> reading =
          read_until(socket, in, [&in] { return in.find("\r\n\r\n") != std::string::npos; });
      if (!co_await reading) co_return;
      const std::size_t end = in.find("\r\n\r\n") + 4;
      requests.push_back({in.substr(0, end)});
      in.erase(0, end);
      HttpAnswer answer = script_(requests.back());
      Task<bool> writing = write(socket, std::move(answer.bytes));
      if (!co_await writing || answer.then == HttpAnswer::Then::close) co_return;
      if (answer.then == HttpAnswer::Then::keep) continue;
      while (answer.then == HttpAnswer::Then::drip) {
        (void)co_await sleep_until(socket.loop(), socket.loop().now() + 5_ms);
        Task<bool> dripping = write(socket, "x");
        if (!co_await dripping) co_return;
      }
      Task<bool> waiting = read_until(socket, in, [] { return false; });
      (void)co_await waiting;
      co_return;
    }
  }

  Script script_;
  bool socks_ = false;
  Socket listener_;
  TaskSet tasks_;
};

}  // namespace sluice::provider::test
