#include "controlplane/ruleset/file_records.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "controlplane/ruleset/bounds.h"

namespace sluice::sets {
namespace {

constexpr std::string_view kMagic = "SLUICEST";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kDigest_bytes = sizeof(contract::Digest);
constexpr std::size_t kFrame_bytes = 8 + 4 + 4 + kDigest_bytes;
/// Of a record with its stamp, without its path.
constexpr std::size_t kRecord_bytes = 1 + 2 + kDigest_bytes + 4 + 4 + 1 + 24;

bool is_of(const FileRecord& record, const Source& source) noexcept {
  return record.reading == reading_of(source) && record.path == source.path;
}

/// Another version of the program may judge otherwise: what this one did is nothing to it.
contract::Digest digest_with_version(ByteView content) {
  contract::DigestStream out;
  out.update(as_byte_view(SLUICE_VERSION));
  out.update(content);
  return out.finish();
}

contract::Digest take_digest(Reader& in) noexcept {
  contract::Digest out{};
  const ByteView bytes = in.take(out.size());
  std::ranges::copy(bytes, out.begin());
  return out;
}

void put_record(const FileRecord& record, Writer& out) {
  out.u8(record.reading);
  out.u16be(static_cast<std::uint16_t>(record.path.size()));
  out.text(record.path);
  out.bytes(record.digest);
  out.u32be(record.tally.entries);
  out.u32be(record.tally.faults);
  out.u8(record.stamp ? 1 : 0);
  if (!record.stamp) return;
  out.u64be(record.stamp->inode);
  out.u64be(record.stamp->size);
  out.u64be(static_cast<std::uint64_t>(record.stamp->modified_ns));
}

/// False when there is no such record.
bool take_record(Reader& in, FileRecord& out) {
  out.reading = in.u8();
  out.path = as_text(in.take(in.u16be()));
  out.digest = take_digest(in);
  out.tally.entries = in.u32be();
  out.tally.faults = in.u32be();
  const std::uint8_t stamped = in.u8();
  if (stamped == 1) {
    FileStamp stamp;
    stamp.inode = in.u64be();
    stamp.size = in.u64be();
    stamp.modified_ns = static_cast<std::int64_t>(in.u64be());
    out.stamp = stamp;
  }
  return stamped <= 1 && !in.short_read() && !out.path.empty();
}

std::vector<FileRecord> load(const std::string& path) {
  const auto opened = FileBytes::open(path, kMaxRecords_bytes);
  if (!opened) return {};
  const auto bytes = opened->read();
  if (!bytes || bytes->size() < kDigest_bytes) return {};
  const ByteView file = as_byte_view(*bytes);
  const ByteView content = file.first(file.size() - kDigest_bytes);
  if (!std::ranges::equal(digest_with_version(content), file.last(kDigest_bytes))) return {};
  return parse_records(content).value_or(std::vector<FileRecord>{});
}

}  // namespace

std::vector<std::byte> encode_records(std::span<const FileRecord> records) {
  std::size_t size = kFrame_bytes;
  for (const FileRecord& record : records) size += kRecord_bytes + record.path.size();
  std::vector<std::byte> bytes(size);
  Writer out(bytes);
  out.text(kMagic);
  out.u32be(kVersion);
  out.u32be(static_cast<std::uint32_t>(records.size()));
  for (const FileRecord& record : records) put_record(record, out);
  out.bytes(digest_with_version(out.written()));
  bytes.resize(out.size());
  return bytes;
}

std::optional<std::vector<FileRecord>> parse_records(ByteView content) {
  Reader in(content);
  if (as_text(in.take(kMagic.size())) != kMagic || in.u32be() != kVersion) return std::nullopt;
  const std::uint32_t count = in.u32be();
  if (in.short_read() || count > kMaxRecords) return std::nullopt;
  std::vector<FileRecord> out;
  for (std::uint32_t i = 0; i < count; ++i)
    if (!take_record(in, out.emplace_back())) return std::nullopt;
  if (in.left() != 0) return std::nullopt;
  return out;
}

FileRecords::FileRecords(std::string file) : file_(std::move(file)), records_(load(file_)) {}

const FileRecord* FileRecords::find(const Source& source, const FileStamp& stamp) const noexcept {
  const auto found = std::ranges::find_if(records_, [&](const FileRecord& record) {
    return is_of(record, source) && record.stamp == stamp;
  });
  return found == records_.end() ? nullptr : &*found;
}

std::size_t FileRecords::index_of(const Source& source,
                                  const contract::Digest& digest) const noexcept {
  const auto found = std::ranges::find_if(records_, [&](const FileRecord& record) {
    return is_of(record, source) && record.digest == digest;
  });
  return static_cast<std::size_t>(found - records_.begin());
}

const FileRecord* FileRecords::find(const Source& source,
                                    const contract::Digest& digest) const noexcept {
  const std::size_t index = index_of(source, digest);
  return index == records_.size() ? nullptr : &records_[index];
}

void FileRecords::accept(const Source& source, const contract::Digest& digest,
                         const ruleformats::Tally& tally) {
  if (source.path.empty() || source.path.size() > UINT16_MAX) return;
  if (const std::size_t known = index_of(source, digest); known != records_.size()) {
    std::rotate(records_.data(), &records_[known], &records_[known] + 1);
    return;
  }
  records_.insert(records_.begin(),
                  FileRecord{source.path, reading_of(source), digest, tally, std::nullopt});
  std::size_t count = 0;
  std::erase_if(records_, [&](const FileRecord& record) {
    return is_of(record, source) && ++count > kContentsPerFile;
  });
  if (records_.size() > kMaxRecords) records_.resize(kMaxRecords);
  changed_ = true;
}

void FileRecords::seen(const Source& source, const contract::Digest& digest, const FileStamp& stamp,
                       std::int64_t now_ms) {
  if (std::abs(now_ms - stamp.modified_ns / 1'000'000) < kRacy_ms) return;
  const std::size_t index = index_of(source, digest);
  if (index == records_.size() || records_[index].stamp == stamp) return;
  records_[index].stamp = stamp;
  changed_ = true;
}

void FileRecords::keep_only(std::span<const Source> sources) {
  const std::size_t gone = std::erase_if(records_, [&](const FileRecord& record) {
    return std::ranges::none_of(sources,
                                [&](const Source& source) { return is_of(record, source); });
  });
  changed_ = changed_ || gone != 0;
}

Written FileRecords::save() {
  if (!changed_) return {};
  const Written written = write_cache_file(file_, {encode_records(records_)});
  changed_ = !written;
  return written;
}

}  // namespace sluice::sets
