#include "controlplane/provider/trust.h"

#include <curl/curl.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <cstdlib>

namespace sluice::provider {

std::string machine_certificates() {
  if (const char* named = std::getenv("SSL_CERT_FILE"); named != nullptr && *named != '\0')
    return named;
  const curl_version_info_data* about = curl_version_info(CURLVERSION_NOW);
  return about->cainfo == nullptr ? "" : about->cainfo;
}

Result<std::shared_ptr<const Trust>> Trust::load(const std::string& file) {
  auto trust = std::make_shared<Trust>();
  trust->store_.reset(X509_STORE_new());
  if (!trust->store_) return fail(Errc::no_room);
  if (X509_STORE_load_file(trust->store_.get(), file.c_str()) != 1) {
    ERR_clear_error();
    return fail(Errc::not_found);
  }
  // As libcurl has it: an intermediate that the machine trusts is enough.
  X509_STORE_set_flags(trust->store_.get(), X509_V_FLAG_PARTIAL_CHAIN);
  return std::shared_ptr<const Trust>(std::move(trust));
}

}  // namespace sluice::provider
