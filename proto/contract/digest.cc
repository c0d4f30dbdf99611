#include "proto/contract/digest.h"

#include <openssl/evp.h>

namespace sluice::contract {

struct DigestStream::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  bool ok = context != nullptr && EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { EVP_MD_CTX_free(context); }
};

DigestStream::DigestStream() : state_(std::make_unique<State>()) {}
DigestStream::~DigestStream() = default;
DigestStream::DigestStream(DigestStream&&) noexcept = default;
DigestStream& DigestStream::operator=(DigestStream&&) noexcept = default;

void DigestStream::update(ByteView piece) noexcept {
  state_->ok = state_->ok && EVP_DigestUpdate(state_->context, piece.data(), piece.size()) == 1;
}

Digest DigestStream::finish() noexcept {
  Digest out{};
  if (!state_->ok) return out;
  if (EVP_DigestFinal_ex(state_->context, reinterpret_cast<unsigned char*>(out.data()), nullptr) !=
      1)
    return Digest{};
  return out;
}

Digest digest_of(ByteView bytes) {
  DigestStream stream;
  stream.update(bytes);
  return stream.finish();
}

std::string to_text(const Digest& digest) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  out.reserve(digest.size() * 2);
  for (const std::byte b : digest) {
    out += kHex[std::to_integer<unsigned>(b) >> 4];
    out += kHex[std::to_integer<unsigned>(b) & 15];
  }
  return out;
}

}  // namespace sluice::contract
