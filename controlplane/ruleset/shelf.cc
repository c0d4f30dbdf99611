#include "controlplane/ruleset/shelf.h"

#include <algorithm>
#include <utility>

#include "controlplane/ruleset/file_bytes.h"
#include "controlplane/ruleset/read_content.h"

namespace sluice::sets {

Shelf::Shelf(const std::string& cache, std::function<std::int64_t()> wall_clock_ms, CacheUse use)
    : records_(cache + "/sets"),
      kept_(cache + "/kept", use),
      wall_ms_(std::move(wall_clock_ms)),
      use_(use) {}

Acceptance Shelf::accept(const Source& source, ByteView bytes) {
  Acceptance out;
  Findings found = judge(source, bytes);
  out.digest = contract::digest_of(bytes);
  out.tally = found.tally;
  out.faults = std::move(found.faults);
  out.error = std::move(found.refusal);
  if (!out.error.empty()) return out;
  records_.accept(source, out.digest, out.tally);
  keep_copy(source, out.digest, bytes);
  save();
  return out;
}

void Shelf::keep_copy(const Source& source, const contract::Digest& digest, ByteView bytes) {
  if (source.kind == SourceKind::file_list) note(kept_.keep(source, digest, bytes));
}

void Shelf::hold(const Source& source, ByteView bytes) {
  let_go(source);
  held_.emplace_back(source, Content{contract::digest_of(bytes), std::string(as_text(bytes)), {}});
}

void Shelf::let_go(const Source& source) {
  std::erase_if(held_, [&](const auto& held) { return held.first == source; });
}

const Content* Shelf::held(const Source& source) const noexcept {
  const auto found = std::ranges::find(held_, source, &std::pair<Source, Content>::first);
  return found == held_.end() ? nullptr : &found->second;
}

Content Shelf::look(const Source& source) {
  if (source.kind == SourceKind::inline_list)
    return {contract::digest_of(as_byte_view(source.content)), {}, {}};
  if (const Content* const content = held(source)) return {content->digest, {}, {}};
  const auto file = FileBytes::open(source.path, source.most);
  if (!file) return former(source, file.error(), false);
  if (const FileRecord* const known = records_.find(source, file->stamp()))
    return {known->digest, {}, {}};
  auto content = from_file(source, *file);
  if (!content) return former(source, std::move(content.error()), false);
  return {content->digest, {}, {}};
}

Content Shelf::load(const Source& source) {
  if (source.kind == SourceKind::inline_list)
    return {contract::digest_of(as_byte_view(source.content)), source.content, {}};
  if (const Content* const content = held(source)) return *content;
  const auto file = FileBytes::open(source.path, source.most);
  if (!file) return former(source, file.error(), true);
  auto content = from_file(source, *file);
  if (!content) return former(source, std::move(content.error()), true);
  return std::move(*content);
}

std::expected<Content, std::string> Shelf::from_file(const Source& source, const FileBytes& file) {
  auto bytes = file.read();
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  Content out;
  out.digest = contract::digest_of(as_byte_view(*bytes));
  if (records_.find(source, out.digest) == nullptr) {
    const Findings found = judge(source, as_byte_view(*bytes));
    if (!found.refusal.empty()) return std::unexpected(source.path + " " + found.refusal);
    records_.accept(source, out.digest, found.tally);
  }
  keep_copy(source, out.digest, as_byte_view(*bytes));
  records_.seen(source, out.digest, file.stamp(), wall_ms_());
  out.bytes = std::move(*bytes);
  return out;
}

/// What a user's file held when it was good. Others have nothing.
Content Shelf::former(const Source& source, std::string problem, bool with_bytes) {
  Content out;
  out.problem = std::move(problem);
  if (source.kind != SourceKind::file_list) return out;
  const auto kept = kept_.find(source);
  if (!kept) return out;
  auto bytes = kept_.read(source);
  if (!bytes) return out;
  // Accepted once, but perhaps as another format or behaviour.
  if (!judge(source, as_byte_view(*bytes)).refusal.empty()) return out;
  if (with_bytes) out.bytes = std::move(*bytes);
  out.digest = *kept;
  out.problem += "; its former content is used";
  return out;
}

std::optional<ruleformats::Tally> Shelf::tally_of(const Source& source,
                                                  const contract::Digest& digest) const {
  const FileRecord* const record = records_.find(source, digest);
  if (record == nullptr) return std::nullopt;
  return record->tally;
}

void Shelf::keep_only(std::span<const Source> sources) {
  std::erase_if(held_, [&](const auto& held) {
    return std::ranges::find(sources, held.first) == sources.end();
  });
  records_.keep_only(sources);
  kept_.keep_only(sources);
  save();
}

void Shelf::save() {
  if (use_ == CacheUse::read_write) note(records_.save());
}

void Shelf::note(const Written& written) {
  if (written || complained_) return;
  complaint_ = written.error();
  complained_ = true;
}

std::optional<std::string> Shelf::take_complaint() {
  if (complaint_.empty()) return std::nullopt;
  return std::exchange(complaint_, {});
}

}  // namespace sluice::sets
