// provider/trust.h - the certificates that https servers are judged by, parsed once for a time.
//
// libcurl would parse the machine's bundle for each connection: 21 ms of the thread that answers
// DNS, on a fast machine. Here the work thread does it, and all transfers of a time share the
// result, 1.3 MiB, which ends with them.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "proto/common/result.h"

namespace sluice::provider {

/// $SSL_CERT_FILE, as OpenSSL and Go have it, or the file that libcurl was built for.
[[nodiscard]] std::string machine_certificates();

/// Immutable. Thread: made on one, then used on another.
class Trust {
 public:
  /// Blocks. `file`: certificates in PEM. Errors: not_found (no such file, or none in it), no_room.
  static Result<std::shared_ptr<const Trust>> load(const std::string& file);

  /// Servers of `context` are judged by these from now on.
  void install(SSL_CTX* context) const noexcept { SSL_CTX_set1_cert_store(context, store_.get()); }

 private:
  struct FreeStore {
    void operator()(X509_STORE* store) const noexcept { X509_STORE_free(store); }
  };
  std::unique_ptr<X509_STORE, FreeStore> store_;
};

}  // namespace sluice::provider
