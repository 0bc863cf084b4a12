// How fast text becomes tokens on one core.
//   tokenizer_bench TOKENIZER_JSON FOLDER...
// reads up to 32 MB of source code (.h .hpp .cpp .c .py) below the folders, in the order of their paths.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "inference/tokenizer.h"

namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxBytes = 32'000'000;
constexpr int kRuns = 5;
const std::set<std::string> kExtensions = {".h", ".hpp", ".c", ".cpp", ".py"};

std::string source_code_below(const std::vector<fs::path>& folders) {
  std::vector<fs::path> files;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
      if (kExtensions.contains(entry.path().extension()) && entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::string code;
  for (const fs::path& file : files) {
    if (code.size() >= kMaxBytes) break;
    std::ifstream stream(file, std::ios::binary);
    code.append(std::istreambuf_iterator<char>(stream), {});
  }
  return code.substr(0, kMaxBytes);
}

// The best of several runs: the machine's other work only ever adds time.
template <typename Work>
double best_seconds(Work work) {
  double best = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

void measure(const inference::Tokenizer& tokenizer, const char* what, std::string_view text) {
  std::vector<int32_t> ids;
  const double encode_s = best_seconds([&] { ids = tokenizer.encode(text); });
  std::string bytes;
  const double decode_s = best_seconds([&] { bytes = tokenizer.decode(ids); });
  const double megabytes = static_cast<double>(text.size()) / 1e6;
  std::printf("%-22s %6.2f MB %9zu tokens  encode %6.1f MB/s  decode %6.1f MB/s  %s\n", what, megabytes, ids.size(),
              megabytes / encode_s, megabytes / decode_s, bytes == text ? "same bytes" : "DIFFERENT BYTES");
}

int run(const fs::path& tokenizer_json, const std::vector<fs::path>& folders) {
  const auto start = std::chrono::steady_clock::now();
  const inference::Tokenizer tokenizer = inference::Tokenizer::load(tokenizer_json);
  const std::chrono::duration<double> load_time = std::chrono::steady_clock::now() - start;
  std::printf("%d tokens loaded in %.2f s\n", tokenizer.vocab_size(), load_time.count());
  measure(tokenizer, "source code", source_code_below(folders));
  constexpr size_t kMegabyte = 1 << 20;
  measure(tokenizer, "one letter repeated", std::string(kMegabyte, 'a'));
  std::string letters;
  uint32_t state = 1;
  while (letters.size() < kMegabyte) {
    state = state * 1664525u + 1013904223u;
    letters += static_cast<char>('a' + (state >> 16) % 26);
  }
  measure(tokenizer, "one word of a megabyte", letters);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: tokenizer_bench TOKENIZER_JSON FOLDER...\n");
    return 2;
  }
  try {
    return run(argv[1], {argv + 2, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tokenizer_bench: %s\n", error.what());
    return 1;
  }
}
