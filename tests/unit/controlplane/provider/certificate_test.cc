// Over https only servers whose certificate is good, and for that name, count.
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>

#include <csignal>
#include <thread>

#include "controlplane/provider/downloader.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"
#include "tests/unit/controlplane/provider/bench.h"

namespace sluice::provider::test {
namespace {

template <auto kFree>
struct Freed {
  template <class T>
  void operator()(T* object) const noexcept {
    kFree(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;

constexpr char kHost[] = "lists.example";

Certificate self_signed(EVP_PKEY* key) {
  Certificate out(X509_new());
  ASN1_INTEGER_set(X509_get_serialNumber(out.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(out.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(out.get()), 3600);
  X509_set_pubkey(out.get(), key);
  X509_NAME* name = X509_get_subject_name(out.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(kHost), -1, -1, 0);
  X509_set_issuer_name(out.get(), name);
  X509_sign(out.get(), key, EVP_sha256());
  return out;
}

/// Answers its first client, if that is content with the certificate.
void serve_one(int listener, EVP_PKEY* key, X509* certificate) {
  pollfd ready{listener, POLLIN, 0};
  if (::poll(&ready, 1, 5000) != 1) return;
  const UniqueFd client(::accept(listener, nullptr, nullptr));
  const std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>> context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_use_certificate(context.get(), certificate);
  SSL_CTX_use_PrivateKey(context.get(), key);
  const std::unique_ptr<SSL, Freed<SSL_free>> tls(SSL_new(context.get()));
  SSL_set_fd(tls.get(), client.get());
  if (SSL_accept(tls.get()) != 1) return;
  std::array<char, 4096> request{};
  if (SSL_read(tls.get(), request.data(), request.size()) <= 0) return;
  constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood";
  SSL_write(tls.get(), kAnswer.data(), static_cast<int>(kAnswer.size()));
}

class LoopbackNames final : public NameLookup {
 public:
  Task<Result<std::vector<IpAddress>>> lookup(std::string, Until) override {
    std::vector<IpAddress> found;
    found.push_back(IpAddress::v4(0x7f000001));
    co_return found;
  }
};

class CertificateTest : public ::testing::Test, private FetchSink {
 protected:
  CertificateTest() {
    // As in every program of ours: whoever refuses the certificate hangs up while the other side
    // still writes.
    std::signal(SIGPIPE, SIG_IGN);
    const std::unique_ptr<std::FILE, Freed<std::fclose>> file(
        std::fopen(scratch.path("own.pem").c_str(), "w"));
    PEM_write_X509(file.get(), certificate.get());
  }
  FetchOutcome get(const std::string& host, const std::string& certificates) {
    const UniqueFd listener = std::move(*listen_tcp({IpAddress::v4(0x7f000001), 0}));
    std::thread server(serve_one, listener.get(), key.get(), certificate.get());
    Downloader downloader(*loop, work, names, {"", certificates, {}});
    std::optional<FetchOutcome> outcome;
    TaskSet tasks(*loop);
    FetchRequest request;
    request.url = "https://" + host + ":" + std::to_string(local_endpoint(listener.get()).port);
    request.most = 10;
    tasks.run(collect(downloader, std::move(request), outcome));
    EXPECT_TRUE(pump(*loop, [&] { return outcome.has_value(); }));
    if (!outcome) outcome = std::unexpected(FetchFailure{{}, "the test gave up"});
    // When no client came: one that leaves at once lets the server go.
    (void)start_connect(local_endpoint(listener.get()), {});
    server.join();
    return *outcome;
  }

  Scratch scratch;
  std::unique_ptr<Loop> loop = make_loop();
  TestWork work{*loop};
  LoopbackNames names;
  Key key{EVP_EC_gen("P-256")};
  Certificate certificate = self_signed(key.get());

 private:
  Task<void> collect(Downloader& by, FetchRequest wish, std::optional<FetchOutcome>& out) {
    Task<FetchOutcome> fetching = by.fetch(std::move(wish), *this);
    FetchOutcome ended = co_await fetching;
    out.emplace(std::move(ended));
  }
  void fetched(const FetchProgress&) override {}
};

TEST_F(CertificateTest, OneThatIsVouchedForIsGood) {
  const FetchOutcome outcome = get(kHost, scratch.path("own.pem"));
  ASSERT_TRUE(outcome) << outcome.error().reason;
  EXPECT_EQ(outcome->body, "good");
}

TEST_F(CertificateTest, OneForAnotherNameEndsTheDownload) {
  const FetchOutcome outcome = get("other.example", scratch.path("own.pem"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().error.code, Errc::auth_failed);
  EXPECT_NE(outcome.error().reason.find("other.example"), std::string::npos)
      << outcome.error().reason;
}

TEST_F(CertificateTest, OneThatNobodyVouchesForEndsTheDownload) {
  const Key others_key(EVP_EC_gen("P-256"));
  const Certificate other = self_signed(others_key.get());
  {
    const std::unique_ptr<std::FILE, Freed<std::fclose>> file(
        std::fopen(scratch.path("others.pem").c_str(), "w"));
    PEM_write_X509(file.get(), other.get());
  }
  const FetchOutcome outcome = get(kHost, scratch.path("others.pem"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().error.code, Errc::auth_failed);
  EXPECT_NE(outcome.error().reason.find("certificate"), std::string::npos)
      << outcome.error().reason;
}

TEST_F(CertificateTest, WithoutAnyNothingIsTrusted) {
  const FetchOutcome outcome = get(kHost, scratch.put("empty.pem", ""));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().reason, "needs certificates, and there are none in \"" +
                                        scratch.path("empty.pem") + "\" (ca-certificates)");
}

TEST(Certificate, TheEnvironmentMayNameTheFile) {
  ::setenv("SSL_CERT_FILE", "/some/file.pem", 1);
  EXPECT_EQ(machine_certificates(), "/some/file.pem");
  ::unsetenv("SSL_CERT_FILE");
  EXPECT_NE(machine_certificates(), "/some/file.pem");
}

}  // namespace
}  // namespace sluice::provider::test
