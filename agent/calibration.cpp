#include "agent/calibration.h"

#include <QStandardPaths>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "agent/call_translator.h"
#include "agent/error.h"
#include "agent/whole_file.h"

namespace agent {
namespace {

using nlohmann::json;

constexpr double kFewestHits = 0.6;  // of the targets shown
constexpr int kFewestAsked = 8;
constexpr std::array<std::pair<CoordinateSpace, std::string_view>, 3> kSpaces = {
    {{CoordinateSpace::Pixels, "pixels"},
     {CoordinateSpace::Norm1000, "norm1000"},
     {CoordinateSpace::Norm999, "norm999"}}};

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}

PointFit measured(const std::vector<PointSample>& samples, CoordinateSpace space, bool is_yx) {
  PointFit fit{.space = space, .is_yx = is_yx};
  std::vector<double> errors_px;
  for (const PointSample& sample : samples) {
    const double x_px = to_pixel(is_yx ? sample.y : sample.x, space, sample.picture_px.width);
    const double y_px = to_pixel(is_yx ? sample.x : sample.y, space, sample.picture_px.height);
    const capture::Rect& target = sample.target_px;
    fit.n_hits += x_px >= target.x && x_px < target.right() && y_px >= target.y && y_px < target.bottom();
    errors_px.push_back(std::hypot(x_px - (target.x + target.width / 2.0), y_px - (target.y + target.height / 2.0)));
  }
  fit.median_error_px = quantile(errors_px, 0.5);
  fit.worst_error_px = quantile(errors_px, 0.9);
  return fit;
}

}  // namespace

std::string_view name_of(CoordinateSpace space) {
  return std::find_if(kSpaces.begin(), kSpaces.end(), [&](const auto& entry) { return entry.first == space; })->second;
}

PointFit fit_points(const std::vector<PointSample>& samples, int n_asked, CoordinateSpace declared) {
  constexpr double kClearly_px = 1;
  PointFit best = measured(samples, declared, false);
  for (const auto& [space, name] : kSpaces) {
    for (const bool is_yx : {false, true}) {
      const PointFit fit = measured(samples, space, is_yx);
      const bool is_better = fit.n_hits > best.n_hits ||
                             (fit.n_hits == best.n_hits && fit.median_error_px < best.median_error_px - kClearly_px);
      if (is_better) best = fit;
    }
  }
  best.n_asked = n_asked;
  return best;
}

std::string describe(const PointFit& fit) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(),
                "%s%s: %d of %d targets hit, median error %.1f px, nine in ten within %.1f px",
                std::string(name_of(fit.space)).c_str(), fit.is_yx ? ", vertical first" : "", fit.n_hits, fit.n_asked,
                fit.median_error_px, fit.worst_error_px);
  return text.data();
}

std::string problem_with(const PointFit& fit) {
  if (fit.n_asked < kFewestAsked) return "only " + std::to_string(fit.n_asked) + " targets were shown";
  if (fit.n_hits >= kFewestHits * fit.n_asked) return "";
  return "its points miss too often (" + describe(fit) + ")";
}

std::filesystem::path calibration_path(const std::string& model_name) {
  std::string file = model_name;
  std::replace_if(
      file.begin(), file.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '.'; }, '_');
  const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
  return std::filesystem::path(data.toStdString()) / "deskhand" / "calibration" / (file + ".json");
}

void save_fit(const std::string& model_name, const PointFit& fit) {
  const std::filesystem::path path = calibration_path(model_name);
  const json object = {{"model", model_name},
                       {"space", name_of(fit.space)},
                       {"vertical_first", fit.is_yx},
                       {"asked", fit.n_asked},
                       {"hits", fit.n_hits},
                       {"median_error_px", fit.median_error_px},
                       {"worst_error_px", fit.worst_error_px}};
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  write_file(path, object.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

std::optional<PointFit> load_fit(const std::string& model_name) {
  const std::filesystem::path path = calibration_path(model_name);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const std::string text = read_file(path);
  try {
    const json object = json::parse(text);
    PointFit fit;
    const std::string space = object.at("space");
    const auto found =
        std::find_if(kSpaces.begin(), kSpaces.end(), [&](const auto& entry) { return entry.second == space; });
    if (found == kSpaces.end()) throw Error("");
    fit.space = found->first;
    fit.is_yx = object.at("vertical_first");
    fit.n_asked = object.at("asked");
    fit.n_hits = object.at("hits");
    fit.median_error_px = object.at("median_error_px");
    fit.worst_error_px = object.at("worst_error_px");
    return fit;
  } catch (const std::exception&) {
    throw Error(path.string() + ": is damaged; run `deskhand calibrate` again");
  }
}

void apply_stored_fit(ModelInfo& info) {
  const std::optional<PointFit> fit = load_fit(info.name);
  if (!fit) return;
  info.coordinates = fit->space;
  info.points_are_yx = fit->is_yx;
  info.pointing_problem = problem_with(*fit);
}

}  // namespace agent
