#include "ui/cli/convert/convert_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "proto/common/unique_fd.h"
#include "proto/common/whole_file.h"
#include "ui/cli/convert/convert.h"
#include "ui/cli/human.h"
#include "ui/cli/terminal.h"
#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kStandard = "-";

std::unexpected<Failure> misused(std::string text) {
  return std::unexpected(Failure{ExitCode::usage, std::move(text)});
}

std::string shown_in(const ConvertWords& words) {
  return words.in == kStandard ? "standard input" : words.in;
}

std::expected<std::string, Failure> read_in(const ConvertWords& words, std::size_t most) {
  const auto failed = [&](int sys) {
    return misused("cannot read " + shown_in(words) + " (" + std::strerror(sys) +
                   "); check the path and its permissions");
  };
  UniqueFd fd;
  if (words.in != kStandard) {
    fd = UniqueFd(::open(words.in.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return failed(errno);
  }
  auto bytes = read_whole(fd.valid() ? fd.get() : STDIN_FILENO, most);
  if (bytes) return std::move(*bytes);
  if (bytes.error().code != Errc::too_large) return failed(bytes.error().sys);
  return misused(shown_in(words) + " is larger than " + human_bytes(most) +
                 ", the bound of rule files");
}

std::expected<SourceFormat, Failure> in_format(const ConvertWords& words, ByteView file) {
  if (!words.from.empty()) return *parse_source_format(words.from);  // the command line checked it
  if (const auto guessed = guess_source_format(words.in, file)) return *guessed;
  return misused("the format of " + shown_in(words) +
                 " is not to be seen from its start and its name; say it with --from");
}

std::expected<OutFormat, Failure> out_format(const ConvertWords& words) {
  if (!words.to.empty()) return *parse_out_format(words.to);  // the command line checked it
  const auto guessed = ruleformats::guess_format(words.out, {});
  if (!guessed)
    return misused("the format of " + words.out +
                   " is not to be seen from its name; say text, yaml or mrs with --to");
  const auto format = parse_out_format(ruleformats::to_text(*guessed));
  if (!format)
    return misused("files of the format " + std::string(ruleformats::to_text(*guessed)) +
                   " are only read; say text, yaml or mrs with --to");
  return *format;
}

/// A new file as other programs make it.
mode_t usual_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<mode_t>(0666 & ~mask);
}

class StandardOutput final : public ByteSink {
 public:
  Status write(std::string_view piece) override { return write_whole(STDOUT_FILENO, piece); }
};

class FileOutput final : public ByteSink {
 public:
  explicit FileOutput(FileReplacement& file) : file_(file) {}
  Status write(std::string_view piece) override { return file_.write(piece); }

 private:
  FileReplacement& file_;
};

std::unexpected<Failure> cannot_write(const std::string& path, const ReplaceError& error) {
  return misused("cannot write " + path + " (" + std::strerror(error.sys) +
                 "); check the path and its permissions");
}

/// One conversion whose input is read.
struct Job {
  const RuleSource& source;
  ByteView file;
  Conversion how;
  ruleformats::Bounds bounds;
  LeftOut& left_out;

  std::expected<Converted, Failure> to(ByteSink& sink) const {
    return convert(source, file, how, bounds, left_out, sink);
  }
};

std::expected<Converted, Failure> write_out(const std::string& path, const Job& job) {
  if (path == kStandard) {
    StandardOutput sink;
    return job.to(sink);
  }
  auto file = FileReplacement::begin(path, usual_mode());
  if (!file) return cannot_write(path, file.error());
  FileOutput sink(*file);
  auto done = job.to(sink);
  if (!done) return done;
  if (const Replaced replaced = file->commit(); !replaced)
    return cannot_write(path, replaced.error());
  return done;
}

std::string summary(const ConvertWords& words, const RuleSource& source, OutFormat to,
                    const Converted& done) {
  const std::string out = words.out == kStandard ? "standard output" : words.out;
  return printable(out) + " (" + std::string(to_text(to)) + ", " +
         std::string(to_text(done.behavior)) + ") holds " +
         (done.entries == 1 ? "1 entry" : std::to_string(done.entries) + " entries") + " of " +
         printable(shown_in(words)) + " (" + std::string(to_text(source.format())) + ")\n";
}

}  // namespace

std::expected<void, Failure> convert_files(const ConvertWords& words) {
  const auto to = out_format(words);
  if (!to) return std::unexpected(to.error());
  const ruleformats::Bounds bounds;
  const auto bytes = read_in(words, bounds.input_bytes);
  if (!bytes) return std::unexpected(bytes.error());
  const ByteView file = as_byte_view(*bytes);
  const auto from = in_format(words, file);
  if (!from) return std::unexpected(from.error());

  Conversion how{*to, std::nullopt};
  if (!words.behavior.empty()) how.behavior = *parse_behavior(words.behavior);
  const auto source = RuleSource::open(shown_in(words), *from, how.behavior,
                                       {words.category, words.country, words.asn}, file, bounds);
  if (!source) return std::unexpected(source.error());
  LeftOut left_out(shown_in(words));
  const auto done = write_out(words.out, {*source, file, how, bounds, left_out});
  print_error(left_out.report());
  if (!done) return std::unexpected(done.error());
  const std::string said = summary(words, *source, *to, *done);
  if (words.out == kStandard)
    print_error(said);
  else
    print(said);
  return {};
}

}  // namespace sluice::cli
