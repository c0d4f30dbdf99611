// tests/fuzz/driver.cc - runs a fuzz target as a plain test, without libFuzzer.
//
// For every seed of the corpus folder: the seed itself, every proper prefix, and a fixed number of
// mutations (bit flips, byte swaps, cut-outs) drawn from a generator that the seed's size and index
// start. The same corpus therefore always gives the same inputs. A crash, a sanitizer report or a
// trap in the target fails the test.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kMutations = 2000;    // per seed; a target stays below a few seconds
constexpr std::size_t kMaxPrefixes = 4096;  // longer seeds are cut at evenly spread places
constexpr std::size_t kFlipsPerMutation = 4;

/// SplitMix64: small, seeded, the same on every machine.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : next() % bound; }

 private:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// A heap copy of the exact size, so that reading one byte past the end is reported.
void run_one(const std::uint8_t* data, std::size_t size) {
  const Bytes exact(data, data + size);
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

void run_prefixes(const Bytes& seed) {
  const std::size_t step = seed.size() / kMaxPrefixes + 1;
  for (std::size_t cut = 0; cut < seed.size(); cut += step) run_one(seed.data(), cut);
}

Bytes mutate(const Bytes& seed, Generator& random) {
  Bytes out = seed;
  const std::size_t flips = 1 + random.below(kFlipsPerMutation);
  for (std::size_t i = 0; i < flips && !out.empty(); ++i) {
    out[random.below(out.size())] ^= static_cast<std::uint8_t>(1U << random.below(8));
  }
  switch (random.below(4)) {
    case 0:  // cut a piece out of the middle
      if (!out.empty()) {
        const auto from = static_cast<std::ptrdiff_t>(random.below(out.size()));
        const auto most = std::min<std::size_t>(16, out.size() - static_cast<std::size_t>(from));
        out.erase(out.begin() + from,
                  out.begin() + from + static_cast<std::ptrdiff_t>(random.below(most + 1)));
      }
      break;
    case 1:  // a length or type byte at one of its limits
      if (!out.empty()) out[random.below(out.size())] = random.below(2) == 0 ? 0x00 : 0xff;
      break;
    case 2:  // a few bytes more than the sender promised
      out.resize(out.size() + random.below(8), 0x41);
      break;
    default:
      break;
  }
  return out;
}

void run_mutations(const Bytes& seed, std::uint64_t index) {
  Generator random(index * 0x1000193U + seed.size());
  for (std::size_t i = 0; i < kMutations; ++i) {
    const Bytes input = mutate(seed, random);
    run_one(input.data(), input.size());
  }
}

/// The corpus in the order of its file names, so that a run can be repeated.
std::vector<std::filesystem::path> corpus_files(const char* folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CORPUS-FOLDER\n", argv[0]);
    return 2;
  }
  const auto files = corpus_files(argv[1]);
  if (files.empty()) {
    std::fprintf(stderr, "no seeds in %s\n", argv[1]);
    return 1;
  }
  std::uint64_t index = 0;
  for (const auto& path : files) {
    const Bytes seed = read_file(path);
    std::fprintf(stderr, "%s (%zu bytes)\n", path.filename().c_str(), seed.size());
    run_one(seed.data(), seed.size());
    run_prefixes(seed);
    run_mutations(seed, ++index);
  }
  std::printf("%zu seeds, each with its prefixes and %zu mutations\n", files.size(), kMutations);
  return 0;
}
