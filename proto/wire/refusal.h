// wire/refusal.h - why a message was refused, and where in it.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace sluice::wire {

struct Refusal {
  std::string place;   ///< "outbounds[3].server"; empty = the message as a whole
  std::string reason;  ///< one sentence
  /// "outbounds[3].server: is longer than 320 bytes".
  [[nodiscard]] std::string to_string() const {
    return place.empty() ? reason : place + ": " + reason;
  }
};

template <class T>
using Decoded = std::expected<T, Refusal>;

[[nodiscard]] inline std::unexpected<Refusal> refuse(std::string place, std::string reason) {
  return std::unexpected<Refusal>(Refusal{std::move(place), std::move(reason)});
}

}  // namespace sluice::wire
