#pragma once
// How a model writes points, measured: it is shown known targets, and the convention that fits what it said is kept
// with how well it fits.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "agent/model.h"
#include "capture/screen_map.h"

namespace agent {

// One target and where the model said that it is.
struct PointSample {
  double x = 0, y = 0;      // as the model wrote them
  capture::Rect target_px;  // in the picture
  capture::Size picture_px;
};

struct PointFit {
  CoordinateSpace space = CoordinateSpace::Pixels;
  bool is_yx = false;          // it writes the vertical one first
  int n_asked = 0;             // targets shown, with those that it gave no point for
  int n_hits = 0;              // points inside their target
  double median_error_px = 0;  // between point and middle of the target
  double worst_error_px = 0;   // of nine in ten
};

// The convention under which most points hit; the declared one unless another is clearly better. `n_asked` ≥ samples.
PointFit fit_points(const std::vector<PointSample>& samples, int n_asked,
                    CoordinateSpace declared = CoordinateSpace::Pixels);
// Why the model's points can't be used, with the figures; empty: they can.
std::string problem_with(const PointFit& fit);
std::string describe(const PointFit& fit);
std::string_view name_of(CoordinateSpace space);

// ~/.local/share/deskhand/calibration/MODEL.json
std::filesystem::path calibration_path(const std::string& model_name);
void save_fit(const std::string& model_name, const PointFit& fit);  // throws Error
std::optional<PointFit> load_fit(const std::string& model_name);    // throws Error when the file is damaged
// Lets the model's measured convention, where there is one, take the place of the declared one.
void apply_stored_fit(ModelInfo& info);

}  // namespace agent
