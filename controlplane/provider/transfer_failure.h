// provider/transfer_failure.h - what libcurl says, in our codes and words.
#pragma once

#include <curl/curl.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "controlplane/provider/fetcher.h"

namespace sluice::provider {

/// `easy` ended with `code`, which is not CURLE_OK. `text`: its error buffer, used where it names
/// what a person can mend (certificates); it holds host names, never paths or passwords. `proxy`:
/// the outbound that carried it, or empty.
[[nodiscard]] FetchFailure failure_of(CURL* easy, CURLcode code, std::string_view text,
                                      const std::string& proxy);

/// What was to carry it is not there.
[[nodiscard]] FetchFailure without_data_plane();
[[nodiscard]] FetchFailure larger_than(std::size_t most);
[[nodiscard]] FetchFailure answered_with(long status, Millis retry_after);

}  // namespace sluice::provider
