// Over https only servers whose certificate is good count.
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>

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

Certificate self_signed(EVP_PKEY* key) {
  Certificate out(X509_new());
  ASN1_INTEGER_set(X509_get_serialNumber(out.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(out.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(out.get()), 3600);
  X509_set_pubkey(out.get(), key);
  X509_NAME* name = X509_get_subject_name(out.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("127.0.0.1"), -1, -1, 0);
  X509_set_issuer_name(out.get(), name);
  X509_sign(out.get(), key, EVP_sha256());
  return out;
}

/// Shakes hands with the first client; `secure` is set when that client was content.
void shake_hands(int listener, bool& secure) {
  pollfd ready{listener, POLLIN, 0};
  if (::poll(&ready, 1, 5000) != 1) return;
  const UniqueFd client(::accept(listener, nullptr, nullptr));
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = self_signed(key.get());
  const std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>> context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_use_certificate(context.get(), certificate.get());
  SSL_CTX_use_PrivateKey(context.get(), key.get());
  const std::unique_ptr<SSL, Freed<SSL_free>> tls(SSL_new(context.get()));
  SSL_set_fd(tls.get(), client.get());
  secure = SSL_accept(tls.get()) == 1;
}

class NoNames final : public NameLookup {
 public:
  Task<Result<std::vector<IpAddress>>> lookup(std::string, Until) override {
    co_return fail(Errc::no_address);
  }
};

class Deaf final : public FetchSink {
 public:
  void fetched(const FetchProgress&) override {}
};

TEST(Certificate, OneThatNobodyVouchesForEndsTheDownload) {
  const UniqueFd listener = std::move(*listen_tcp({IpAddress::v4(0x7f000001), 0}));
  bool secure = false;
  std::thread server(shake_hands, listener.get(), std::ref(secure));
  const auto loop = make_loop();
  NoNames names;
  Deaf sink;
  Downloader downloader(*loop, names, "/nowhere");
  std::optional<FetchOutcome> outcome;
  TaskSet tasks(*loop);
  const auto collect = [&]() -> Task<void> {
    FetchRequest request;
    request.url = "https://127.0.0.1:" + std::to_string(local_endpoint(listener.get()).port) + "/";
    request.most = 10;
    Task<FetchOutcome> fetching = downloader.fetch(std::move(request), sink);
    FetchOutcome ended = co_await fetching;
    outcome.emplace(std::move(ended));
  };
  tasks.run(collect());
  EXPECT_TRUE(pump(*loop, [&] { return outcome.has_value(); }));
  server.join();
  EXPECT_FALSE(secure);
  ASSERT_TRUE(outcome && !*outcome);
  EXPECT_EQ(outcome->error().error.code, Errc::auth_failed);
  EXPECT_NE(outcome->error().reason.find("certificate"), std::string::npos)
      << outcome->error().reason;
}

}  // namespace
}  // namespace sluice::provider::test
