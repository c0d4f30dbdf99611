#include "proto/wire/manifest_bytes.h"

#include "proto/wire/bounds.h"
#include "proto/wire/manifest.h"

namespace sluice::wire {

std::string manifest_to_bytes(const contract::Manifest& manifest) {
  v1::Manifest message;
  encode(manifest, &message);
  return message.SerializeAsString();
}

Decoded<contract::Manifest> manifest_from_bytes(ByteView bytes) {
  if (bytes.size() > kMaxManifest) return refuse("manifest", "is larger than 64 MiB");
  v1::Manifest message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return refuse("manifest", "is not a serialized manifest");
  return decode(message);
}

}  // namespace sluice::wire
